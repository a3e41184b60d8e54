"""What belongs to somebody else: told in confidence, about a stranger's health, a home, a wage. None of it is for a memory.

`MEMORY.md` is put into every conversation, whoever listens. Such lines stay in the notes, where their owner wrote them down.
The words stand in `lang/`, table `private`.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.lang import words
from reverie.lang.lexicon import either, phrases

_NAME = r"(?-i:[A-ZÀ-ÞА-Я])"  # begins with a capital


def is_private(text: str) -> bool:
    """Told in confidence, or about somebody's home, wage or fate."""
    if any(form().search(text) for form in (_confided, _in_bed, _address, _lives_at, _earns)):
        return True
    return bool(_stranger().search(text) and _befell().search(text))


def _of(group: str) -> str:
    return either(words(f"private.{group}"))


@cache
def _confided() -> re.Pattern[str]:
    """Whoever said so did not mean a file that is read before every conversation."""
    return re.compile(phrases(words("private.confided"), 6), re.I)


@cache
def _in_bed() -> re.Pattern[str]:
    """A person with a room or a bed."""
    person = rf"(?:{_of('titles')}|{_of('patients')})"
    return re.compile(
        rf"{person}\.?[^.]{{0,60}}(?:{_of('beds')})\s*\d|(?:{_of('patients')})[^。]{{0,20}}(?:{_of('bedside')})", re.I
    )


@cache
def _address() -> re.Pattern[str]:
    return re.compile(rf"(?:{_of('addresses')})[^.:：]{{0,40}}[:：]\s*\S[^.]{{0,40}}\d|{_of('homes')}", re.I)


@cache
def _lives_at() -> re.Pattern[str]:
    """Where a person lives: a name with a house number, or a flat in a block."""
    ends = "|".join(re.escape(end) for end in words("private.street_ends"))
    streets, flats, number = _of("streets"), _of("flats"), _of("house_numbers")
    return re.compile(
        rf"(?:{_of('titles')})\.? [^\W\d_][^,;.]{{1,40}}, (?-i:\d{{1,4}}[a-z]? [A-Z]|[A-ZÄÖÜ][^\W\d_]{{1,24}}(?:{ends}) \d{{1,4}}\b)"
        rf"|(?:{_of('lives_at')}) [^,;.]{{0,30}}\d{{1,4}}\b|(?:{_of('roads')}) (?:[a-z]{{1,3}} ){{0,2}}{_NAME}\S+(?: \S+){{0,2}},? \d{{1,4}}\b"
        rf"|[^\W\d_]{{2}}(?:{streets})\s?\d{{1,5}}\s?(?:{number})[^，。]{{0,12}}?(?:\d{{1,4}}\s?(?:{flats})|\d{{3,4}})"
        rf"|(?:{flats})\s?\d{{1,2}}\s?(?:{flats})",
        re.I,
    )


@cache
def _earns() -> re.Pattern[str]:
    """What somebody else earns. One's own rates are one's own to remember."""
    return re.compile(
        rf"{_NAME}[^\W\d_]+['’]s (?:{_of('wages')})|(?:{_of('wages_of')}) {_NAME}|[^\W\d_](?:{_of('wages_behind')})",
        re.I,
    )


@cache
def _stranger() -> re.Pattern[str]:
    """Somebody who is not of the house: a customer, a colleague, a neighbour, or somebody's kin."""
    return re.compile(rf"{_of('titles')}|{_of('strangers')}|{_NAME}[^\W\d_]+['’]s (?:{_of('kin')})", re.I)


@cache
def _befell() -> re.Pattern[str]:
    return re.compile(_of("befell"), re.I)
