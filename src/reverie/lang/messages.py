"""What is said to a person, in the owner's language: one sentence by its name, out of the tables `say.…` of a language file.

`say("note.empty")` is the sentence `empty` of the table `[say.note]`. A sentence may have places (`{path}`) that are filled by
name, and several forms in a list, chosen by the number `n`. A number that brings its noun along is written `{files:file}`: "1 file",
"2 files", as the table `[say.count]` of the language says. A sentence that a language does not have yet is said in English.
Which language is spoken is set once, where a workspace is opened; English until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from reverie.core import errors
from reverie.lang import ENGLISH, LANGUAGES, table

_FORMS: Mapping[
    str, Callable[[int], int]
] = {  # which form of a sentence a number wants; a file names its rule in `language.plural`
    "one": lambda n: 0 if n == 1 else 1,
    "none": lambda n: 0,
    "slavic": lambda n: (
        0 if n % 10 == 1 and n % 100 != 11 else 1 if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14 else 2
    ),
}
_default = [ENGLISH]  # of the process; a page that somebody reads in another language overrides it for itself
_here: ContextVar[str] = ContextVar("language", default="")


def speak(language: str) -> None:
    """From now on this process speaks so; a language without a file is English."""
    _default[0] = language if language in LANGUAGES else ENGLISH


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak so inside the block alone: one visitor of the page, one file of the owner's."""
    before = _here.set(language if language in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _here.reset(before)


def spoken() -> str:
    """The language that is spoken here and now."""
    return _here.get() or _default[0]


def say(name: str, /, **values: Any) -> str:
    """The sentence of that name in the language that is spoken, its places filled."""
    return say_in(spoken(), name, **values)


def say_in(language: str, name: str, /, **values: Any) -> str:
    """The same in a language that is named."""
    group, _, key = name.rpartition(".")
    found = table(language, f"say.{group}").get(key)
    if found is None:
        language, found = ENGLISH, table(ENGLISH, f"say.{group}")[key]
    if isinstance(found, list):
        rule = _FORMS[table(language, "language")["plural"]]
        found = found[min(rule(values["n"]), len(found) - 1)]
    if not values:
        return str(found)
    return str(found).format_map(
        {key: _Counted(value, language) if type(value) is int else value for key, value in values.items()}
    )


class _Counted(int):
    """A number in a sentence, which can be told with its noun."""

    def __new__(cls, value: int, language: str) -> _Counted:
        made = super().__new__(cls, value)
        made.language = language
        return made

    language: str

    def __format__(self, spec: str) -> str:
        if len(spec) > 1 and spec.isidentifier():  # no format of a number has such a name
            return say_in(self.language, f"count.{spec}", n=int(self))
        return super().__format__(spec)


def said_with(group: str, code: str) -> str:
    """The word for a code that is kept in files (a tag, a status, a reason); the code itself where no language has one."""
    for language in (spoken(), ENGLISH):
        if found := table(language, f"say.{group}").get(code):
            return str(found)
    return code


errors.sentence = say
