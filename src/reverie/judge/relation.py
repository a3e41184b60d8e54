"""What a newer line does to an older one, as far as the form alone can tell: one function for everybody who asks.

The night, search, recall and refinement ask the same question and get the same answer. Forms only: a key with its value, the
same words in the same order, another value of the same type in the same place, a "not" more or less. What needs to be
understood (a change told in passing) is a judge's business. `Later` finds the statement that changes an earlier one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import combinations

from reverie.judge.compose import COLON, plain_line, weight
from reverie.lang.lexicon import GLUED, one_of, units
from reverie.text.terms import bag, in_order, is_negated, other_names, plain, stop_words
from reverie.workspace.values import Source, Statement

_KEY = re.compile(  # **Key:** value, Key: value, | key | value |, Key — value, Key (value); a longer key is a sentence
    r"^\W*?(?:\*\*|__)(?P<bold>[^*_:：\n]{1,40}?)(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])\s*(?P<of_bold>\S.*)$"
    r"|^\|\s*(?P<cell>[^|\n]{1,40}?)\s*\|\s*(?P<of_cell>[^\s|].*?)[\s|]*$"
    rf"|^(?P<key>[^|:：\n]{{2,40}}?)(?!(?<=\d):){COLON}\s*(?P<value>\S.*)$"
    r"|^(?P<dash>[^|:：—–\n]{2,40}?)\s+[—–]\s+(?P<of_dash>\S.*)$"
    r"|^(?P<round>[^|:：—–()（）\n]{2,40}?)\s*[(（](?P<of_round>[^()（）\n]+)[)）][.。]?$",
    re.S,
)
_ISO_MONEY = re.compile(r"[A-Z]{3}")
_GLUED = re.compile(f"[{GLUED}]")
_UNIT = re.compile(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]+")
_SENTENCE = 3  # words from which a line may gain one and still say the same
_GAINED = 2  # words that it may gain
_NAMED = 2  # words before a bare number from which it is a value and no part of a name
_FRAME = 14  # words around the values of a line up to which it is looked for with a word more or less


@cache
def _value_form() -> re.Pattern[str]:
    """A value by its look, and what it counts: 8443, v2.4.1, 07:30, 950 EUR, €15, 40 %, 2026-03-04, 10.0.0.7, ~/notes/a.md, a@b.c."""
    year, month, day = (one_of(f"specifics.{part}_marks") for part in ("year", "month", "day"))
    # Letters of either case where there are any; asking it of the large scripts too would cost more than all the rest.
    return re.compile(
        rf"(?i:(?P<day>\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}\.\d{{1,2}}\.\d{{4}}\b|\d{{4}}{year}\d{{1,2}}{month}\d{{1,2}}{day})"
        r"|(?P<address>\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b|\bhttps?://[^\s)>\]]+|(?<![\w/])(?:~|\.{1,2})?(?:/[\w.-]+){2,}/?)"
        r"|(?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b)"
        r"|(?P<time>(?<![A-Za-z\d_:])\d{1,2}[:：]\d{2}(?![A-Za-z\d_]))"
        r"|(?P<money>(?P<before>[€$£¥₽₩])\s?\d+(?:[.,\u00a0 ]\d{3})*(?:[.,]\d+)?[kKmM]?"
        r"|\d+(?:[.,\u00a0]\d{3})*(?:[.,]\d+)?\s?(?P<behind>[€$£¥₽₩]|(?:EUR|USD|GBP|CHF|CNY|RMB|JPY|KRW|RUB|BRL)(?![^\W\d_])|"
        + one_of("specifics.money_signs")
        + "))"
        r"|(?P<version>\bv?\d+(?:\.\d+){1,3}\b|\bv\d+\b))"
        rf"|(?P<number>(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*\s?(?P<unit>%|°[cC]?|[{GLUED}]{{1,2}}|(?:(?![{GLUED}])[^\W\d_]){{1,12}}(?![^\W\d_{GLUED}]))?)"
    )


class RelationKind(StrEnum):
    """What the newer line is to the older one."""

    SAME = "same"  # the same words in the same order; one word more may turn it round ("cancelled")
    UPDATE = "update"  # the same thing with another value
    TURNED = "turned"  # the same words with a "not" more or less
    OTHER = "other"  # nothing that the form shows


@dataclass(frozen=True, slots=True)
class Relation:
    """The kind, and for an update which words stand in whose place. `keyed`: both name the thing by the same key."""

    kind: RelationKind
    old: str = ""
    new: str = ""
    keyed: bool = False


OTHER = Relation(RelationKind.OTHER)


@dataclass(frozen=True, slots=True)
class Value:
    """A value inside a line: what it looks like, what it counts, and its words as they stand."""

    type: str
    text: str


@lru_cache(maxsize=20_000)
def relation(old: str, new: str) -> Relation:
    """What `new` does to `old`, by their forms alone."""
    if plain(old) == plain(new) or _same_words(old, new):
        return Relation(RelationKind.SAME)
    if (keyed := _keyed(old, new)) is not None:
        return keyed
    return _framed(old, new)


@lru_cache(maxsize=20_000)
def handles(text: str) -> frozenset[str]:
    """What two lines must share one of to be related by their form: a key, the words around the values, or all words."""
    words = " ".join(sorted(bag(text)))
    key = key_of(text)
    return frozenset((*((f"key {key}",) if key else ()), f"bag {words}", *(f"frame {one}" for one in _frames(text))))


def _frames(text: str) -> Iterator[str]:
    """The words around the values; of a short line also without a few of them, so that `_one_frame` finds its pair."""
    frame = _frame(text)
    yield " ".join(frame)
    if values_of(text) and len(frame) <= _FRAME:
        for left_out in _left_out(frame):
            if len(frame) - len(left_out) >= _SENTENCE:
                yield " ".join(word for at, word in enumerate(frame) if at not in left_out)


def _frame(text: str) -> list[str]:
    """The words around the values of a line, each character one where no blank divides words."""
    return _UNIT.findall(plain(_value_form().sub(" ", text)))


def _left_out(frame: Sequence[str]) -> Iterator[Collection[int]]:
    """Places of one or two words; where no blank divides words, of a few characters in a row, and of the last one besides."""
    count = len(frame)
    if not frame or not _GLUED.match(frame[0]):
        yield from (one for size in (1, 2) for one in combinations(range(count), size))
        return
    for run in (range(at, at + size) for size in range(5) for at in range(1, count - size + 1)):
        yield from (run, {*run, count - 1})


def _one_frame(old: list[str], new: list[str]) -> bool:
    """The same words around the values; a sentence of three words or more may have gained one or two ("now", "Correction:").

    Where no blank divides words two characters are one, and the first must stay: it begins the name of the thing.
    """
    if old == new:
        return bool(old)
    left, gained = iter(new), weight(" ".join(new)) - weight(" ".join(old))
    renamed = old[:1] != new[:1] and bool(_GLUED.match("".join(old[:1])))
    return len(old) >= _SENTENCE and gained <= _GAINED and not renamed and all(word in left for word in old)


def key_of(text: str) -> str:
    """The key of `**Key:** value`, `Key: value`, `| key | value |`, `Key — value` or `Key (value)`, in plain words; or nothing."""
    return plain(_parted(text)[0])


def value_of(text: str) -> str:
    """What stands behind the key; the whole text if there is none."""
    key, value = _parted(text)
    return value if key else text.strip()


@lru_cache(maxsize=20_000)
def _parted(text: str) -> tuple[str, str]:
    found = _KEY.match(text.strip())
    if not found:
        return "", ""
    parts = (("bold", "of_bold"), ("cell", "of_cell"), ("key", "value"), ("dash", "of_dash"), ("round", "of_round"))
    return next((found[key], found[value].strip()) for key, value in parts if found[key])


@lru_cache(maxsize=20_000)
def values_of(text: str) -> tuple[Value, ...]:
    """The values of a line in their order, each with its type; a number's unit is part of its type."""
    return tuple(_value(match) for match in _value_form().finditer(text))


def _value(found: re.Match[str]) -> Value:
    """One value; a word behind a number that tells nothing ("4010 on the box") is no unit of it."""
    if found["money"]:
        sign = found["before"] or found["behind"]
        return Value(f"money {_sign(sign)}", found[0].strip())
    if not found["number"]:
        return Value(str(found.lastgroup), found[0].strip())
    unit = found["unit"] or ""
    if not unit or unit.casefold() in stop_words():
        return Value("number", found[0].removesuffix(unit).strip())
    kind = "money" if _ISO_MONEY.fullmatch(_sign(unit)) else "number"
    return Value(f"{kind} {_sign(unit)}", found[0].strip())


def _sign(unit: str) -> str:
    """One sign for all ways to write a unit: 240 euro, 240 € and 240 EUR."""
    return units().get(unit.casefold(), unit.casefold())


def _keyed(old: str, new: str) -> Relation | None:
    """Both lines are `key: value` with the same key, and the new value is one value alone, of a type the old one has once."""
    if not key_of(old) or key_of(old) != key_of(new):
        return None
    if (cells := _one_cell(old, new)) is not None:
        return _cell(old, *cells)
    before, after = values_of(value_of(old)), values_of(value_of(new))
    alone = len(after) == 1 and _is_alone(after[0].text, value_of(new), value_of(old))
    same_type = [one for one in before if after and one.type == after[0].type]
    if alone and len(same_type) == 1 and old.count(same_type[0].text) == 1:
        if plain(same_type[0].text) == plain(after[0].text):
            return Relation(RelationKind.SAME, keyed=True)
        return Relation(RelationKind.UPDATE, same_type[0].text, after[0].text, keyed=True)
    return None


def _one_cell(old: str, new: str) -> tuple[str, str] | None:
    """Of two rows of a table: the one cell in which they differ."""
    if not (old.lstrip().startswith("|") and new.lstrip().startswith("|")):
        return None
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in (old, new)]
    other = [pair for pair in zip(*cells, strict=False) if plain(pair[0]) != plain(pair[1])]
    return other[0] if len(cells[0]) == len(cells[1]) and len(other) == 1 else None


def _cell(old: str, before: str, after: str) -> Relation | None:
    """Both cells are one value and nothing else, of the same type."""
    values = values_of(before), values_of(after)
    whole = all(
        len(one) == 1 and plain(one[0].text) == plain(cell) for one, cell in zip(values, (before, after), strict=True)
    )
    if not whole or values[0][0].type != values[1][0].type or old.count(before) != 1:
        return None
    return Relation(RelationKind.UPDATE, before, after, keyed=True)


def _is_alone(value: str, said: str, before: str) -> bool:
    """Nothing stands beside the value but words that stood beside the old one: "number 31" for "number 12, ordered from Kern"."""
    beside = set(plain(said.replace(value, " ", 1)).split())
    return beside <= set(plain(before).split()) and len(beside) <= 2


def _same_words(old: str, new: str) -> bool:
    """The same telling words, values and names in the same order, and no "not" more or less.

    A small word may be more ("the"), but none may stand for another: who pays to whom is not who pays from whom.
    """
    words, small = bag(old), [set(plain(text).split()) & stop_words() for text in (old, new)]
    if (
        not words
        or (small[0] - small[1] and small[1] - small[0])
        or words != bag(new)
        or is_negated(old) != is_negated(new)
        or other_names(old, new)
    ):
        return False
    same_values = [plain(one.text) for one in values_of(old)] == [plain(one.text) for one in values_of(new)]
    return same_values and in_order(old, words) == in_order(new, words)


def _framed(old: str, new: str) -> Relation:
    """The same words in the same order, and one value of the same type is another; or the same words turned by a "not"."""
    before, after = values_of(old), values_of(new)
    frames = _frame(old), _frame(new)
    if is_negated(old) != is_negated(new):
        same = bag(old) == bag(new) and in_order(old, bag(old)) == in_order(new, bag(new)) and before == after
        return Relation(RelationKind.TURNED) if same and len(bag(old)) > 1 else OTHER
    if not _one_frame(*frames) or [one.type for one in before] != [one.type for one in after]:
        return OTHER
    moved = [(one, other) for one, other in zip(before, after, strict=True) if plain(one.text) != plain(other.text)]
    if len(moved) != 1 or other_names(old, new) or old.count(moved[0][0].text) != 1 or _names_it(old, moved[0][0]):
        return OTHER
    return Relation(RelationKind.UPDATE, moved[0][0].text, moved[0][1].text)


def _names_it(text: str, value: Value) -> bool:
    """Whether a bare number is a part of a name: Under-12s, room 5, chapter 3 at the start of a line."""
    before = text[: text.index(value.text)]
    if before.endswith("-"):
        return value.type.startswith("number")
    words = len(plain(_GLUED.sub(" ", before)).split()) + len(_GLUED.findall(before)) / 2  # two characters are a word
    return value.type == "number" and words < _NAMED


CHANGING = frozenset({RelationKind.UPDATE, RelationKind.TURNED})
LIKE = 0.5  # of an older line's words; a newer one with fewer of them is another sentence


def says_otherwise(old: str, new: str) -> bool:
    """Whether the newer line is the older one with another value, or turned round."""
    return relation(old, new).kind in CHANGING


def says_the_same(one: str, other: str) -> bool:
    return relation(one, other).kind is RelationKind.SAME


class Later:
    """Statements by their words and keys, the newest first."""

    def __init__(self, claims: Iterable[Statement]) -> None:
        self._claims = sorted(claims, key=lambda claim: claim.day, reverse=True)
        self._words: dict[str, list[int]] = defaultdict(list)
        self._keys: dict[str, list[int]] = defaultdict(list)
        for at, claim in enumerate(self._claims):
            for word in bag(plain_line(claim.text)):
                self._words[word].append(at)
            if key := key_of(claim.text):
                self._keys[key].append(at)

    def changing(self, text: str, day: str, besides: Collection[Source] = ()) -> Statement | None:
        """The newest statement after this day that says the line otherwise; None if none does."""
        words = bag(text)
        met = Counter(at for word in words for at in self._words.get(word, ()))
        alike = {at for at, count in met.items() if count >= LIKE * len(words)}
        for at in sorted(alike.union(self._keys.get(key_of(text), ()))):
            claim = self._claims[at]
            if claim.day > day and claim.source not in besides and says_otherwise(text, plain_line(claim.text)):
                return claim
        return None
