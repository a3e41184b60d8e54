"""BRIEF → OPERATIONS: who decides tonight. A model or the agent leads where there is one; the built-in judge does the rest.

Whatever a model does, the night goes on: what it did not answer, the built-in judge decides, and the receipt says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.core.model_calls import Use, together
from reverie.core.ports import Clock
from reverie.judge.brief import Brief, Judge, Prose, Verdict
from reverie.judge.operation import Operation
from reverie.workspace.values import Workspace

if TYPE_CHECKING:
    from reverie.night.leading import Leader


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judges want, who led, what they would not take, and what it cost."""

    operations: tuple[Operation, ...] = ()
    ignored: Counter[str] | None = None
    use: Use | None = None
    prose: Prose = field(default_factory=Prose)
    led: bool = False  # a model or the agent decided, not the built-in judge alone


def judged(workspace: Workspace, brief: Brief, clock: Clock, *, ask: bool = True, judge: Judge | None = None) -> Judged:
    """What tonight's judges want of this brief. Without `ask` only what a model answered before counts."""
    if judge is not None:
        found = judge.judge(brief)
        return Judged(found.operations, Counter(found.ignored), found.use, found.prose, led=True)
    leader = _leader(workspace, clock, ask=ask) if brief.notes or _is_over(brief) else None
    if leader is None:
        return _alone(brief)
    if leader.judge is None:
        return leader.told(brief, replace(_alone(brief), use=leader.use))
    found = leader.judge.judge(brief)
    use = together(leader.use, found.use)
    if not found.operations and set(found.unread) >= {note.id for note in brief.notes}:
        return replace(_alone(brief), use=use)
    rest = _rest(brief, found)
    return Judged(
        (*found.operations, *rest.operations),
        Counter(found.ignored) + Counter(rest.ignored),
        use,
        found.prose,
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


def _leader(workspace: Workspace, clock: Clock, *, ask: bool) -> Leader | None:
    """Who leads besides the built-in judge, or why it is nobody; None without a model."""
    if workspace.model is None and workspace.settings.model.kind != "agent":
        return None
    from reverie.night.leading import leader  # prompts and the asker, only for those who have a model

    return leader(workspace, clock, ask=ask)


def _is_over(brief: Brief) -> bool:
    return brief.room.units > brief.room.limit or brief.room.lines > brief.room.max_lines


__all__ = ["Judged", "judged"]
