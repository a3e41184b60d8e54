"""What a note that is near a memory line may do to it: change it, end it, repeat it, add to it, or nothing; and which words it
would change into what. Probabilities only, trained by `training/proposals.py`.

Right often enough to rank cards that a person looks at, and not often enough to act: nothing of it may touch MEMORY.md by itself.
A swap puts a value of the note in the place of a value of its kind, or a clause of the note in the place of a clause of the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import islice, pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from reverie.evidence.encoder import encode
from reverie.judge.figures import Figure
from reverie.judge.specifics import Specific, SpecificKind, missing, specifics_of
from reverie.judge.worth import bare, terms
from reverie.judge.written_dates import TimeOfDay, WrittenDay
from reverie.lang.lexicon import GLUED, any_of
from reverie.text.lines import ends_short_form
from reverie.text.terms import is_negated, stop_words

_GLUED = re.compile(f"[{GLUED}]")
_KEY = re.compile(r"[^:：\n]{2,40}(?::(?!\d)|：)")
_KEY_END = re.compile(r"\s*(?:\*\*|__)?\s*[:：]")
_CAPITAL = re.compile(r"\s[^\W\da-z_]\w* $")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NAMES = ("none", "update", "ends", "same", "richer", "conflict")


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory line under its heading, and a note line under its own."""

    memory: str
    section: str
    note: str
    under: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """Probabilities that add up to one."""

    none: float
    update: float
    ends: float
    same: float
    richer: float
    conflict: float


def effects_of(pairs: Sequence[Pair]) -> list[Effect]:
    """One judgement a pair. Needs the embedded encoder."""
    if not pairs:
        return []
    stored = weights()
    scores = (rows_of(pairs) - stored["mean"]) / stored["spread"] @ stored["effect"]
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return [Effect(*row) for row in (raised / raised.sum(axis=1, keepdims=True)).tolist()]


def rows_of(pairs: Sequence[Pair]) -> Any:
    """What the model looks at: what the lines share, and where both and the heading lie in the encoder's space."""
    texts = list(dict.fromkeys(bare(text) for one in pairs for text in (one.memory, one.section, one.note)))
    vectors = {text: found.sentence for text, found in zip(texts, encode(texts), strict=True)}
    rows = []
    for one in pairs:
        old, new, section = vectors[bare(one.memory)], vectors[bare(one.note)], vectors[bare(one.section)]
        shares = [float(old @ new), float(section @ new), *_shares(bare(one.memory), bare(one.note)), 1.0]
        rows.append(np.concatenate([shares, 6 * old, 6 * new, 4 * section, 60 * old * new]))
    return np.array(rows, dtype=np.float32)


def _shares(old: str, new: str) -> list[float]:
    """What two lines have in common, and what only one of them has: words, triples of characters, numbers, length."""
    mine, its = terms(old), terms(new)
    common = mine & its
    telling = [word for word in common if len(word) > 2 or not word.isascii()]
    triples = [{text[at : at + 3] for at in range(len(text) - 2)} for text in (old.casefold(), new.casefold())]
    both = len(triples[0] & triples[1])
    before, after = set(_NUMBER.findall(old)), set(_NUMBER.findall(new))
    return [
        len(common) / max(len(mine), 1), len(common) / max(len(its), 1), min(len(telling), 4) / 4,
        both / max(len(triples[0]), 1), both / max(len(triples[1]), 1),
        min(len(before & after), 2) / 2, float(bool(before) and bool(after) and not before & after), float(bool(before)), float(bool(after)),
        min(len(before - after), 6) / 3, min(len(after - before), 6) / 3, np.log1p(len(old)) / 4, np.log1p(len(new)) / 4,
    ]  # fmt: skip


@cache
def weights() -> Mapping[str, Any]:
    """What `training/proposals.py` learned: for the effects, and for the swaps."""
    with np.load(Path(str(resources.files("reverie.judge") / "proposals.npz")), allow_pickle=False) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


CLAUSES = re.compile(r"(?:[,;，；。！!?？|()（）]|\s[–—=-](?=\s)|\.(?=\s|$)|[:：](?=\s|[^\s\d/]))+")
_EDGES = ' \t*_`-–—:：,;，；。.、|()（）[]"“”「」'
_LEAD = re.compile(r"^(?:[-*+•]\s+)?(?:\[[ xX]\]\s+)?")
_WHEN = frozenset({SpecificKind.DAY, SpecificKind.TIME})
_GAP = 3  # characters between a day and its time, or the parts of a name
_HOUR = "o'clock"  # as the unit of a number
MOST = 60  # swaps that are looked at for one pair of lines


@dataclass(frozen=True, slots=True)
class WordSpan:
    """Words of a line: where they stand, and of which family they are: number, when, name, thing or clause."""

    start: int
    end: int
    family: str
    unit: str = ""
    size: float = 0.0  # of a number


@dataclass(frozen=True, slots=True)
class Swap:
    """`old` stands once in the memory line; `new` is words of the note."""

    old: str
    new: str
    chance: float = 0.0  # that a person who knows both lines would change these words
    family: str = ""  # of both


def swaps(memory: str, note: str, language: str, weights: Any, *, ended: bool = False) -> list[Swap]:
    """What the note may put into the line, likeliest first. `weights` are those of `weights()`; `ended`: the line holds no more."""
    found = list(candidates(memory, note, language, ended=ended))
    if not found:
        return []
    rows = features(memory, note, found, language)
    scores = rows @ weights["swap"]
    raised = np.exp(scores - scores.max())
    shares = raised / raised.sum()  # of all swaps that there are
    right = 1 / (1 + np.exp(-(np.c_[scores, np.log(shares + 1e-6), np.ones(len(scores))] @ weights["swap_chance"])))
    ranked = sorted(zip(found, right.tolist(), scores.tolist(), strict=True), key=lambda one: -one[2])
    differ = _differing(memory, note, language), _differing(note, memory, language)
    whole = ((_whole(memory, note, *pair, *differ), chance, pair[0].family) for pair, chance, _ in ranked)
    return [
        Swap(memory[pair[0].start : pair[0].end], note[pair[1].start : pair[1].end], chance, family)
        for pair, chance, family in whole
        if pair is not None
    ]


def _differing(text: str, other: str, language: str) -> list[WordSpan]:
    """The values that the other line lacks, each with what it counts or which parts of a day it names."""
    told = missing(text, (other,))
    return [WordSpan(start, end, *_shape(one)) for one, start, end in _placed(text, language) if one in told]


def _shape(one: Specific) -> tuple[str, str]:
    """The family of a value, an hour among the numbers, and its unit, of a day the parts that it names."""
    match one.value:
        case TimeOfDay():
            return "number", _HOUR
        case WrittenDay(month=month, day=day):
            return "when", f"{bool(month)} {bool(day)}"
    return _family(one), _measure(one)[0]


def _whole(
    memory: str, note: str, old: WordSpan, new: WordSpan, gone: Sequence[WordSpan], come: Sequence[WordSpan]
) -> tuple[WordSpan, WordSpan] | None:
    """The swap with all else that the note says otherwise, where that stands beside it in the same order; none where it does not.

    A line that takes half of a change is a sentence that nobody said.
    """
    if old.family == "clause":
        return old, new
    mine, its = ([one for one in values if not _meet(one, span)] for values, span in ((gone, old), (come, new)))
    kinds = [{one.family for one in values if _meet(one, span)} for values, span in ((gone, old), (come, new))]
    if all(kinds) and not kinds[0] & kinds[1]:
        return None  # an hour for a day
    if len(mine) == len(gone) and any(_are_rivals(one, other) for one in mine for other in come if _meet(other, new)):
        return None  # the note says the old value again, and another is gone: the new one takes that one's place
    others = [(one, other) for one in mine for other in its if _are_rivals(one, other)]
    if not others:
        named = any(one.family == "name" and memory[one.end : old.start] == " " for one in mine)
        return None if named and _CAPITAL.search(note[: new.start]) else (old, new)  # of another thing: Golf 7, Corsa 5
    pairs = sorted([(old, new), *others], key=lambda pair: pair[0].start)
    if not all(one.end <= other.start for side in zip(*pairs, strict=True) for one, other in pairwise(side)):
        return None
    before, after = (WordSpan(side[0].start, side[-1].end, old.family) for side in zip(*pairs, strict=True))
    parted = any(_borders(text, span.start, span.end) for text, span in ((memory, before), (note, after)))
    return None if parted else (before, after)


def _meet(one: WordSpan, other: WordSpan) -> bool:
    return one.start < other.end and other.start < one.end


def _are_rivals(one: WordSpan, other: WordSpan) -> bool:
    """Whether a value of the note is of the kind of one of the line; a bare number may count anything."""
    return one.family == other.family and (one.unit == other.unit or not (one.unit and other.unit))


def candidates(memory: str, note: str, language: str, *, ended: bool = False) -> Iterator[tuple[WordSpan, WordSpan]]:
    """Pairs of spans: a value for one of its family, a clause for a clause; at most `MOST`."""
    return islice(_pairs(memory, note, language, ended=ended), MOST)


def _pairs(memory: str, note: str, language: str, *, ended: bool) -> Iterator[tuple[WordSpan, WordSpan]]:
    known = memory.casefold()
    for old in spans_of(memory, language):
        words = memory[old.start : old.end]
        if _count(memory, words) != 1 or (old.family == "clause" and _KEY_END.match(memory, old.end)):
            continue  # in the place of its key a line would be about something else
        for new in spans_of(note, language):
            its = note[new.start : new.end].casefold()
            grows = words.casefold() in its and old.family != "clause"
            if new.family != old.family or not _may_replace(old, new) or its in known or grows:
                continue
            both = _tells_both(memory, old, note, new) and not (ended and _follows(memory, old, note, new))
            if not both and not _names_key_again(memory, old, its):
                yield old, new


def _follows(memory: str, old: WordSpan, note: str, new: WordSpan) -> bool:
    """Whether the note tells the old name and behind it, in the same clause, the new one: "from Oslo to Bergen"."""
    words = memory[old.start : old.end]
    at = note.rfind(words, 0, new.start)
    return at >= 0 and not _borders(note, at + len(words), new.start)


def _names_key_again(memory: str, old: WordSpan, new: str) -> bool:
    """Whether a sentence with a subject of its own would stand behind the key of the line."""
    key = _KEY.match(memory, 0, old.start) if old.family == "clause" else None
    return bool(key and (_KEY_END.search(new) or terms(key[0]) & terms(new)))


def _tells_both(memory: str, old: WordSpan, note: str, new: WordSpan) -> bool:
    """Whether a name of the note stands beside the line's own and not for it: `Lindgren on Kungsgatan`; who changes a name says so."""
    if old.family != "name" or says_change(note):
        return False
    if _count(note, memory[old.start : old.end]):
        return True
    places = [_before(text, span) for text, span in ((memory, old), (note, new))]
    return places[1] in stop_words() and places[0] != places[1] and not any_of("forms.copulas").fullmatch(places[1])


def _before(text: str, span: WordSpan) -> str:
    return "".join(text[: span.start].casefold().split()[-1:])


def says_change(note: str) -> bool:
    """Whether a note itself says that something is not as it was: a "not", "now", "moved to"."""
    marks = (any_of(f"forms.{group}") for group in ("renewed", "rather"))
    return is_negated(note) or any(mark.search(note) for mark in (any_of("specifics.changed"), *marks))


def _may_replace(old: WordSpan, new: WordSpan) -> bool:
    return old.family != "number" or not old.unit or not new.unit or old.unit == new.unit


def _count(text: str, words: str) -> int:
    before = rf"(?<![^\W_{GLUED}])" if words[:1].isascii() and words[:1].isalnum() else ""
    after = rf"(?![^\W_{GLUED}])" if words[-1:].isascii() and words[-1:].isalnum() else ""
    return len(re.findall(before + re.escape(words) + after, text))


@lru_cache(maxsize=4_000)
def spans_of(text: str, language: str) -> tuple[WordSpan, ...]:
    """Everything in a line that a swap may take hold of."""
    values = list(_values(text, language))
    return (*_joined(text, values), *clauses_of(text))


def _values(text: str, language: str) -> Iterator[WordSpan]:
    for one, start, end in _placed(text, language):
        unit, size = _measure(one)
        yield WordSpan(start, end, _family(one), unit, size)


def _placed(text: str, language: str) -> Iterator[tuple[Specific, int, int]]:
    """What is definite in a line, and where it stands."""
    taken: dict[str, int] = {}
    for one in specifics_of(text, language):
        start = text.find(one.shown, taken.get(one.shown, 0))
        if start < 0:
            continue
        end = taken[one.shown] = start + len(one.shown)
        if one.kind is not SpecificKind.NAME or not _is_glued(text, start, end):
            yield one, start, end  # where no blank divides words, nobody knows where a name begins


def _is_glued(text: str, start: int, end: int) -> bool:
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    return bool(_GLUED.search(text[start:end]) and _GLUED.search(beside))


def _measure(one: Specific) -> tuple[str, float]:
    if isinstance(one.value, Figure):
        return str(one.value.dimension or one.value.unit), float(max(one.value.values, default=0.0))
    return "", 0.0


def _family(one: Specific) -> str:
    if one.kind in _WHEN:
        return "when"
    return "number" if one.kind is SpecificKind.NUMBER else "name" if one.kind is SpecificKind.NAME else "thing"


def _joined(text: str, spans: Sequence[WordSpan]) -> list[WordSpan]:
    """A day with its time, and its parts; a first name with its surname, and no part of it."""
    found = list(dict.fromkeys(sorted(spans, key=lambda one: (one.start, one.end))))
    more: list[WordSpan] = []
    run: list[WordSpan] = []
    for one in [*(span for span in found if span.family in ("when", "name")), None]:
        if one and run and one.family == run[-1].family and 0 <= one.start - run[-1].end <= _GAP:
            run.append(one)
            continue
        if len(run) > 1:
            more.append(WordSpan(run[0].start, run[-1].end, run[0].family))
        run = [one] if one else []
    parts = {
        part
        for one, other in pairwise(span for span in found if span.family == "name")
        if text[one.end : other.start] in (" ", "-")
        for part in (one, other)
    }
    return [one for one in found if one not in parts] + more


@lru_cache(maxsize=4_000)
def clauses_of(text: str) -> tuple[WordSpan, ...]:
    """The clauses of a line, the value behind its key, and the whole without its bullet."""
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    bounds = [at, *(edge for border in _borders(text, at, len(text)) for edge in border), len(text)]
    parts = [_trimmed(text, bounds[i], bounds[i + 1]) for i in range(0, len(bounds), 2)]
    key = re.match(rf"\W*{_KEY.pattern}\W*", text[at:])
    parts += [_trimmed(text, at + key.end(), len(text))] if key else []
    parts.append(_trimmed(text, at, len(text)))
    return tuple(dict.fromkeys(one for one in parts if one is not None))


def _borders(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where one clause ends and the next begins: no point of a number, and none of a short form ("Dr.")."""
    hits = CLAUSES.finditer(text, start, end)
    return [hit.span() for hit in hits if not _in_number(text, hit) and not ends_short_form(text[: hit.end()])]


def _in_number(text: str, hit: re.Match[str]) -> bool:
    before, after = text[hit.start() - 1 : hit.start()], text[hit.end() : hit.end() + 1]
    return hit[0] in ",.:，" and before.isdigit() and after.isdigit()


def _trimmed(text: str, start: int, end: int) -> WordSpan | None:
    words = text[start:end]
    inner = words.strip(_EDGES)
    if len(inner) < 2:
        return None
    at = start + words.index(inner)
    return WordSpan(at, at + len(inner), "clause")


FEATURES = (
    "number", "when", "name", "thing", "clause", "unit", "unit missing", "size", "old is told", "new is last", "rivals in note", "rivals in line",
    "words around", "clauses alike", "shares words", "length", "whole line", "whole note", "rest of line told", "head told", "old words told",
    "values alike", "nearest clause", "loses the head",
)  # fmt: skip


def features(memory: str, note: str, found: Sequence[tuple[WordSpan, WordSpan]], language: str) -> Any:
    """How each swap looks, as numbers; none of them is a decision."""
    line = _Line(memory, note, found, language)
    return np.array([line.row(old, new) for old, new in found])


class _Line:
    """A memory line and a note, with the vectors of all their parts: one call of the encoder for all swaps."""

    def __init__(self, memory: str, note: str, found: Sequence[tuple[WordSpan, WordSpan]], language: str) -> None:
        self.memory, self.note = memory, note
        self.olds, self.news = spans_of(memory, language), spans_of(note, language)
        self.said = terms(note)
        parts = [memory[one.start : one.end] for one in (*clauses_of(memory), *(old for old, _ in found))]
        parts += [note, *(note[one.start : one.end] for one in (*clauses_of(note), *(new for _, new in found)))]
        texts = list(dict.fromkeys(parts))
        self.vectors = {text: one.sentence for text, one in zip(texts, encode(texts), strict=True)}
        self.nearest = max(
            (self._alike(memory[one.start : one.end], note) for one in clauses_of(memory)[:-1]), default=0.0
        )

    def row(self, old: WordSpan, new: WordSpan) -> list[float]:
        memory, note = self.memory, self.note
        before, after = memory[old.start : old.end], note[new.start : new.end]
        home, its = _clause(memory, old), _clause(note, new)
        mine, beside = memory[home.start : home.end], note[its.start : its.end]
        around = terms(memory[home.start : old.start] + " " + memory[old.end : home.end])
        rest, told, clause = terms(memory[: old.start] + " " + memory[old.end :]), terms(before), old.family == "clause"
        rivals = [
            sum(1 for one in spans if one.family == old.family and _may_replace(one, new))
            for spans in (self.olds, self.news)
        ]
        last = max((one.start for one in self.news if one.family == new.family), default=0)
        head = clauses_of(memory)[0].end if clauses_of(memory) else 0
        return [
            *(float(old.family == one) for one in ("number", "when", "name", "thing", "clause")),
            float(bool(old.unit) and old.unit == new.unit), float(bool(old.unit) != bool(new.unit)),
            -abs(log(old.size / new.size)) if old.size > 0 and new.size > 0 else 0.0,
            float(before.casefold() in note.casefold()), float(not clause and new.start == last),
            0.0 if clause else min(rivals[1], 6) / 6, 0.0 if clause else min(rivals[0], 6) / 6,
            len(around & self.said) / len(around) if around else 0.3,
            self._alike(mine, beside), len(told & terms(after)) / max(len(told), 1) if clause else 0.0,
            -abs(log(max(len(after), 1) / max(len(before), 1))),
            float(clause and home.end - home.start > 0.8 * len(memory)), float(clause and len(after) > 0.8 * len(note)),
            len(rest & self.said) / max(len(rest), 1), _head_told(memory, self.said), len(told & self.said) / max(len(told), 1),
            self._alike(before, after), float(self._alike(mine, note) >= self.nearest if mine in self.vectors else 0.0),
            float(clause and old.start < head and len(clauses_of(memory)) > 2),
        ]  # fmt: skip

    def _alike(self, one: str, other: str) -> float:
        return float(self.vectors[one] @ self.vectors[other])


def _head_told(memory: str, said: set[str]) -> float:
    """How much of the first clause of the line, mostly its subject, the note names."""
    first = clauses_of(memory)[0] if clauses_of(memory) else None
    words = terms(memory[first.start : first.end]) if first else set()
    return len(words & said) / max(len(words), 1)


def _clause(text: str, span: WordSpan) -> WordSpan:
    """The smallest clause that a span stands in."""
    inside = [one for one in clauses_of(text) if one.start <= span.start and span.end <= one.end]
    return min(inside, key=lambda one: one.end - one.start, default=span)
