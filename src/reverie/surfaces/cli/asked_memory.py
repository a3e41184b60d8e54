"""Whether a sentence asks what is remembered: "what do you remember about me", 你记得我什么 (a trigger of seed 000).

Whole sentences only, in nine languages. Anything more particular ("what do you remember about my bike") is a search.
"""

from __future__ import annotations

import re
import unicodedata

_WHOLE = re.compile(
    "|".join(
        f"(?:{pattern})"
        for pattern in (
            r"(?:so )?(?:tell me )?what (?:all |else )?(?:do|can) you (?:still |actually )?(?:remember|know|recall)(?: about me)?",
            r"(?:tell me )?what(?: is|'?s)(?: there)? in (?:your|my) memory|what does (?:your|my) memory(?: say| hold)?(?: about me)?|what have you (?:remembered|learned|learnt|kept) about me",
            r"(?:show|tell) (?:me )?(?:everything|all|what) you (?:remember|know)(?: about me)?",
            r"(?:请问)?你(?:现在|还|都|到底|究竟)*(?:记得|记住了?|知道|了解)(?:关于)?我(?:的)?(?:些|哪些|什么|多少|哪些事|什么事|哪些事情)+(?:事情?|东西)?",
            r"(?:请问)?(?:关于我)?[,，]?\s?你(?:现在|还|都|到底)*(?:记得|记住了?|知道|了解)(?:些|了)?(?:什么|哪些|多少)(?:事情?|东西)?",
            r"你对我(?:还|都)*(?:记得|知道|了解|有)(?:些|了)?(?:什么|哪些|多少)(?:记忆|印象|事情?)?|你的?记忆里(?:有)?(?:关于我的?)?(?:什么|哪些)(?:内容)?",
            r"was (?:weißt|weisst) du (?:noch |alles )?(?:über|von) mir?(?:ch)?|woran erinnerst du dich(?: bei mir)?|was hast du dir (?:über mich )?gemerkt",
            r"qué (?:recuerdas|sabes)(?: (?:de|sobre) mí)?",
            r"(?:que|qu'est-ce que tu|de quoi) (?:sais-tu|te rappelles-tu|te souviens-tu|sais|te rappelles|te souviens)(?: (?:de|sur) moi)?",
            r"o que (?:é que )?(?:você |tu )?(?:se )?(?:lembras?|sabes?|recordas?)(?: (?:de|sobre) mim)?",
            r"что ты (?:ещё |еще )?(?:помнишь|знаешь)(?: обо мне)?",
            r"(?:私|僕|俺|わたし)(?:について|のこと)(?:を|で|に|は)?(?:何を?|どれくらい|なにを?)(?:覚えて|知って|記憶して)(?:いる|います|る|ます)(?:か)?",
            r"(?:나|저)에 대해 (?:무엇을|뭘|뭐를?|어떤 것을) (?:기억|알고)\s?(?:하고\s?)?(?:있니|있어|있나요|있습니까|해|하니|하나요|합니까)",
        )
    )
)


def asks_for_memory(sentence: str) -> bool:
    """Whether somebody wants to hear what the memory holds, all of it."""
    plain = unicodedata.normalize("NFKC", sentence).casefold().replace("’", "'")
    plain = " ".join(plain.strip(" \t\r\n?？!！.。¿¡,，").split())
    return bool(_WHOLE.fullmatch(plain))
