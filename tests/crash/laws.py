"""A small workspace to have disasters in, and the laws that hold after every one of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from power import Loses, PowerCut, PowerDisk, SteppedDisk

from conftest import EXPLORE, tree
from reverie.apply.files import Disk
from reverie.core.ports import Clock, fixed
from reverie.core.settings import Diary, Memory, Settings, Storage
from reverie.night import commands
from reverie.text.lines import split_lines
from reverie.workspace.values import Workspace

EVENING = fixed("2026-11-15T23:30:00+01:00")  # when the power goes
MORNING = fixed("2026-11-16T07:00:00+01:00")  # when somebody switches the machine on again
Act = Callable[[Workspace, Clock, Disk], object]
QUICK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # thousands of copies; memory is a disk like any other

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
NEW_LINES = """
## Current State
- [x] shipped the red release on 2026-05-11, after a long week of work on the build and the tests
- [x] shipped the blue release on 2026-06-11, after a long week of work on the build and the tests
- [x] shipped the grey release on 2026-07-11, after a long week of work on the build and the tests
- [x] shipped the pink release on 2026-08-11, after a long week of work on the build and the tests
- [x] shipped the lime release on 2026-09-11, after a long week of work on the build and the tests
- [x] shipped the gold release on 2026-10-11, after a long week of work on the build and the tests
- [x] shipped the teal release on 2026-11-11, after a long week of work on the build and the tests

## Boat
- has a keel
- has a keel
"""
FILES = {
    "MEMORY.md": OLD_MEMORY.removesuffix("\n## Dream\n") + NEW_LINES,
    "USER.md": "# Kim\n",
    "reverie.toml": "[memory]\ntruncation = 1000\n",
    "memory/2026-11-14.md": "- tea again\n- sailed to Spiez\n",
    "memory/2026-11-15.md": "- mended the keel\n",
}

# Diary and log are two more files like the ledger; without them every cut is tried in half the time.
SETTINGS = Settings(
    memory=Memory(truncation=1000), lock_wait=0.0, diary=Diary(enabled=False), storage=Storage(dream_log=False)
)


@dataclass(frozen=True)
class Stage:
    """A prepared workspace that can be copied as often as there are disasters."""

    folder: Path
    vault: str = "workspace/dream-vault"

    @contextmanager
    def copied(self) -> Iterator[Workspace]:
        with tempfile.TemporaryDirectory(prefix="disaster-", dir=QUICK) as copy:
            shutil.copytree(self.folder, copy, dirs_exist_ok=True)
            yield workspace_in(Path(copy), self.vault)


def workspace_in(folder: Path, vault: str = "workspace/dream-vault") -> Workspace:
    return Workspace(folder / "workspace", folder / vault, SETTINGS)


def first_night(tmp_path: Path, vault: str = "workspace/dream-vault") -> Stage:
    """Notes that no dream has seen yet: every file of the vault is still to be made."""
    for path, text in FILES.items():
        target = tmp_path / "stage" / "workspace" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    (tmp_path / "stage" / vault).parent.mkdir(parents=True, exist_ok=True)
    return Stage(tmp_path / "stage", vault)


def later_night(tmp_path: Path, vault: str = "workspace/dream-vault") -> Stage:
    """A workspace with a past: the archive is there, and has to be exchanged rather than made."""
    stage = first_night(tmp_path, vault)
    workspace = workspace_in(stage.folder, vault)
    memory = workspace.root / "MEMORY.md"
    commands.review(workspace, fixed("2026-11-13T03:00:00+01:00"))
    memory.write_text(OLD_MEMORY.replace("- likes tea\n\n## Dream\n", "\n## Dream\n" + NEW_LINES))
    return stage


def whole(workspace: Workspace) -> dict[str, bytes]:
    """Every byte of the workspace and of its vault, wherever that lies; only the records of runs are left out."""
    inside = {f"root/{path}": data for path, data in tree(workspace.root, without=("memory/.dreams",)).items()}
    cursor = workspace.root / "memory/.dreams/reviewed.json"
    own = {"cursor": cursor.read_bytes()} if cursor.exists() else {}
    return inside | own | {f"vault/{path}": data for path, data in tree(workspace.vault, without=()).items()}


def undisturbed(stage: Stage, act: Act) -> list[dict[str, bytes]]:
    """What the act leads to when nothing goes wrong, in the evening and in the morning."""
    results = []
    for clock in (EVENING, MORNING):
        with stage.copied() as workspace:
            act(workspace, clock, SteppedDisk())
            results.append(whole(workspace))
    return results


def steps_of(stage: Stage, act: Act | None = None) -> list[str]:
    """The steps of an undisturbed night, or of another act."""
    with stage.copied() as workspace:
        disk = SteppedDisk()
        (act or review)(workspace, EVENING, disk)
        return disk.took


def memory_of(state: dict[str, bytes]) -> bytes | None:
    return state.get("root/MEMORY.md")


def unlike(state: dict[str, bytes], wanted: list[dict[str, bytes]]) -> str:
    """In which files a state differs from the nearest of those it should be one of."""
    differ = [{path for path in state | other if state.get(path) != other.get(path)} for other in wanted]
    return f"differs in {sorted(min(differ, key=len))}"


def leftovers(workspace: Workspace) -> list[str]:
    return [str(p) for root in (workspace.root, workspace.vault) for p in root.rglob("*") if ".dream-tmp" in p.name]


def lines_in_neither(workspace: Workspace, before: dict[str, bytes]) -> list[str]:
    """Lines that MEMORY.md held before and that now stand neither there nor in the ledger, as often as they did."""
    memory, ledger = workspace.root / "MEMORY.md", workspace.vault / "ledger.md"
    have = Counter(split_lines(memory.read_text()))
    if ledger.exists():
        have += Counter(line.removeprefix("Content: ") for line in split_lines(ledger.read_text()))
    had = Counter(line for line in split_lines((memory_of(before) or b"").decode()) if line.strip())
    return sorted(line for line in had - have if "<!-- dream:" not in line)


def every_cut(stage: Stage, act: Act, loses: Loses) -> Iterator[Workspace]:
    """The workspace after a power cut before every third step of an act, until the act needs no more steps.

    The losses take turns, so that every step is cut under one or two of them; in `make explore` under all.
    """
    stride = 1 if EXPLORE else 3
    at, finished = -(list(Loses).index(loses) % stride), False
    while not finished:
        at += stride
        with stage.copied() as workspace:
            finished = cut(workspace, act, at, loses) is None
            yield workspace


def cut(workspace: Workspace, act: Act, at: int, loses: Loses, clock: Clock = EVENING) -> PowerDisk | None:
    """Cut the power before step `at`; None if the act was over before that."""
    disk = PowerDisk(workspace, at, loses)
    try:
        act(workspace, clock, disk)
    except PowerCut as off:
        print(f"The power was cut {off}, losing {loses}.")  # shown by pytest when a law is broken afterwards
        return disk
    finally:
        disk.close()
    return None


def review(workspace: Workspace, clock: Clock, disk: Disk) -> object:
    return commands.review(workspace, clock, disk=disk)


def undo(workspace: Workspace, clock: Clock, disk: Disk) -> object:
    return commands.undo(workspace, clock, disk=disk)


def init(workspace: Workspace, clock: Clock, disk: Disk) -> object:
    return commands.init(workspace, clock, {"tools": "Vim", "project": "the boat"}, disk=disk)
