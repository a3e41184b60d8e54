"""Values as text for people. Every word of a workspace goes through `safe`: no secret, nothing that fools a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Timer
from typing import Any

import msgspec

from reverie.features.decisions import Decision, decision_of
from reverie.features.inbox import Answered
from reverie.features.why import RunLine, Story
from reverie.night import Report
from reverie.plan.reports import counts_of
from reverie.privacy.secrets import WITHHELD, masked, visible
from reverie.store.undo import Undone
from reverie.workspace.protection import is_secret
from reverie.workspace.snapshot import Statement


def safe(text: str) -> str:
    return visible(masked(text))


def without_secret(line: Statement) -> Statement:
    """A line as it may be shown: what stands over it may say that it holds a secret."""
    return replace(line, raw=WITHHELD, text=WITHHELD) if is_secret(line) else line


def as_json(value: Any) -> str:
    """The value whole; escapes keep odd characters from doing anything."""
    return json.dumps(_masked(msgspec.to_builtins(value, str_keys=True)), indent=1, ensure_ascii=True)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return masked(value) if isinstance(value, str) else value


@contextmanager
def progress(words: str) -> Iterator[None]:
    """Says on a terminal what takes long; nothing in a pipe, and nothing in the first two seconds."""
    timer = Timer(2.0, lambda: print(f"{words} …", file=sys.stderr, flush=True))
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def decision_lines(decision: Decision) -> Iterator[str]:
    """A decision wherever it is told: what happens, why, and the whole lines before and after."""
    when = f"  ({str(decision.at)[:16]}, run {decision.run})" if decision.run else ""
    undone = ", taken back" if decision.is_undone else ""
    yield f"{decision.id}  {decision.what}{undone}: {safe(decision.why) or 'no reason given'}{when}"
    yield from (f"    - {safe(line)}" for text in decision.before for line in text.split("\n"))
    if decision.after:
        where = f"   [{safe(decision.under)}]" if decision.under else ""
        yield f"    + {safe(decision.after)}{where}"
    if decision.question:
        yield f"    ? {safe(decision.question)}"
    if decision.sources:
        yield f"    from {safe(', '.join(decision.sources))}"


def report_lines(report: Report, *, dry_run: bool) -> Iterator[str]:
    counts, (before, after) = counts_of(report.done), report.characters
    yield from (f"Note: {safe(notice)}" for notice in report.notices)
    for operation in report.done:
        yield from decision_lines(decision_of(operation))
    yield from (f"Not done: {safe(wish)}\n    {safe(why)}" for wish, why in report.refused)
    yield from (f"Not done: {operation.id}, its lines are not there any more." for operation in report.missed)
    yield from (f"Left alone: {safe(path)} ({why})" for path, why in report.unread.items())
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
    yield from (line for decision in run.decisions if whole for line in decision_lines(decision))


def story_lines(story: Story) -> Iterator[str]:
    yield from (line for event in story.events for line in decision_lines(event))
    yield from (f"It stands in {safe(place)}, now." for place in story.stands)
    yield from (f"The archive holds it: {safe(line)}" for line in story.archived)
    yield from (() if story.stands else ("It is not in memory.", *(f"  {safe(reason)}" for reason in story.reasons)))


def answered_lines(answered: Answered) -> Iterator[str]:
    for operation in answered.done:
        yield from decision_lines(decision_of(operation))
    yield from (f"Not done: {refusal.operation.id}: {safe(refusal.why)}" for refusal in answered.refused)
    yield from (f"Not done: {operation.id}, its lines are not there any more." for operation in answered.gone)
    back = f" `dream undo {answered.run.id}` takes it back." if answered.run and answered.done else ""
    yield f"{len(answered.done)} done.{back}"


def undone_lines(undone: Undone) -> Iterator[str]:
    yield f"Run {undone.run.undoes} is undone." if undone.run else "Nothing was left to undo."
    yield from (f"Changed since, and left as it is: {safe(line.strip())}" for line in undone.missed)
