"""Whether a new wording says something else than its sources: a "not" more or less, an opposite, two values exchanged.

A paraphrase moves its negations about (neither … nor, without, not before, except), so a negation is refused only where nothing
else explains it. Languages list rows of small words that exclude each other (`opposites` in their files): at least and at most,
weekly and daily. One that no source uses is refused only where a source says another side of that row about the same thing. Two
values are exchanged ("85 remote, 95 on site" told as "95 remote, 85 on site") where the words of each stand around the other, and
fewer around itself. In doubt nothing is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

from reverie.judge.figures import Figure, figures_in
from reverie.judge.specifics import SpecificKind, normal, specifics_of
from reverie.judge.written_dates import TimeOfDay, WrittenDay, weekdays_in
from reverie.lang import table, words, words_in
from reverie.lang.detect import language_of
from reverie.lang.lexicon import GLUED, either, pattern_in, units
from reverie.lang.messages import say
from reverie.text.terms import asked, stem, stop_words, terms

_CLAUSE = re.compile(
    r"(?<!\d),(?!\d)|(?<!\d)\.(?! ?\d)|(?<=\d)[,.](?=\s|$)|[;:!?()\[\]–—|→]|\s-\s|[，。；：！？、（）]"
)
STEM = 5  # letters by which two forms of a word are known to be one
_ALIKE = 0.75  # of the words of the longer clause: then both say the same but for a "not"
_VERY = 0.9
_COMMON = 2  # words that both have
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


def changed_negation(text: str, said: Sequence[str], besides: Sequence[str] = (), *, keeps: Sequence[str] = ()) -> str:
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
                return say("refused.negation_new", word=clause.denials[0])
        elif alike and clause.plain and all(one.denials for one in alike) and not any(one.denials for one in mine):
            return say("refused.negation_gone", word=alike[0].denials[0])
    if gone := _left_out(mine, its, (*its, *lent)):
        return say("refused.negation_gone", word=gone)
    return ""


def _is_invented(clause: _Clause, sources: Sequence[_Clause]) -> bool:
    """A clause that denies what no source touches but plainly."""
    touching = [one for one in sources if one.words & clause.words]
    most = max((len(one.words & clause.words) for one in touching), default=0)
    if clause.excuses or clause.leads or most < _COMMON or 2 * most < len(clause.words):
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
        if one.denials and len((one.denied - free) & told) >= min(_COMMON, len(one.denied)) and not one.words & excused:
            return one.denials[0] if one.denied else ""
    return ""


def _is_alike(clause: _Clause, other: _Clause) -> bool:
    """Nearly the same words, counted over the longer one; where a word of either may be told as a denial, the very same."""
    both, more = len(clause.words & other.words), max(len(clause.words), len(other.words))
    return both >= _COMMON and both >= (_VERY if clause.excuses or other.excuses else _ALIKE) * more


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
    return [term[:STEM] for term in asked(text) if term not in stop_words()]


_ENOUGH = 2  # words of a clause that a text must have to tell it


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a row as a text says it, with what stands in the clause beside it."""

    row: str
    side: str
    word: str
    near: frozenset[str]
    denied: bool


def find_opposite(text: str, said: Sequence[str]) -> tuple[str, str] | None:
    """A word of the text and the word of a source that it turns round."""
    language = language_of((text, *said))
    its = [side for one in said for side in _sides(one, language)]
    for mine in _sides(text, language):
        rivals = [one for one in its if one.row == mine.row and one.near & mine.near]
        if rivals and not any(one.side == mine.side or one.denied or mine.denied for one in rivals):
            return mine.word, rivals[0].word
    return None


def dropped_doubt(text: str, said: Sequence[str]) -> str:
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
    return re.compile(either(words_in(f"open.{group}", language)), re.I)


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


_MOST_VALUES = 16  # values of a text that are held against each other
_NAME = "name"
_BORDER = r"[,.;:!?()\[\]–—|→+]|\s-\s|[，。；：！？、（）]"
_CAPITAL = re.compile(rf"(?<![^\W_])(?![{GLUED}a-z])[^\W\d_][^\W_]{{2,}}")


_Value = tuple[str, str]  # its type, and what it says
_Around = Mapping[_Value, frozenset[str]]


def exchanged_values(text: str, said: Sequence[str]) -> tuple[str, str] | None:
    """Two values of a text that stand where its sources have the other."""
    text = normal(text)
    names = frozenset(word.casefold() for word in _CAPITAL.findall(text))
    mine, sources = _around(text, names), [_around(normal(one), names) for one in said]
    both = [value for value in mine if any(value in its for its in sources)][:_MOST_VALUES]
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
            case TimeOfDay(start=start, end=end, hour=hour, minute=minute):
                yield start, end, ("time", f"{hour}:{minute:02}")
            case WrittenDay(start=start, end=end, month=month, day=day) if month:
                yield start, end, ("day", f"{month}-{day}")
            case _ if one.kind in (SpecificKind.CODE, SpecificKind.PATH, SpecificKind.ADDRESS, SpecificKind.CODED):
                at = text.find(one.shown)
                yield at, at + len(one.shown), ("word", one.shown.casefold())
    yield from ((day.start, day.end, ("weekday", str(day.weekday))) for day in weekdays_in(text))
    for hit in re.finditer(rf"(?:(?![{GLUED}])[^\W_])+", text):
        if hit[0].casefold() in names:
            yield hit.start(), hit.end(), (_NAME, hit[0].casefold())
