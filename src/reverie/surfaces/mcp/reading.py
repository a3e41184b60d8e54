"""What is read as text over MCP: lines of a file, MEMORY.md and the diary, the views of the palace, the last night in words.

Only files of the layout are read, and secrets are hidden in whatever is read.
"""

from __future__ import annotations

from typing import Any

from reverie.core.errors import BadInput
from reverie.core.layout import VIEWS
from reverie.features.palace.palace import show
from reverie.lang.messages import said_with, say
from reverie.night import commands
from reverie.plan.dream_log import receipt_lines
from reverie.plan.show import as_decisions
from reverie.privacy.redact import HIDDEN, findings, shown
from reverie.text.lines import bare, count_units, split_lines
from reverie.workspace.reader import read_one, read_workspace
from reverie.workspace.values import Intent, Refusal, Workspace

LINES, CHARACTERS = 120, 12_000  # as the peer's `memory_get` (2026.9.6)
LONGEST = 48_000  # characters of a page that is read whole


def passage(workspace: Workspace, path: str, first: int = 1, lines: int = LINES) -> dict[str, Any]:
    """These lines of a file of the layout, counted from one. What may not be read is not found, with the reason."""
    if first < 1 or lines < 1:
        raise BadInput(say("mcp.lines_from_one"))
    file = read_one(workspace, path)
    found: dict[str, Any] = {"path": path, "status": "not_found", "from": 1, "to": 0, "text": "", "truncated": False}
    if file is None or isinstance(file, Refusal):
        why = f"{path} {file.why}." if file else say("mcp.no_file", path=path)
        return found | {"nextFrom": None, "notice": why}
    every = [bare(line) for line in split_lines(_hidden(file.text))]
    last, size = first - 1, 0
    for line in every[first - 1 : first - 1 + lines]:
        size += count_units(line) + 1
        if size > CHARACTERS and last >= first:
            break
        last += 1
    text, more = "\n".join(shown(line) for line in every[first - 1 : last]), last < len(every)
    found |= {"path": file.path, "status": "ok", "from": first, "to": last, "text": text[:CHARACTERS]}
    return found | {"truncated": more, "nextFrom": last + 1 if more else None, "notice": None}


def file_text(workspace: Workspace, *paths: str) -> str:
    """The first of these files that is there, whole, as it may be shown; empty where there is none."""
    for path in paths:
        file = read_one(workspace, path)
        if file is not None and not isinstance(file, Refusal) and file.text:
            return _within(shown(file.text))
    return ""


def _within(text: str) -> str:
    """A text that a host may put into a conversation: whole lines up to a limit, and how much is left out."""
    if len(text) <= LONGEST:
        return text
    end = text.rfind("\n", 0, LONGEST) + 1 or LONGEST
    return text[:end] + "\n" + say("mcp.cut", n=len(text) - end)


def palace_text(workspace: Workspace, view: str) -> str:
    """A view of the palace as it would be written now."""
    palace = show(workspace)
    for page in palace.pages:
        if page.path.endswith(f"/{view}.md"):
            return _within(shown(palace.text_of(page)))
    raise BadInput(say("mcp.no_view", view=view, views=", ".join(VIEWS)))


def last_night(workspace: Workspace) -> str:
    """The newest night that changed something: each change with its reason, what a model cost, how to take it back."""
    nights = [run for run in commands.list_runs(workspace) if run.plan.intent is Intent.DREAM]
    if not nights:
        return say("mcp.no_night")
    run = nights[-1]
    counts = ", ".join(f"{n} {said_with('tags', tag)}" for tag, n in sorted(run.plan.counts.items()))
    lines = [
        say("mcp.night", at=run.at[:16].replace("T", " "), run=run.id, did=counts or say("cli.night.nothing_moved"))
    ]
    lines += [line for _, line in as_decisions(read_workspace(workspace), run.plan)]
    lines += receipt_lines(run.plan.use)
    undone = say("cli.night.undone_by", run=run.undone_by)
    lines.append(undone if run.undone_by else say("mcp.take_back", run=run.id))
    return "\n".join(lines)


def _hidden(text: str) -> str:
    """Secrets hidden without taking a line away: a key of ten lines leaves ten lines."""
    parts, at = [], 0
    for found in findings(text, frozenset()):
        parts += [text[at : found.start], HIDDEN, "\n" * text.count("\n", found.start, found.end)]
        at = found.end
    return "".join([*parts, text[at:]])
