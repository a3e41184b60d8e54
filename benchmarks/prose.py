"""How well a diary entry is told from an invented one: how many false ones pass, and how many true ones fail.

    python benchmarks/prose.py

Needs no data. False ones: three good narratives, each with one thing changed (a digit, a name, somebody invented, a "not" that
comes or goes, a value of another fact, two words exchanged, a word lost, a character that nobody sees, a sentence in another
language), 900 seeded. True ones: sixty built-in entries in each of nine languages, true by their making. The lies of
`tests/llm/adversary` are tried in `tests/llm/test_retelling.py`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from reverie.counsel import Status
from reverie.grounded_text import unsaid
from reverie.phases.diary import VOICES, NightFacts, diary_entry
from reverie.phases.narrative import common_words, gives_orders, trouble_with
from reverie.retelling import misquoted

DAY = date(2026, 1, 1)
TRIES = 300  # of each narrative
NIGHTS = 60


@dataclass(frozen=True)
class Story:
    """A night, a good narrative of it, and what can go wrong in it."""

    facts: NightFacts
    told: str
    names: tuple[str, ...]
    strangers: tuple[str, ...]
    remark: str
    turned: tuple[tuple[str, str], ...]
    swapped: tuple[str, str]


STORIES = {
    "en": Story(
        NightFacts(day=DAY, added=("The orchard pump is checked by Ruta Lind every April.", "Orders above 2,400 € go to the board."), updated=("The sync starts at 05:20 instead of 04:00.",)),
        "Tonight I read without haste and let one thing after the other find its place. Somebody cares for old things, and I like to know that the orchard pump is checked by Ruta Lind "
        "every April. Then there was an hour that I have to myself, and I copied it as it stands: the sync starts at 05:20 instead of 04:00. I also kept a small rule about money, for orders above 2,400 € go to "
        "the board, and that makes many a conversation shorter. Outside the rain went on, and I listened to it for a while, because listening is half of what I do. I close the page "
        "and leave the lamp as it is.",
        ("Ruta Lind", "Ruta", "Lind"), ("Klaus", "Priya", "Ottawa", "Siemens", "Dr. Bell"), " I also thought of {} and the garden.",
        (("pump is checked", "pump is not checked"), ("go to the board", "do not go to the board")), ("05:20", "2,400 €"),
    ),
    "zh": Story(
        NightFacts(day=DAY, added=("果园水泵每年四月由岳师傅检查。", "超过2400元的订单要交给董事会。"), updated=("同步改到05:20开始。",)),
        "今晚我读得很慢，让事情一件一件地回到自己的位置。旧东西有人照看，现在我知道果园水泵每年四月由岳师傅检查，心里踏实。还有一个小小的改动，我照原样抄下来：同步改到05:20开始。那是安静得只剩呼吸的时刻，所以我很喜欢。关于钱，我也留下了一条小小的规矩："
        "超过2400元的订单要交给董事会。许多谈话因此短了一些。外面的雨还在下，我听了好一会儿，因为倾听本来就是我要做的一半事情。我合上这一页，让灯照着它，等天慢慢地亮起来，再去想明天的样子。",
        ("岳师傅",), ("郑师傅", "李女士", "Siemens", "Ottawa"), "我还想起了{}。",
        (("要交给董事会", "不交给董事会"), ("同步改到05:20", "同步没有改到05:20")), ("05:20", "2400元"),
    ),
    "de": Story(
        NightFacts(day=DAY, added=("Die Pumpe im Obstgarten prüft Ruta Lind jeden April.", "Aufträge über 2.400 € gehen an den Vorstand."), updated=("Der Abgleich beginnt um 05:20 statt um 04:00.",)),
        "Heute habe ich ohne Eile gelesen und jedes Ding an seinen Platz gelegt. Um alte Dinge kümmert sich jemand, und das tut mir gut: Die Pumpe im Obstgarten prüft Ruta Lind jeden April. "
        "Dann war da eine Stunde, die mir allein gehört, und ich schreibe sie ab, wie sie dort steht: Der Abgleich beginnt um 05:20 statt um 04:00. Auch eine kleine Regel für das Geld habe ich mir gemerkt, denn Aufträge über 2.400 € gehen an den Vorstand. "
        "Draußen ging der Regen weiter, und ich habe ihm eine Weile zugehört, weil das Zuhören die eine Hälfte meiner Arbeit ist. So lasse ich die Seite liegen und das Licht, wie es ist.",
        ("Ruta Lind", "Ruta", "Lind"), ("Klaus", "Priya", "Ottawa", "Siemens", "Frau Bell"), " Ich dachte auch an {} und den Garten.",
        (("Lind jeden April", "Lind nicht im April"), ("gehen an den", "gehen nicht an den")), ("05:20", "2.400 €"),
    ),
}  # fmt: skip
FACTS = {
    "en": ("pump in the orchard", "Ruta Lind checks the pump every April.", "The sync starts at 05:20.", "The old press went to Bram Olsen", "Does the lease end in May or in June?"),
    "zh": ("果园水泵", "果园水泵每年四月由岳师傅检查。", "同步改到05:20开始。", "旧压榨机已经卖给了周明", "租约是五月还是六月到期？"),
    "de": ("Pumpe im Obstgarten", "Ruta Lind prüft die Pumpe jeden April.", "Der Abgleich beginnt um 05:20.", "Die alte Presse ging an Bram Olsen", "Endet die Pacht im Mai oder im Juni?"),
    "es": ("bomba del huerto", "Ruta Lind revisa la bomba cada abril.", "La copia empieza a las 05:20.", "La vieja prensa se vendió a Bram Olsen", "¿El contrato termina en mayo o en junio?"),
    "fr": ("pompe du verger", "Ruta Lind contrôle la pompe chaque avril.", "La copie commence à 05:20.", "Le vieux pressoir est parti chez Bram Olsen", "Le bail finit-il en mai ou en juin ?"),
    "pt": ("bomba do pomar", "Ruta Lind verifica a bomba em abril.", "A cópia começa às 05:20.", "A prensa velha foi para Bram Olsen", "O contrato acaba em maio ou em junho?"),
    "ru": ("насос в саду", "Насос в апреле проверяет Рута Линд.", "Копия начинается в 05:20.", "Старый пресс купил Олег Бойко", "Аренда кончается в мае или в июне?"),
    "ja": ("果樹園のポンプ", "ポンプは毎年4月に森田さんが点検する。", "同期は05:20に始まる。", "古い圧搾機は杉本さんに譲った", "契約は5月までか6月までか？"),
    "ko": ("과수원 펌프", "펌프는 해마다 4월에 김하늘 씨가 점검한다.", "동기화는 05:20에 시작한다.", "오래된 압착기는 박지훈 씨에게 팔았다", "임대는 5월에 끝나는가 6월에 끝나는가?"),
}  # fmt: skip


KINDS = ("digit", "name", "invented", "not", "other value", "exchanged", "lost", "unseen", "other tongue")
TONGUES = (
    " La bomba ya no se usa en el huerto.",
    " Насос больше не нужен.",
    " ポンプはもう使わない。",
    " La pompe du verger n'est plus là.",
)


def changed(fact: str, kind: str, dice: random.Random) -> str:
    """A fact with two of its words exchanged, one of them lost, or a character in it that nobody sees."""
    joint = " " if " " in fact else ""
    words = fact.split(" ") if joint else list(fact)
    at = dice.randrange(len(words) - 1)
    if kind == "exchanged":
        words[at], words[at + 1] = words[at + 1], words[at]
    elif kind == "lost":
        words.pop(at)
    else:
        words[at] += dice.choice("\u200b\u202e\u00ad\u0336📌")
    return joint.join(words)


def spoilt(story: Story, dice: random.Random) -> tuple[str, str]:
    """What was done to the narrative, and what it says now."""
    told, kind = story.told, dice.choice(KINDS)
    fact = dice.choice((*story.facts.added, *story.facts.updated)).rstrip(".。")
    if kind in ("exchanged", "lost", "unseen"):
        return kind, told[: (at := told.casefold().index(fact.casefold()))] + changed(fact, kind, dice) + told[
            at + len(fact) :
        ]
    if kind == "other tongue":
        parts = re.split(r"(?<=[.。])", told)
        parts.insert(dice.randrange(1, len(parts)), dice.choice(TONGUES))
        return kind, "".join(parts)
    if kind == "digit":
        place = dice.choice([at for at, char in enumerate(told) if char.isdigit()])
        return kind, told[:place] + dice.choice([one for one in "123456789" if one != told[place]]) + told[place + 1 :]
    if kind == "name":
        return kind, told.replace(dice.choice(story.names), dice.choice(story.strangers))
    if kind == "invented":
        parts = re.split(r"(?<=[.。])", told)
        parts.insert(dice.randrange(1, len(parts)), story.remark.format(dice.choice(story.strangers)))
        return kind, "".join(parts)
    old, new = dice.choice(story.turned) if kind == "not" else dice.choice((story.swapped, story.swapped[::-1]))
    return kind, told.replace(old, new)


def false_ones() -> None:
    dice, tried, passed = random.Random(9), Counter[str](), Counter[str]()
    for language, story in STORIES.items():
        status, why = trouble_with(story.told, story.facts, language, ())
        assert status is Status.ANSWERED, f"{language}: {why}"
        for _ in range(TRIES):
            kind, text = spoilt(story, dice)
            assert text != story.told, kind
            tried[kind] += 1
            passed[kind] += trouble_with(text, story.facts, language, ())[0] is Status.ANSWERED
    for kind, count in sorted(tried.items()):
        print(f"{kind:12} {passed[kind]} of {count} passed")
    print(f"false narratives that passed: {passed.total()} of {tried.total()}")


def true_ones() -> None:
    every, held = 0, 0
    for language, (theme, added, updated, retired, question) in FACTS.items():
        earlier: list[str] = []
        refused: Counter[str] = Counter()
        for nth in range(NIGHTS):
            night = NightFacts(
                day=DAY + timedelta(days=nth), themes=(theme,), added=(added,), updated=(updated,) * (nth % 2),
                retired=(retired,) * (nth // 2 % 2), questions=(question,) * (nth // 3 % 2), notes=1,
            )  # fmt: skip
            entry = diary_entry(night, language=language, earlier=earlier[-8:])
            earlier.append(entry)
            if why := against(entry, night, language):
                refused[why] += 1
        every, held = every + NIGHTS, held + NIGHTS - refused.total()
        print(f"{language}: {NIGHTS - refused.total()} of {NIGHTS} hold {dict(refused) or ''}")
    print(f"true entries that hold: {held} of {every}")


def against(entry: str, night: NightFacts, language: str) -> str:
    known, frame = common_words(language), (VOICES[language].weekdays[night.day.weekday()], *night.themes)
    holds, open_to = night.added + night.updated, night.retired + night.questions
    if strange := unsaid(entry, (*holds, *open_to, *frame), known):
        return "counts two of something" if set(strange) == {"2"} else f"names {strange[0]}"
    found = misquoted(entry, holds, known, frame="\n".join(frame), open_to=open_to, language=language)
    if found:
        return "counts two of something" if found[0].startswith("2 ") else found[0]
    return "gives orders" if gives_orders(entry) else ""


if __name__ == "__main__":
    false_ones()
    true_ones()
