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
