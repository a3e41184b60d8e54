"""PLAN → a plan that holds: what a second night over its outcome would change is decided tonight, or left out.

The engine's part behind the ninth promise. A night looks at MEMORY.md as it is, and a few things only show once its lines
stand there: a new line may be the one for which there is no room. Then the night thinks again, at most three times, and
tells of each line that it left out; what still would not hold is refused by the promise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from reverie.dreaming import dream_over
from reverie.layout import JUDGED, Kind, place_of
from reverie.model import Does, Entry, Finding, Plan, Snapshot, Source
from reverie.plan.build import build_plan, plan_of
from reverie.plan.part import decisions, parted
from reverie.ports import Clock
from reverie.proposals import gated
from reverie.remember import evidence_of
from reverie.reserve import OURS
from reverie.splice import hashes_after, texts_after
from reverie.terms import plain
from reverie.workspace.reader import reread

TAG = "unsettled"
TRIES = 3
_TOLD = frozenset({Kind.DIARY, Kind.REPORT, Kind.DAILY})  # pages of the night: they tell what was noticed


def settled(snapshot: Snapshot, plan: Plan, clock: Clock) -> tuple[Plan, Plan]:
    """The plan, mended until a second night changes nothing, and what that night would still change."""
    if not plan.edits:
        return plan, plan
    after, more = second_night(snapshot, plan, clock)
    for attempt in range(1, TRIES + 1):
        if not more.edits:
            break
        smaller = _without_all(snapshot, plan) if attempt == TRIES else _mended(snapshot, plan, after, more)
        plan = gated(snapshot, smaller)
        after, more = second_night(snapshot, plan, clock)
    return plan, more


def second_night(snapshot: Snapshot, plan: Plan, clock: Clock) -> tuple[Snapshot, Plan]:
    """The files as this plan would leave them, and what another night would do to those."""
    after = reread(snapshot, texts_after(snapshot, plan), hashes_after(snapshot, plan))
    return after, gated(after, dream_over(after, evidence_of(after), clock))


def _mended(snapshot: Snapshot, plan: Plan, after: Snapshot, more: Plan) -> Plan:
    """The plan with what the second night takes out: a line of tonight does not enter, a line of the owner's leaves now."""
    found = [one.finding for one in decisions(snapshot, plan)]
    flags: list[Finding] = []
    for late in (one.finding for one in decisions(after, more) if one.finding.target is not None):
        words = _words(late)
        ours = next((one for one in found if one.does is not Does.ARCHIVE and plain(one.text) == words), None)
        if ours is not None:
            found.remove(ours)
            flags.append(_left_out(ours, late.why))
            if ours.does is Does.REPLACE:  # the old word is outdated all the same
                found.append(replace(ours, does=Does.ARCHIVE, text=ours.target.text if ours.target else ours.text))
        elif late.does is Does.ARCHIVE and (entry := _standing(snapshot, found, words)):
            here = Source(snapshot.memory_path, entry.block.first + 1, entry.block.tail)
            found.append(Finding(Does.ARCHIVE, late.tag, entry.text, late.why, (here,), entry))
    return _rebuilt(snapshot, plan, found, flags)


def _without_all(snapshot: Snapshot, plan: Plan) -> Plan:
    """The last resort: MEMORY.md stays as it is, and every line that wanted to enter or leave is told."""
    found = decisions(snapshot, plan)
    flags = [_left_out(one.finding, "a second night would change it again") for one in found]
    left = parted(snapshot, plan, {one.id for one in found})
    return replace(left, flags=(*left.flags, *flags))


def _words(late: Finding) -> str:
    return plain(OURS.sub("", late.target.text if late.target else late.text))


def _standing(snapshot: Snapshot, found: Iterable[Finding], words: str) -> Entry | None:
    """The entry of MEMORY.md that says this, and that does not leave already."""
    memory = snapshot.files.get(snapshot.memory_path)
    leaving = {one.target.block.first for one in found if one.target is not None}
    entries = memory.entries if memory else ()
    return next((e for e in entries if e.block.first not in leaving and plain(OURS.sub("", e.text)) == words), None)


def _left_out(finding: Finding, why: str) -> Finding:
    return Finding(Does.FLAG, TAG, f"“{finding.text}” was left out.", why, finding.sources)


def _rebuilt(snapshot: Snapshot, plan: Plan, found: list[Finding], flags: list[Finding]) -> Plan:
    """A plan of these decisions, with the pages and the cursor of the first one."""
    now = datetime.fromisoformat(plan.made)
    told = (*plan.flags, *flags)
    built = build_plan(snapshot, [*found, *told], now, plan.refused)
    cursor = [edit for edit in plan.edits if edit.path == JUDGED]
    pages = [edit for edit in plan.edits if place_of(edit.path).kind in _TOLD and edit.path not in built.paths]
    edits = [edit for edit in built.edits if edit.path != JUDGED]
    return plan_of(snapshot, plan.intent, [*edits, *cursor, *pages], now, flags=told, refused=plan.refused)
