"""Whether a wording gives the values of a source to each other's things: "85 remote, 95 on site" told as "95 remote, 85 on site".

Two values of one type that stand in a source and in the text are held against the words around them. Where the words of
each stand around the other, and fewer around itself, they were exchanged. In doubt they were not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from reverie.judge.figures import Figure
from reverie.judge.polarity import STEM
from reverie.judge.specifics import Kind, normal, specifics_of
from reverie.judge.written_dates import Clock, Written, weekdays_in
from reverie.lang import words
from reverie.lang.lexicon import GLUED, either, units
from reverie.text.terms import stem, terms

_MOST = 16  # values of a text that are held against each other
_NAME = "name"
_BORDER = r"[,.;:!?()\[\]–—|→+]|\s-\s|[，。；：！？、（）]"
_CAPITAL = re.compile(rf"(?<![^\W_])(?![{GLUED}a-z])[^\W\d_][^\W_]{{2,}}")


_Value = tuple[str, str]  # its type, and what it says
_Around = Mapping[_Value, frozenset[str]]


def exchanged(text: str, said: Sequence[str]) -> tuple[str, str] | None:
    """Two values of a text that stand where its sources have the other."""
    text = normal(text)
    names = frozenset(word.casefold() for word in _CAPITAL.findall(text))
    mine, sources = _around(text, names), [_around(normal(one), names) for one in said]
    both = [value for value in mine if any(value in its for its in sources)][:_MOST]
    for one, other in combinations(both, 2):
        holders = [its for its in sources if one in its and other in its] if one[0] == other[0] else []
        if holders and all(_is_crossed(mine, its, sources, one, other) for its in holders):
            return one[1], other[1]
    return None


def _is_crossed(mine: _Around, its: _Around, sources: Sequence[_Around], one: _Value, other: _Value) -> bool:
    """What stands around both says nothing, and what another source has may have come to belong to something else there."""
    besides = {word for source in sources if source is not its for near in source.values() for word in near}
    here, there = mine[one] - mine[other], mine[other] - mine[one]
    first, second = its[one] - its[other] - besides, its[other] - its[one] - besides
    return len(here & first) + len(there & second) < min(len(here & second), len(there & first))


@lru_cache(maxsize=2_000)
def _around(text: str, names: frozenset[str]) -> _Around:
    """Every value of a text with the words of the parts that it stands in."""
    values = sorted(_values(text, names))
    bare = text
    for start, end, (kind, _) in values:
        if kind != _NAME:
            bare = bare[:start] + "\x1f" * (end - start) + bare[end:]
    borders = [0, *(place for cut in _cut().finditer(bare) for place in cut.span()), len(text)]
    found: dict[_Value, frozenset[str]] = {}
    for start, end, value in values:
        rivals = [other for other in values if other[2][0] == value[0] != _NAME and other[2] != value]
        first = max((b for b in (*borders, *(at for _, at, _ in rivals)) if b <= start), default=0)
        last = min((b for b in (*borders, *(at for at, _, _ in rivals)) if b >= end), default=len(text))
        near = _words(f"{bare[first:start]} {bare[end:last]}")
        near |= {" ".join(v) for at, _, v in values if v[0] not in (value[0], _NAME) and first <= at < last}
        found[value] = found.get(value, frozenset()) | near
    return found


@lru_cache(maxsize=5_000)
def _words(text: str) -> frozenset[str]:
    """The words of a text by their first letters; of a unit its sign, so that 70/h is 70 an hour."""
    return frozenset(_signs().get(term, term[:STEM]) for term in terms(text))


@lru_cache(maxsize=1)
def _signs() -> Mapping[str, str]:
    return {stem(form): sign for form, sign in units().items() if form.isalpha()}


@lru_cache(maxsize=1)
def _cut() -> re.Pattern[str]:
    return re.compile(f"{_BORDER}|{either(words('specifics.conjunctions'))}", re.I)


def _values(text: str, names: frozenset[str]) -> Iterator[tuple[int, int, _Value]]:
    """Where each value stands."""
    for one in specifics_of(text):
        match one.value:
            case Figure(start=start, end=end, values=values):
                yield start, end, ("number", f"{min(values):g}")
            case Clock(start=start, end=end, hour=hour, minute=minute):
                yield start, end, ("time", f"{hour}:{minute:02}")
            case Written(start=start, end=end, month=month, day=day) if month:
                yield start, end, ("day", f"{month}-{day}")
            case _ if one.kind in (Kind.CODE, Kind.PATH, Kind.ADDRESS, Kind.CODED):
                at = text.find(one.shown)
                yield at, at + len(one.shown), ("word", one.shown.casefold())
    yield from ((day.start, day.end, ("weekday", str(day.weekday))) for day in weekdays_in(text))
    for hit in re.finditer(rf"(?:(?![{GLUED}])[^\W_])+", text):
        if hit[0].casefold() in names:
            yield hit.start(), hit.end(), (_NAME, hit[0].casefold())


__all__ = ["exchanged"]
