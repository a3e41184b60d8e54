"""Whether a wording turns its sources round: a "not" that none of them has, or one that they have and it lacks.

Judged clause by clause, because a note says many things: a clause of the text is held against the clause of the sources that
shares most words with it. Words such as "only", "stopped" or "allergic" may become a "not" and the other way round.
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
_ABOUT = 0.5  # of a clause's words: then another clause is about the same
_ENOUGH = 2  # words of a clause that can be held against another
_NUMBERED = re.compile(r"\.? ?\d")  # "no. 11" denies nothing


@dataclass(frozen=True, slots=True)
class _Clause:
    words: frozenset[str]
    denials: tuple[str, ...] = ()
    excuses: int = 0  # words that may be told as a denial

    @property
    def turns(self) -> int:
        return len(self.denials) + self.excuses


def turned_round(text: str, said: Sequence[str], besides: Sequence[str] = (), *, keeps: Sequence[str] = ()) -> str:
    """The negation that a text invents or leaves out, in a sentence; empty if it turns nothing round.

    `said` is what the text tells anew, `besides` may lend it a negation, `keeps` are old lines that it tells again.
    """
    language = language_of((text, *said))
    mine = _clauses(text, language)
    its, lent, kept = ([c for one in texts for c in _clauses(one, language)] for texts in (said, besides, keeps))
    for clause in mine:
        if clause in kept:
            continue
        if clause.denials and not _is_told(clause, mine, (*its, *lent)):
            return f"“{clause.denials[0]}” turns round what the cited lines say."
        if denial := _left_out(clause, mine, its, kept):
            return f"A line says “{denial}”, and the text says the same without it."
    return ""


def _is_told(clause: _Clause, mine: Sequence[_Clause], its: Sequence[_Clause]) -> bool:
    """Whether the sources deny what the clause denies: the clause most like it, or one that nothing else tells."""
    alike = _nearest(clause, its)
    if any(len(clause.denials) <= one.turns for one in alike):
        return True
    said, told = sum(len(one.denials) for one in mine), sum(one.turns for one in its)
    return said <= told and (not alike or any(one.denials and one.words & clause.words for one in its))


def _left_out(clause: _Clause, mine: Sequence[_Clause], its: Sequence[_Clause], kept: Sequence[_Clause]) -> str:
    """The denial of the clause most like this one, where neither this one nor a clause beside it has one."""
    if clause.turns or len(clause.words) < _ENOUGH:
        return ""
    same = [one for one in kept if one.words == clause.words]
    for alike in (_nearest(clause, its), same):
        denying = [one for one in alike if one.denials]
        if alike and len(denying) == len(alike):
            told = any(one.turns and one.words & denying[0].words for one in mine)
            return "" if told else denying[0].denials[0]
    return ""


def _nearest(clause: _Clause, others: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that share most words with this one, if that is enough to be about the same."""
    shares = [(len(clause.words & one.words) / len(clause.words), one) for one in others if clause.words]
    best = max((share for share, _ in shares), default=0.0)
    return [one for share, one in shares if share == best] if best >= _ABOUT else []


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
