"""Whether a wording says the opposite of a small word (at least for at most, weekly for daily), or drops a "perhaps" or an "except".

Languages list rows of sides that exclude each other (`opposites` in their files). A text may use a side that a source uses;
one that none of them uses is refused only where a source says another side of that row about the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.judge.figures import figures_in
from reverie.judge.polarity import clauses, denies, known_words
from reverie.lang import table
from reverie.lang.detect import language_of
from reverie.lang.lexicon import either

_ENOUGH = 2  # words of a clause that a text must have to tell it


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a row as a text says it, with what stands in the clause beside it."""

    row: str
    side: str
    word: str
    near: frozenset[str]
    denied: bool


def opposed(text: str, said: Sequence[str]) -> tuple[str, str] | None:
    """A word of the text and the word of a source that it turns round."""
    language = language_of((text, *said))
    its = [side for one in said for side in _sides(one, language)]
    for mine in _sides(text, language):
        rivals = [one for one in its if one.row == mine.row and one.near & mine.near]
        if rivals and not any(one.side == mine.side or one.denied or mine.denied for one in rivals):
            return mine.word, rivals[0].word
    return None


def hardened(text: str, said: Sequence[str]) -> str:
    """The "perhaps" or "except" of a source without which a text tells the same; empty if it leaves nothing out."""
    language = language_of((text, *said))
    mine = set(known_words(text))
    for group, least in (("hedges", _ENOUGH), ("exceptions", 0)):
        if _open(group, language).search(text) or _open(f"still_{group}", language).search(text):
            continue
        for clause in (part for one in said for part in clauses(one, language)):
            hit = _open(group, language).search(clause)
            if hit and len(mine.intersection(known_words(clause))) >= least:
                return hit[0]
    return ""


@cache
def _open(group: str, language: str) -> re.Pattern[str]:
    return re.compile(either(table(language, "open")[group]), re.I)


@lru_cache(maxsize=5_000)
def _sides(text: str, language: str) -> tuple[_Side, ...]:
    return tuple(_found(text, language))


def _found(text: str, language: str) -> Iterator[_Side]:
    for clause in clauses(text, language):
        hits = [(row, side, hit) for (row, side), form in _rows(language).items() if (hit := form.search(clause))]
        if hits:
            figures = [figure for figure in figures_in(clause) if figure.values != {1.0}]
            bare = _all(language).sub(" ", clause)
            for figure in figures_in(clause):
                bare = bare.replace(figure.shown, " ")
            near = {f"{value:g}" for figure in figures for value in figure.values} | set(known_words(bare))
            yield from (_Side(r, s, h[0], frozenset(near), denies(clause, language)) for r, s, h in hits)


@cache
def _rows(language: str) -> Mapping[tuple[str, str], re.Pattern[str]]:
    rows = table(language, "opposites")
    return {
        (row, side): re.compile(either(forms), re.I) for row, sides in rows.items() for side, forms in sides.items()
    }


@cache
def _all(language: str) -> re.Pattern[str]:
    return re.compile("|".join(form.pattern for form in _rows(language).values()), re.I)


__all__ = ["hardened", "opposed"]
