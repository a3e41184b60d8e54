"""The public functions: one for every command, each returning the value that `--json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from os import environ
from pathlib import Path

from reverie.errors import NotFound
from reverie.features import forget as forgetting
from reverie.features import inbox as inboxes
from reverie.features import note as notes
from reverie.features import start
from reverie.features import why as stories
from reverie.features.status import Status
from reverie.features.status import status as status_of
from reverie.judge.brief import Judge
from reverie.judge.rules import decide
from reverie.night import Report, answered, read_memory, report_of, show_brief
from reverie.night import review as night_of
from reverie.store import undo as undoing
from reverie.workspace.layout import Layout, find_workspace, layout_of


def open_workspace(path: str = "") -> Layout:
    """The workspace at a path; without one the present folder, or the host's own."""
    return layout_of(find_workspace(path, environ))


def init(path: str, answers: Mapping[str, str] | None = None, now: datetime | None = None) -> start.Begun:
    """Make a workspace: folders, the archive, and a memory with the answers to five questions."""
    return start.init(Path(path).expanduser(), now or datetime.now(), answers or {})


def review(
    workspace: Layout,
    judge: Judge = decide,
    *,
    dry_run: bool = False,
    accept: bool = False,
    again: bool = False,
    now: datetime | None = None,
) -> Report:
    """Run one night. `judge` may be `model_judge(ask)` of reverie.judge.model; without one the rules decide."""
    return report_of(night_of(workspace, now or datetime.now(), judge, dry_run=dry_run, accept=accept, again=again))


def brief(workspace: Layout, now: datetime | None = None) -> str:
    """What the next night has to decide on, for an agent to judge."""
    return show_brief(workspace, now or datetime.now())


def answer(workspace: Layout, text: str, *, dry_run: bool = False, now: datetime | None = None) -> Report:
    """The night with an agent's answer to the last brief."""
    return report_of(answered(workspace, now or datetime.now(), text, dry_run=dry_run))


def undo(workspace: Layout, run: str = "", decision: str = "", now: datetime | None = None) -> undoing.Undone:
    """Take back the last run, a run, or one decision of it."""
    return undoing.undo(workspace, now or datetime.now(), run, decision)


def undo_to(workspace: Layout, day: date, now: datetime | None = None) -> list[undoing.Undone]:
    """Take back everything since the beginning of a day."""
    return undoing.undo_to(workspace, now or datetime.now(), day)


def runs(workspace: Layout, run: str = "", since: date | None = None) -> list[stories.RunLine]:
    """What happened, oldest first."""
    return stories.list_runs(workspace, run, since)


def why(workspace: Layout, text: str) -> stories.Story:
    """The story of a line; for a text that is not in memory, why not."""
    return stories.why(workspace, text)


def inbox(workspace: Layout, now: datetime | None = None) -> list[inboxes.ShownCard]:
    """What waits for its owner's word."""
    return inboxes.inbox(workspace, (now or datetime.now()).date())


def answer_cards(workspace: Layout, answers: Mapping[str, str], now: datetime | None = None) -> inboxes.Answered:
    """Answer cards of the inbox by their id: yes, no or later."""
    return inboxes.answer_cards(workspace, now or datetime.now(), answers)


def show(workspace: Layout) -> dict[str, str]:
    """What memory says: MEMORY.md and the topic files, by their paths."""
    snapshot = read_memory(workspace)
    return {file.path: "".join(file.lines) for file in (snapshot.file("MEMORY.md"), *snapshot.topics)}


def note(
    workspace: Layout, text: str, kind: str = "", *, is_owner: bool = True, now: datetime | None = None
) -> notes.Noted:
    """Write a line into today's note; a decision, a correction or a new project into memory at once."""
    return notes.note(workspace, now or datetime.now(), text, kind, is_owner=is_owner)


def forget(
    workspace: Layout, description: str, *, forever: bool = False, purge: bool = False, now: datetime | None = None
) -> forgetting.Forgotten:
    """Take out what a description clearly means."""
    meant = forgetting.find_forgettable(workspace, description).lines
    if not meant and not purge:
        raise NotFound("Nothing says that. Use words that stand in the line, or FILE:LINE.")
    if not meant:
        return forgetting.purge_words(workspace, now or datetime.now(), description)
    return forgetting.forget(workspace, now or datetime.now(), meant, forever=forever, purge=purge)


def status(workspace: Layout, now: datetime | None = None) -> Status:
    """How things stand."""
    return status_of(workspace, now or datetime.now())
