"""Whether a wording turns its sources round: a "not" that none of them has, or one that they have and it lacks.

A paraphrase moves its negations about (neither … nor, without, not before, except), so this speaks only where nothing else
explains it: no word in the text or the sources that may be told as a denial, and the very words denied in one told without
it in the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.lang.detect import language_of
from reverie.lang.lexicon import GLUED, pattern_in
from reverie.text.terms import STOP_WORDS, asked

_CLAUSE = re.compile(
    r"(?<!\d),(?!\d)|(?<!\d)\.(?! ?\d)|(?<=\d)[,.](?=\s|$)|[;:!?()\[\]–—|→]|\s-\s|[，。；：！？、（）]"
)
STEM = 5  # letters by which two forms of a word are known to be one
_ALIKE = 0.75  # of the words of the longer clause: then both say the same but for a "not"
_VERY = 0.9
_ENOUGH = 2  # words that both have
_SCOPE = 2  # words that a negation denies
_GLUED_SCOPE = 4  # characters, where words are not told apart
_MOST = 8  # negations of a clause that are read: a hostile line must not cost the night its time
_NUMBERED = re.compile(r"\.? ?\d")  # "no. 11" denies nothing


@dataclass(frozen=True, slots=True)
class _Clause:
    words: frozenset[str]
    denials: tuple[str, ...] = ()
    denied: frozenset[str] = frozenset()  # the words right behind a negation, or before one that ends its clause
    leads: bool = False  # a clause that begins with its negation often only names what was not chosen
    excuses: int = 0  # words that may be told as a denial

    @property
    def plain(self) -> bool:
        return not self.denials and not self.excuses


def turned_round(text: str, said: Sequence[str], besides: Sequence[str] = (), *, keeps: Sequence[str] = ()) -> str:
    """The negation that a text invents or leaves out, in a sentence; empty if it turns nothing round.

    `said` is what the text tells anew, `besides` may lend it a negation, `keeps` are old lines that it tells again.
    """
    language = language_of((text, *said))
    mine = _clauses(text, language)
    its, lent, kept = ([c for one in texts for c in _clauses(one, language)] for texts in (said, besides, keeps))
    for clause in mine:
        alike = [one for one in its if _is_alike(clause, one)] if clause not in kept else []
        near = [one for one in lent if one.words & clause.words]
        if clause.denials and clause not in kept:
            if (alike and not any(one.denials for one in (*alike, *near))) or _is_invented(clause, (*its, *lent)):
                return f"“{clause.denials[0]}” turns round what the cited lines say."
        elif alike and clause.plain and all(one.denials for one in alike) and not any(one.denials for one in mine):
            return f"A line says “{alike[0].denials[0]}”, and the text says the same without it."
    if gone := _left_out(mine, its, (*its, *lent)):
        return f"A line says “{gone}”, and the text says the same without it."
    return ""


def _is_invented(clause: _Clause, sources: Sequence[_Clause]) -> bool:
    """A clause that denies what no source touches but plainly."""
    touching = [one for one in sources if one.words & clause.words]
    most = max((len(one.words & clause.words) for one in touching), default=0)
    if clause.excuses or clause.leads or most < _ENOUGH or 2 * most < len(clause.words):
        return False
    return all(one.plain for one in touching)


def _left_out(mine: Sequence[_Clause], its: Sequence[_Clause], sources: Sequence[_Clause]) -> str:
    """The negation of words that no source says without it, and that a text without any negation tells."""
    if any(one.denials for one in mine):
        return ""
    free = {word for one in sources if not one.denials for word in one.words}
    told = {word for one in mine for word in one.words}
    excused = {word for one in mine if one.excuses for word in one.words}
    for one in its:
        if one.denials and len((one.denied - free) & told) >= min(_ENOUGH, len(one.denied)) and not one.words & excused:
            return one.denials[0] if one.denied else ""
    return ""


def _is_alike(clause: _Clause, other: _Clause) -> bool:
    """Nearly the same words, counted over the longer one; where a word of either may be told as a denial, the very same."""
    both, more = len(clause.words & other.words), max(len(clause.words), len(other.words))
    return both >= _ENOUGH and both >= (_VERY if clause.excuses or other.excuses else _ALIKE) * more


@lru_cache(maxsize=5_000)
def _clauses(text: str, language: str) -> tuple[_Clause, ...]:
    read = (_read(part, language) for part in clauses(text, language))
    return tuple(clause for clause in read if clause.words)


def clauses(text: str, language: str) -> Iterator[str]:
    """The parts of a text between marks and words such as "and"."""
    for clause in _CLAUSE.split(text):
        yield from (part for part in pattern_in("conjunctions", language).split(clause) if part.strip())


def denies(part: str, language: str) -> bool:
    """Whether a part of a text denies anything, or may be told as a denial."""
    return bool(_read(part, language).denials) or pattern_in("implied", language).search(part) is not None


def _read(part: str, language: str) -> _Clause:
    implied, negations = pattern_in("implied", language), pattern_in("negations", language)
    said = pattern_in("no_negation", language).sub(" ", part)
    plain = implied.sub(" ", said)  # "no longer" is an excuse and no denial
    hits = [hit for hit in negations.finditer(plain) if not _NUMBERED.match(plain, hit.end())]
    denied = frozenset(word for hit in hits[:_MOST] for word in _denied(plain, hit, negations))
    leads = bool(hits) and not plain[: hits[0].start()].strip()
    words = frozenset(known_words(negations.sub(" ", said)))
    excuses = len(implied.findall(said)) + len(pattern_in("changed", language).findall(said))
    return _Clause(words, tuple(hit[0] for hit in hits), denied, leads, excuses)


def _denied(plain: str, hit: re.Match[str], negations: re.Pattern[str]) -> list[str]:
    behind = plain[hit.end() :].lstrip()
    if re.match(f"[{GLUED}]", behind):
        return [term for term in known_words(behind[:_GLUED_SCOPE]) if len(term) > 1]
    before = negations.sub(" ", plain[: hit.start()])
    return known_words(negations.sub(" ", behind))[:_SCOPE] or known_words(before)[-_SCOPE:]


def known_words(text: str) -> list[str]:
    """The words of a text that carry meaning, each by its first letters."""
    return [term[:STEM] for term in asked(text) if term not in STOP_WORDS]


__all__ = ["STEM", "clauses", "denies", "known_words", "turned_round"]
