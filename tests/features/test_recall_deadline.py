"""An answer on time, whatever hangs: an embedder that never returns, an index somebody holds, damaged tables."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import INDEX_DB, JOURNAL
from reverie.core.ports import FixedClock, HashEmbedder
from reverie.core.settings import Active
from reverie.evidence import tables
from reverie.evidence.embedders import StaticEmbedder
from reverie.features.recall.recall import Breaker, Recalled, ShortMemory, recall, within
from reverie.workspace.values import Workspace
from terminal import dream

LATE = 0.4  # seconds a loaded machine may add; benchmarks/recall.py measures the fifty milliseconds of the promise
MEMORY = "- The boiler is serviced by Orla Finn every March.\n"
HOLD = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
db.execute("CREATE TABLE held(x)")
print("held", flush=True)
time.sleep(60)
"""


class Sleeper(HashEmbedder):
    """A real embedder that hangs until the test is over."""

    def __init__(self) -> None:
        super().__init__(identity="sleeper")
        self.wake = threading.Event()
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += 1
        self.wake.wait(60)
        return super().embed(texts)


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    embedder = Sleeper()
    yield embedder
    embedder.wake.set()


def timed(ask: Callable[[], Recalled]) -> tuple[Recalled, float]:
    begun = time.monotonic()
    return ask(), time.monotonic() - begun


def boiler(workspace: Workspace, clock: FixedClock, milliseconds: int, **settings: Any) -> tuple[Recalled, float]:
    active = Active(timeout_ms=milliseconds, **settings)
    return timed(lambda: recall(workspace, clock, "Who services the boiler?", settings=active))


def test_while_the_embedder_hangs_words_answer_on_time(build: Build, clock: FixedClock, sleeper: Sleeper) -> None:
    workspace = replace(build({"MEMORY.md": MEMORY}), embedder=sleeper)

    found, spent = boiler(workspace, clock, 1_500)

    assert (found.status, found.why) == ("timeout_partial", "only words answered in time")
    assert "Orla Finn" in found.summary
    assert 1.5 <= spent < 1.5 + LATE


def test_what_nobody_heard_is_not_recorded(build: Build, clock: FixedClock, sleeper: Sleeper) -> None:
    workspace = replace(build({"MEMORY.md": MEMORY}), embedder=sleeper)
    boiler(workspace, clock, 250)

    sleeper.wake.set()
    time.sleep(0.5)

    assert not (workspace.root / JOURNAL).exists()


def test_after_several_late_answers_nobody_is_kept_waiting(build: Build, clock: FixedClock, sleeper: Sleeper) -> None:
    workspace = replace(build({"MEMORY.md": MEMORY}), embedder=sleeper)
    late = [boiler(workspace, clock, 250, circuit_breaker_max_timeouts=2)[0].status for _ in range(2)]

    found, spent = boiler(workspace, clock, 250, circuit_breaker_max_timeouts=2)

    assert all(status.startswith("timeout") for status in late)
    assert (found.status, found.why) == ("unavailable", "the last answers came too late")
    assert spent < 0.1


def test_an_index_that_another_process_holds(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    (workspace.root / INDEX_DB).parent.mkdir(parents=True)
    command = [sys.executable, "-c", HOLD, str(workspace.root / INDEX_DB)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None and holder.stdout.readline() == b"held\n"

            found, spent = boiler(workspace, clock, 500)
        finally:
            holder.kill()

    assert found.status == "timeout"
    assert spent < 0.5 + LATE


def test_a_damaged_index_is_answered_without_and_built_anew(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    (workspace.root / INDEX_DB).parent.mkdir(parents=True)
    (workspace.root / INDEX_DB).write_bytes(b"this is no database" * 500)

    first, _ = boiler(workspace, clock, 15_000)
    (workspace.root / "MEMORY.md").write_text("- The boiler is serviced by Cormac Dale.\n")
    second, _ = boiler(workspace, clock, 15_000)

    assert "Orla Finn" in first.summary
    assert "Cormac Dale" in second.summary
    assert (workspace.root / INDEX_DB).read_bytes().startswith(b"SQLite format 3")


def test_damaged_tables_of_the_embedder_delay_nothing(build: Build, clock: FixedClock, tmp_path: Path) -> None:
    folder = tmp_path / "tables" / f"tables-{tables.RECIPE}-{tables._fingerprint()}"
    folder.mkdir(parents=True)
    for name in ("pieces.txt", "scores.npy", "vectors.npy", "rows.npy", "layers.npz", "done"):
        (folder / name).write_bytes(b"\x00broken")
    workspace = replace(build({"MEMORY.md": MEMORY}), embedder=StaticEmbedder(tmp_path / "tables"))

    found, spent = boiler(workspace, clock, 1_000)

    assert found.status in ("ok", "timeout_partial", "timeout")
    assert spent < 1.0 + LATE


def test_the_process_ends_although_a_server_never_answers(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        config = Path(os.environ["HOME"]) / ".config" / "reverie"
        config.mkdir(parents=True)
        (config / "reverie.toml").write_text(
            f'[search]\nembedder = "ollama"\nurl = "http://127.0.0.1:{port}"\ntimeout = 60\n'
        )
        begun = time.monotonic()

        done = dream(
            "recall", "Who services the boiler?", "--timeout", "2000", "--json", "--workspace", workspace.root, "--now", NIGHT
        )  # fmt: skip

        spent = time.monotonic() - begun
    assert done.code == 0
    assert json.loads(done.out)["status"] in ("timeout_partial", "timeout")
    assert spent < 10  # the server would have been waited for a minute


def test_an_error_is_told_and_not_raised(build: Build, clock: FixedClock) -> None:
    class Broken(FixedClock):
        def now(self) -> Any:
            raise OSError("no clock")

    found = recall(build({"MEMORY.md": MEMORY}), Broken(clock.moment), "Who services the boiler?")

    assert (found.status, found.why) == ("failed", "OSError")


def test_the_breaker_tries_again_when_its_time_is_over() -> None:
    breaker = Breaker()
    breaker.tell("a", late=True)

    assert breaker.is_open("a", 1, 60) and not breaker.is_open("b", 1, 60)
    assert not breaker.is_open("a", 2, 60)
    assert not breaker.is_open("a", 1, 0)
    breaker.tell("a", late=False)
    assert not breaker.is_open("a", 1, 60)


def test_what_is_kept_is_bounded_and_ends() -> None:
    kept: ShortMemory[int] = ShortMemory(most=2)
    for number in range(3):
        kept.put(number, number, 60)
    kept.put("old", 1, 0)

    assert [kept.get(key) for key in (0, 1, 2, "old")] == [None, None, 2, None]


def test_the_second_way_is_not_asked_when_the_first_is_quick() -> None:
    asked: list[str] = []

    found = within(1.0, lambda _over: asked.append("first"), lambda _over: asked.append("second"))

    assert (found.late, found.error, asked) == (False, None, ["first"])
