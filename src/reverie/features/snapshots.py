"""`dream snapshot` and `dream restore`: the whole memory as it is now, and back to it.

A snapshot holds MEMORY.md and a host's topic files; lines that hold a secret are not copied. A restore is a run like any other: lines
that came since go to the archive, protected lines and lines with a secret stay where they are, files made since stay, and
`dream undo` takes it back.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.snapshots import Kept, keep_snapshot, snapshot_named
from reverie.core.layout import holds_memory
from reverie.core.ports import Clock
from reverie.features.tools import archived, leaving, replaced
from reverie.judge.forgotten import forgotten_in
from reverie.lang.messages import say
from reverie.night.night import Night, carried_out
from reverie.plan.build import plan_of
from reverie.plan.ledger import Archived
from reverie.plan.splices import spliced
from reverie.privacy.redact import findings, holds_mask
from reverie.text.lines import bare, ending_of, split_lines
from reverie.text.marks import protected_numbers
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Workspace, short_id

TAG = "restored"


@dataclass(frozen=True, slots=True)
class Taken:
    """A snapshot that was taken, and how many lines are not in it because they hold a secret."""

    kept: Kept
    left_out: int


def take(workspace: Workspace, clock: Clock, name: str = "") -> Taken:
    """Keep the memory as it is now, under a name: without one, the day and the time."""
    now = clock.now()
    with held(workspace.root, "snapshot", now.isoformat(timespec="seconds"), workspace.settings.lock_wait):
        recover(workspace)
        memories = read_workspace(workspace).memories
        hidden = {file.path: _secret_lines(file.text) for file in memories}
        files = {
            file.path: tuple(line for i, line in enumerate(split_lines(file.text)) if i not in hidden[file.path])
            for file in memories
        }
        kept = Kept(name or f"{now:%Y-%m-%d-%H%M%S}", now.isoformat(timespec="seconds"), files)
        keep_snapshot(workspace, kept)
    return Taken(kept, sum(map(len, hidden.values())))


def restore(workspace: Workspace, clock: Clock, name: str, *, dry_run: bool = False) -> Night:
    """Bring memory back to a snapshot, or (dry) only say what that would do."""
    kept = snapshot_named(workspace, name)
    return carried_out(
        workspace, clock, "restore", lambda snapshot: restore_plan(snapshot, kept, clock), dry_run=dry_run
    )


def restore_plan(snapshot: Snapshot, kept: Kept, clock: Clock) -> Plan:
    """The lines that come back and those that leave, hunk by hunk; what leaves is in the archive by the same plan."""
    edits, gone = list[Edit](), list[Archived]()
    for path, lines in kept.files.items():
        if not holds_memory(path):
            continue  # somebody else wrote into the snapshot
        its = list(_edits(snapshot, path, lines, kept.name))
        after = spliced(snapshot.text_of(path), its)
        why = say("snapshot.why_left", name=kept.name)
        gone += [replaced(path, *run, clock, why) for run in leaving(snapshot, path, after)]
        edits += its
    return plan_of(snapshot, Intent.RESTORE, [*edits, *archived(snapshot, gone)], clock.now())


def _edits(snapshot: Snapshot, path: str, lines: Sequence[str], name: str) -> Iterator[Edit]:
    gone = forgotten_in(snapshot)  # what was forgotten for good stays so
    then = [line for line in lines if not (holds_mask(line) or gone.is_gone(bare(line)))]
    now = split_lines(snapshot.text_of(path))
    hunks = [hunk for hunk in SequenceMatcher(None, now, then, autojunk=False).get_opcodes() if hunk[0] != "equal"]
    stays = _staying(snapshot, path)
    moved = Counter(bare(now[i]) for _, first, end, *_ in hunks for i in range(first, end) if i in stays)
    for _, first, end, start, stop in hunks:
        fresh = []
        for line in then[start:stop]:
            moved[bare(line)] -= 1
            if moved[bare(line)] < 0:  # else it stays where it is now
                fresh.append(line)
        for at, old in _runs(now, first, end, stays) or [(first, ())]:
            new, fresh = _closed(fresh, now, at + len(old)), []
            if old or new:
                yield Edit(short_id(f"{path} {at} {name}"), path, at, old, new, TAG, say("snapshot.why", name=name))


def _staying(snapshot: Snapshot, path: str) -> frozenset[int]:
    """The numbers of lines that no restore takes out: protected ones, and those that hold a secret."""
    file = snapshot.files.get(path)
    if file is None:
        return frozenset()
    guarded = protected_numbers(file.document, snapshot.workspace.settings.protected_sections)
    return frozenset(guarded) | _secret_lines(file.text)


def _secret_lines(text: str) -> frozenset[int]:
    """The numbers of lines that hold a secret, or a part of one."""
    starts = list(accumulate(map(len, split_lines(text)), initial=0))
    spans = [
        (bisect(starts, one.start) - 1, bisect(starts, max(one.start, one.end - 1)))
        for one in findings(text, frozenset())
    ]
    return frozenset(i for first, end in spans for i in range(first, end))


def _runs(now: Sequence[str], first: int, end: int, stays: Set[int]) -> list[tuple[int, tuple[str, ...]]]:
    """The lines of a hunk that leave, in runs between those that stay, each with its place."""
    runs: list[tuple[int, tuple[str, ...]]] = []
    for i in range(first, end):
        if i not in stays:
            at, lines = runs.pop() if runs and runs[-1][0] + len(runs[-1][1]) == i else (i, ())
            runs.append((at, (*lines, now[i])))
    return runs


def _closed(lines: Sequence[str], now: Sequence[str], end: int) -> tuple[str, ...]:
    """Lines that are put in; one without its end gets one where others follow."""
    if not lines or lines[-1].endswith(("\n", "\r")) or end == len(now):
        return tuple(lines)
    return (*lines[:-1], lines[-1] + ending_of(now))
