"""Values as text for people. Every word of a workspace goes through `safe`: no secret, nothing that fools a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reverie.privacy.secrets import masked, visible

if TYPE_CHECKING:
    from reverie.features.inbox import Answered, ShownCard
    from reverie.features.why import Event, RunLine, Story
    from reverie.night import Report
    from reverie.operations import Operation
    from reverie.store.undo import Undone


def safe(text: str) -> str:
    return visible(masked(text))


def as_json(value: Any) -> str:
    """The value whole; escapes keep odd characters from doing anything."""
    import json

    import msgspec

    return json.dumps(_masked(msgspec.to_builtins(value, str_keys=True)), indent=1, ensure_ascii=True)


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {name: _masked(item) for name, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value


@contextmanager
def progress(words: str) -> Iterator[None]:
    """Says on a terminal what takes long; nothing in a pipe, and nothing in the first two seconds."""
    if not sys.stderr.isatty():
        yield
        return
    import threading

    timer = threading.Timer(2.0, lambda: print(f"{words} …", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def operation_lines(operation: Operation) -> Iterator[str]:
    """A decision: what happens, why, and the lines before and after."""
    yield f"{operation.id}  {operation.op}: {safe(operation.why) or 'no reason given'}"
    yield from (f"    - {safe(line)}" for ref in operation.lines for line in ref.words.strip().split("\n") if ref.words)
    if operation.text:
        where = f"   [{safe(' > '.join(operation.under))}]" if operation.under else ""
        yield f"    + {safe(operation.text)}{where}"
    yield from (f"    ± {safe(swap.old)} → {safe(swap.new)}" for swap in operation.swap)
    if operation.question:
        yield f"    ? {safe(operation.question)}"
    if operation.cites:
        yield f"    from {', '.join(ref.place for ref in operation.cites)}"


def report_lines(report: Report, *, dry_run: bool) -> Iterator[str]:
    yield from (f"Note: {safe(notice)}" for notice in report.notices)
    for operation in report.done:
        yield from operation_lines(operation)
    yield from (f"Not done: {safe(wish)}\n    {safe(why)}" for wish, why in report.refused)
    yield from (f"Not done: {operation.id}, its lines are not there any more." for operation in report.missed)
    yield from (f"Left alone: {safe(path)} ({why})" for path, why in report.unread.items())
    before, after = report.characters
    from reverie.store.reports import counts_of

    counts = counts_of(report.done)
    if report.waiting:
        waits = "would wait for your word" if dry_run else "wait for your word: `dream inbox`"
        yield f"{len(report.waiting)} {waits}."
    yield "🌙 This is what a night would do; nothing was written." if dry_run else "🌙 Distillation complete"
    yield f"MEMORY.md: {before:,} → {after:,} of {report.limit:,} characters; {report.read} new lines read"
    returned = f" | re-emerged {counts['re-emerged']}" if counts["re-emerged"] else ""
    yield f"This run: updated {counts['updated']} | added {counts['added']} | archived {counts['archived']}{returned}"
    if report.run and report.done:
        yield f"`dream undo` takes it back; `dream runs {report.run}` tells every decision."


def run_lines(run: RunLine, *, whole: bool) -> Iterator[str]:
    undone = f", undone by {run.undone_by}" if run.undone_by else ""
    asked = f", {run.waiting} asked" if run.waiting else ""
    yield f"{run.id}  {run.at:%Y-%m-%d %H:%M}  {run.command}: {len(run.decisions)} decisions{asked}{undone}"
    for event in run.decisions if whole else ():
        yield from _event_lines(event)


def _event_lines(event: Event) -> Iterator[str]:
    undone = " (taken back)" if event.is_undone else ""
    yield f"  {event.at:%Y-%m-%d %H:%M}  run {event.run}  {event.what} [{event.id}]{undone}: {safe(event.why)}"
    yield from (f"    - {safe(line)}" for line in event.before)
    yield from [f"    + {safe(event.after)}"] * bool(event.after)
    yield from [f"    sources: {', '.join(event.sources)}"] * bool(event.sources)


def story_lines(story: Story) -> Iterator[str]:
    for event in story.events:
        yield from _event_lines(event)
    yield from (f"It stands in {place}, now." for place in story.stands)
    yield from (f"The archive holds it: {safe(line)}" for line in story.archived)
    if not story.stands:
        yield "It is not in memory."
    yield from (f"  {safe(reason)}" for reason in story.reasons)


def card_lines(card: ShownCard) -> Iterator[str]:
    """A card shows the whole line before and after, so that a yes never surprises."""
    ask = card.question or {"add": "Add this line?", "end": "Archive this line?"}.get(card.op, "Change this line?")
    yield f"{card.id}  {safe(ask)}  ({safe(card.why)})"
    yield from (f"    - {safe(line)}" for text in card.before for line in text.strip().split("\n"))
    if card.after:
        yield f"    + {safe(card.after.strip())}" + (f"   [{safe(card.under)}]" if card.under else "")
    yield from [f"    from {', '.join(card.sources)}"] * bool(card.sources)


def answered_lines(answered: Answered) -> Iterator[str]:
    for operation in answered.done:
        yield from operation_lines(operation)
    yield from (f"Not done: {refusal.operation.id}: {safe(refusal.why)}" for refusal in answered.refused)
    yield from (f"Not done: {operation.id}, its lines are not there any more." for operation in answered.gone)
    yield f"{len(answered.done)} done." + (
        f" `dream undo {answered.run.id}` takes it back." if answered.run and answered.done else ""
    )


def undone_lines(undone: Undone) -> Iterator[str]:
    yield f"Run {undone.run.undoes} is undone." if undone.run else "Nothing was left to undo."
    yield from (f"Changed since, and left as it is: {safe(line.strip())}" for line in undone.missed)
