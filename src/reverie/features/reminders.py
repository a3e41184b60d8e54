"""Giving reminders: once, at the recall that meets the topic or at the first session or recall of the day, whoever comes first.

Recall stays a read: that a reminder was given is kept under our own state (`evidence/reminded.py`), and the next night archives
its line, so that undoing the night brings it back to be given again. Costs one look at MEMORY.md where nobody asked for any.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from reverie.core.layout import TOPICS
from reverie.evidence.reminded import give_again, give_once, reminded
from reverie.judge.reminders import Reminder, reminder_in
from reverie.lang.lexicon import any_of
from reverie.privacy.redact import shown
from reverie.workspace.reader import read_one
from reverie.workspace.values import File, Origin, Workspace


def give(workspace: Workspace, message: str, today: date) -> tuple[str, ...]:
    """The reminders that are due for somebody who says this today, each given once and never again."""
    due = [one for one in _standing(workspace) if one.is_due(message, today)]
    return tuple(shown(one.text) for one in due if give_once(workspace.root, one.key))


def settle(workspace: Workspace) -> None:
    """Forget that those were given whose lines memory has no more."""
    given = reminded(workspace.root)
    if given:
        give_again(workspace.root, given - {one.key for one in _standing(workspace)})


def _standing(workspace: Workspace) -> Iterator[Reminder]:
    for path in _paths(workspace):
        file = read_one(workspace, path)
        if isinstance(file, File) and any_of("reminders.remind").search(file.text):
            yield from _reminders_in(file)


@lru_cache(maxsize=16)  # a host recalls before every reply, and memory is the same for a day
def _reminders_in(file: File) -> tuple[Reminder, ...]:
    own = (entry for entry in file.entries if entry.origin is Origin.OWNER)
    return tuple(one for entry in own if (one := reminder_in(entry.text)) is not None)


def _paths(workspace: Workspace) -> list[str]:
    """The files that memory stands in."""
    topics = sorted(path.name for path in workspace.home.glob("*.md")) if workspace.home else []
    return ["MEMORY.md", *(f"{TOPICS}{name}" for name in topics if name.lower() != "memory.md")]
