"""Values as text for people. Every word of a workspace goes through `safe`: no secret, nothing that fools a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from reverie.features.decisions import Decision, decision_of
from reverie.operations import Operation
from reverie.privacy.secrets import masked, visible
from reverie.store.logs import counts_of

if TYPE_CHECKING:  # a command loads what it calls
    from reverie.night import Report


_COLOURS = {"was": 31, "now": 32, "from": 90}  # red, green, grey


def safe(text: str) -> str:
    return visible(masked(text))


def painted(line: str) -> str:
    """A line of a decision in its colour, for a terminal."""
    colour = _COLOURS.get(line[4:8].rstrip(), 0) if line.startswith("    ") else 0
    return f"\x1b[{colour}m{line}\x1b[0m" if colour else line


def as_json(value: Any, indent: int | None = 1) -> str:
    """The value whole; escapes keep odd characters from doing anything."""
    named = value._asdict() if hasattr(value, "_asdict") else value
    return json.dumps(_masked(msgspec.to_builtins(named, str_keys=True)), indent=indent)


def as_text(value: Any) -> str:
    """The same on one line for a model, which pays for six signs where a Han sign is escaped."""
    return visible(json.dumps(json.loads(as_json(value)), ensure_ascii=False), json.dumps)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_masked, value)]
    return masked(value) if isinstance(value, str) else value


def decision_lines(decisions: Iterable[Decision | Operation]) -> Iterator[str]:
    """Decisions wherever they are told: what happens, why, and the whole lines before and after."""
    for decision in (decision_of(found) if isinstance(found, Operation) else found for found in decisions):
        when = f"  ({str(decision.at)[:16]}, run {decision.run})" if decision.run else ""
        undone = ", taken back" if decision.is_undone else ""
        why = f": {safe(decision.why)}" if decision.why else ""
        yield f"{decision.id}  {decision.what}{undone}{why}{when}"
        yield from (f"    was  {safe(line)}" for text in decision.before for line in text.split("\n"))
        section = f"   [{safe(decision.under)}]" * bool(decision.under)
        yield from [f"    now  {safe(decision.after)}{section}"] * bool(decision.after)
        yield from [f"    ? {safe(decision.question)}"] * bool(decision.question)
        yield from [f"    from {safe(', '.join(decision.sources))}"] * bool(decision.sources)


def report_lines(report: Report, *, dry_run: bool) -> Iterator[str]:
    counts, (before, after) = counts_of(report.done), report.characters
    yield from (f"Note: {safe(notice)}" for notice in report.notices)
    yield from decision_lines(report.done)
    yield from (f"Not done: {safe(wish)}\n    {safe(why)}" for wish, why in report.refused)
    yield from (f"Not done: {operation.id}, its lines are not there any more." for operation in report.missed)
    yield from (f"Left alone: {safe(path)} ({why})" for path, why in report.unread.items())
    waits = "would wait for your word." if dry_run else "wait for your word: `dream inbox`."
    yield from [f"{len(report.waiting)} {waits}"] * bool(report.waiting)
    for wish in report.waiting:
        about = wish.question or wish.after or "; ".join(ref.words for ref in wish.lines)
        yield f"    {wish.id}  {wish.op}: {safe(about)}  ({safe(wish.why)})"
    is_refused = report.refused and not (report.done or report.waiting)
    done = "🌙 Nothing was changed." if is_refused else "🌙 Distillation complete"
    yield "🌙 This is what a night would do; nothing was written." if dry_run else done
    yield f"MEMORY.md: {before:,} → {after:,} of {report.limit:,} characters; {report.read} new lines read"
    returned = f" | re-emerged {counts['re-emerged']}" if counts["re-emerged"] else ""
    yield f"This run: updated {counts['updated']} | added {counts['added']} | archived {counts['archived']}{returned}"
    yield f"Permanent archive total: {report.archived} records"
    yield from [f"Judged by {report.judged_by}"] * bool(report.judged_by)
    if report.run and report.done:
        yield f"`dream undo` takes it back; `dream runs {report.run}` tells every decision."
