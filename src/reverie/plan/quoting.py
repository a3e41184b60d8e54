"""Lines that are told again elsewhere, each with the place it was read at: what pages of palace and knowledge are made of.

How a quotation is written on a page: the words, and a relative link to the line they stand in.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from urllib.parse import quote as escaped

from reverie.core.layout import VAULT
from reverie.plan.splices import difference
from reverie.privacy.redact import holds_secret
from reverie.text.lines import bare, ending_of, split_lines
from reverie.text.managed import unbalanced
from reverie.workspace.values import Edit, Source, Workspace


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


START, END = "<!-- reverie:knowledge:start -->", "<!-- reverie:knowledge:end -->"


def line_of(quote: Quote, path: str, workspace: Workspace, *, dated: bool = True) -> str:
    """`- day: subject: words ([file:12](../file.md#L12))`; the day only where the chapter does not say it."""
    day = f"{quote.day}: " if dated and quote.day and quote.day not in quote.text else ""
    subject = f"{quote.subject}: " if quote.subject else ""
    return f"- {day}{subject}{quote.text} ({link_to(quote.source, path, workspace)})"


def link_to(source: Source, page: str, workspace: Workspace) -> str:
    """A link that Markdown readers follow from this page, and that says which line it leads to."""
    inner = source.path.removeprefix(VAULT)
    real = (workspace.vault if source.path.startswith(VAULT) else workspace.root) / inner
    target = os.path.relpath(real, (workspace.root / page).parent).replace(os.sep, "/")
    last = f"-{source.last}" if source.last > source.first else ""
    return f"[{inner}:{source.first}{last}]({escaped(target)}#L{source.first})"


def page_lines(page: Page, workspace: Workspace, *, dated: bool = True) -> list[str]:
    """The chapters of a page as lines, without its title."""
    lines: list[str] = []
    for chapter in page.chapters:
        lines += [f"{'#' * chapter.level} {chapter.title}", ""]
        told = (line_of(quote, page.path, workspace, dated=dated) for quote in chapter.quotes)
        lines += [line for line in told if not holds_secret(line)]  # a subject before it may make it look like one
        lines += [""] if chapter.quotes else []
    return lines


def block_edits(before: str, page: Page, body: list[str], tag: str, why: str) -> tuple[Edit, ...]:
    """The edit that puts our block on a page of knowledge: in its old place, else at the end. In doubt the page stays."""
    lines = split_lines(before)
    plain = [bare(line) for line in lines]
    while body and not body[-1]:
        body.pop()
    inner = [START, "", *body, "", END]
    starts, ends = ([i for i, line in enumerate(plain) if line.strip() == mark] for mark in (START, END))
    if unbalanced(plain) or len(starts) > 1:
        return ()
    ending = ending_of(lines)
    if starts:
        after = [*plain[: starts[0]], *inner, *plain[ends[0] + 1 :]]
    elif before.strip():
        after = [*plain, *([""] if plain[-1].strip() else []), *inner]
    else:
        after = [f"# {page.title}", "", *inner]
    sources = tuple(dict.fromkeys(quote.source for quote in page.quotes))
    text = "".join(line + ending for line in after)
    return difference(page.path, before, text, id=tag, tag=tag, why=why, sources=sources)


def chapters_in(text: str) -> list[tuple[str, list[str]]]:
    """(heading, lines) of our block on a page: what an earlier run wrote."""
    lines = [bare(line) for line in split_lines(text)]
    if START not in lines or END not in lines or unbalanced(lines):
        return []
    found: list[tuple[str, list[str]]] = []
    for line in lines[lines.index(START) + 1 : lines.index(END)]:
        if line.startswith("## "):
            found.append((line[3:], []))
        elif found and line.strip():
            found[-1][1].append(line)
    return found


__all__ = ["Chapter", "Page", "block_edits", "chapters_in", "line_of", "link_to", "page_lines"]
