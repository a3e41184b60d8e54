"""Lines that are told again elsewhere, each with the place it was read at: what pages of palace and knowledge are made of."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.model import Source


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the owner's, and where they stand."""

    text: str
    source: Source
    day: str = ""  # when it was said or happened, where that is known
    subject: str = ""  # what the line hangs on, where it does not say so itself


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading and what stands under it."""

    title: str
    quotes: tuple[Quote, ...] = ()
    level: int = 2


@dataclass(frozen=True, slots=True)
class Page:
    """A page for people, made of quotations."""

    path: str
    title: str
    chapters: tuple[Chapter, ...] = ()
    about: str = ""  # of a proposal: why this page is worth making

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return tuple(quote for chapter in self.chapters for quote in chapter.quotes)


@dataclass(frozen=True, slots=True)
class Said:
    """One statement of memory, archive, todos or notes, ready to be quoted: on one line, without markup and secrets."""

    text: str
    source: Source
    day: str = ""  # of a note, its day; else the day that the words name
    headings: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    noted: bool = False  # in a daily note: true then, perhaps not now
    archived: bool = False
    done: bool = False
    open: bool = False  # a task that is not done
    state: bool = False  # how far a piece of work has come

    @property
    def around(self) -> str:
        """The words it stands under and its own."""
        return " ".join((*self.headings, *self.parents, self.text))

    def quote(self, subject: str = "") -> Quote:
        return Quote(self.text, self.source, self.day, subject)
