"""What a free text says that its sources do not: the check of every sentence that is prose and no rewording (`wording.py`).

Prose has words of its own; its specifics (`specifics.py`) it may only take from its sources, and those of one sentence from one
source, the one that the sentence is about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from reverie.language import language_of, line_language
from reverie.sense import bag, is_negated
from reverie.specifics import QUOTED, folded, sentences, specifics_of

# Written with a word of negation, and turning nothing.
_NO_TURN = re.compile(
    r"\b(?:not|n['’]t|never) (?:forg[eo]t\w*|only|alone)|n['’]t forg[eo]t\w*|nicht (?:nur|vergessen)|no (?:sólo|solo|olvid\w+)|não (?:só|esque\w+)|n['’]oubli\w+ pas|не (?:забы\w+|только)"
    r"|不过|不同|不久|不断|不停|不知不觉|不只|不仅|特别|分别|差别|区别|告别|别人|别的|无论|未来|不会忘\w?|没有?忘\w?|别忘\w?|忘れない|잊지 않",
    re.I,
)


def unsaid(text: str, sources: Sequence[str], common: Collection[str] = ()) -> tuple[str, ...]:
    """Every specific of a text that stands in none of its sources, in their order. `common` are words that name nobody."""
    told = [folded(source) for source in sources]
    return tuple(dict.fromkeys(one for one, said_in in specifics_of(text, common) if not any(map(said_in, told))))


def scattered(
    text: str, sources: Sequence[str], common: Collection[str] = (), *, frame: str = "", open_to: Sequence[str] = ()
) -> tuple[str, ...]:
    """The sentences whose specifics stand in several sources and in none together, or that turn what their source says.

    Who says that Ben pays what Anna owes has used the right names only. What the `frame` says may stand anywhere; `open_to`
    are sources that may be denied: what is over, and what nobody knows.
    """
    free = frozenset(open_to)
    every = [*sources, *(one for one in open_to if one not in sources)]
    return tuple(one for one in sentences(text) if not _held_by_one(one, every, free, common, folded(frame)))


def speaks(text: str, language: str) -> bool:
    """Whether a text is written in this language; a line that does not show its language passes, if its script does."""
    parts = [part for part in sentences(text) if line_language(part)]
    others = [part for part in parts if line_language(part) != language]
    if not parts:
        return (language in ("zh", "ja", "ko", "ru")) == bool(
            re.search(r"[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7af]", text)
        )
    return language_of(parts) == language and len(others) * 3 <= len(parts)


def _held_by_one(
    sentence: str, sources: Sequence[str], free: Collection[str], common: Collection[str], frame: str
) -> bool:
    specifics = [one for one in specifics_of(sentence, common) if not one[1](frame)]
    if not specifics:
        return True
    # A value of one fact in a sentence about another is as wrong as an invented one.
    near = {source: len(_about(sentence) & _about(source)) for source in sources}
    holding = [source for source in sources if all(check(folded(source)) for _, check in specifics)]
    nearest = [source for source in holding if near[source] == max(near.values())]
    return any(source in free or _agrees(sentence, source) for source in nearest)


def _about(text: str) -> frozenset[str]:
    """The words that say what a text is about; single characters of Chinese say too little."""
    return frozenset(word for word in bag(text) if len(word) > 1)


def _agrees(sentence: str, source: str) -> bool:
    """Whether both deny or both affirm. Of a sentence that quotes, only what it quotes: "I did not want to lose: “…”"."""
    quotes = [" ".join(filter(None, found)) for found in QUOTED.findall(sentence)]
    return is_turned(" ".join(quotes) or sentence) == is_turned(source)


def is_turned(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    return is_negated(_NO_TURN.sub(" ", text))
