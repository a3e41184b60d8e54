"""What a free text says that its sources do not: the check of every sentence that is prose and no rewording (`wording.py`).

Prose has words of its own; its specifics (`specifics.py`) it may only take from its sources. How it may tell what a source says
is the business of `retelling.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

from reverie.language import language_of, line_language
from reverie.sense import is_negated
from reverie.specifics import folded, sentences, specifics_of

# Written with a word of negation, and turning nothing.
_NO_TURN = re.compile(
    r"\b(?:not|n['’]t|never) (?:forg[eo]t\w*|only|alone)|n['’]t forg[eo]t\w*|nicht (?:nur|vergessen)|no (?:sólo|solo|olvid\w+)|não (?:só|esque\w+)|n['’]oubli\w+ pas|не (?:забы\w+|только)"
    r"|\bnot (?:want|wish) to lose|nicht verlieren|no quer\w+ perder|não quer\w+ perder|ne v\w+ pas perdre|не хо\w+ терять|不想弄?丢|不会轻易|失くしたくな|잃고 싶지 않"
    r"|不过|不同|不久|不断|不停|不知不觉|不只|不仅|特别|分别|差别|区别|告别|别人|别的|无论|未来|不会忘\w?|没有?忘\w?|别忘\w?|忘れない|잊지 않",
    re.I,
)
_SCRIPTS = {
    "zh": ("CJK", "IDEOGRAPHIC"), "ja": ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA"), "ko": ("CJK", "HANGUL"), "ru": ("CYRILLIC",),
}  # fmt: skip


def unsaid(text: str, sources: Sequence[str], common: Collection[str] = ()) -> tuple[str, ...]:
    """Every specific of a text that stands in none of its sources, in their order. `common` are words that name nobody."""
    told = [folded(source) for source in sources]
    return tuple(dict.fromkeys(one for one, said_in in specifics_of(text, common) if not any(map(said_in, told))))


def speaks(text: str, language: str) -> bool:
    """Whether a text is written in this language; a line that does not show its language passes, if its script does."""
    parts = [part for part in sentences(text) if line_language(part)]
    others = [part for part in parts if line_language(part) != language]
    if not parts:
        return (language in ("zh", "ja", "ko", "ru")) == bool(
            re.search(r"[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7af]", text)
        )
    return language_of(parts) == language and len(others) * 3 <= len(parts)


def in_one_script(text: str, language: str, frame: str = "") -> bool:
    """Whether every letter is of a script that this language or the frame is written in. Latin names stand anywhere."""
    mine = {_script(char) for char in frame if char.isalpha()} | {
        "LATIN",
        "MASCULINE",
        "FEMININE",
        *_SCRIPTS.get(language, ()),
    }
    return not language or all(_script(char) in mine for char in text if char.isalpha())


@lru_cache(maxsize=8_000)
def _script(char: str) -> str:
    return unicodedata.name(char, "?").split()[0].split("-")[0]


def is_turned(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    return is_negated(_NO_TURN.sub(" ", text))
