"""OPERATIONS → those that may happen: each is asked alone, whoever judged. What fails leaves, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reverie.core.layout import Kind
from reverie.judge.brief import Brief
from reverie.judge.checks import refusal
from reverie.judge.descriptions import NEVER, parsed, rule_for
from reverie.judge.leaving import is_over
from reverie.judge.operation import OWNER, Op, Operation, leaving_lines, question_of
from reverie.night.history import History
from reverie.night.promising import Dropped
from reverie.text.terms import plain
from reverie.workspace.values import Snapshot

_FILED = frozenset({Kind.TOPIC, Kind.KNOWLEDGE, Kind.CLASSIFIED})


@dataclass(frozen=True, slots=True)
class Checked:
    operations: tuple[Operation, ...]
    dropped: tuple[Dropped, ...] = ()


def checked(snapshot: Snapshot, brief: Brief, operations: Sequence[Operation], history: History) -> Checked:
    """The operations that are grounded, allowed and wanted; of several that want the same line each other way, the first."""
    rules = parsed(snapshot.workspace.settings.custom_rules)
    kept: list[Operation] = []
    dropped: list[Dropped] = []
    entering: set[str] = set()
    filed = _filed(snapshot) if any(one.op is Op.ADD for one in operations) else {}
    for one in operations:
        why = refusal(one, brief) or history.against(one)
        if not why and one.op is Op.ADD:
            why = _against_entering(one, brief, rules, entering) or filed.get(plain(one.text), "")
        if not why and one.op is Op.ASK and question_of(one, "").id in brief.asked:
            why = "it was asked before"
        if not why and _overlaps(one, kept):
            why = "another operation changes the same line"
        if why:
            dropped.append(Dropped(one, why))
            continue
        kept.append(one)
        if one.op is Op.ADD:
            entering.add(plain(one.text))
    return Checked(tuple(kept), tuple(dropped))


def _against_entering(one: Operation, brief: Brief, rules: Sequence[object], entering: set[str]) -> str:
    if plain(one.text) in entering:
        return "it enters once already"
    if one.by != OWNER and rule_for(one.text, rules) == NEVER:  # type: ignore[arg-type]
        return "a rule of DREAM.md"
    return "it is over already" if is_over(one.text, (one.section,), brief.today) else ""


def _filed(snapshot: Snapshot) -> dict[str, str]:
    """What stands in files of the owner's own, by its words: an archive of theirs, a page about a topic."""
    return {
        plain(entry.text): f"you keep it in {path}"
        for path, file in snapshot.files.items()
        if file.place.kind in _FILED
        for entry in file.entries
    }


def _overlaps(one: Operation, kept: Sequence[Operation]) -> bool:
    """Whether a line that this operation changes leaves already, or one that it takes out changes already."""
    changing = {Op.UPDATE, Op.MERGE}
    gone = set(leaving_lines(kept))
    mine = set(leaving_lines([one]))
    told = {other.target.block.first for other in kept if other.op in changing and other.target}
    first = one.target.block.first if one.op in changing and one.target else -1
    return bool(mine & gone) or bool(mine & told) or first in gone


__all__ = ["Checked", "checked"]
