"""What a newer line does to an older one, as far as the form alone can tell: one function for everybody who asks.

The night, search, recall and refinement ask the same question and get the same answer. Forms only: a key with its value, the
same words in the same order, another value of the same type in the same place, a "not" more or less. What needs to be
understood (a change told in passing) is a judge's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from reverie.sense import bag, in_order, is_negated, other_names
from reverie.terms import plain

LONGEST_KEY = 40  # characters; more is a sentence with a colon in it
_KEY = re.compile(
    r"^\W*?(?:\*\*|__)(?P<bold>[^*_:：\n]{1,40}?)(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])\s*(?P<of_bold>\S.*)$"
    r"|^(?P<key>[^:：\n]{2,40}?)(?:(?<!\d)[:：]\s+|：)(?P<value>\S.*)$",
    re.S,
)
# A value, by its look, and what it counts: 8443, 3.11, v2.4.1, 07:30, 950 EUR, €15, 40 %, 2026-03-04, 10.0.0.7, ~/notes/a.md, a@b.c.
_VALUE = re.compile(
    r"(?P<day>\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b|\d{4}年\d{1,2}月\d{1,2}日)"
    r"|(?P<address>\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b|\bhttps?://[^\s)>\]]+|(?<![\w/])(?:~|\.{1,2})?(?:/[\w.-]+){2,}/?)"
    r"|(?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b)"
    r"|(?P<time>\b\d{1,2}[:：]\d{2}\b)"
    r"|(?P<money>[€$£¥]\s?\d+(?:[.,\u00a0 ]\d{3})*(?:[.,]\d+)?[kKmM]?|\d+(?:[.,\u00a0]\d{3})*(?:[.,]\d+)?\s?(?:[€$£¥]|EUR|USD|GBP|CHF|CNY|RMB|JPY|KRW|RUB|BRL|元|円|원))"
    r"|(?P<version>\bv?\d+(?:\.\d+){1,3}\b|\bv\d+\b)"
    r"|(?P<number>(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*\s?(?P<unit>%|°C?|[^\W\d_]{1,12})?)",
    re.I,
)


class Kind(StrEnum):
    """What the newer line is to the older one."""

    SAME = "same"  # the same words in the same order; one word more may turn it round ("cancelled")
    UPDATE = "update"  # the same thing with another value
    TURNED = "turned"  # the same words with a "not" more or less
    OTHER = "other"  # nothing that the form shows


@dataclass(frozen=True, slots=True)
class Relation:
    """The kind, and for an update which words stand in whose place. `keyed`: both name the thing by the same key."""

    kind: Kind
    old: str = ""
    new: str = ""
    keyed: bool = False


OTHER = Relation(Kind.OTHER)


@dataclass(frozen=True, slots=True)
class Value:
    """A value inside a line: what it looks like, what it counts, and its words as they stand."""

    type: str
    text: str


@lru_cache(maxsize=20_000)
def relation(old: str, new: str) -> Relation:
    """What `new` does to `old`, by their forms alone."""
    if plain(old) == plain(new) or _same_words(old, new):
        return Relation(Kind.SAME)
    if (keyed := _keyed(old, new)) is not None:
        return keyed
    return _framed(old, new)


@lru_cache(maxsize=20_000)
def handles(text: str) -> frozenset[str]:
    """What two lines must share one of to be related by their form: a key, the words around the values, or all words."""
    words = " ".join(sorted(bag(text)))
    found = (f"key {key_of(text)}" if key_of(text) else "", f"frame {plain(_VALUE.sub(' ', text))}", f"bag {words}")
    return frozenset(one for one in found if one)


def _one_frame(old: list[str], new: list[str]) -> bool:
    """The same words around the values; a sentence of three words or more may have gained one or two ("now", "Correction:")."""
    if old == new:
        return bool(old)
    left = iter(new)
    return len(old) >= 3 and len(new) - len(old) <= 2 and all(word in left for word in old)


def key_of(text: str) -> str:
    """The key of `**Key:** value` or `Key: value`, in plain words; empty if the line has none."""
    found = _KEY.match(text.strip())
    return plain(found["bold"] or found["key"]) if found else ""


def value_of(text: str) -> str:
    """What stands behind the key; the whole text if there is none."""
    found = _KEY.match(text.strip())
    return (found["of_bold"] or found["value"]).strip() if found else text.strip()


@lru_cache(maxsize=20_000)
def values_of(text: str) -> tuple[Value, ...]:
    """The values of a line in their order, each with its type; a number's unit is part of its type."""
    found = []
    for match in _VALUE.finditer(text):
        kind = str(match.lastgroup)
        if match["number"]:
            unit = (match["unit"] or "").casefold()
            kind = f"number {unit}" if unit else "number"
        found.append(Value(kind, match[0].strip()))
    return tuple(found)


def _keyed(old: str, new: str) -> Relation | None:
    """Both lines are `key: value` with the same key, and the new value is one value alone, of a type the old one has once."""
    if not key_of(old) or key_of(old) != key_of(new):
        return None
    before, after = values_of(value_of(old)), values_of(value_of(new))
    alone = len(after) == 1 and _is_alone(after[0].text, value_of(new), value_of(old))
    same_type = [one for one in before if after and one.type == after[0].type]
    if alone and len(same_type) == 1 and old.count(same_type[0].text) == 1:
        if plain(same_type[0].text) == plain(after[0].text):
            return Relation(Kind.SAME, keyed=True)
        return Relation(Kind.UPDATE, same_type[0].text, after[0].text, keyed=True)
    return None


def _is_alone(value: str, said: str, before: str) -> bool:
    """Nothing stands beside the value but words that stood beside the old one: "number 31" for "number 12, ordered from Kern"."""
    beside = set(plain(said.replace(value, " ", 1)).split())
    return beside <= set(plain(before).split()) and len(beside) <= 2


def _same_words(old: str, new: str) -> bool:
    """The same telling words, values and names in the same order, and no "not" more or less."""
    words = bag(old)
    if not words or words != bag(new) or is_negated(old) != is_negated(new) or other_names(old, new):
        return False
    same_values = [plain(one.text) for one in values_of(old)] == [plain(one.text) for one in values_of(new)]
    return same_values and in_order(old, words) == in_order(new, words)


def _framed(old: str, new: str) -> Relation:
    """The same words in the same order, and one value of the same type is another; or the same words turned by a "not"."""
    before, after = values_of(old), values_of(new)
    frames = plain(_VALUE.sub(" ", old)).split(), plain(_VALUE.sub(" ", new)).split()
    if is_negated(old) != is_negated(new):
        same = bag(old) == bag(new) and in_order(old, bag(old)) == in_order(new, bag(new)) and before == after
        return Relation(Kind.TURNED) if same and len(bag(old)) > 1 else OTHER
    if not _one_frame(*frames) or [one.type for one in before] != [one.type for one in after]:
        return OTHER
    moved = [(one, other) for one, other in zip(before, after, strict=True) if plain(one.text) != plain(other.text)]
    if len(moved) != 1 or other_names(old, new) or old.count(moved[0][0].text) != 1:
        return OTHER
    return Relation(Kind.UPDATE, moved[0][0].text, moved[0][1].text)


__all__ = ["Kind", "Relation", "Value", "handles", "key_of", "relation", "value_of", "values_of"]
