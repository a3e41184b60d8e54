"""Reading what stands in a file, a few lines at a time: what `memory_get` and the resources of `dream mcp` show.

Engine level. Looks and writes nothing; secrets are hidden, and the numbers of the lines stay what they are in the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.core.errors import BadInput
from reverie.core.layout import DIARY
from reverie.features.palace.palace import VIEWS, show
from reverie.privacy.redact import HIDDEN, findings, shown
from reverie.text.lines import bare, count_units, split_lines
from reverie.workspace.reader import read_one
from reverie.workspace.values import Refusal, Workspace

LINES, CHARACTERS = 120, 12_000  # as the peer's `memory_get` (2026.9.6)


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of a file, counted from one; `more` is the line to go on with, or 0 at the end of the file."""

    path: str
    status: str  # ok, or not_found
    first: int = 1
    last: int = 0
    text: str = ""
    more: int = 0
    why: str = ""  # why there is nothing


def passage(workspace: Workspace, path: str, first: int = 1, lines: int = LINES) -> Passage:
    """These lines of a file of the layout. What may not be read is not found, with the reason."""
    if first < 1 or lines < 1:
        raise BadInput("Lines are counted from one, and at least one is read.")
    file = read_one(workspace, path)
    if file is None or isinstance(file, Refusal):
        why = f"{path} {file.why}." if file else f"There is no {path}."
        return Passage(path, "not_found", why=why)
    every = [bare(line) for line in split_lines(_hidden(file.text))]
    last, size = first - 1, 0
    for line in every[first - 1 : first - 1 + lines]:
        size += count_units(line) + 1
        if size > CHARACTERS and last >= first:
            break
        last += 1
    text = "\n".join(shown(line) for line in every[first - 1 : last])
    return Passage(file.path, "ok", first, last, text[:CHARACTERS], more=last + 1 if last < len(every) else 0)


def whole(workspace: Workspace, path: str) -> str:
    """A whole file as it may be shown; empty where there is none."""
    file = read_one(workspace, path)
    return "" if file is None or isinstance(file, Refusal) else shown(file.text)


def memory_text(workspace: Workspace) -> str:
    return whole(workspace, "MEMORY.md") or whole(workspace, "memory.md")


def diary_text(workspace: Workspace) -> str:
    return whole(workspace, DIARY)


def palace_text(workspace: Workspace, view: str) -> str:
    """A view of the palace as it would be written now."""
    palace = show(workspace)
    for page in palace.pages:
        if page.path.endswith(f"/{view}.md"):
            return shown(palace.text_of(page))
    raise BadInput(f"The palace has no view {view!r}. There are {', '.join(VIEWS)}.")


def _hidden(text: str) -> str:
    """Secrets hidden without taking a line away: a key of ten lines leaves ten lines."""
    parts, at = [], 0
    for found in findings(text, frozenset()):
        parts += [text[at : found.start], HIDDEN, "\n" * text.count("\n", found.start, found.end)]
        at = found.end
    return "".join([*parts, text[at:]])


__all__ = ["CHARACTERS", "LINES", "VIEWS", "Passage", "diary_text", "memory_text", "palace_text", "passage", "whole"]
