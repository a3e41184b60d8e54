"""Values of one kind in two lines: a time of day, a price, an amount with its unit, a thing with its number.

Two lines may speak of the same key; only a value of the same kind takes the place of another.
"""

from __future__ import annotations

import re

from reverie.sense import clock_of, values_in

SHARE = re.compile(r"\d+\s?%")
_UNIT = re.compile(r"(\d+(?:[.,]\d+)*)\s*((?:[^\W\d_]+|[€$£¥%])(?:[ /][^\W\d_]+)?)")
_PRICE = re.compile(
    r"(?:R\$|[$€£¥])\s?(\d+(?:[.,]\d+)*)|(\d+(?:[.,]\d+)*)\s?(?:€|\$|£|¥|usd|eur|euros?|reais|元|块|円|원|руб)", re.I
)
_NUMBERED = re.compile(r"([^\W\d_]{3,}(?:-[^\W\d_]+)?)\s(\d+(?:[.,]\d+)*)\b")
_LED = re.compile(r"([\u4e00-\u9fff])\s?(\d+(?:[.,]\d+)*)(?!\s?[月日号點点时:：%\d])")  # 满 99, 首重 4.2
_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_LATIN = re.compile(r"[a-z°µ]+")
MONEY = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|usd|eur|euro|元|块|円|원|руб)", re.I)


def is_typed(text: str) -> bool:
    """A time of day, a price, or an amount with its unit stands in the value."""
    return bool(clock_of(text) or MONEY.search(text) or SHARE.search(text))


def same_type(old: str, new: str) -> bool:
    """Both give a time of day, or both an amount of the same unit."""
    clock = all(clock_of(text) for text in (old, new))
    money = all(MONEY.search(text) for text in (old, new))
    units = set(amounts(old)) & set(amounts(new))
    return clock or money or bool(units)


def other_amount(old: str, new: str, *, named: bool = False) -> bool:
    """The same unit with another number (890 Euro, 935 Euro) or another time of day; `named`: by a word of two letters or more."""
    before, after = amounts(old), amounts(new)
    units = [unit for unit in after if unit in before and (not named or len(unit) > 1)]
    clock = not named and "" < clock_of(old) != clock_of(new) > ""
    return any(before[unit] != after[unit] for unit in units) or clock


def from_to(old: str, new: str) -> bool:
    """The new line has the old line's only number and another one besides."""
    was, now = values_in(old), values_in(new)
    return len(was) == 1 and was < now


def amounts(text: str) -> dict[str, str]:
    """Unit → number: 14 days, 890 Euro, 8 %; and what is numbered → its number: size 13, Quill 8.3."""
    behind = {_unit_of(unit): number for number, unit in _UNIT.findall(text)}
    behind |= {f"{lead} #": number for lead, number in _LED.findall(text)}
    if money := _PRICE.search(text):
        behind["money"] = money[1] or money[2]
    return behind | {f"{word.casefold()} #": number for word, number in _NUMBERED.findall(_DAY.sub(" ", text))}


def _unit_of(word: str) -> str:
    """A unit without what a language glues to it: 40g씩, 9월에."""
    first = word.split()[0].casefold()
    latin = _LATIN.match(first)
    return latin[0] if latin else first[0] if "\uac00" <= first[0] <= "\ud7af" else first
