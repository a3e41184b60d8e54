"""`dream share`: one line of MEMORY.md, written for the team as well. Nothing else ever writes into the team's folder.

The line stays where it is; `shared.md` in the folder of the setting `share.folder` gets its words below the day. Others write there
too, so it is done under a lock of that folder, and appended to whatever stands there. What all of them know already is not said again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.core.errors import BadInput
from reverie.core.layout import SHARE_LOCK, SHARED, TEAM, Kind
from reverie.core.ports import Clock
from reverie.lang.messages import say
from reverie.night.commands import line_in, statement_words
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.privacy.redact import holds_mask, opens_something
from reverie.text.lines import appended, bare, split_lines
from reverie.text.marks import PIN
from reverie.text.terms import plain
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Edit, Intent, Plan, Snapshot, Workspace, short_id

TAG = "share"


@dataclass(frozen=True, slots=True)
class Shared:
    """Which words went where; `known` is the place where the team had them already."""

    file: str
    text: str
    known: str = ""
    run: str = ""


def share(
    workspace: Workspace, clock: Clock, asked: str, *, by: Author, dry_run: bool = False, disk: Disk | None = None
) -> Shared:
    """Write the line of MEMORY.md that is meant, by its id or by words of it, into the team's file."""
    if workspace.team is None:
        raise BadInput(say("share.no_setting"))
    if not workspace.team.is_dir():  # a disk that is not mounted must not be taken for an empty folder
        raise BadInput(say("share.no_folder", path=workspace.team))
    now = clock.now()

    def decide(snapshot: Snapshot) -> tuple[Shared, Plan | None]:
        return _decided(snapshot, asked, now, by)

    if dry_run:
        return decide(read_workspace(workspace))[0]
    with held(workspace.team, TAG, now.isoformat(timespec="seconds"), workspace.settings.lock_wait, SHARE_LOCK):
        done = transact(workspace, clock, TAG, decide, disk=disk)
    return replace(done.told, run=done.run.id if done.run else "")


def _decided(snapshot: Snapshot, asked: str, now: datetime, by: Author) -> tuple[Shared, Plan | None]:
    entry = line_in(snapshot, asked)
    words = statement_words(entry.text).replace(f"{PIN} ", "", 1)
    text = ": ".join(filter(None, (entry.lead, words)))
    if opens_something(text) or holds_mask(text):
        raise BadInput(say("share.secret", place=entry.source))
    shared = Shared(str((snapshot.workspace.team or snapshot.workspace.root) / SHARED.removeprefix(TEAM)), text)
    theirs = (one for file in snapshot.files.values() if file.place.kind is Kind.TEAM for one in file.entries)
    if known := next((one for one in theirs if plain(one.text) == plain(text)), None):
        return replace(shared, known=str(known.source)), None
    there, day = split_lines(snapshot.text_of(SHARED)), f"## {now:%Y-%m-%d}"
    titles = [bare(line) for line in there if line.startswith("## ")]
    head = [] if titles[-1:] == [day] else ["", day, ""] if there else [f"# {say('share.title')}", "", day, ""]
    at, old, new = appended(there, [*head, f"- {text}"])
    edit = Edit(short_id(text), SHARED, at, old, new, TAG, say("share.why"), (entry.source,), by=str(by))
    return shared, plan_of(snapshot, Intent.SHARE, [edit], now)
