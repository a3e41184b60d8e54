"""What owners call things: headings and keys of lines that say what a memory is. The words stand in `lang/`, table `sorting`.

A heading counts when one of the words is a word of it; in scripts without spaces they are looked for anywhere.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.lang import words
from reverie.lang.lexicon import either

USER, FEEDBACK, PROJECT, REFERENCE = "user", "feedback", "project", "reference"
KINDS = (USER, FEEDBACK, PROJECT, REFERENCE)
_ORDER = (FEEDBACK, USER, PROJECT, REFERENCE)  # "lessons of a project" are lessons
_KEY = re.compile(r"[*_\s]*(?P<key>[^:：*_\n]{1,30}?)[*_]*\s*[:：][*_]*\s*(?P<rest>.+)", re.S)
_PER_CENT = re.compile(r"\d\s?%")


def headed(heading: str) -> str:
    """The kind of memory a heading collects, by its words; empty when it names a subject of its own."""
    plain = _spaced(heading)
    return next((kind for kind in _ORDER if any(_said(word, plain) for word in words(f"sorting.{kind}"))), "")


def about_the_owner(headings: tuple[str, ...]) -> bool:
    """Whether the innermost heading is about whom the title of the file names: `# Memory of Ada`, `## About Ada`."""
    found = _about().fullmatch(headings[-1].strip()) if len(headings) > 1 else None
    whom = (found["whom"] or found["those"]).strip() if found else ""
    return bool(whom) and whom.casefold() in headings[0].casefold()


def speaks_of_answers(text: str) -> bool:
    """Whether a line is about how answers look."""
    plain = _spaced(text)
    return any(_said(word, plain) for word in words("sorting.answers"))


def key_of(text: str) -> tuple[str, str]:
    """(key, rest) of a line such as `**Status:** active` or `状态：进行中`; an empty key when it has none."""
    found = _KEY.match(text)
    return (found["key"].strip().casefold(), found["rest"].strip()) if found else ("", text)


def is_labelled(text: str, *groups: str) -> bool:
    """Whether the key of a line is a word of one of these groups: `states`, `why`, `open_thoughts`, …"""
    key = key_of(text)[0]
    return bool(key) and any(key in words(f"sorting.{group}") for group in groups)


def tells_progress(text: str) -> bool:
    """Whether a line says how far something has come."""
    return bool(_PER_CENT.search(text) or _any_of("waits").search(text))


def reason_in(text: str) -> str:
    """The reason that a sentence gives itself, from its `because` on; empty when it gives none."""
    found = _any_of("because").search(text)
    return text[found.start() :].rstrip(")） ") if found and found.start() else ""


@cache
def _any_of(group: str) -> re.Pattern[str]:
    return re.compile(either(words(f"sorting.{group}")), re.I)


@cache
def _about() -> re.Pattern[str]:
    before, behind = either(words("sorting.about")), either(words("sorting.about_behind"))
    return re.compile(rf"(?:{before})\s*(?P<whom>.+)|(?P<those>.+?)\s?(?:{behind})", re.I)


def _spaced(text: str) -> str:
    return " " + re.sub(r"[^\w']+", " ", text.casefold()).strip() + " "


def _said(word: str, plain: str) -> bool:
    if any("\u3040" <= char <= "\uffff" for char in word):
        return word in plain and (len(word) > 1 or f" {word} " in plain)
    return f" {word} " in plain
