"""The library in one word each: `dream`, `search`, `recall`, `note`, `forget`. A workspace is one that is open, or its path.

The same functions the commands call, with the machine's clock where none is given. Values in, values out; nothing is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.ports import Clock, SystemClock
from reverie.surfaces.configure import open_workspace
from reverie.workspace.values import Workspace

if TYPE_CHECKING:
    from reverie.features.forget.forget import Forgotten
    from reverie.features.note import Noted
    from reverie.features.recall.recall import Recalled
    from reverie.features.search import Answer
    from reverie.night.commands import Night

Where = Workspace | str | Path


def dream(where: Where, *, clock: Clock | None = None, dry_run: bool = False, force: bool = False) -> Night:
    """One night. With `dry_run` nothing is written; `force` applies what would otherwise only be proposed."""
    from reverie.features.schedule import recorded  # the rooms, only for those who dream

    workspace = _opened(where)
    return recorded.review(workspace, _clock(workspace, clock), dry_run=dry_run, force=force)


def search(
    where: Where, question: str, *, limit: int | None = None, clock: Clock | None = None, record: bool = True
) -> Answer:
    """Ask memory, archive and content index. `record` counts the answer as a recall, which is how the nights learn."""
    from reverie.features.search import ask

    workspace = _opened(where)
    most = limit or workspace.settings.search.max_results
    return ask(workspace, workspace.embedder, _clock(workspace, clock), question, limit=most, record=record)


def recall(
    where: Where,
    message: str,
    *,
    turns: Sequence[tuple[str, str]] = (),
    clock: Clock | None = None,
    record: bool = True,
) -> Recalled:
    """What the memory knows about a message before the reply to it; `turns` are (role, text) pairs that came before."""
    from reverie.features.recall.recall import ChatTurn
    from reverie.features.recall.recall import recall as recalled

    workspace = _opened(where)
    said = [ChatTurn(role, text) for role, text in turns]
    return recalled(workspace, _clock(workspace, clock), message, turns=said, record=record)


def note(where: Where, text: str, *, again: bool = False, clock: Clock | None = None) -> Noted:
    """Write one statement into today's note; what must not wait for the night goes into MEMORY.md too."""
    from reverie.features.note import note as noted

    workspace = _opened(where)
    return noted(workspace, _clock(workspace, clock), text, again=again)


def forget(
    where: Where,
    description: str,
    *,
    clock: Clock | None = None,
    dry_run: bool = False,
    forever: bool = False,
    purge: bool = False,
) -> Forgotten:
    """Take what a description means out of memory and notes. Only `purge` cannot be undone."""
    from reverie.features.forget.forget import forget as forgotten

    workspace = _opened(where)
    clock = _clock(workspace, clock)
    return forgotten(workspace, clock, description, dry_run=dry_run, forever=forever, purge=purge)


def _opened(where: Where) -> Workspace:
    return where if isinstance(where, Workspace) else open_workspace(where)


def _clock(workspace: Workspace, clock: Clock | None) -> Clock:
    return clock or SystemClock(workspace.settings.timezone)
