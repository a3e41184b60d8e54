"""`dream note`: one line into today's note; a decision, a correction or a new project into memory at once (seed 000)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reverie.archive.records import read_records
from reverie.errors import BrokenPromise, Busy, NotAWorkspace, ReverieError, Unreadable
from reverie.judge.budget import excess_of
from reverie.judge.rules import correction_of
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan, build_plan
from reverie.plan.splices import Splice, whole_lines
from reverie.privacy.secrets import holds_mask, holds_secret
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.store.journal import commit, opened
from reverie.store.runs import Run
from reverie.text.days import ended_on
from reverie.text.lines import line_ending, strip_eol, utf16_len
from reverie.text.terms import terms
from reverie.workspace.layout import MEMORY, NOTES, Layout
from reverie.workspace.protection import is_protected, is_secret
from reverie.workspace.read import read
from reverie.workspace.sections import best_section
from reverie.workspace.snapshot import Snapshot

LONGEST = 2_000  # characters
PATIENCE = 1.0  # seconds that a note waits for another command; then it is appended
_SECTIONS = {"decision": "Current State", "project": "Current State", "correction": "Stable Knowledge"}
_FORMS = {
    "correction": re.compile(r"(?:correction|纠正|更正)\s{0,3}[:：]|(?:no, actually|actually, no)\b|不[对是][,，]", re.I),
    "decision": re.compile(r"(?:decision|决定)\s{0,3}[:：]|(?:I|we)(?:'ve| have)? decided\b(?! not sure)|我们?(?:已经)?决定(?!不了)", re.I),
    "project": re.compile(r"(?:new project|新项目)\s{0,3}[:：]|(?:I|we)(?:'ve| have)? started (?:a|the) (?:new )?project\b|我们?(?:刚|已经)?(?:开始|启动)了?一?个?新?项目", re.I),
}  # fmt: skip
_CONTRARY = re.compile(r"[,，;；]\s{0,3}(?:and not|not|不是|而不是)")
_DOUBT = re.compile(r"\b(?:maybe|perhaps|probably|might|haven't)\b|也许|可能|还没|[?？]\W*$", re.I)


@dataclass(frozen=True)
class Noted:
    path: str
    line: str
    run: Run | None = None  # None: it was said already, or appended while another command held the workspace
    in_memory: bool = False
    why_not: str = ""  # why memory got nothing at once


def note(
    layout: Layout, now: datetime, text: str, kind: str = "", *, is_owner: bool = True, disk: Disk = DISK
) -> Noted:
    """Write one line down. It is never lost: while a night holds the workspace it is simply appended."""
    text = text.encode("utf-8", "replace").decode()  # an argument may hold bytes that are no text
    words = " ".join(re.sub(r"<!--(?:[^-]|-(?!->))*(?:-->|$)", " ", text).split())
    if not words:
        raise ReverieError("The note is empty; nothing was written.")
    if utf16_len(words) > LONGEST:
        raise ReverieError(f"The note has {utf16_len(words):,} characters; at most {LONGEST:,} are one line.")
    if holds_secret(words) or holds_mask(words):
        raise ReverieError("The note may hold a secret, and nothing was written. Keep it in a password manager.")
    kind = kind or next((name for name, form in _FORMS.items() if form.match(words) and not _DOUBT.search(words)), "")
    path = MEMORY if layout.is_hosted else f"{NOTES}/{now.date()}.md"
    line = f"- {words}" if layout.is_hosted else f"- {now:%H:%M} {words}"
    try:
        with opened(layout, "note", disk, PATIENCE):
            plan, why_not = _plan(layout, now, words, kind, path, line, is_owner=is_owner)
            run = commit(plan, now, "note", disk)
        return Noted(path, line, run, not why_not, why_not)
    except (Busy, Unreadable) as error:
        if not layout.may_write(path, "note"):
            raise BrokenPromise(f"{path} is not ours to write.") from None
        append(layout, now, path, [line], disk)
        why_not = (
            "another command holds the workspace; the next night reads it" if isinstance(error, Busy) else str(error)
        )
        return Noted(path, line, why_not=why_not)


def noted(lines: Sequence[str], now: datetime, path: str, fresh: Sequence[str], by: str) -> list[Splice]:
    """The splices that put lines at the end of a note; an empty note gets its title."""
    ending, is_empty = line_ending(lines), not "".join(lines).removeprefix("\ufeff").strip()
    head = (f"# {now:%Y-%m-%d}{ending}", ending) if is_empty else ()
    return whole_lines([Splice(path, len(lines), (), (*head, *(line + ending for line in fresh)), by)], lines)


def append(layout: Layout, now: datetime, path: str, fresh: Sequence[str], disk: Disk) -> None:
    """Put lines behind whatever stands in a note, in one write and without the lock."""
    before = bytes_of(layout.real(path))
    head = f"# {now:%Y-%m-%d}\n\n" if not before else "" if before.endswith((b"\n", b"\r")) else "\n"
    disk.append(layout.real(path), (head + "".join(f"{line}\n" for line in fresh)).encode())


def _plan(
    layout: Layout, now: datetime, words: str, kind: str, path: str, line: str, *, is_owner: bool
) -> tuple[Plan, str]:
    """The line in its note, with what memory gets at once; also why memory gets nothing."""
    try:
        snapshot = read(layout)
    except NotAWorkspace:  # a workspace without a file
        snapshot = Snapshot(layout, {})
    lines = snapshot.file(path).lines
    if line in map(strip_eol, lines):
        return Plan(snapshot), "the same line stands there already, and nothing was written"
    plan, why_not = _memory_plan(snapshot, now, words, kind or "decision" * layout.is_hosted, is_owner=is_owner)
    if not layout.is_hosted:
        # Without a text: what memory never got is not missed there by the next night, as a line deleted by hand is.
        done = plan.done or (Operation(Op.ADD, f"written down: {words}", under=(path,), judge="owner"),)
        splices = noted(lines, now, path, [line], done[-1].id)
        plan = replace(plan, done=done, splices=(*plan.splices, *splices))
    return plan, why_not


def _memory_plan(snapshot: Snapshot, now: datetime, words: str, kind: str, *, is_owner: bool) -> tuple[Plan, str]:
    """What memory gets at once; empty, with the reason, where the night shall decide."""
    nothing = Plan(snapshot)
    if not kind:
        return nothing, "the next night decides whether memory keeps it"
    if kind == "correction" and not (is_owner or snapshot.layout.is_hosted):
        return nothing, "an agent's correction waits for the night"
    who = "its owner" if is_owner else "an agent"
    corrected = correction_of(words, snapshot.memory, snapshot.settings) if kind == "correction" else None
    if corrected:  # it meets one line, and changes the value there
        wish = Operation(Op.UPDATE, f"{who} corrected it", (corrected[0].ref,), swap=(corrected[1],), judge="owner")
        if not is_owner:  # a host's own memory has no notes in which it could wait
            return replace(nothing, waiting=(wish,)), "an agent's correction waits for its owner's yes in the inbox"
    else:
        said = _FORMS[kind].sub("", _CONTRARY.split(words)[0], count=1)
        if any(set(terms(said)) <= set(terms(line.text)) for line in snapshot.memory):
            return nothing, "memory says it already"
        under = best_section(snapshot, set(terms(words)), (_SECTIONS[kind],)) or (_SECTIONS[kind],)
        wish = Operation(Op.ADD, f"{who} said so ({kind})", text=words, under=under, judge="owner")
    wishes, memory = [wish], snapshot.file(MEMORY)
    if utf16_len("".join(memory.lines)) > snapshot.settings.memory.note_limit:  # finished lines leave first (seed 000)
        ended = [line for line in memory.statements if line.ticked or (ended_on(line.text) or now.date()) < now.date()]
        free = (line for line in ended if line.tail == line.end and not is_secret(line))
        gone = [line.ref for line in free if not is_protected(line, snapshot.settings)]
        wishes[:0] = [Operation(Op.END, "finished; memory is nearly full", (ref,), judge="budget") for ref in gone]
    plan = build_plan(snapshot, wishes, now, {}, read_records(snapshot.layout), accept=True)
    if plan.refused:
        return nothing, plan.refused[0].why
    if excess_of(snapshot, plan.lines_after(MEMORY)):
        return nothing, "MEMORY.md is full; the next night makes room"
    return plan, ""
