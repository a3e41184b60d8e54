"""Lines that are told again elsewhere: the pages of classify, palace and sublimate quote, and name the place they quote from.

A classified file is created and never changed; of a page of knowledge only our own block changes; todos.md only grows. A
line of theirs that says something names the place it was read at, and that place says it.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote as escaped

from reverie.core.layout import LEDGER, TODOS, USER_PAGE, Kind, may_compose, place_of
from reverie.plan.splices import difference, spliced
from reverie.privacy.redact import holds_secret
from reverie.text.lines import bare, ending_of, split_lines
from reverie.text.managed import unbalanced, without_managed
from reverie.text.terms import terms
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Snapshot, Source, Statement, Workspace


@dataclass(frozen=True, slots=True)
class Quote:
    """A statement as it may be told again: its words on one line, without markup and secrets, and what is known of it."""

    text: str
    statement: Statement
    day: str = ""  # when it was said or happened, where that is known
    subject: str = ""  # what the line hangs on, where it does not say so itself
    noted: bool = False  # in a daily note: true then, perhaps not now
    archived: bool = False
    done: bool = False
    open: bool = False  # a task that is not done
    state: bool = False  # how far a piece of work has come

    @property
    def source(self) -> Source:
        return self.statement.source

    @property
    def headings(self) -> tuple[str, ...]:
        return self.statement.headings


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


START, END = "<!-- reverie:knowledge:start -->", "<!-- reverie:knowledge:end -->"


def line_of(quote: Quote, path: str, workspace: Workspace, *, dated: bool = True) -> str:
    """`- day: subject: words ([file:12](../file.md#L12))`; the day only where the chapter does not say it."""
    day = f"{quote.day}: " if dated and quote.day and quote.day not in quote.text else ""
    subject = f"{quote.subject}: " if quote.subject else ""
    return f"- {day}{subject}{quote.text} ({link_to(quote.source, path, workspace)})"


def link_to(source: Source, page: str, workspace: Workspace) -> str:
    """A link that Markdown readers follow from this page, and that says which line it leads to."""
    folder, inner = workspace.lies(source.path)
    real = folder / inner
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


FACTS, WHY, HOW = "## Rule / Fact", "## Why", "## How to apply"  # the parts of a classified file (seed 003)
CLASSIFY, PALACE, SUBLIMATE = "classify", "palace", "sublimate"  # the tags of their edits
_WRITES = {
    Intent.CLASSIFY: frozenset({Kind.CLASSIFIED, Kind.KNOWLEDGE}),
    Intent.PALACE: frozenset({Kind.PALACE}),
    Intent.SUBLIMATE: frozenset({Kind.KNOWLEDGE}),
    Intent.DREAM: frozenset({Kind.PALACE}),
}
_QUOTED = re.compile(r"\s*\(\[(?P<path>[^\]]+?):(?P<first>\d+)(?:-(?P<last>\d+))?\]\([^)]*\)\)\s*$")
_LINK = re.compile(r"- \[[^\]]+\]\((?P<path>memory/[^)\s]+\.md)\) — ")
_APPENDED = (TODOS, USER_PAGE)  # the owner's own: `classify` adds lines at the end
_FRAME = re.compile(r"\s*(?:#{1,6}\s.*|<!--.*-->|---)?\s*$")
_FIELD = re.compile(r"(?:name|description): ")
_FIXED = re.compile(r"(?:type|created): \S+$")
_MARKUP = re.compile(r"[*_`~|]")
_WORD = re.compile(r"[^\W_]+")


def may_write_composed(snapshot: Snapshot, plan: Plan, path: str) -> bool:
    """Whether this plan may change this path: its command keeps it, and changes no more of it than it may."""
    edits = [edit for edit in plan.edits if edit.path == path]
    if plan.intent is Intent.UNDO:
        ours = all(edit.tag in (CLASSIFY, PALACE, SUBLIMATE) for edit in edits)
        return ours and (may_compose(path) or path in _APPENDED)
    if path in _APPENDED:
        return plan.intent is Intent.CLASSIFY and spliced(snapshot.text_of(path), edits).startswith(
            bare(snapshot.text_of(path))
        )
    kind = place_of(path).kind
    if not may_compose(path) or kind not in _WRITES.get(plan.intent, frozenset()):
        return False
    if kind is Kind.CLASSIFIED:
        return snapshot.hash_of(path) == ABSENT
    return kind is Kind.PALACE or _only_our_block(snapshot.text_of(path), spliced(snapshot.text_of(path), edits))


def _only_our_block(before: str, after: str) -> bool:
    mine, now = without_managed(before).rstrip(), without_managed(after).rstrip()
    return now == mine if mine else all(_FRAME.match(bare(line)) for line in now.split("\n"))


def unsaid(snapshot: Snapshot, plan: Plan, source_text: Callable[[Snapshot, Source], str]) -> Iterator[str]:
    """Lines of composed pages whose source does not say them, or that have none."""
    if plan.intent not in (Intent.CLASSIFY, Intent.PALACE, Intent.SUBLIMATE):
        return
    for edit in plan.edits:
        indexed = plan.intent is Intent.CLASSIFY and edit.path == snapshot.memory_path
        if edit.path not in _APPENDED and not may_compose(edit.path) and not indexed:
            continue
        known = {bare(one) for one in edit.old}
        for line in (bare(one) for one in edit.new if bare(one) not in known):
            if not _FRAME.match(line) and not _is_said(snapshot, plan, edit, line, source_text):
                yield line


def _is_said(
    snapshot: Snapshot, plan: Plan, edit: Edit, line: str, source_text: Callable[[Snapshot, Source], str]
) -> bool:
    """Every word and number of the line occurs where it says that it was read."""
    quoted = _QUOTED.search(line)
    if quoted:
        path = LEDGER if quoted["path"] == "ledger.md" else quoted["path"]
        first = int(quoted["first"])
        source = Source(path, first, int(quoted["last"] or first))
        said = source_text(snapshot, source) or _fresh(snapshot, plan, source)
        line = line[: quoted.start()]
    elif place_of(edit.path).kind is Kind.MEMORY:
        link = _LINK.match(line)
        if not link or (link["path"] not in plan.paths and link["path"] not in snapshot.files):
            return False
        said = "\n".join(source_text(snapshot, source) for source in edit.sources)
        line = line.replace(f"({link['path']})", "", 1)
    elif place_of(edit.path).kind is Kind.CLASSIFIED or edit.path in _APPENDED:
        if _FIXED.match(line):
            return True
        said = "\n".join(source_text(snapshot, source) for source in edit.sources)
        line = _FIELD.sub("", line, count=1)
    else:
        return False
    said += "\n" + _MARKUP.sub("", said)  # a quotation is told without it, and its words may then touch
    low = said.casefold()
    numbers = [word for word in _WORD.findall(line.casefold()) if any(char.isdigit() for char in word)]
    return all(number in low for number in numbers) and set(terms(line.rstrip("… "))) <= set(terms(said))


def _fresh(snapshot: Snapshot, plan: Plan, source: Source) -> str:
    """The lines of a file as this plan leaves it: what it archives is quoted from where it will stand."""
    after = spliced(snapshot.text_of(source.path), [edit for edit in plan.edits if edit.path == source.path])
    return "\n".join(after.split("\n")[source.first - 1 : source.last])


__all__ = ["Chapter", "Page", "block_edits", "chapters_in", "line_of", "link_to", "page_lines"]
