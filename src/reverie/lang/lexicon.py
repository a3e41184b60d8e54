"""Words of the language files as patterns, and those of their table `specifics` (months, numbers, units) as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from reverie.lang import LANGUAGES, table, words

GLUED = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"  # no space before an ending
DATE_SIGNS = ("年", "月", "日")  # behind the year, the month and the day of a date in figures
LONGEST_WORD = 40  # letters that a star stands for; without an end a long row of letters takes quadratic time
_SPACED = re.compile(rf"[^\W\d_{GLUED}]")


def either(forms: Iterable[str]) -> str:
    """A pattern for any of these words, longest first. A star is any ending; a word of spaced scripts stands alone."""
    listed = sorted(set(forms), key=len, reverse=True)
    alone = [form for form in listed if _SPACED.match(form) and (form[-1] == "*" or _SPACED.match(form[-1]))]
    # One border for all of them: tried at each word once, not at each character for each of a thousand words.
    whole = [rf"(?<![^\W\d_])(?:{'|'.join(map(_body, alone))})(?![^\W\d_])"] if alone else []
    return "|".join(whole + [_one(form) for form in listed if form not in set(alone)]) or r"(?!)"


def one_of(group: str) -> str:
    """The source of a pattern for any word of a group (`forms.ended`) in any language, as a part of a larger one."""
    return f"(?:{either(words(group))})"


@cache
def any_of(group: str) -> re.Pattern[str]:
    """A pattern for any word of a group in any language."""
    return re.compile(one_of(group), re.I)


def phrases(forms: Iterable[str], longest: int = 40) -> str:
    """A pattern for any of these phrases, in which `…` is a gap of so many characters of the same sentence."""
    listed = list(forms)
    gap = rf"[^.。!?！？]{{0,{longest}}}?"
    parted = [gap.join(either([part.strip()]) for part in form.split("…")) for form in listed if "…" in form]
    return "|".join([*parted, either(form for form in listed if "…" not in form)])


def _one(form: str) -> str:
    before = r"(?<![^\W\d_])" if _SPACED.match(form) else ""
    after = r"(?![^\W\d_])" if _SPACED.search(form[-1]) else ""
    return before + _body(form) + after


def _body(form: str) -> str:
    return re.escape(form).replace(r"\*", rf"[^\W\d_]{{0,{LONGEST_WORD}}}")


@cache
def pattern_in(group: str, language: str) -> re.Pattern[str]:
    """Any word of a group in one language: "no" is a negation in Spanish and a preposition in Portuguese."""
    return re.compile(either(_group(language, group) or ()), re.I)


@cache
def calendar(group: str, language: str = "") -> Mapping[str, int]:
    """The forms of `months` or `weekdays`, each with its place in the year or week from one; of one language, or of all."""
    found: dict[str, int] = {}
    for code in (language,) if language else LANGUAGES:
        for place, forms in enumerate(_group(code, group) or (), 1):
            for form in forms.split():
                found.setdefault(form, place)
    return found


@cache
def full_names(group: str, language: str) -> Mapping[str, int]:
    """The names of months or weekdays that nobody takes for another word: in each list the first."""
    lists = _group(language, group) or ()
    return {forms.split()[0]: place for place, forms in enumerate(lists, 1)}


@cache
def valued(group: str) -> tuple[tuple[str, float], ...]:
    """The words of `numbers`, `hints` or `magnitudes` with what they say; a word may say two things in two languages."""
    return tuple(
        dict.fromkeys(
            (form, float(value))
            for code in LANGUAGES
            for value, forms in (_group(code, group) or {}).items()
            for form in forms
        )
    )


@cache
def units() -> Mapping[str, str]:
    """Every way to write a unit, and the unit's one sign."""
    found: dict[str, str] = {}
    for code in LANGUAGES:
        for sign, forms in (_group(code, "units") or {}).items():
            for form in forms:
                found.setdefault(form.casefold(), sign)
    return found


def _group(language: str, group: str) -> Any:
    return table(language, "specifics").get(group)
