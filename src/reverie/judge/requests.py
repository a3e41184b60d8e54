"""Words that want something done now, or done behind the owner's back: a task at best, an injection at worst, no memory.

A rule of the owner's is an order too (“always answer in German”), but it says when it holds: always, never, before, every.
So an order without such a word is a request, and a request that would act with other people's accounts, hide something or
switch a protection off is one whatever it says. Only the shape of a line is looked at; the words stand in `lang/`, table
`requests`. The learned judge does not replace them: of injections that stand alone in a note it knows one in seven.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.lang import words
from reverie.lang.lexicon import either, pattern, phrases

_SENTENCE = re.compile(r"[.!。！](?:\s|$)")
_WORDS = r"\s*(?:[\w'’]+\s+){0,3}?"  # a few words between two


def is_request(text: str) -> bool:
    """Whether a line only asks for something to be done, or would have it done behind somebody's back."""
    if _harm().search(text) or _is_secret(text):
        return True
    if _any("rules").search(text):
        return False
    first = _SENTENCE.split(text, maxsplit=1)[0]  # what follows a request often begins with “if”
    wanted = _order().search(first) and not _any("when").search(_any("no_when").sub("", first))
    return bool(wanted or _polite().search(text) or _yours().search(text))


def is_for_machines(text: str) -> bool:
    """Whether somebody speaks to the machine, not about the owner's life: “dear assistants”, “store permanently”."""
    return _for_machines().search(text) is not None


def _is_secret(text: str) -> bool:
    """“Never buy anything without asking” is a rule; without the never it is the opposite."""
    found = _unasked().search(text)
    return found is not None and not pattern("negations").search(text[: found.start()])


@cache
def _any(group: str) -> re.Pattern[str]:
    return re.compile(_of(group), re.I)


def _of(group: str) -> str:
    return either(words(f"requests.{group}"))


def _lead() -> str:
    return rf"^[\W_]*(?:(?:{_of('leads')})[,:]?\s+)*"


@cache
def _order() -> re.Pattern[str]:
    """A line that begins with a verb and what to do it to, or with a verb that wants words."""
    objects = rf"(?:{_of('objects')}|\S+@\S+|[\"“„«]|[$€£]\d)"
    return re.compile(
        rf"{_lead()}(?:(?:{_of('adverbs')})\s+)?(?:{_of('verbs')})\s+{objects}|{_lead()}(?:{_of('asks')})\s+\S", re.I
    )


@cache
def _polite() -> re.Pattern[str]:
    """A line that begins or, in languages that do so, ends with a plea."""
    begins = rf"{_lead()}(?:{_of('polite')})|^[\W_]*(?!{_of('no_starts')})(?:{_of('starts')})"
    return re.compile(rf"{begins}|(?:{_of('ends')})[.。!！\s]*$", re.I)


@cache
def _yours() -> re.Pattern[str]:
    """What the machine itself says or is: only somebody who talks to it says that."""
    return re.compile(rf"(?:{_of('your')})\s+(?:{_of('yours')})", re.I)


@cache
def _harm() -> re.Pattern[str]:
    """Behind somebody's back: refused even where it is put as a rule."""
    between = rf"\s*(?:(?:{_of('objects')}|{_of('earlier')})\s*)*"
    return re.compile(
        rf"(?:{_of('overrides')}){between}(?:{_of('guards')})|(?:{_of('reveals')}){between}(?:{_of('secrets')})"
        rf"|(?:{_of('hides')}){between}(?:{_of('whom')})|{phrases(words('requests.pretends'))}"
        rf"|{phrases(words('requests.ignored'), 6)}",
        re.I,
    )


@cache
def _unasked() -> re.Pattern[str]:
    unapproved = phrases(words("requests.unapproved"), 20)
    return re.compile(rf"(?:{_of('unasked')}){_WORDS}(?:{_of('whom')})|{unapproved}", re.I)


@cache
def _for_machines() -> re.Pattern[str]:
    machines, store, forever = (rf"(?:{_of(group)})" for group in ("assistants", "store", "forever"))
    pleads = rf"(?:{_of('polite')})[^.。]{{0,30}}{store}[^.。]{{0,30}}(?:{_of('always')})"
    called = rf"(?:{_of('called')})\s+(?:(?:{_of('objects')})\s+)?{machines}"
    return re.compile(
        rf"{called}|{pleads}|{machines}[^.。]{{0,60}}(?:{_of('must')})|{machines}[^.。]{{0,80}}{store}|{store}[^.。]{{0,40}}{forever}"
        rf"|{forever}\s?{store}|\bsystem\s*(?:prompt|message|override)?\s*:|{_of('machine')}",
        re.I,
    )
