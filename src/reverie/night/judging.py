"""BRIEF → OPERATIONS: who decides tonight. A model or the agent leads where there is one; the built-in judge does the rest.

Whatever a model does, the night goes on: what it did not answer, the built-in judge decides, and the receipt says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from reverie.counsel import Use, together
from reverie.judge.brief import Brief
from reverie.judge.operation import Operation
from reverie.judge.port import Judge, Verdict
from reverie.model import Workspace
from reverie.ports import Clock


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judges want, who led, what they would not take, and what it cost."""

    operations: tuple[Operation, ...] = ()
    ignored: Counter[str] | None = None
    use: Use | None = None
    diary: str = ""
    led: bool = False  # a model or the agent decided, not the built-in judge alone


def judged(workspace: Workspace, brief: Brief, clock: Clock, *, ask: bool = True, judge: Judge | None = None) -> Judged:
    """What tonight's judges want of this brief. Without `ask` only what a model answered before counts."""
    if judge is not None:
        found = judge.judge(brief)
        return Judged(found.operations, Counter(found.ignored), found.use, found.diary, led=True)
    leader, spent = _leader(workspace, clock, ask=ask) if brief.notes or _is_over(brief) else (None, None)
    if leader is None:
        return replace(_alone(brief), use=spent)
    found = leader.judge(brief)
    use = together(spent, found.use)
    if not found.operations and set(found.unread) >= {note.id for note in brief.notes}:
        return replace(_alone(brief), use=use)
    rest = _rest(brief, found)
    return Judged(
        (*found.operations, *rest.operations),
        Counter(found.ignored) + Counter(rest.ignored),
        use,
        found.diary,
        led=True,
    )


def _alone(brief: Brief) -> Judged:
    from reverie.judge.built_in import BuiltIn  # numpy and the weights

    found = BuiltIn().judge(brief)
    return Judged(found.operations, Counter(found.ignored))


def _rest(brief: Brief, found: Verdict) -> Verdict:
    """What the built-in judge makes of what the leader did not see; what is certain of memory itself it does on any night."""
    from reverie.judge.built_in import BuiltIn

    unread = set(found.unread)
    left = replace(
        brief,
        notes=tuple(note for note in brief.notes if note.id in unread),
        returned=tuple(line for line in brief.returned if line.note in unread),
    )
    mine = BuiltIn().judge(left)
    touched = {id(entry) for one in found.operations for entry in one.memory}
    kept = [one for one in mine.operations if not touched & {id(entry) for entry in one.memory}]
    return Verdict(tuple(kept), mine.ignored)


def _leader(workspace: Workspace, clock: Clock, *, ask: bool) -> tuple[Judge | None, Use | None]:
    """Who leads besides the built-in judge, and what the receipt says about its exam."""
    mind = workspace.settings.model
    if not mind.leads or (workspace.model is None and mind.kind != "agent"):
        return None, None
    from reverie.night.leading import leader  # prompts and the asker, only for those who have a model

    found = leader(workspace, clock, ask=ask)
    return found.judge, found.use


def _is_over(brief: Brief) -> bool:
    return brief.room.units > brief.room.limit or brief.room.lines > brief.room.max_lines


__all__ = ["Judged", "judged"]
