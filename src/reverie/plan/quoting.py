"""How a quotation is written on a page: the words, and a relative link to the line they stand in."""

from __future__ import annotations

import os.path
from urllib.parse import quote as escaped

from reverie.layout import VAULT
from reverie.lines import bare, ending_of, split_lines
from reverie.managed import unbalanced
from reverie.model import Edit, Source, Workspace
from reverie.privacy.redact import holds_secret
from reverie.quoted import Chapter, Page, Quote
from reverie.splice import difference

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
