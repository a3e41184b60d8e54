"""One file of a run on its way to its new bytes, and what other programs write into it meanwhile: not a word is lost.

The new bytes wait beside the file under a name that says what is in them and what they displace. After the exchange the
displaced bytes are looked at; what a program that held the old file open writes there a moment later is carried over.
"""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from reverie.plan.splices import Splice, carried, marks_of, spliced
from reverie.privacy.secrets import holds_secret
from reverie.store.disk import Disk, bytes_of
from reverie.store.runs import FINISHED, Change, Run, read_run
from reverie.text.lines import split_lines
from reverie.workspace.layout import LATE, RUNS, TEMPORARY, Layout
from reverie.workspace.protection import is_secret
from reverie.workspace.snapshot import File
from reverie.workspace.statements import parse

PATIENCE = 200  # exchanges against a program that never stops writing, before the file is left to it
_ABSENT = "absent"
_LATE = re.compile(r"(\d+)-(\d+)-(\d+)-([0-9a-f]{8}|absent)")


class Exchange:  # one file of a run on its way to its new bytes
    def __init__(self, layout: Layout, run: Run, number: int, disk: Disk) -> None:
        self.run, self.change, self.disk = run, run.changes[number], disk
        self.target, self.late = layout.real(self.change.path), layout.real(f"{LATE}/{run.id}-{number}")
        self.splices = [splice for splice in run.splices if splice.path == self.change.path]

    def put(self) -> tuple[Change, Sequence[Splice]]:
        """What was done to the file: a splice whose lines the owner changed gives way."""
        change, applied = (self.change, self.splices) if self._was_put() else self._attempts()
        for half in self._halves():
            self.disk.remove(half)
        self.disk.sync_folder(self.target.parent)
        return change, applied

    def _attempts(self) -> tuple[Change, Sequence[Splice]]:
        for _ in range(PATIENCE):
            data = bytes_of(self.target)
            here = sha(data)
            if here == self.change.after:
                return self.change, self.splices
            lines, is_as_read = lines_of(data), here == self.change.before
            applied = self.splices if is_as_read else carried(self.splices, self.change.marks, lines)
            text = "".join(spliced(lines, applied)).encode("utf-8", "surrogateescape")
            wanted = None if not text and not self.change.after and is_as_read else text
            if wanted == data or (data is None and not wanted):
                return Change(self.change.path, here, here, marks_of(lines)), applied
            if self._exchange(data, wanted):
                return Change(self.change.path, here, sha(wanted), marks_of(lines)), applied
        return self.change, ()

    def _exchange(self, expected: bytes | None, wanted: bytes | None) -> bool:
        """One attempt. True if what was displaced is what we expected, or that and more; else all is as it was."""
        half = staged(self.target, self.run.id, wanted, expected)
        if wanted is None:  # the file goes, after a look at what goes
            self.disk.rename(self.target, half)
            if bytes_of(half) == expected:
                _move(half, self.late, expected or b"", self.disk)
                return True
            self.disk.place(half, self.target)
            return False
        if sha(bytes_of(half)) != sha(wanted):
            self.disk.write(half, wanted, self.target.stat() if expected is not None else None, private=False)
        if expected is None:
            with suppress(FileExistsError):
                self.disk.place(half, self.target)
                return True
            return False
        self.disk.swap(half, self.target)
        displaced = bytes_of(half)
        if displaced is None or displaced.startswith(expected):
            for other in self._halves():  # first of all: while one waits, a start after a crash would do all this again
                if other != half:
                    self.disk.remove(other)
            _move(half, self.late, expected, self.disk)
            return True
        self.disk.swap(half, self.target)  # somebody saved another file: it goes back, with what was said to ours
        ours = bytes_of(half) or b""
        if ours.startswith(wanted):
            _say(self.target, ours[len(wanted) :], self.disk)
        else:  # edited while it stood there: two versions of the owner's, of which one can stand; the other is kept
            self._keep(half, ours)
        if ours != wanted:
            self.disk.write(half, wanted, self.target.stat())
        return False

    def _was_put(self) -> bool:
        """Look at what a crash left beside the file. True: ours was in place, and what stands there since is the owner's."""
        halves = self._halves()
        waits = not halves and sha(bytes_of(self.target)) == self.change.before
        for half in halves:
            new, size, displaced = half.name.removesuffix(TEMPORARY).rpartition(".")[2].split("-")
            data = bytes_of(half) or b""
            if _short(data) == new:
                waits = True  # not exchanged yet
            elif _short(data[: int(size)]) == displaced:
                _move(half, self.late, data[: int(size)], self.disk)
                return bool(self.change.after)
            elif new != _ABSENT and _short(bytes_of(self.target)) == new:
                self.disk.swap(half, self.target)  # somebody saved in the last instant, and then came the crash
                waits = True
            elif not self.target.exists():
                self.disk.place(half, self.target)
            else:
                self._keep(half, data)
        return not waits and bool(self.change.after)

    def _halves(self) -> list[Path]:
        return sorted(self.target.parent.glob(f".{self.target.name}.{self.run.id}.*{TEMPORARY}"))

    def _keep(self, half: Path, data: bytes) -> None:
        self.disk.make_folder(self.late.parent)
        self.disk.rename(half, self.late.with_name(f"kept-{self.late.name}-{_short(data)}"))
        self.disk.sync_folder(self.late.parent)


def carry_late_words(layout: Layout, disk: Disk, run: Run | None = None) -> None:
    """What a program that held an exchanged file open wrote into it a moment later goes to where it belongs.
    Looked at when a run is finished, and once more by the next start, which then lets the old files go."""
    folder = layout.real(LATE)
    for old, about in [(path, _LATE.fullmatch(path.name)) for path in sorted(folder.glob("[0-9]*-*-*-*"))]:
        if about is None:  # a syncing program's copy
            continue
        run_id, number, size, mark = about.groups()
        record = next(iter(layout.real(RUNS).glob(f"{run_id}-*{FINISHED}")), None)
        if record is None or not old.exists() or run_id != (run.id if run else run_id):
            continue  # not finished yet, let go already, or looked at by another start
        finished = run or read_run(record)
        change = next(iter(finished.changes[int(number) :]), None)
        if change and layout.may_write(change.path, finished.command):
            data = bytes_of(old) or b""
            if _short(data[: int(size)]) != mark:  # it was rewritten
                disk.rename(old, old.with_name(f"kept-{old.name}-{_short(data)}"))
            elif words := data[int(size) :]:
                splices = [splice for splice in finished.splices if splice.path == change.path]
                _carry(layout.real(change.path), change, splices, data[: int(size)], words, disk)
                _move(old, folder / f"{run_id}-{number}", data, disk)  # the owner may take the words out again
        for known in folder.glob(f"{run_id}-{number}-*"):
            if run is None or change is None or _holds_secret(layout, change.path, bytes_of(known) or b""):
                disk.remove(known)  # a secret gets no second place, not even until the next start


def _holds_secret(layout: Layout, path: str, data: bytes) -> bool:
    """Whether a line of a file may hold a secret, also one that only what stands over it says to be one."""
    lines = File(path, layout.kind(path), "", lambda _: data, parse).statements
    return any(map(is_secret, lines)) or any(map(holds_secret, lines_of(data)))


def _carry(target: Path, change: Change, splices: list[Splice], known: bytes, words: bytes, disk: Disk) -> None:
    """Each late line once for every time it was said."""
    lines, decided = lines_of(known), list[str]()  # the lines that the file was to hold anyway
    if change.after:
        applied = splices if marks_of(lines) == change.marks else carried(splices, change.marks, lines)
        decided = split_lines("".join(spliced(lines, applied)))
    arrived, missing = Counter(lines_of(bytes_of(target))) - Counter(decided), list[str]()
    for line in lines_of(words):
        arrived[line] -= 1
        missing += [line] if arrived[line] < 0 else []
    _say(target, "".join(missing).encode("utf-8", "surrogateescape"), disk)


def _say(target: Path, words: bytes, disk: Disk) -> None:
    """Append as others do: in one write at the end of whatever stands there."""
    if words:
        before = bytes_of(target) or b""
        disk.append(target, (b"" if not before or before.endswith((b"\n", b"\r")) else b"\n") + words)


def _move(displaced: Path, late: Path, known: bytes, disk: Disk) -> None:
    """Aside, under a name that says how much of it is known; on another disk it cannot be kept, so it goes."""
    with suppress(OSError):
        disk.make_folder(late.parent)
        disk.rename(displaced, late.with_name(f"{late.name}-{len(known)}-{_short(known)}"))
        disk.sync_folder(late.parent)
        return
    disk.remove(displaced)


def staged(target: Path, run_id: str, wanted: bytes | None, displaced: bytes | None) -> Path:
    return target.with_name(half_name(target.name, run_id, sha(wanted), len(displaced or b""), sha(displaced)))


def half_name(name: str, run_id: str, wanted: str, size: int, displaced: str) -> str:
    """Where new bytes wait: the name says their hash, how many bytes they displace, and the hash of those."""
    return f".{name}.{run_id}.{wanted[:8] or _ABSENT}-{size}-{displaced[:8] or _ABSENT}{TEMPORARY}"


def _short(data: bytes | None) -> str:
    return _ABSENT if data is None else sha(data)[:8]


def sha(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def lines_of(data: bytes | None) -> list[str]:
    return split_lines((data or b"").decode("utf-8", "surrogateescape"))
