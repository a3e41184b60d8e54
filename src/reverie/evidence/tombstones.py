"""What was forgotten, known without its words: enough to recognise it when it is said again, too little to read it.

A tombstone keeps the hash of the words as they are compared, and for what is nearly the same a few digits of the hash
of each word and number. Four digits fit many words, so none can be read out of them, but not many lines.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from reverie.lang.messages import say
from reverie.text.terms import bag, is_negated, plain, values_in
from reverie.workspace.values import hash_text, short_id, to_bytes

FEWEST = 3  # words; with fewer all must be the same, and a single one says too little
ALIKE = 0.75  # of all their words that two lines must have in common
_OURS = re.compile(r"<!--.*?-->")
_LEAD = re.compile(
    r"^\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:[\[(]?\d{1,2}[:：]\d{2}[\])]?(?:\s*[-–—:|])?\s+(?=\S))?"
)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One forgotten statement. Unless it is `forever`, what is said on a later day may bring it back."""

    id: str
    at: str
    hash: str
    words: frozenset[str]
    values: frozenset[str]
    negated: bool = False
    forever: bool = False
    purged: bool = False

    def covers(self, text: str) -> bool:
        """Whether this says what was forgotten: the same words, or nearly, with the same numbers and no other sense."""
        other = tombstone(text)
        if other.hash == self.hash:
            return True
        if other.negated != self.negated or other.values != self.values or not self.words:
            return False
        alike = ALIKE if min(len(other.words), len(self.words)) >= FEWEST else 1.0
        return len(other.words) > 1 and len(other.words & self.words) >= alike * len(other.words | self.words)


@lru_cache(maxsize=20_000)  # every new claim is compared with every tombstone
def tombstone(text: str, at: str = "", *, forever: bool = False, purged: bool = False) -> Tombstone:
    said = statement(text)
    words, values, key = _marks(bag(said)), _marks(values_in(said)), plain(said)
    return Tombstone(short_id(key), at, hash_text(key), words, values, is_negated(said), forever, purged)


def statement(text: str) -> str:
    """A line's words: without its bullet, its time of day and our mark."""
    return " ".join(_LEAD.sub("", _OURS.sub(" ", text)).split())


def forgotten(text: str, stones: Iterable[Tombstone], by_hand: Collection[str] = (), day: str = "") -> str:
    """Why this may not enter MEMORY.md again; empty if nobody wanted it gone.

    `day` is the latest day on which it was said: what was only forgotten may return when it is said later. `by_hand` are
    lines of ours that the owner deleted (`owner_removed`); those stay away.
    """
    for stone in stones:
        if (stone.forever or not day or day <= stone.at[:10]) and stone.covers(text):
            return say("forgotten.for_good" if stone.forever else "forgotten.until_said_again")
    return say("forgotten.by_hand") if any(tombstone(line).covers(text) for line in by_hand) else ""


def as_record(stone: Tombstone) -> dict[str, Any]:
    return asdict(stone) | {"words": sorted(stone.words), "values": sorted(stone.values)}


def from_records(records: Iterable[Mapping[str, Any]]) -> tuple[Tombstone, ...]:
    """The tombstones of a file; a damaged record is passed over, because it can protect nothing."""
    return tuple(stone for record in records if (stone := _from_record(record)))


def read_stones(text: str) -> tuple[Tombstone, ...]:
    """The tombstones of a file as they stand there; none where it is damaged: `dream forget` refuses to go on with such a one."""
    try:
        records = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    return from_records([one for one in records if isinstance(one, dict)] if isinstance(records, list) else [])


def _from_record(record: Mapping[str, Any]) -> Tombstone | None:
    try:
        words, values = frozenset(map(str, record["words"])), frozenset(map(str, record["values"]))
        flags = [bool(record.get(name)) for name in ("negated", "forever", "purged")]
        return Tombstone(str(record["id"]), str(record["at"]), str(record["hash"]), words, values, *flags)
    except (KeyError, TypeError):
        return None


def _marks(words: Iterable[str]) -> frozenset[str]:
    return frozenset(hashlib.sha256(to_bytes(word)).hexdigest()[:4] for word in words)
