"""Small workspaces to have disasters in, and the laws that hold after every one of them.

`python laws.py ROOT VAULT NOW STEP` is one night in a process that is killed before its n-th step.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from power import KilledDisk, Loses, PowerCut, PowerDisk, SteppedDisk

from reverie import night
from reverie.features import start
from reverie.store import undo as undoing
from reverie.store.disk import Disk, bytes_of
from reverie.store.journal import writing
from reverie.store.state import newer_runs
from reverie.store.views import settle
from reverie.text.lines import split_lines
from reverie.workspace.layout import LONG_TERM, MEMORY, FileKind, Layout, layout_of

EXPLORE = bool(os.environ.get("EXPLORE"))
EVENING = datetime(2026, 11, 15, 23, 30)  # when the power goes
MORNING = datetime(2026, 11, 16, 7)  # when somebody switches the machine on again
QUICK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # thousands of copies; memory is a disk like any other
Act = Callable[[Layout, datetime, Disk], object]
State = Mapping[str, object]

WORK = "after a long week of work on the build"
OLD_MEMORY = """# Kim

## Current State
- [x] moved the shop to the new host, 2026-03-02
- [ ] write to the harbour office

## Notes
- lives in Bern
- likes tea
- likes tea

## Dream
"""
NEW_LINES = f"""
## Releases
- [x] shipped the red release on 2026-05-11, {WORK}
- [x] shipped the blue release on 2026-06-11, {WORK}
- shipped the grey release on 2026-07-11, {WORK}
- shipped the pink release on 2026-08-11, {WORK}
- shipped the lime release on 2026-09-11, {WORK}
- shipped the gold release on 2026-10-11, {WORK}

## Boat
- has a keel
- has a keel
"""
NOTE = "- Decision: notes of the shop stay in Bern from now on\n"
LIMIT = "[memory]\nlimit = {}\n[dream]\nevict = 0.2\n"
FILES = {
    MEMORY: OLD_MEMORY.removesuffix("\n## Dream\n") + NEW_LINES,
    "USER.md": "# Kim\n",
    "reverie.toml": LIMIT.format(480),
    "memory/2026-11-14.md": "- tea again\n- sailed to Spiez\n",
    "memory/2026-11-15.md": NOTE,
}
TOPICS = {
    MEMORY: "- [Gone](memory/project/gone.md) — nobody finds it\n- [Boat](memory/project/boat.md) — the boat\n"
    "- [Move](memory/project/move.md) — over\n\n## Notes\n- lives in Bern\n- likes tea\n- likes tea\n",
    "reverie.toml": "[dream]\nbrake = 1.0\n",
    "memory/project/boat.md": "---\nname: Boat\n---\n\n- has a keel\n- has a keel\n- [x] painted\n- [ ] sailed\n",
    "memory/project/move.md": "---\nname: Move\n---\n\n- [x] boxes are packed\n- [x] boxes are sent\n",
    "memory/reference/tools.md": "---\nname: Tools\ndescription: in the shed\n---\n\n- a hammer\n",
    "memory/2026-11-15.md": NOTE,
}


@dataclass(frozen=True)
class Stage:
    """A prepared workspace that can be copied as often as there are disasters."""

    folder: Path
    vault: str = "workspace/dream-vault"

    @property
    def layout(self) -> Layout:
        return self.layout_in(self.folder)

    def layout_in(self, folder: Path) -> Layout:
        return layout_of(folder / "workspace")._replace(vault=(folder / self.vault).resolve())

    @contextmanager
    def copied(self) -> Iterator[Layout]:
        with tempfile.TemporaryDirectory(prefix="disaster-", dir=QUICK) as copy:
            shutil.copytree(self.folder, copy, dirs_exist_ok=True)
            yield self.layout_in(Path(copy))


def staged(tmp_path: Path, files: Mapping[str, str], vault: str = "workspace/dream-vault") -> Stage:
    stage = Stage(tmp_path / "stage", vault)
    (stage.folder / "workspace").mkdir(parents=True)
    (stage.folder / vault).parent.mkdir(exist_ok=True)
    for path, text in files.items():
        target = stage.folder / "workspace" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return stage


def first_night(tmp_path: Path) -> Stage:
    """Notes that no night has seen yet: every file of the vault is still to be made."""
    return staged(tmp_path, FILES)


def later_night(tmp_path: Path) -> Stage:
    """A workspace with a past: the archive is there and only grows. A `## Dream` list counts as if it were full."""
    stage = staged(tmp_path, FILES | {MEMORY: OLD_MEMORY, "reverie.toml": LIMIT.format(1380)})
    review(stage.layout, datetime(2026, 11, 13, 3), SteppedDisk())
    memory = stage.layout.root / MEMORY
    memory.write_text(memory.read_text().replace("## Dream\n", "## Dream\n- my own line\n") + NEW_LINES)
    return stage


def vault_elsewhere(tmp_path: Path) -> Stage:
    return staged(tmp_path, FILES, "elsewhere/vault")


def topic_night(tmp_path: Path) -> Stage:
    """Memory in topic files: one changes, one ends whole, one gets its line in the index, and a card asks."""
    return staged(tmp_path, TOPICS)


def no_memory_yet(tmp_path: Path) -> Stage:
    """Notes alone: the night makes MEMORY.md, and its undo takes the file away."""
    return staged(tmp_path, {"memory/2026-11-15.md": NOTE})


def review(layout: Layout, now: datetime, disk: Disk) -> night.Night:
    return night.run_night(layout, now, disk=disk)


def undo(layout: Layout, now: datetime, disk: Disk) -> undoing.Undone:
    return undoing.undo(layout, now, disk=disk)


def init(layout: Layout, now: datetime, disk: Disk) -> start.Begun:
    return start.init(layout.root, now, {"tools": "Vim", "project": "the boat"}, disk)


def mend(layout: Layout) -> None:
    """What every command does first."""
    disk = SteppedDisk()
    with writing(layout, "review", disk):
        settle(layout, disk)


def memory_of(layout: Layout) -> State:
    """Every byte of its owner's: memory, topics, notes, and what we never touch."""
    files = [path for path in sorted(layout.root.rglob("*")) if path.is_file() and ".dream-tmp" not in path.name]
    names = {str(path.relative_to(layout.root)): path for path in files}
    ours = ("dream-vault/", "memory/.", "memory/dream-log-", "DREAMS.md")
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(ours)}


def whole(layout: Layout) -> State:
    """The owner's bytes and the archive with its lists; the logs are left out, for a crash may cost their lines."""
    vault = {f"vault/{path.relative_to(layout.vault)}": path for path in layout.vault.rglob("*") if path.is_file()}
    kept = {name: path.read_bytes() for name, path in vault.items() if "/review-" not in name}
    known = json.loads(bytes_of(layout.state / "state.json") or b"{}")
    known.pop("files", None)  # which files need not be read again: a crash may forget it
    return {**memory_of(layout), **kept, "state": _ordered(known)}


def _ordered(value: object) -> object:
    """The same for sets that were written in another order."""
    if isinstance(value, dict):
        return {name: _ordered(item) for name, item in value.items()}
    return sorted(map(_ordered, value), key=repr) if isinstance(value, list) else value


def unlike(state: State, *wanted: State) -> list[str]:
    """In which files a state differs from the nearest of those it should be one of."""
    return min((sorted(_differing(state, other)) for other in wanted), key=len)


def _differing(state: State, other: State) -> set[str]:
    return {path for path in {*state, *other} if state.get(path) != other.get(path)}


def before(stage: Stage, seen: Callable[[Layout], State] = whole) -> State:
    return seen(stage.layout)


def undisturbed(stage: Stage, act: Act, seen: Callable[[Layout], State] = whole) -> list[State]:
    """What the act leads to when nothing goes wrong, in the evening and in the morning."""
    results = []
    for now in (EVENING, MORNING):
        with stage.copied() as layout:
            act(layout, now, SteppedDisk())
            results.append(seen(layout))
    return results


def steps_of(stage: Stage, act: Act = review) -> list[str]:
    with stage.copied() as layout:
        disk = SteppedDisk()
        act(layout, EVENING, disk)
        return disk.took


def leftovers(layout: Layout) -> list[str]:
    """Half-written files, and certain runs that nobody finished."""
    found = [path.name for root in {layout.root, layout.vault} for path in root.rglob("*")]
    return [name for name in found if ".dream-tmp" in name or name.endswith(".commit")]


def long_term(state: State, layout: Layout) -> Counter[str]:
    """The lines of MEMORY.md and the topic files."""
    files = [data for path, data in state.items() if layout.kind(path) in LONG_TERM and isinstance(data, bytes)]
    return Counter(line.strip() for data in files for line in split_lines(data.decode()))


def ledger_of(layout: Layout) -> bytes:
    return bytes_of(layout.vault / "ledger.md") or b""


def archived(layout: Layout) -> Counter[str]:
    return Counter(line.removeprefix("Content: ").strip() for line in split_lines(ledger_of(layout).decode()))


def nights_logged(layout: Layout) -> dict[str, int]:
    """How often the review log tells of each night."""
    logs = "".join(path.read_text() for path in (layout.vault / "meta").glob("review-*.md"))
    return {
        run.id: logs.count(f"### {run.at:%Y-%m-%d %H:%M}\n")
        for run in newer_runs(layout, "")
        if run.command == "review"
    }


def lines_in_neither(layout: Layout, earlier: State) -> list[str]:
    """Lines that memory held and that now stand neither there nor in the ledger, as often as they did."""
    lost = long_term(earlier, layout) - long_term(memory_of(layout), layout) - archived(layout)
    return sorted(line for line in lost if line and "<!-- dream:" not in line)


def hold(layout: Layout, earlier: State, nights: list[State]) -> None:
    """After a disaster nothing is lost, and memory is the old or the new one; the next start makes the night whole,
    leaves nothing around, is still after that, and all of it can be taken back."""
    assert {path: data for path, data in memory_of(layout).items() if layout.kind(path) is FileKind.NOTE}.items() <= (
        earlier.items()
    )
    assert memory_of(layout).get(MEMORY) in [state.get(MEMORY) for state in (earlier, *nights)]
    assert lines_in_neither(layout, earlier) == []

    review(layout, MORNING, SteppedDisk())
    assert unlike(whole(layout), *nights) == []
    assert (lines_in_neither(layout, earlier), leftovers(layout)) == ([], [])
    assert nights_logged(layout) == dict.fromkeys(nights_logged(layout), 1)
    assert review(layout, MORNING, SteppedDisk()).run is None

    ledger = ledger_of(layout)
    undo(layout, MORNING, SteppedDisk())
    theirs = {path: data for path, data in earlier.items() if not path.startswith("vault/") and path != "state"}
    assert unlike(memory_of(layout), theirs) == []
    assert (ledger_of(layout).startswith(ledger), leftovers(layout)) == (True, [])  # the archive only grows


def every_cut(stage: Stage, act: Act, loses: Loses) -> Iterator[Layout]:
    """The workspace after a power cut before every ninth step of an act, until the act needs no more steps.

    The losses take turns, so that every step is cut under one of them; with EXPLORE=1 under all.
    """
    stride = 1 if EXPLORE else 9
    at, finished = 1 if EXPLORE else 1 + list(Loses).index(loses), False
    while not finished:
        with stage.copied() as layout:
            finished = cut(layout, act, at, loses)
            yield layout
        at += stride


def cut(layout: Layout, act: Act, at: int, loses: Loses, now: datetime = EVENING) -> bool:
    """Cut the power before step `at`; True if the act was over before that."""
    disk = PowerDisk(layout, at, loses)
    try:
        act(layout, now, disk)
    except PowerCut as off:
        print(f"The power was cut {off}, losing {loses}.")  # shown by pytest when a law is broken afterwards
    finally:
        disk.close()
    return not disk.off


def in_child() -> None:
    """One night in a process of its own, which is killed before a step if one is named."""
    root, vault, now, *step = sys.argv[1:]
    disk = KilledDisk(int(step[0]) if step else 0)
    review(layout_of(Path(root))._replace(vault=Path(vault)), datetime.fromisoformat(now), disk)


if __name__ == "__main__":
    in_child()
