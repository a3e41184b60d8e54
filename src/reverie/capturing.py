"""`dream note`: one statement is written down as it is said, and sorted at once (seed 000, real-time capture).

It always goes into today's note. What must not wait for the night goes into MEMORY.md in the same run. Nothing that other
programs write meanwhile is lost: the run is made again on what they wrote, or carried over to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.apply.files import Disk
from reverie.apply.history import runs
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.claim import Evidence, Observed
from reverie.errors import BadInput, OverBudget, StalePlan
from reverie.evidence.claims import claims_of
from reverie.lines import count_units
from reverie.model import Does, Edit, Finding, Run, Snapshot, Workspace, hash_text
from reverie.phases.captured import kind_at_once
from reverie.phases.compose import composed, plain_line
from reverie.phases.consider import Considered
from reverie.phases.custom_rules import NEVER, parsed, rule_for
from reverie.phases.distill import distil
from reverie.phases.fit import ENTERING, fit_memory
from reverie.phases.judge import Line, judge_lines
from reverie.phases.place import Homes
from reverie.phases.worthy import reason_against
from reverie.plan.capture import TAG, note_edit, note_plan
from reverie.plan.forget import owner_removed, tombstones_in
from reverie.plan.promises import check_promises
from reverie.ports import Clock
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.projecting import refreshed
from reverie.sense import same_sense
from reverie.splice import changes_of, spliced
from reverie.tombstones import forgotten, statement
from reverie.workspace.reader import read_workspace, reread

TRIES = 20  # somebody else may be writing the same note without a pause
LONGEST = 2_000  # characters of one statement; what is longer is a document
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)


@dataclass(frozen=True, slots=True)
class Noted:
    """Where a statement went: always today's note; `line` if MEMORY.md has it now, else `why` it waits."""

    path: str
    kind: str = ""
    line: str = ""
    replaced: str = ""
    archived: int = 0
    why: str = ""
    run: str = ""


def note(workspace: Workspace, clock: Clock, text: str, *, disk: Disk | None = None) -> Noted:
    """Write one statement down, and into MEMORY.md at once if it is a correction, a decision or a new project."""
    said = " ".join(_COMMENT.sub(" ", text).split())
    if not said:
        raise BadInput("There is nothing to note. Say `dream note TEXT`.")
    if count_units(said) > LONGEST:
        raise BadInput(f"The text has {count_units(said):,} characters; a statement has at most {LONGEST:,}.")
    if holds_secret(said) or holds_mask(said):
        raise BadInput("The text holds what looks like a secret. Take it out, then note it again.")
    moment = clock.now().isoformat(timespec="seconds")
    with held(workspace.root, "note", moment, workspace.settings.lock_wait):
        recover(workspace, disk)
        previous = None
        for attempt in range(1, TRIES + 1):
            snapshot = read_workspace(workspace, previous)
            try:
                return _written(workspace, snapshot, said, clock.now(), disk)
            except StalePlan:
                if attempt == TRIES:
                    raise
                previous = snapshot
    raise AssertionError("a note is written or refused")


def _written(workspace: Workspace, snapshot: Snapshot, said: str, now: datetime, disk: Disk | None) -> Noted:
    edit = note_edit(snapshot, said, now)
    findings, noted = _sorted(snapshot, edit, said, runs(workspace))
    plan = note_plan(snapshot, edit, findings, now)
    try:
        check_promises(snapshot, plan)
    except OverBudget:  # the statement is safe in today's note, and the night makes room
        plan = note_plan(snapshot, edit, (), now)
        noted = replace(noted, line="", replaced="", archived=0, why="MEMORY.md is full")
        check_promises(snapshot, plan)
    run = write_run(workspace, plan, changes_of(snapshot, plan), disk)
    if noted.line:
        refreshed(workspace, disk)  # a correction must not wait in any host; what is refused, the night tells again
    return replace(noted, run=run.id)


def _sorted(snapshot: Snapshot, edit: Edit, said: str, history: Sequence[Run]) -> tuple[tuple[Finding, ...], Noted]:
    """What the statement does to MEMORY.md, and what is told about it."""
    one, after, evidence = _considered(snapshot, edit, said)
    kind = kind_at_once(plain_line(said), one.judged) if one else ""
    noted = Noted(edit.path, kind)
    if one is None or not kind:
        return (), replace(noted, why="it waits for the night")
    line = one.line
    if why := _against(snapshot, one, line, history):
        return (), replace(noted, why=why)
    ours = {str(one.claim.source)}
    found = [f for f in distil(after, evidence)[0] if ours & set(map(str, f.sources)) and f.does is not Does.ADD]
    replaced = next((f.target.text for f in found if f.does is Does.REPLACE and f.target), "")
    if not replaced:
        about = replace(one, judged=replace(one.judged, kind=kind))
        home = Homes(snapshot, evidence).home_of(about.line, about.judged.kind)
        found.append(Finding(Does.ADD, TAG, line, f"a {kind}, said by the owner", (one.claim.source,), section=home))
    left = _room(snapshot, tuple(found), line)
    return (*found, *left), replace(noted, line=line, replaced=replaced, archived=len(left))


def _considered(snapshot: Snapshot, edit: Edit, said: str) -> tuple[Considered | None, Snapshot, Evidence]:
    """The statement as the night would read it in today's note."""
    text = spliced(snapshot.text_of(edit.path), [edit])
    after = reread(snapshot, {edit.path: text}, {edit.path: hash_text(text)})
    embedder = snapshot.workspace.embedder
    claims = list(claims_of(after.files[edit.path], snapshot.workspace.settings.privacy.kinds))
    if not claims:
        return None, after, Evidence(embedder=embedder)
    claim = max(claims, key=lambda claim: claim.last)
    (judged,) = judge_lines([Line(plain_line(said), "")], embedder.embed if embedder else None)
    observed = Observed(claim, claim.key, (claim.day,), (claim.source,))
    line = composed(replace(claim, heading="", parents=""))
    return Considered(observed, line, judged), after, Evidence((observed,), embedder=embedder)


def _against(snapshot: Snapshot, one: Considered, line: str, history: Sequence[Run]) -> str:
    """What keeps it out of MEMORY.md for now; the owner's own rules and wishes first."""
    if not line:
        return "it does not fit into one line"
    if rule_for(line, parsed(snapshot.workspace.settings.custom_rules)) == NEVER:
        return "a rule of DREAM.md keeps it out"
    if why := forgotten(line, tombstones_in(snapshot), owner_removed(snapshot, history), one.claim.day):
        return why
    if why := reason_against(line, "", one.claim.origin):
        return why
    memory = snapshot.files.get(snapshot.memory_path)
    known = [entry for entry in memory.entries if same_sense(statement(entry.text), line)] if memory else []
    return f"{known[0].source} says it already" if known else ""


def _room(snapshot: Snapshot, found: tuple[Finding, ...], line: str) -> tuple[Finding, ...]:
    """Above the capture limit the oldest finished entries leave first."""
    size = count_units(snapshot.text_of(snapshot.memory_path)) + count_units(line) + ENTERING
    if size <= snapshot.workspace.settings.memory.capture_limit:
        return ()
    return tuple(finding for finding in fit_memory(snapshot, found) if finding not in found)


__all__ = ["Noted", "note"]
