"""What was forgotten, known without its words: enough to recognise it when it is said again, too little to read it.

One comparison for everybody who asks (the night, notes, search, recall, `why-not`). A statement is taken apart into its words,
names and values in one spelling: look-alike letters, unseen characters, numbers in words, units, money and dates in any form are
the same. A tombstone keeps a few digits of the hash of each, so few that many words fit them, and of the sentence's vector one bit
a dimension. How much of a tombstone stands in another statement, and how near both are, gives the chance that it says what was
forgotten (weights by `training/forgotten.py`): the same fact may not come back, a near one is shown and asked, never kept or
dropped in silence.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Any

from reverie.core.layout import TOMBSTONES, Kind
from reverie.judge.forgotten_weights import BARE, NEAR_FROM, SAME_FROM, WHOLE
from reverie.judge.said import Said, bare_statement, said_in
from reverie.lang.messages import say
from reverie.text.lines import sentences
from reverie.text.lookalikes import unmasked
from reverie.text.terms import plain, terms
from reverie.workspace.values import File, Parsed, Snapshot, Statement, hash_text, short_id, to_bytes

_DIGITS = 4  # of a hash: about as many words of a language fit them as there are lines in a note
_BITS = 512
_GLANCE = 0.15  # of the words of a tombstone
_NUMBER = re.compile(r"\d+")
_FEW = 5  # words of a statement that is too short to be known by most of them
_UNSURE = SAME_FROM - 0.01
_OUT = 0.01  # chance by the words alone below which nobody asks the network
_LONGEST = 2_000  # characters of a line that are looked at
_PARTS = 12  # sentences of it
_NOTES = frozenset(
    {Kind.DAILY, Kind.SESSION, Kind.TOPIC, Kind.CLASSIFIED, Kind.CORPUS, Kind.LOG, Kind.KNOWLEDGE}
)  # MEMORY.md is the owner's own word: what stands there is not hidden from them


class Recognised(StrEnum):
    """What a statement is to what was forgotten."""

    SAME = "same"
    NEAR = "near"  # perhaps: a person says
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One forgotten statement. Unless it is `forever`, what is said on a later day may bring it back."""

    id: str
    at: str
    hash: str
    words: frozenset[str]
    values: tuple[frozenset[str], ...] = ()  # each with all readings it may have
    names: frozenset[str] = frozenset()
    sense: str = ""  # one bit for each dimension of the sentence's vector
    negated: bool = False
    forever: bool = False
    purged: bool = False

    def covers(self, text: str) -> bool:
        """Whether this says what was forgotten."""
        return recognised(text, (self,))[0] is Recognised.SAME


@dataclass(frozen=True, slots=True)
class _Marked:
    """A statement as tombstones are compared with it."""

    hash: str
    words: frozenset[str]
    names: frozenset[str]
    values: tuple[tuple[frozenset[str], bool], ...]  # the readings of each, and whether it is one that few things have
    negated: bool


@lru_cache(maxsize=20_000)
def tombstone(
    text: str, at: str = "", *, forever: bool = False, purged: bool = False, whole: bool = False
) -> Tombstone:
    """With `whole` the sense is kept too, which needs the network."""
    said = bare_statement(text)
    key = plain(unmasked(said))
    one, sense = _marked(said), _sense(said) if whole else ""
    values = tuple(sorted((readings for readings, _ in one.values), key=sorted))
    return Tombstone(short_id(key), at, one.hash, one.words, values, one.names, sense, one.negated, forever, purged)


def recognised(text: str, stones: Iterable[Tombstone]) -> tuple[Recognised, Tombstone | None]:
    """Whether a text says what one of these tombstones stands for, wholly or in one of its sentences; and which."""
    best, found = 0.0, None
    said = bare_statement(text[:_LONGEST])
    words, numbers = _glance(said)
    likely = [stone for stone in stones if _may_be(stone, words, numbers)]
    parts = _parts(said) if likely else []
    for stone in likely:
        chance = max(_chance(stone, part) for part in parts)
        if chance > best:
            best, found = chance, stone
    if found is None or best < NEAR_FROM:
        return Recognised.OTHER, None
    return (Recognised.SAME if best >= SAME_FROM else Recognised.NEAR), found


@lru_cache(maxsize=20_000)
def _glance(said: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words and the numbers of a line at a glance: taking it apart costs a hundred times as much, and few lines need it."""
    seen = unmasked(said)
    return _marks(word for word in terms(seen) if not word.isdigit()), _marks(_NUMBER.findall(seen))


def _may_be(stone: Tombstone, words: frozenset[str], numbers: frozenset[str]) -> bool:
    """Whether a line has a part of what was forgotten: enough of its words, or of its values."""
    met = sum(not numbers.isdisjoint(readings) for readings in stone.values)
    return len(stone.words & words) >= max(1, _GLANCE * len(stone.words)) or met >= max(1, min(2, len(stone.values)))


def _parts(said: str) -> list[str]:
    parts = [part.strip() for part in sentences(said) if part.strip()]
    return [said, *parts[:_PARTS]] if len(parts) > 1 else [said]


def _chance(stone: Tombstone, said: str) -> float:
    other = _marked(said)
    if other.hash == stone.hash:
        return 1.0
    if stone.words.isdisjoint(other.words) and not any(_meets(one, other) for one in stone.values):
        return 0.0
    shares = features(stone, other)
    chance = _logistic(shares, BARE)
    if stone.sense and chance >= _OUT and (near := _nearness(stone.sense, _sense(said))) is not None:
        chance = _logistic([*shares, *sense_features(shares, near)], WHOLE)
    return chance if _may_be_sure(stone, other) else min(chance, _UNSURE)


def _may_be_sure(stone: Tombstone, other: _Marked) -> bool:
    """Not of the opposite, and of a short statement only when it is all there: one word of "likes black tea" is another taste."""
    if stone.negated != other.negated:
        return False
    missing = len(stone.words - other.words)
    valued = len(stone.values) if all(_meets(one, other) for one in stone.values) else 0
    return len(stone.words) >= _FEW or missing <= valued


def features(stone: Tombstone, other: _Marked) -> list[float]:
    """How much of a tombstone stands in a statement: shares of words, values and names, and what only the statement has."""
    met = [one for one in stone.values if _meets(one, other)]
    more = sum(not any(mine & readings for mine in stone.values) for readings, _ in other.values)
    telling = any(is_telling and any(readings & one for one in met) for readings, is_telling in other.values)
    named = stone.names & (other.names | other.words)
    others = other.names - stone.names - stone.words
    words = len(stone.words & other.words)
    inside, of = words / max(1, len(stone.words)), words / max(1, len(other.words))
    has, valued = float(bool(stone.values)), len(met) / max(1, len(stone.values))
    has_names, of_names = float(bool(stone.names)), len(named) / max(1, len(stone.names))
    swapped = min(len(stone.values) - len(met), more, 2) / 2  # other values in the place of those that are missing
    return [
        1.0, inside, of, valued, has, float(bool(has) and not met), swapped, inside * swapped, min(more, 3) / 3, of_names, has_names,
        float(of_names == 1), float(bool(stone.names) and not named), min(len(others), 3) / 3, float(stone.negated != other.negated), inside * valued, inside * (1 - has),
        inside * of_names, float(telling), of_names * valued,
    ]  # fmt: skip


def sense_features(shares: Sequence[float], near: float) -> list[float]:
    _, inside, _, valued, has, *_ = shares
    return [near, near * valued, near * (1 - has), near * inside]


def _logistic(row: Sequence[float], weights: Sequence[float]) -> float:
    total = sum(one * weight for one, weight in zip(row, weights, strict=True))
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))


def _meets(readings: frozenset[str], other: _Marked) -> bool:
    return any(readings & its for its, _ in other.values)


@lru_cache(maxsize=20_000)
def _marked(said: str) -> _Marked:
    found: Said = said_in(said)
    values = dict.fromkeys((_marks(one.readings), one.telling) for one in found.values)
    return _Marked(
        hash_text(plain(unmasked(said))), _marks(found.words), _marks(found.names), tuple(values), found.negated
    )


def _marks(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_mark, words))


@lru_cache(maxsize=50_000)
def _mark(word: str) -> str:
    return hashlib.sha256(to_bytes(word)).hexdigest()[:_DIGITS]


@lru_cache(maxsize=20_000)
def _sense(said: str) -> str:
    """The signs of the sentence's vector; nothing where the encoder is not installed."""
    import numpy as np  # numpy and the network: only when something is nearly what was forgotten

    from reverie.evidence.encoder import encode

    try:
        (found,) = encode([unmasked(said)])
    except ModuleNotFoundError:
        return ""
    return np.packbits(found.sentence > 0).tobytes().hex()


def _nearness(one: str, other: str) -> float | None:
    """The cosine that two rows of signs stand for; None where there is none."""
    try:
        bits = [int(sense, 16) for sense in (one, other)]
    except ValueError:
        return None
    if max(bits).bit_length() > _BITS:
        return None
    return math.cos(math.pi * (bits[0] ^ bits[1]).bit_count() / _BITS)


@dataclass(frozen=True)  # no slots: what was read out of it is kept
class Forgotten:
    """Everything that was forgotten: tombstones, and lines of ours that the owner deleted by hand."""

    stones: tuple[Tombstone, ...] = ()
    by_hand: frozenset[str] = frozenset()

    @cached_property
    def for_good(self) -> tuple[Tombstone, ...]:
        return tuple(stone for stone in self.stones if stone.forever)

    @cached_property
    def names(self) -> frozenset[str]:
        """Which they are: whoever keeps something that depends on them keeps these beside it."""
        return frozenset(stone.id for stone in self.for_good)

    @cached_property
    def _by_hand(self) -> tuple[Tombstone, ...]:
        return tuple(map(tombstone, sorted(self.by_hand)))

    def is_gone(self, text: str) -> bool:
        """Whether a text says what was forgotten for ever: nothing may tell it, whoever said it again."""
        return bool(self.for_good) and recognised(text, self.for_good)[0] is Recognised.SAME

    def against(self, text: str, day: str = "") -> tuple[Recognised, str]:
        """Why this may not enter MEMORY.md again, or must be asked; nothing if nobody wanted it gone.

        `day` is the latest day on which it was said: what was only forgotten may return when it is said later.
        """
        held = [stone for stone in self.stones if stone.forever or not day or day <= stone.at[:10]]
        found, stone = recognised(text, held)
        if found is not Recognised.OTHER and stone is not None:
            return found, _told(found, stone)
        if recognised(text, self._by_hand)[0] is Recognised.SAME:
            return Recognised.SAME, say("forgotten.by_hand")
        return Recognised.OTHER, ""


def _told(found: Recognised, stone: Tombstone) -> str:
    if found is Recognised.NEAR:
        return say("forgotten.near", day=stone.at[:10])
    return say("forgotten.for_good" if stone.forever else "forgotten.until_said_again", day=stone.at[:10])


def forgotten_in(snapshot: Snapshot) -> Forgotten:
    return Forgotten(read_stones(snapshot.text_of(TOMBSTONES)))


def remembered(snapshot: Snapshot) -> Snapshot:
    """The snapshot as a night may know it: what was forgotten for ever is said in no note, though the note still has its words."""
    gone = forgotten_in(snapshot)
    if not gone.for_good:
        return snapshot
    files = {path: without_forgotten(file, gone) for path, file in snapshot.files.items()}
    return Snapshot(snapshot.workspace, MappingProxyType(files), snapshot.refused)


def without_forgotten(file: File, gone: Forgotten) -> File:
    """A note without the statements that say what was forgotten for ever. Its hash and the words that edits are made on stay."""
    if not gone.for_good or file.place.kind not in _NOTES:
        return file
    if file.place.kind is Kind.CORPUS:  # read line by line, and never edited by a night
        lines = file.text.split("\n")
        return replace(file, text="\n".join("" if gone.is_gone(line.partition("] ")[2]) else line for line in lines))
    return replace(file, parse=partial(_parsed_without, file, gone))


def _parsed_without(file: File, gone: Forgotten) -> Parsed:
    document, entries = file.parsed
    return document, tuple(entry for entry in entries if not _is_gone(entry, gone))


def _is_gone(entry: Statement, gone: Forgotten) -> bool:
    return gone.is_gone(entry.text) or (bool(entry.parents) and gone.is_gone(f"{entry.parents[-1]} {entry.text}"))


def forgotten(text: str, stones: Iterable[Tombstone], by_hand: Collection[str] = (), day: str = "") -> str:
    """Why this may not enter MEMORY.md again; empty if it may, or if somebody must be asked."""
    found, why = Forgotten(tuple(stones), frozenset(by_hand)).against(text, day)
    return why if found is Recognised.SAME else ""


def as_record(stone: Tombstone) -> dict[str, Any]:
    values = [sorted(one) for one in stone.values]
    return asdict(stone) | {"words": sorted(stone.words), "values": values, "names": sorted(stone.names)}


def from_records(records: Iterable[Mapping[str, Any]]) -> tuple[Tombstone, ...]:
    """The tombstones of a file; a damaged record is passed over, because it can protect nothing."""
    return tuple(stone for record in records if (stone := _from_record(record)))


@lru_cache(maxsize=64)
def read_stones(text: str) -> tuple[Tombstone, ...]:
    """The tombstones of a file as they stand there; none where it is damaged: `dream forget` refuses to go on with such a one."""
    try:
        records = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    return from_records([one for one in records if isinstance(one, dict)] if isinstance(records, list) else [])


def _from_record(record: Mapping[str, Any]) -> Tombstone | None:
    try:
        # Before 0.3 a value was one mark, and there were neither names nor a sense.
        values = tuple(frozenset([one] if isinstance(one, str) else map(str, one)) for one in record["values"])
        words, names = frozenset(map(str, record["words"])), frozenset(map(str, record.get("names", ())))
        flags = [bool(record.get(name)) for name in ("negated", "forever", "purged")]
        its, at, digest = (str(record[name]) for name in ("id", "at", "hash"))
        return Tombstone(its, at, digest, words, values, names, str(record.get("sense", "")), *flags)
    except (KeyError, TypeError):
        return None


def stronger(new: Tombstone, old: Tombstone) -> Tombstone:
    """A statement that is forgotten again: the later day, and the stronger word."""
    return replace(new, forever=old.forever or new.forever, purged=old.purged or new.purged)


statement = bare_statement
