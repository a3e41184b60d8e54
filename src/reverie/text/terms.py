"""Words of a text, in any script: as an index knows them, and as two lines are compared by them.

Latin and Cyrillic words are folded and lightly stemmed, so that "allergic to hazelnuts" answers "hazelnut allergy". Chinese and
Japanese become characters and pairs of characters, so that one- and two-character questions work; ASCII glued to Chinese comes
apart where the script changes. What one line does to another is said by `reverie.judge.relation` alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from reverie.lang import LANGUAGES, words
from reverie.lang.lexicon import any_of, calendar, either, full_names


@cache
def stop_words() -> frozenset[str]:
    """Function words of all languages: they carry no question."""
    return frozenset(words("text.stop_words"))


_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_THAI = "\u0e00-\u0e7f\u0e80-\u0eff"  # written without spaces too
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962-\u0963"
_HANGUL = "\uac00-\ud7af\u1100-\u11ff"
_MARKUP = re.compile(r"<!--.*?-->|(?<!\w)#+|[`*_~>|\[\]]+")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<pairs>[{_HAN}{_KANA}{_THAI}]+)|(?P<hangul>[{_HANGUL}]+)"
        rf"|(?P<word>(?:[^\W_{_HAN}{_KANA}{_THAI}{_HANGUL}]|[{_MARKS}])+)"
    )


@cache
def _said() -> re.Pattern[str]:
    return re.compile(rf"(?:(?<![\w-])-(?=\d))?(?:{_run().pattern})[+#]*")  # C++ is not C, and -5 is not 5


@cache
def _endings() -> tuple[str, ...]:
    """Longest first."""
    return tuple(sorted(words("text.endings"), key=len, reverse=True))


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repetitions; stop words left out."""
    return [term for term in _all(text, asking=False) if term not in stop_words()]


@lru_cache(maxsize=20_000)  # a night compares the same lines with each other again and again
def term_set(text: str) -> frozenset[str]:
    """The index terms of a text, each once."""
    return frozenset(terms(text))


def asked(text: str) -> list[str]:
    """The terms of a question: of Chinese only the pairs, unless a single character is all there is."""
    found = list(dict.fromkeys(_all(text, asking=True)))
    return [term for term in found if term not in stop_words()] or found


@lru_cache(maxsize=20_000)  # a claim is asked for its key again and again
def plain(text: str) -> str:
    """A text without case, markup, punctuation and spacing: what makes two lines the same claim."""
    bare = _MARKUP.sub(" ", _folded(text))
    return " ".join(match[0] for match in _said().finditer(bare)) or bare.strip()


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _all(text: str, *, asking: bool) -> Iterator[str]:
    for run in _run().finditer(_folded(text)):
        if pairs := run["pairs"] or run["hangul"]:
            if run["hangul"] or not asking or len(pairs) == 1:
                yield from (pairs if run["pairs"] else (pairs,))
            yield from (pairs[i : i + 2] for i in range(len(pairs) - 1))
        elif run[0] in stop_words():
            yield run[0]
        elif found := stem(run[0]):
            yield found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its commonest ending; accents of Latin letters are dropped, as people type them or not."""
    word = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    word = unicodedata.normalize("NFC", word)
    if not word.isalpha():
        return word
    for ending in _endings():  # what is left must keep four letters, so that short words stay themselves
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            # "Saturdays" is "Saturday" first, and must end where "Saturday" ends.
            return word[:-1] if ending == "s" and word[-1] in "ye" and len(word) > 4 else word
    return word


_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_NAME = re.compile(r"(?<=[\w,] )[A-Z\u00c0-\u00dd\u0410-\u042f][^\W\d_]+")
_WORD_RUN = re.compile(r"\w+")
_DENIES_NOTHING = re.compile(r"\. ?\d")  # "no. 11"


@lru_cache(maxsize=20_000)
def values_in(text: str) -> frozenset[str]:
    """The values of a line: prices, times, ports, counts, months, weekdays. A day in ISO form says when, not how much."""
    text = _DAY.sub(" ", text)
    return frozenset(_number().findall(text)) | {found.casefold().rstrip("s") for found in _named_days().findall(text)}


def days_in(text: str) -> frozenset[str]:
    """The days of a line in ISO form."""
    return frozenset(_DAY.findall(text))


@lru_cache(maxsize=20_000)
def denials(text: str) -> int:
    """How many words of a text deny something, in any language."""
    said = any_of("specifics.no_negation").sub(" ", text)
    return sum(not _DENIES_NOTHING.match(said, hit.end()) for hit in any_of("specifics.negations").finditer(said))


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
    said = [set(_WORD_RUN.findall(text.casefold())) for text in (one, other)]
    return any(name.casefold() not in said[1] for name in _NAME.findall(one)) or any(
        name.casefold() not in said[0] for name in _NAME.findall(other)
    )


def in_order(text: str, wanted: frozenset[str]) -> list[str]:
    """These words in the order in which the text has them first."""
    return list(dict.fromkeys(term for term in terms(_DAY.sub(" ", text)) if term in wanted))


@cache
def _number() -> re.Pattern[str]:
    """Numbers with what hangs on them (7a, v2, 3.11), single letters that name a thing (field A), and numerals."""
    numerals = "".join(words("specifics.numerals"))
    return re.compile(rf"\b[a-z]?\d+(?:[.,:]\d+)*[a-z]?\b|\d+|(?<![\w'’])[B-HJ-Z](?![\w'’])|[{numerals}]+", re.I)


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
    marks = "".join(mark for unit in ("year", "month", "day", "weekday") for mark in words(f"specifics.{unit}_marks"))
    return re.compile(rf"\d+(?:(?:{ending})(?!\w))?|[(（][\u3040-\u9fff\uac00-\ud7af][)）]|[{marks}]|{named}", re.I)


def _names(group: str) -> set[str]:
    """The forms that nobody takes for another word: the first of each list, and what is no abbreviation."""
    first = {name for language in LANGUAGES for name in full_names(group, language)}
    return first | {form for form in calendar(group) if len(form) > (3 if form[0] < "\u3040" else 1)}
