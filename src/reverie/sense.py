"""When two lines say the same, and when they only look alike. Small certain things: values, negation, shared words.

The same frame with another number, name or a "not" is another fact, whatever a vector says.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reverie.terms import terms

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
# Numbers with what hangs on them (7a, v2, 3.11), single letters that name a thing (field A), and Chinese numerals.
_NUMBER = re.compile(
    r"\b[a-z]?\d+(?:[.,:]\d+)*[a-z]?\b|\d+|(?<![\w'’])[B-HJ-Z](?![\w'’])|[一二三四五六七八九十百千万两甲乙丙丁]+", re.I
)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜÀ-ÝА-Я][^\W\d_]+")
_WORDS = re.compile(r"\w+")
_CALENDAR = re.compile(  # a month or a weekday is a value too
    r"\b(?:jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|januar|februar|märz|mai|juni|juli|oktober|dezember|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?"
    r"|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?"
    r"|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro|segunda|terça|quarta|quinta|sexta)\b|\bMay\b|[周週][一二三四五六日天]|星期[一二三四五六日天]|礼拜[一二三四五六日天]"
    r"|январ\w|феврал\w|март\w?|апрел\w|ма[йея]\b|июн\w|июл\w|август\w?|сентябр\w|октябр\w|ноябр\w|декабр\w|[月火水木金土日]曜|[월화수목금토일]요일",
    re.I,
)
_WEEKDAY = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?"
    r"|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|segundas?|terças?|quartas?|quintas?|sextas?"
    r"|понедельник\w*|вторник\w*|сред[уаы]|средам|четверг\w*|пятниц\w*|суббот\w*|воскресень\w*)\b"
    r"|(?:[周週]|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일",
    re.I,
)
_CLOCK = re.compile(
    r"\b\d{1,2}[:：h]\d{2}\b|\b\d{1,2}\s?(?:uhr|h|heures?|am|pm|o'clock)\b|\b(?:half|quarter) (?:past|to) \w+|\b(?:halb|viertel (?:nach|vor)) \w+"
    r"|\blas? \w+ y (?:media|cuarto)\b|\d{1,2}[点點时時](?:半|\d{1,2}分?)?|[一二三四五六七八九十]{1,2}[点點](?:半)?|[一二三四五六七]限|\d{1,2}시",
    re.I,
)
_FIGURES = re.compile(
    r"\d+(?:st|nd|rd|th|er|º|ª)?|[年月日号號曜]|\b(?:de|del|of|the|der|den|le|do|el|день|mar|mié|jue|vie|sáb|dom|lun|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)\b|[(（][日月火水木金土一二三四五六][)）]|(?<![가-힣])[월화수목금토일](?![가-힣])|[년월일]",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|without|cannot|\w+n't|nicht|kein\w*|nie|ohne|nunca|jamás|jamais|pas|sans|sem|não|sin|не|нет|без|никогда)\b"
    r"|不|没|沒|未|无|無|别|ない|ません|なし|않|안 |없",
    re.I,
)


@lru_cache(maxsize=20_000)
def values_in(text: str) -> frozenset[str]:
    """The values of a line: prices, times, ports, counts, months, weekdays. A day in ISO form says when, not how much."""
    text = _DAY.sub(" ", text)
    return frozenset(_NUMBER.findall(text)) | {found.casefold().rstrip("s") for found in _CALENDAR.findall(text)}


def is_negated(text: str) -> bool:
    return bool(_NOT.search(text))


@lru_cache(maxsize=20_000)
def bag(text: str) -> frozenset[str]:
    """The words that carry a line, without numbers."""
    return frozenset(term for term in terms(_DAY.sub(" ", text)) if not term.isdigit())


def shared(one: str, other: str) -> float:
    """How many of their words two lines have in common, from 0 to 1 (Jaccard)."""
    first, second = bag(one), bag(other)
    return len(first & second) / len(first | second) if first or second else 0.0


def same_sense(one: str, other: str, cosine: float = 1.0) -> bool:
    """Whether one line is the other, perhaps with a word more: the same values, negation and order. Who pays whom matters."""
    if values_in(one) != values_in(other) or is_negated(one) != is_negated(other) or cosine < 0.6:
        return False
    if other_names(one, other):
        return False
    first, second = bag(one), bag(other)
    fewer, more = sorted((first, second), key=len)
    if not fewer or not fewer <= more or len(more) - len(fewer) > max(1, len(more) // 4):
        return False
    return in_order(one, fewer) == in_order(other, fewer)


def without_calendar(text: str) -> str:
    """A heading without days, months, weekdays and numbers: what is left is what it is about."""
    return _FIGURES.sub(" ", _WEEKDAY.sub(" ", _CALENDAR.sub(" ", text)))


@lru_cache(maxsize=20_000)
def clock_of(text: str) -> str:
    """The times of day that a line names, in figures or in words ("half past eight"), as they are written; empty without."""
    return " ".join(found.casefold() for found in _CLOCK.findall(text))


@lru_cache(maxsize=20_000)
def weekdays_in(text: str) -> frozenset[str]:
    return frozenset(day.casefold().rstrip("s") for day in _WEEKDAY.findall(text))


def other_day(one: str, other: str) -> bool:
    """Both lines name weekdays, and the other has one that the first has not."""
    before, after = weekdays_in(one), weekdays_in(other)
    return bool(before) and bool(after - before)


def other_names(one: str, other: str) -> bool:
    """Whether a name of one line (in German: a noun) stands nowhere in the other: Vidal is not Vidales, whatever their stem."""
    said = [set(_WORDS.findall(text.casefold())) for text in (one, other)]
    return any(name.casefold() not in said[1] for name in _NAME.findall(one)) or any(
        name.casefold() not in said[0] for name in _NAME.findall(other)
    )


def in_order(text: str, words: frozenset[str]) -> list[str]:
    """These words in the order in which the text has them first."""
    return list(dict.fromkeys(term for term in terms(_DAY.sub(" ", text)) if term in words))
