"""PLAN → what may be applied: the change gate, and proposals that the owner decides by item."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import datetime

from reverie.apply.files import Disk
from reverie.apply.state import SUFFIX, read_proposal, withdraw, write_proposal
from reverie.core.errors import BadInput, BadPlanFile, RefusedPlan
from reverie.core.layout import PROPOSAL
from reverie.evidence.claims import claims_of
from reverie.evidence.journal import events
from reverie.lang.messages import say
from reverie.night.probing import ProbeQuestions, ProbeResult, steps_of, weigh
from reverie.plan.part import changed, decisions, is_up_to_date, parted, together, with_declined
from reverie.plan.splices import texts_after
from reverie.text.lines import split_lines
from reverie.text.terms import plain
from reverie.workspace.news import unjudged
from reverie.workspace.values import Notice, Plan, Snapshot, Workspace

LATELY = 50  # different questions of the journal that are asked again
SMALL = 20  # entries: a smaller memory is judged as if it had so many, since two of five are not many
LARGE = "large change"


def with_size(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan, with a word where it is a large change, and where it leaves MEMORY.md near its last line."""
    return replace(plan, flags=(*plan.flags, *_large(snapshot, plan), *_nearly_full(snapshot, plan)))


def probed(snapshot: Snapshot, plan: Plan) -> Plan:
    """A plan that somebody asks for as it is: with its numbers, or refused when it would harm."""
    verdict: ProbeResult = weigh(snapshot, plan, asked_of(snapshot)) if steps_of(snapshot, plan) else ProbeResult()
    for name, why in verdict.at_fault.items():
        raise RefusedPlan("do no harm", say("promise.harm", name=name, why=why))
    return replace(plan, probes=(verdict.before, verdict.after) if steps_of(snapshot, plan) else None)


def asked_of(snapshot: Snapshot) -> ProbeQuestions:
    """What probes are asked with: the latest questions of the journal, and what notes say that no night has judged."""
    workspace = snapshot.workspace
    latest: dict[str, str] = {}
    for event in events(workspace.root):
        query = event.get("query")
        if event.get("type") == "memory.recall.recorded" and isinstance(query, str) and (words := plain(query)):
            latest.pop(words, None)
            latest[words] = query
    notes = [claim for file in unjudged(snapshot) for claim in claims_of(file, workspace.settings.privacy.kinds)]
    embed = workspace.embedder.embed if workspace.embedder else None
    return ProbeQuestions(tuple(latest.values())[-LATELY:], tuple(sorted(notes, key=lambda claim: claim.day)), embed)


def share(snapshot: Snapshot, plan: Plan) -> float:
    """The share of MEMORY.md's statements that the plan changes, as the change gate counts it."""
    few, all_of_them = changed(snapshot, plan)
    return few / max(all_of_them, SMALL)


def must_ask(snapshot: Snapshot, plan: Plan) -> bool:
    """Whether this plan may only be proposed: it touches MEMORY.md, and the owner wants to be asked, or it is too large."""
    wanted = snapshot.workspace.settings.review
    return bool(steps_of(snapshot, plan)) and (wanted.mode == "propose" or share(snapshot, plan) > wanted.propose_above)


def refuse_if_large(snapshot: Snapshot, plan: Plan) -> None:
    """A saved plan may be anybody's, so a large one needs a word."""
    if share(snapshot, plan) > snapshot.workspace.settings.review.propose_above:
        few, whole = changed(snapshot, plan)
        raise RefusedPlan("a large change asks first", say("promise.large", few=few, whole=whole))


def propose(snapshot: Snapshot, plan: Plan, disk: Disk | None = None) -> str:
    """Lay the plan down for the owner; returns the file to look at."""
    name = snapshot.memory_path + SUFFIX
    text = texts_after(snapshot, plan)[snapshot.memory_path]
    return name if write_proposal(snapshot.workspace, plan, name, text, disk) else PROPOSAL


def waiting(workspace: Workspace) -> Plan:
    """The plan that waits for a decision."""
    plan = read_proposal(workspace)
    if plan is None:
        raise BadPlanFile(say("apply.none_waits"))
    return plan


def part_of(
    snapshot: Snapshot, plan: Plan, only: Sequence[str], without: Sequence[str], now: datetime, *, none: bool = False
) -> Plan:
    """The items that were chosen; all others are declined, and no later night asks about them again."""
    found = decisions(snapshot, plan)
    ids = {one.id for one in found}
    for name in (*only, *without):
        if name not in ids:
            raise BadInput(say("apply.no_item", name=name))
    chosen: Set[str] = together(found, set(only)) if only else ids
    out = together(found, (ids if none else ids - chosen) | set(without))
    return with_declined(snapshot, parted(snapshot, plan, out), out, now) if out else plan


def _large(snapshot: Snapshot, plan: Plan) -> tuple[Notice, ...]:
    few, whole = changed(snapshot, plan)
    limits = snapshot.workspace.settings.review
    if share(snapshot, plan) <= limits.flag_above or any(flag.tag == LARGE for flag in plan.flags):
        return ()
    text = say("notice.large", few=few, whole=whole, memory_path=snapshot.memory_path)
    return (Notice(LARGE, text, say("notice.large_why", flag_above=limits.flag_above)),)


def _nearly_full(snapshot: Snapshot, plan: Plan) -> tuple[Notice, ...]:
    """A sentence while MEMORY.md comes near its last line (seed 001), with the lines that it has after this night."""
    path, limits = snapshot.memory_path, snapshot.workspace.settings.memory
    lines = len(split_lines(texts_after(snapshot, plan).get(path, snapshot.text_of(path))))
    if not limits.warn_lines <= lines <= limits.max_lines or any(flag.tag == "limit" for flag in plan.flags):
        return ()
    return (Notice("limit", say("doctor.many_lines", lines=lines, limit=limits.max_lines), say("upkeep.make_room")),)


__all__ = [
    "asked_of", "is_up_to_date", "must_ask", "part_of", "probed", "propose", "refuse_if_large", "share", "waiting", "with_size", "withdraw",
]  # fmt: skip
