"""What tells a statement besides its line in a classified file: name, description, reason, use, and the link in MEMORY.md.

`dream classify` makes a file of each memory and quotes it there several times. Where the memory is forgotten the file leaves
whole; one that says something else too keeps that, and loses what tells the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from reverie.core.layout import Kind, may_compose
from reverie.features.forget.plan import Cut, Says, cut_edits
from reverie.judge.forgotten import statement
from reverie.plan.promises import FORGET
from reverie.plan.quoting import FACTS, HOW, WHY
from reverie.plan.splices import spliced
from reverie.text.lines import bare, sentences, split_lines
from reverie.text.terms import plain, terms
from reverie.workspace.projection import front_of
from reverie.workspace.values import File, Snapshot, Statement

_FIELD = re.compile(r"(?:name|description):[ \t]*(?P<value>.+)")
_LINK = re.compile(r"(?:[-*+]\s+)?\[(?P<title>[^\]]+)\]\((?P<path>memory/[^)\s]+)\) — (?P<hook>.*)", re.S)


@dataclass(slots=True)
class Besides:
    """What leaves along with the cuts: statements, lines that only quote these, whole files. And files whose name still tells it."""

    statements: list[tuple[File, Statement]] = field(default_factory=list)
    quotes: list[Cut] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)


def besides(snapshot: Snapshot, cuts: Sequence[Cut], says: Says) -> Besides:
    """What else these cuts must take along where they stand in classified files."""
    found = Besides()
    for path in dict.fromkeys(cut.path for cut in cuts):
        if snapshot.files[path].place.kind is Kind.CLASSIFIED:
            _beside(snapshot, snapshot.files[path], [cut for cut in cuts if cut.path == path], says, found)
    return found


def _beside(snapshot: Snapshot, file: File, cuts: list[Cut], says: Says, found: Besides) -> None:
    gone = [plain(statement(cut.text)) for cut in cuts]
    quoted = [
        Cut(file.path, one.block.first, one.block.tail, one.text, whole=True)
        for one in _uncut(file, cuts)
        if _quoted(one.text, gone)
    ]
    after = spliced(file.text, cut_edits(snapshot, [*cuts, *quoted], says, FORGET))
    tells = _telling(cuts, after[len(front_of(after)) :], says)
    whole = _is_ours(file) and not _says_more(after)
    found.quotes += quoted
    found.statements += [(file, one) for one in _uncut(file, [*cuts, *quoted]) if whole]
    for memory in snapshot.memories:
        for entry in memory.entries:
            link = _LINK.match(entry.text)
            if link and link["path"] == file.path and (whole or tells(link["title"]) or tells(link["hook"])):
                found.statements.append((memory, entry))
    if whole:
        found.files.append(file.path)
        return
    for number, line in enumerate(split_lines(front_of(file.text))):
        value = _FIELD.match(line)
        if value and any(map(tells, sentences(value["value"].strip("\"' \r…")))):
            found.quotes.append(Cut(file.path, number, number + 1, bare(line), whole=True))
    if tells(PurePosixPath(file.path).stem.replace("-", " ")):
        found.named.append(file.path)


def _quoted(text: str, gone: Sequence[str]) -> bool:
    """Whether a line is a piece of what is cut, word for word."""
    said = plain(text)
    return any((f" {said} " in f" {one} ") if said.isascii() else said in one for one in gone)


def _uncut(file: File, cuts: Sequence[Cut]) -> Iterator[Statement]:
    taken = {line for cut in cuts for line in range(cut.first, cut.end)}
    return (one for one in file.entries if one.block.first not in taken and not one.protected)


def _telling(cuts: Sequence[Cut], kept: str, says: Says) -> Callable[[str], bool]:
    """Whether a name or a sentence tells what is cut; words that what stays has too tell nothing."""
    gone, rest = [frozenset(terms(statement(cut.text))) for cut in cuts], frozenset(terms(kept))

    def tells(text: str) -> bool:
        words = frozenset(terms(text))
        part = words and not words <= rest and any(words <= one for one in gone)
        return bool(part) or any(one and one <= words for one in gone) or says(text)

    return tells


def _is_ours(file: File) -> bool:
    """Whether it has the form that `dream classify` writes, and nothing in it is pinned."""
    form = bool(front_of(file.text)) and FACTS in map(bare, split_lines(file.text))
    return form and may_compose(file.path) and not any(one.protected for one in file.entries)


def _says_more(text: str) -> bool:
    """Whether anything is left but front matter, headings, and a reason and a use of what has left."""
    section = ""
    for line in map(bare, split_lines(text[len(front_of(text)) :])):
        if line.startswith("## "):
            section = line
        elif line.strip() and section not in (WHY, HOW):
            return True
    return False
