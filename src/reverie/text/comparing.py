"""What a line is made of, for those who compare two: its values, its negations, its telling words and their order.

What the one line does to the other is said by `reverie.judge.relation` alone.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from reverie.lang import LANGUAGES, words
from reverie.lang.lexicon import calendar, either, full_names, pattern
from reverie.text.terms import terms

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
# Numbers with what hangs on them (7a, v2, 3.11), single letters that name a thing (field A), and Chinese numerals.
_NUMBER = re.compile(
    r"\b[a-z]?\d+(?:[.,:]\d+)*[a-z]?\b|\d+|(?<![\w'’])[B-HJ-Z](?![\w'’])|[一二三四五六七八九十百千万两甲乙丙丁]+", re.I
)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜÀ-ÝА-Я][^\W\d_]+")
_WORDS = re.compile(r"\w+")
_DENIES_NOTHING = re.compile(r"\. ?\d")  # "no. 11"


@lru_cache(maxsize=20_000)
def values_in(text: str) -> frozenset[str]:
    """The values of a line: prices, times, ports, counts, months, weekdays. A day in ISO form says when, not how much."""
    text = _DAY.sub(" ", text)
    return frozenset(_NUMBER.findall(text)) | {found.casefold().rstrip("s") for found in _named_days().findall(text)}


@lru_cache(maxsize=20_000)
def denials(text: str) -> int:
    """How many words of a text deny something, in any language."""
    said = pattern("no_negation").sub(" ", text)
    return sum(not _DENIES_NOTHING.match(said, hit.end()) for hit in pattern("negations").finditer(said))


def is_negated(text: str) -> bool:
    return denials(text) > 0


@lru_cache(maxsize=20_000)
def bag(text: str) -> frozenset[str]:
    """The words that carry a line, without numbers."""
    return frozenset(term for term in terms(_DAY.sub(" ", text)) if not term.isdigit())


def shared(one: str, other: str) -> float:
    """How many of their words two lines have in common, from 0 to 1 (Jaccard)."""
    first, second = bag(one), bag(other)
    return len(first & second) / len(first | second) if first or second else 0.0


def without_calendar(text: str) -> str:
    """A heading without days, months, weekdays and numbers: what is left is what it is about."""
    return _dated().sub(" ", text)


def names_weekday(text: str) -> bool:
    return bool(_named_weekdays().search(text))


def other_names(one: str, other: str) -> bool:
    """Whether a name of one line (in German: a noun) stands nowhere in the other: Vidal is not Vidales, whatever their stem."""
    said = [set(_WORDS.findall(text.casefold())) for text in (one, other)]
    return any(name.casefold() not in said[1] for name in _NAME.findall(one)) or any(
        name.casefold() not in said[0] for name in _NAME.findall(other)
    )


def in_order(text: str, words: frozenset[str]) -> list[str]:
    """These words in the order in which the text has them first."""
    return list(dict.fromkeys(term for term in terms(_DAY.sub(" ", text)) if term in words))


@cache
def _named_days() -> re.Pattern[str]:
    """The names of months and weekdays: values like a number."""
    return re.compile(either({*_names("months"), *_names("weekdays")}), re.I)


@cache
def _named_weekdays() -> re.Pattern[str]:
    return re.compile(either(_names("weekdays")), re.I)


@cache
def _dated() -> re.Pattern[str]:
    """Everything a date is written with, short names included: only for texts that may be nothing but a date."""
    ending = "|".join(map(re.escape, words("specifics.ordinals")))
    named = either({*calendar("months"), *calendar("weekdays"), *words("specifics.joins")})
    return re.compile(
        rf"\d+(?:(?:{ending})(?!\w))?|[(（][\u3040-\u9fff\uac00-\ud7af][)）]|[年月日号號曜년월일]|{named}", re.I
    )


def _names(group: str) -> set[str]:
    """The forms that nobody takes for another word: the first of each list, and what is no abbreviation."""
    first = {name for language in LANGUAGES for name in full_names(group, language)}
    return first | {form for form in calendar(group) if len(form) > (3 if form[0] < "\u3040" else 1)}
