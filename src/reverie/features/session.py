"""`dream session start|end`: what an agent reads first, and what of a conversation goes into today's note (seed 003)."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from reverie.errors import Busy, ReverieError
from reverie.features.decisions import decision_of
from reverie.features.excerpt import shown_lines
from reverie.features.schedule import is_asleep, waits_for_agent, wakeup
from reverie.operations import Op, Operation
from reverie.privacy.secrets import holds_mask, holds_secret, masked, visible
from reverie.store.disk import DISK, Disk
from reverie.store.runs import read_run, read_runs, run_files
from reverie.store.state import State, read_state
from reverie.text.lines import clipped, fenced, strip_eol, utf16_len
from reverie.text.markdown import without_bullet
from reverie.workspace.layout import MEMORY, NOTES, TODOS, Layout
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_protected, is_secret
from reverie.workspace.read import read, require_workspace
from reverie.workspace.snapshot import File, Statement

LONGEST_SUMMARY = 4_000  # characters
_LONGEST_NOTE = 6_000  # characters of a note that are shown: its end
NIGHT = (
    "A night of this memory waits for you, with {new} new lines. When the conversation leaves room, or the person says so, run"
    " `dream brief -w {where}` (or the tool dream_brief), judge by what it says, and hand in the answer as it says."
)
_FRESH = timedelta(days=7)  # so long a night is news


@dataclass(frozen=True)
class Started:
    text: str  # for the agent, fenced as data
    night: str = ""  # for the agent, as a task: a night that waits for it


@dataclass(frozen=True)
class Ended:
    path: str
    lines: tuple[str, ...]  # what was written into today's note
    left_out: int  # lines that may hold a secret
    candidates: tuple[str, ...]  # what the next night will probably keep
    fading: tuple[str, ...]  # lines of memory that are likely to be over


def session_start(layout: Layout, now: datetime, *, memory: bool = True, longest: int = 0) -> Started:
    """What to read first: the last night, what waits, today's and yesterday's notes, open todos, and memory itself.

    `memory` is left out where the host reads it anyway; `longest` is what the host takes. Nothing is written, but that a
    hibernating memory is awake.
    """
    snapshot, state = read(layout), read_state(layout)
    woken = wakeup(layout, now).lines if is_asleep(layout) else ()
    parts = [f"Now it is {now:%Y-%m-%d %H:%M}.", *["\n".join(woken)] * bool(woken)]
    parts += [*_last_night(layout, now), *(_waiting(layout, now) if state.cards else ())]
    for title, path in (("Yesterday", now - timedelta(days=1)), ("Today", now)):
        file = snapshot.files.get(f"{NOTES}/{path:%Y-%m-%d}.md")
        if file and (words := _words_of(file, state)):
            parts.append(f"## {title} ({file.path})\n{words}")
    if todos := [line.text for line in snapshot.file(TODOS).statements if line.ticked is False and not is_secret(line)]:
        parts.append("\n".join([f"## Open ({TODOS})", *(f"- [ ] {todo}" for todo in todos)]))
    if memory and not layout.is_hosted:
        parts.append(f"## Memory ({MEMORY})\n{chr(10).join(shown_lines(snapshot.file(MEMORY))).strip()}")
    words, more = visible("\n\n".join(parts)), "\n… (there is more: `dream session start`)"
    text = fenced("session_memory", words)
    while longest and len(text) > longest and words:  # what stands last is cut, and never inside an escaped sign
        words = words[: len(words) - max(len(text) - longest, 1) - len(more)]
        text = fenced("session_memory", words + more)
    new = waits_for_agent(layout, now)
    return Started(text, NIGHT.format(new=new, where=shlex.quote(str(layout.root))) if new else "")


def session_end(layout: Layout, now: datetime, summary: str, disk: Disk = DISK) -> Ended:
    """The summary of a conversation as bullets in today's note; what it holds for memory is for the night to decide."""
    # A session's start is a host's hook and has to be quick: what only its end needs is loaded here.
    from reverie.features.note import PATIENCE, append, noted
    from reverie.judge.rules import SURE, passed_day, worth_of
    from reverie.plan.plan import Plan
    from reverie.store.journal import commit, opened

    require_workspace(layout)
    if utf16_len(summary) > LONGEST_SUMMARY:
        raise ReverieError(
            f"The summary has {utf16_len(summary):,} characters; at most {LONGEST_SUMMARY:,} are written down."
        )
    if layout.is_hosted:
        raise ReverieError(
            "This memory belongs to a host that keeps its own notes of conversations; nothing was written."
        )
    said = [
        without_bullet(line).strip() for line in summary.splitlines() if not line.lstrip().startswith(("#", "<!--"))
    ]
    kept = [line for line in said if line and not holds_secret(line) and not holds_mask(line)]
    path, lines = f"{NOTES}/{now:%Y-%m-%d}.md", [f"- {now:%H:%M} {line}" for line in kept]
    snapshot = read(layout)
    if kept:
        try:
            with opened(layout, "note", disk, PATIENCE):
                snapshot = read(layout)
                wish = Operation(Op.ADD, "a conversation ended", under=(path,), judge="owner")
                fresh = [line for line in lines if line not in map(strip_eol, snapshot.file(path).lines)]
                splices = noted(snapshot.file(path).lines, now, path, fresh, wish.id) if fresh else []
                commit(Plan(snapshot, tuple(splices), done=(wish,) if fresh else ()), now, "note", disk)
        except Busy:
            append(layout, now, path, lines, disk)
    candidates = tuple(line for line in kept if worth_of(Statement(path, 0, 1, 1, line, line)) >= SURE)
    over = (line for line in snapshot.memory if line.ticked or passed_day(line, now.date()))
    fading = tuple(line.place for line in over if not is_protected(line, snapshot.settings))
    return Ended(path if kept else "", tuple(lines), sum(map(bool, said)) - len(kept), candidates, fading)


def _last_night(layout: Layout, now: datetime) -> Iterator[str]:
    """The last night in three lines, while it is news."""
    files = run_files(layout, command="review")
    run = read_run(files[-1]) if files else None
    if run and run.operations and now - run.at <= _FRESH:
        left = {operation.id for operation in run.operations}
        if undos := read_runs(layout, "undo"):
            from reverie.store.undo import standing

            left = standing(run, undos)
        decisions = [decision_of(operation) for operation in run.operations if operation.id in left]
        if not decisions:
            return
        lines = [
            f"- {found.what}: {clipped(masked(found.after or ' '.join(found.before)), 160)}" for found in decisions[:3]
        ]
        more = f" ({len(decisions)} changes; `dream runs {run.id}` tells all)" if len(decisions) > 3 else ""
        yield "\n".join([f"## Last night, {run.at:%Y-%m-%d}{more}", *lines])


def _waiting(layout: Layout, now: datetime) -> Iterator[str]:
    from reverie.features.inbox import inbox

    if cards := inbox(layout, now):
        lines = [
            f"- {card.id}: {card.question} {clipped(masked(card.after or ' '.join(card.before)), 160)}"
            for card in cards[:3]
        ]
        yield "\n".join([f"## {len(cards)} wait for the owner's word (`dream inbox`)", *lines])


def _words_of(file: File, state: State) -> str:
    """What a note says, its end where it is long: nothing of ours, no secret, nothing that was forgotten for ever."""
    lines = (line for line in file.statements if line.origin is not Origin.MACHINE and not is_secret(line))
    kept = (line for line in lines if not state.is_forgotten(line.text))
    words = "\n".join("> " * (line.origin is Origin.QUOTED and line.raw[:1] != ">") + line.raw for line in kept)
    return words if len(words) <= _LONGEST_NOTE else f"…\n{words[-_LONGEST_NOTE:].partition(chr(10))[2]}"
