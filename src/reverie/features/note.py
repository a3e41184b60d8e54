"""`dream note`: one line into today's note; a decision, a correction or a new project into memory at once (seed 000)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.archive.records import read_records
from reverie.errors import Busy, ReverieError
from reverie.judge.budget import excess_of
from reverie.judge.rules import correction_of
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan, build_plan
from reverie.plan.splices import Splice, whole_lines
from reverie.privacy.secrets import holds_mask, holds_secret
from reverie.store.disk import Disk, bytes_of
from reverie.store.journal import commit, writing
from reverie.store.runs import Run
from reverie.store.views import settle
from reverie.text.days import ended_on
from reverie.text.lines import line_ending, utf16_len
from reverie.text.terms import terms
from reverie.workspace.layout import MEMORY, Layout, note_path
from reverie.workspace.protection import is_protected, is_secret
from reverie.workspace.read import read
from reverie.workspace.sections import best_section
from reverie.workspace.snapshot import Snapshot

KINDS = ("decision", "correction", "project")
LONGEST = 2_000  # characters
_SECTIONS = {"decision": "Current State", "project": "Current State", "correction": "Stable Knowledge"}
_FORMS = {
    "correction": re.compile(r"(?:correction|纠正|更正)\s{0,3}[:：]|no, actually\b", re.I),
    "decision": re.compile(r"(?:decision|决定)\s{0,3}[:：]|(?:I|we)(?:'ve| have)? decided\b(?! not sure)", re.I),
    "project": re.compile(
        r"(?:new project|新项目)\s{0,3}[:：]|(?:I|we)(?:'ve| have)? started (?:a|the) (?:new )?project\b", re.I
    ),
}
_DOUBT = re.compile(r"\b(?:maybe|perhaps|probably|might|haven't)\b|[?？]\W*$", re.I)


@dataclass(frozen=True)
class Noted:
    path: str
    line: str
    run: Run | None = None  # None: the line was appended while another command held the workspace
    in_memory: bool = False
    why_not: str = ""  # why memory got nothing at once


def note(
    layout: Layout, now: datetime, text: str, kind: str = "", *, is_owner: bool = True, disk: Disk | None = None
) -> Noted:
    """Write one line down. It is never lost: while a night holds the workspace it is simply appended."""
    disk, words = disk or Disk(), _clean(text)
    kind = kind or next((name for name, form in _FORMS.items() if form.match(words) and not _DOUBT.search(words)), "")
    path = MEMORY if layout.is_hosted else note_path(now.date())
    line = f"- {words}" if layout.is_hosted else f"- {now:%H:%M} {words}"
    try:
        with writing(layout, "note", disk):
            settle(layout, disk)
            noted = _written(layout, now, path, line, words, kind, disk, is_owner=is_owner)
            settle(layout, disk)
            return noted
    except Busy:
        _appended(layout, path, line, now, disk)
        return Noted(path, line, why_not="another command holds the workspace; the next night reads it")


def _clean(text: str) -> str:
    words = " ".join(re.sub(r"<!--(?:[^-]|-(?!->))*(?:-->|$)", " ", text).split())
    if not words:
        raise ReverieError("The note is empty; nothing was written.")
    if utf16_len(words) > LONGEST:
        raise ReverieError(f"The note has {utf16_len(words):,} characters; at most {LONGEST:,} are one line.")
    if holds_secret(words) or holds_mask(words):
        raise ReverieError("The note may hold a secret, and nothing was written. Keep it in a password manager.")
    return words


def _written(
    layout: Layout, now: datetime, path: str, line: str, words: str, kind: str, disk: Disk, *, is_owner: bool
) -> Noted:
    snapshot = (
        read(layout)
        if bytes_of(layout.real(MEMORY)) is not None or (layout.root / "memory").is_dir()
        else Snapshot(layout, {})
    )
    plan, why_not = _memory_plan(
        snapshot, now, words, kind if not layout.is_hosted else kind or "decision", is_owner=is_owner
    )
    in_memory = any(operation.op is not Op.END for operation in plan.done)
    if not layout.is_hosted:
        plan = replace(plan, splices=(*plan.splices, *_note_splices(snapshot, path, line, now)))
        if not plan.done:
            plan = replace(plan, done=(Operation(Op.ADD, "written down", text=words, under=(path,), judge="owner"),))
            by = plan.done[0].id
            plan = replace(plan, splices=tuple(Splice(s.path, s.at, s.old, s.new, by) for s in plan.splices))
    run = commit(plan, now, "note", disk)
    return Noted(path, line, run, in_memory, why_not)


def _memory_plan(snapshot: Snapshot, now: datetime, words: str, kind: str, *, is_owner: bool) -> tuple[Plan, str]:
    """What memory gets at once; empty, with the reason, where the night shall decide."""
    nothing = Plan(snapshot)
    if not kind:
        return nothing, "the next night decides whether memory keeps it"
    wish = _wish(snapshot, words, kind)
    if kind == "correction" and not is_owner:
        return nothing, "an agent's correction waits for the night"
    if any(set(terms(words)) <= set(terms(line.text)) for line in snapshot.memory):
        return nothing, "memory says it already"
    records = read_records(snapshot.layout)
    plan = build_plan(snapshot, [*_finished(snapshot, now), wish], now, {}, records, accept=True)
    if plan.refused:
        return nothing, plan.refused[0].why
    if excess_of(snapshot, plan.lines_after(MEMORY)):
        return nothing, "MEMORY.md is full; the next night makes room"
    return plan, ""


def _wish(snapshot: Snapshot, words: str, kind: str) -> Operation:
    """A correction that meets one line changes it there; anything else becomes a line of its own."""
    if kind == "correction" and (corrected := correction_of(words, snapshot.memory, snapshot.settings)):
        statement, swap = corrected
        return Operation(Op.UPDATE, "its owner corrected it", (statement.ref,), swap=(swap,), judge="owner")
    under = best_section(snapshot, set(terms(words)), (_SECTIONS[kind],)) or (_SECTIONS[kind],)
    return Operation(Op.ADD, f"its owner said so ({kind})", text=words, under=under, judge="owner")


def _finished(snapshot: Snapshot, now: datetime) -> list[Operation]:
    """Over 16,000 characters finished lines leave before anything is added (seed 000)."""
    memory = snapshot.file(MEMORY)
    if utf16_len("".join(memory.lines)) <= snapshot.settings.memory.note_limit:
        return []
    return [
        Operation(Op.END, "finished; memory is nearly full", (line.ref,), judge="budget")
        for line in memory.statements
        if (line.ticked or ((day := ended_on(line.text)) and day < now.date()))
        and line.tail == line.end
        and not is_protected(line, snapshot.settings)
        and not is_secret(line)
    ]


def _note_splices(snapshot: Snapshot, path: str, line: str, now: datetime) -> list[Splice]:
    lines = snapshot.file(path).lines
    ending = line_ending(lines)
    by = "note"
    if not "".join(lines).removeprefix("\ufeff").strip():
        return whole_lines(
            [Splice(path, len(lines), (), (f"# {now:%Y-%m-%d}{ending}", ending, line + ending), by)], lines
        )
    return whole_lines([Splice(path, len(lines), (), (line + ending,), by)], lines)


def _appended(layout: Layout, path: str, line: str, now: datetime, disk: Disk) -> None:
    """In one write at the end of whatever stands there."""
    real = layout.real(path)
    before = bytes_of(real)
    head = f"# {now:%Y-%m-%d}\n\n" if not before else "" if before.endswith((b"\n", b"\r")) else "\n"
    disk.make_folder(real.parent)
    disk.append(real, f"{head}{line}\n".encode())
