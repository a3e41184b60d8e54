"""The daemon: a simulated week over two hundred workspaces, and real processes that are slow, broken and killed."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from conftest import EXPLORE
from reverie.apply.lock import held
from reverie.core.errors import BadSettings
from reverie.core.ports import Clock, FixedClock
from reverie.core.settings import Schedule, Settings
from reverie.surfaces.daemon import Beat, Daemon, Process, beat, heartbeat_file, last_beat
from reverie.workspace.values import Workspace
from terminal import DREAM, call

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups")
SETTINGS = Settings(timezone="Europe/Berlin", schedule=Schedule(timeout_minutes=20))


class World:
    """A clock that moves, and nights that take their time: what a child leaves behind, without the child."""

    def __init__(self, folder: Path, count: int) -> None:
        self.now = datetime(2026, 3, 25, 12, tzinfo=UTC)  # the week in which summer time begins
        self.roots = [folder / f"w{n:03}" for n in range(count)]
        self.begun: dict[Path, list[datetime]] = defaultdict(list)
        self.dreamt: dict[Path, list[datetime]] = defaultdict(list)
        self.most = self.running = 0
        for root in self.roots:
            (root / "memory").mkdir(parents=True)
            self.dream(root, at=datetime(2026, 3, 25, 2, 1, tzinfo=UTC))

    def dream(self, root: Path, at: datetime) -> None:
        (root / "memory" / ".last_dream").write_text(at.strftime("%Y-%m-%dT%H:%M:%SZ\n"))

    def start(self, root: Path) -> Night:
        self.begun[root].append(self.now)
        self.running += 1
        self.most = max(self.most, self.running)
        return Night(self, root)

    def clock(self, _zone: str) -> Clock:
        return FixedClock(self.now)


class Night:
    """The first workspace never ends, the second always fails, the others take half a minute."""

    def __init__(self, world: World, root: Path) -> None:
        self.world, self.root, self.since, self.over = world, root, world.now, False

    def poll(self) -> int | None:
        number = int(self.root.name[1:])
        if number == 0 or self.world.now - self.since < timedelta(seconds=30):
            return None
        if not self.over:
            self.world.running -= 1
            self.over = True
        if number == 1:
            return 1
        self.world.dream(self.root, at=self.world.now)
        self.world.dreamt[self.root].append(self.since)
        return 0

    def end(self) -> None:
        self.world.running -= 1

    def said(self) -> str:
        return ""


MANY = 200 if EXPLORE else 60


@pytest.mark.long
def test_a_week_of_many_workspaces_of_which_one_is_slow_and_one_is_broken(tmp_path: Path) -> None:
    world = World(tmp_path, MANY)
    broken_settings = world.roots[2]

    def configure(root: Path) -> Workspace:
        if root == broken_settings:
            raise BadSettings("reverie.toml:3 says something nobody knows.")
        return Workspace(root, root / "dream-vault", SETTINGS)

    keeper = Daemon(lambda: world.roots, configure, world.start, world.clock, lambda: world.now.timestamp(), at_once=4)
    sizes = []
    while world.now < datetime(2026, 4, 1, 12, tzinfo=UTC):
        keeper.round()
        if (world.now.hour, world.now.minute // 5) == (12, 0):
            gc.collect()
            sizes.append(len(gc.get_objects()))
        world.now += timedelta(seconds=15 if keeper.busy else 300)

    well = world.roots[3:]
    nights = {root: [f"{moment.astimezone(UTC):%m-%d}" for moment in world.dreamt[root]] for root in well}
    assert set(map(tuple, nights.values())) == {("03-26", "03-27", "03-28", "03-29", "03-30", "03-31", "04-01")}
    late = max(
        moment - moment.replace(hour=1 if moment.day >= 29 or moment.month == 4 else 2, minute=0, second=0)
        for root in well
        for moment in world.dreamt[root]
    )
    assert late < timedelta(minutes=45 + 20)  # 197 nights of half a minute, a few at a time, and one slow neighbour
    assert world.most == 4
    assert max(sizes[1:]) - sizes[1] < MANY * 7  # no night leaves an object behind for each workspace
    assert len(world.begun[world.roots[1]]) <= 7 * 4  # the broken one is tried again, and not without end
    assert [one.partition(": ")[2][:20] for one in keeper.as_beat(1, "").troubles] == [
        "its night took longe",
        "its night ended with",
        "reverie.toml:3 says ",
    ]


def test_a_workspace_that_comes_or_goes_is_noticed(tmp_path: Path) -> None:
    world = World(tmp_path, 3)
    there = world.roots[:2]
    keeper = Daemon(
        lambda: there,
        lambda root: Workspace(root, root / "v", SETTINGS),
        world.start,
        world.clock,
        lambda: world.now.timestamp(),
    )
    keeper.round()
    there = world.roots[1:]
    world.now += timedelta(minutes=6)
    keeper.round()

    assert list(keeper.kept) == world.roots[1:]


def test_settings_that_cannot_be_read_for_a_while_cost_nobody_a_night(tmp_path: Path) -> None:
    world = World(tmp_path, 2)
    torn = [False]

    def find() -> list[Path]:
        if torn[0]:
            raise BadSettings("reverie.toml:1 is half written.")
        return world.roots

    keeper = Daemon(
        find,
        lambda root: Workspace(root, root / "v", SETTINGS),
        world.start,
        world.clock,
        lambda: world.now.timestamp(),
    )
    keeper.round()
    torn[0] = True
    world.now += timedelta(minutes=6)
    keeper.round()

    assert list(keeper.kept) == world.roots
    assert keeper.as_beat(1, "").troubles == ("reverie.toml:1 is half written.",)


def test_a_heartbeat_that_is_old_or_was_ended_is_not_alive(tmp_path: Path) -> None:
    file, now = tmp_path / "state" / "daemon.json", datetime(2026, 11, 15, 3, tzinfo=UTC)
    beat(file, Beat(4711, now.isoformat(), now.isoformat(), 3, ("/a",), ("/b: trouble",)))
    found = last_beat(file)

    assert found is not None and found.is_alive(now + timedelta(minutes=1))
    assert not found.is_alive(now + timedelta(minutes=5))
    file.write_text("{")
    assert last_beat(file) is None
    assert last_beat(tmp_path / "nowhere") is None


# ── real processes ────────────────────────────────────────────────────────────────────────────────────────────────────

NOW = "2026-11-15T03:00:00+01:00"


@pytest.fixture
def machine(tmp_path: Path) -> dict[Path, bytes]:
    """Five workspaces that the owner's settings name, each with a note; their notes' bytes."""
    roots = [tmp_path / f"agent-{n}" for n in range(5)]
    notes = {}
    for number, root in enumerate(roots):
        (root / "memory").mkdir(parents=True)
        (root / "MEMORY.md").write_text("# Memory\n\n## Stable Knowledge\n\n- The workshop is in Cremona.\n")
        note = root / "memory" / "2026-11-14.md"
        note.write_text(f"# 2026-11-14\n\n- Decided: bench {number} is used for celli only from now on.\n")
        notes[note] = note.read_bytes()
    mine = Path(os.environ["HOME"]) / ".config" / "reverie" / "reverie.toml"
    mine.parent.mkdir(parents=True)
    named = ", ".join(f'"{root}"' for root in roots)
    mine.write_text(
        f'workspaces = [{named}]\ntimezone = "Europe/Berlin"\n[search]\nembedder = "off"\n[schedule]\nask_agent = false\n'
    )
    return notes


def started() -> subprocess.Popen[bytes]:
    env = os.environ | {"REVERIE_NOW": NOW}
    return subprocess.Popen([DREAM, "daemon"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(what, seconds: float = 30) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def running() -> list[str]:
    found = last_beat(heartbeat_file(os.environ))
    return list(found.running) if found else []


def children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def all_dreamt(notes: dict[Path, bytes]) -> bool:
    roots = [note.parents[1] for note in notes]
    return all((root / "memory" / ".last_dream").exists() and not list(root.rglob("*.dream-tmp")) for root in roots)


@posix
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_killed_in_the_middle_and_started_again_it_completes_every_workspace(machine: dict[Path, bytes]) -> None:
    keeper = started()
    wait_for(running)
    children = children_of(keeper.pid)
    keeper.kill()
    for child in children:
        os.killpg(child, signal.SIGKILL)
    keeper.wait()

    again = call("daemon", "--once", "--json", REVERIE_NOW=NOW)

    assert (again.code, json.loads(again.out)["troubles"]) == (0, [])
    assert all_dreamt(machine)
    assert {note: note.read_bytes() for note in machine} == machine


@posix
def test_sigterm_ends_it_and_its_children_within_a_second_and_the_next_start_goes_on(
    machine: dict[Path, bytes],
) -> None:
    keeper = started()
    wait_for(running)
    began = time.monotonic()
    keeper.terminate()

    assert keeper.wait(timeout=5) == 0
    assert time.monotonic() - began < 1
    last = last_beat(heartbeat_file(os.environ))
    assert last is not None and last.stopped and last.running == ()
    assert call("daemon", "--once", REVERIE_NOW=NOW).code == 0
    assert all_dreamt(machine)


@posix
def test_a_night_that_takes_too_long_is_ended_and_the_others_go_on(
    machine: dict[Path, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = [note.parents[1] for note in machine]
    mine = Path(os.environ["HOME"]) / ".config" / "reverie" / "reverie.toml"
    mine.write_text(f"lock_wait = 600\n{mine.read_text()}")  # it waits for one who never lets go
    monkeypatch.setenv("REVERIE_NOW", NOW)
    moment = datetime.fromisoformat(NOW)

    def configure(root: Path) -> Workspace:
        limit = 0 if root == roots[0] else 5
        return Workspace(root, root / "dream-vault", replace(SETTINGS, schedule=Schedule(timeout_minutes=limit)))

    keeper = Daemon(lambda: roots, configure, Process, lambda _zone: FixedClock(moment), time.monotonic)
    with held(roots[0], "review", NOW, 0):
        keeper.round()
        time.sleep(1)
        wait_for(lambda: keeper.round() or not keeper.busy)

    assert keeper.as_beat(1, "").troubles == (f"{roots[0]}: its night took longer than 0 minutes and was ended",)
    assert all_dreamt({note: data for note, data in machine.items() if note.parents[1] != roots[0]})


@posix
def test_a_broken_workspace_is_told_and_the_others_dream(machine: dict[Path, bytes]) -> None:
    first = next(iter(machine)).parents[1]
    (first / "reverie.toml").write_text("nonsense = 1\n")

    done = call("daemon", "--once", REVERIE_NOW=NOW)

    assert done.code == 15
    assert f"dream: {first}: " in done.err and "nonsense" in done.err
    assert all_dreamt(dict(list(machine.items())[1:]))


@posix
def test_a_second_daemon_is_refused_while_the_first_one_lives(machine: dict[Path, bytes]) -> None:
    beat(heartbeat_file(os.environ), Beat(os.getppid(), NOW, NOW))

    assert call("daemon", "--once", REVERIE_NOW=NOW).code == 6
