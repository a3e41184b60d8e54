"""Whether a wording turns its sources round: a "not" that none of them has, or one that they have and it lacks.

A paraphrase moves its negations about (neither … nor, without, not before, except), so this speaks only where nothing else
explains it: a clause of the text and one of the sources with nearly the same words, one with a "not" and one without.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.judge.lexicon import pattern_in
from reverie.language import language_of
from reverie.terms import terms

_CLAUSE = re.compile(r"(?<!\d)[,.](?!\d)|(?<=\d)[,.](?=\s|$)|[;:!?()\[\]–—|→]|\s-\s|[，。；：！？、（）]")
_ALIKE = 0.75  # of the words of the shorter clause: then both say the same but for a "not"
_VERY = 0.9
_ENOUGH = 2  # words that both have
_NUMBERED = re.compile(r"\.? ?\d")  # "no. 11" denies nothing


@dataclass(frozen=True, slots=True)
class _Clause:
    words: frozenset[str]
    denials: tuple[str, ...] = ()
    excuses: int = 0  # words that may be told as a denial


def turned_round(text: str, said: Sequence[str], besides: Sequence[str] = (), *, keeps: Sequence[str] = ()) -> str:
    """The negation that a text invents or leaves out, in a sentence; empty if it turns nothing round.

    `said` is what the text tells anew, `besides` may lend it a negation, `keeps` are old lines that it tells again.
    """
    language = language_of((text, *said))
    mine = _clauses(text, language)
    its, lent, kept = ([c for one in texts for c in _clauses(one, language)] for texts in (said, besides, keeps))
    for clause in mine:
        alike = [one for one in its if _is_alike(clause, one)]
        if not alike or clause in kept:
            continue
        near = [one for one in lent if one.words & clause.words]
        if clause.denials and not any(one.denials for one in (*alike, *near)):
            return f"“{clause.denials[0]}” turns round what the cited lines say."
        if not any(one.denials for one in mine) and all(one.denials for one in alike):
            return f"A line says “{alike[0].denials[0]}”, and the text says the same without it."
    return ""


def _is_alike(clause: _Clause, other: _Clause) -> bool:
    """Nearly the same words; where a word of either may be told as a denial, the very same."""
    both, less, more = (len(clause.words & other.words), *sorted((len(clause.words), len(other.words))))
    if both < _ENOUGH:
        return False
    return both >= _VERY * more if clause.excuses or other.excuses else both >= _ALIKE * less and 2 * both >= more


@lru_cache(maxsize=5_000)
def _clauses(text: str, language: str) -> tuple[_Clause, ...]:
    read = (_read(part, language) for part in _CLAUSE.split(text) if part and part.strip())
    return tuple(clause for clause in read if clause.words)


def _read(part: str, language: str) -> _Clause:
    plain = pattern_in("no_negation", language).sub(" ", part)
    denies, excuses = pattern_in("negations", language), pattern_in("implied", language)
    denials = tuple(hit[0] for hit in denies.finditer(plain) if not _NUMBERED.match(plain, hit.end()))
    words = frozenset(terms(denies.sub(" ", plain)))
    return _Clause(words, denials, len(excuses.findall(plain)))


__all__ = ["turned_round"]
