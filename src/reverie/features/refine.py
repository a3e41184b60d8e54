"""`dream refine`: a second look at what the last nights wrote, beside their notes and the world (seed 003).

It writes a report and asks in the inbox; memory itself is changed only by a yes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from reverie.judge.brief import Judge, make_brief
from reverie.judge.rules import keyed, revise
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan, declined_on
from reverie.privacy.secrets import masked
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.store.journal import commit, opened
from reverie.store.runs import Run, read_run, run_files
from reverie.store.state import declined_days, read_state
from reverie.text.days import named_days
from reverie.text.markdown import without_bullet
from reverie.text.terms import key, numbers
from reverie.workspace.layout import NOTES, FileKind, Layout
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot, Statement

LOOKED_AT = 90  # runs
_TITLES = {"outdated": "Outdated", "unfounded": "Not in their notes", "gone": "Their note is gone", "conflict": "Say different things"}  # fmt: skip
DAYS = timedelta(days=31)  # of notes that are read again


@dataclass(frozen=True)
class Finding:
    what: str  # outdated, unfounded, gone, conflict
    line: Statement
    why: str
    wish: Operation | None = None  # what a yes would do


@dataclass(frozen=True)
class Refined:
    findings: tuple[Finding, ...]
    path: str = ""  # of the report
    run: Run | None = None  # the one that asks


def refine(layout: Layout, now: datetime, judge: Judge = revise, disk: Disk = DISK) -> Refined:
    """What the last nights wrote and what does not hold; told in a report, and asked in the inbox once."""
    with opened(layout, "refine", disk):
        snapshot, state = read(layout), read_state(layout)
        written = list(_written(layout, snapshot))
        findings = (*_by_form(snapshot, written), *(_by_judge(judge, snapshot, written, now) if written else ()))
        declined, known = declined_days(state, snapshot), {card.operation.lines for card in state.cards.values()}
        wishes = (finding.wish for finding in findings if finding.wish and finding.wish.lines not in known)
        waiting = tuple({wish.lines: wish for wish in wishes if not declined_on(wish, declined)}.values())
        run = commit(Plan(snapshot, waiting=waiting), now, "refine", disk) if waiting else None
        path = f"{NOTES}/dreaming/verify/{now:%Y-%m-%d}.md" if findings and not layout.is_hosted else ""
        report = _report(findings, now).encode()
        if path and bytes_of(layout.real(path)) != report:
            disk.replace(layout.real(path), report)
    return Refined(findings, path, run)


def _written(layout: Layout, snapshot: Snapshot) -> Iterator[tuple[Statement, Operation]]:
    """The lines of the last nights that stand as they were written, each with its decision."""
    here = {key(line.text): line for line in snapshot.memory}
    for run in map(read_run, run_files(layout, command="review")[-LOOKED_AT:]):
        fresh = {splice.by: without_bullet("".join(splice.new)) for splice in run.splices if splice.new}
        for operation in run.operations:
            line = here.get(key(fresh.get(operation.id, "")))
            if line and operation.op in {Op.ADD, Op.UPDATE} and operation.cites:
                yield line, operation


def _by_form(snapshot: Snapshot, written: Sequence[tuple[Statement, Operation]]) -> Iterator[Finding]:
    """Figures that no source has, sources that are gone, and two lines with one key below one heading."""
    for line, operation in written:
        sources = [found for ref in operation.cites if (found := snapshot.find(ref))]
        said = numbers(" ".join(f"{note.raw} {note.context} {note.day}" for note in sources))
        dates = {number for day in named_days(line.text) for number in (str(day), f"{day:%Y-%m}", f"{day:%Y}")}
        if not sources:
            yield Finding("gone", line, f"{operation.cites[0].place} does not say it any more")
        elif lacking := sorted(numbers(line.text) - said - dates):
            yield Finding("unfounded", line, f"{', '.join(lacking)} stands in none of its notes")
    named: dict[tuple[object, ...], Statement] = {}
    for line in snapshot.memory:
        if match := keyed(line.text):
            first = named.setdefault((line.path, line.headings, line.parents, key(match["key"])), line)
            if key(first.text) != key(line.text) and line in [new for new, _ in written]:
                yield Finding("conflict", line, f"{first.place} says something else")


def _by_judge(
    judge: Judge, snapshot: Snapshot, written: Sequence[tuple[Statement, Operation]], now: datetime
) -> Iterator[Finding]:
    """What a judge makes of all notes of late beside memory, as far as it is about lines that a night wrote."""
    since = now.date() - DAYS
    notes = [
        line for file in snapshot.of_kind(FileKind.NOTE) for line in file.statements if line.day and line.day >= since
    ]
    lines = {line.ref: line for line, _ in written}
    for wish in judge(make_brief(snapshot, notes, (), now.date(), read_state(snapshot.layout).is_forgotten)).operations:
        if wish.op in {Op.UPDATE, Op.END} and wish.lines and set(wish.lines) <= lines.keys():
            yield Finding("outdated", lines[wish.lines[0]], wish.why, msgspec.structs.replace(wish, is_certain=False))


def _report(findings: Sequence[Finding], now: datetime) -> str:
    """The same findings give the same bytes; nothing in it looks like memory, and nothing of it is evidence."""
    lines = [f"# Verified {now:%Y-%m-%d}"]
    for what, title in _TITLES.items():
        found = [finding for finding in findings if finding.what == what]
        lines += ["", f"## {title}"] * bool(found)
        for finding in found:
            words = masked(finding.line.text).replace("<!--", "").replace("-->", "")
            lines.append(f"- {finding.line.place}: {words} ({masked(finding.why)})")
    return "\n".join([*lines, ""])
