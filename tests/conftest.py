"""Every test gets a private home, no network, no environment of ours, and a builder for small workspaces."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Settings
from reverie.lang.messages import speak
from reverie.workspace.values import Workspace

EXAMPLE = Path(__file__).parent.parent / "examples" / "lived-in"
NIGHT = "2026-11-15T03:00:00+01:00"
CONNECT = socket.socket.connect  # as it was before `hermetic` takes it away

# The same examples every time, so that a landing never depends on luck; `make explore` looks for new ones.
EXPLORE = bool(os.environ.get("EXPLORE"))
settings.register_profile(
    "house", deadline=None, max_examples=100, derandomize=not EXPLORE, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

# The second lane (`make test-all`): kills, full disks, crowds, adversaries, whole years, and what plays whole nights in child
# processes. `make test` runs all the rest.
LONG = (
    "crash/",
    "judge/test_exam.py",
    "judge/test_weak_judges.py",
    "models/test_adversary.py",
    "night/test_a_year_of_nights.py",
    "night/test_led_nights.py",
    "properties/test_laws_of_the_night.py",
    "surfaces/test_cli_secrets.py",
    "surfaces/test_mcp.py",
    "surfaces/test_sessions.py",
    "trust/test_no_network.py",
    "trust/test_release.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(Path(__file__).parent).as_posix().startswith(LONG):
            item.add_marker(pytest.mark.long)


@pytest.fixture(autouse=True)
def hermetic(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    if request.path.parent.name == "crash":  # about bytes, not about meaning: hundreds of nights must be quick
        (home / ".config" / "reverie").mkdir(parents=True)
        (home / ".config" / "reverie" / "reverie.toml").write_text(
            '[search]\nembedder = "off"\n[diary]\nenabled = false\n[storage]\ndream_log = false\n'
        )
    for name in [name for name in os.environ if name.startswith(("OPENCLAW", "DREAM_", "REVERIE", "XDG_", "LC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    speak("en")  # whatever the test before it opened
    monkeypatch.setenv("HOME", str(home))
    tables = tmp_path_factory.getbasetemp().parent / "tables"  # of the embedder: the same for every test
    monkeypatch.setenv("XDG_CACHE_HOME", str(tables))
    monkeypatch.setenv("TZ", "Europe/Berlin")

    def refused(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a test reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    yield


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch, hermetic: None) -> None:
    """This machine may be reached, nothing else."""

    def only_here(self: socket.socket, address: Any) -> None:
        assert address[0] == "127.0.0.1", f"a test reached for {address}"
        CONNECT(self, address)

    monkeypatch.setattr(socket.socket, "connect", only_here)


@pytest.fixture
def clock() -> FixedClock:
    return fixed(NIGHT)


Build = Callable[..., Workspace]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """build({"MEMORY.md": "…"}, limit=…) → a workspace with these files (text or bytes) in a fresh folder."""
    count = 0

    def make(files: dict[str, str | bytes], settings: Settings | None = None) -> Workspace:
        nonlocal count
        count += 1
        root = tmp_path / f"workspace-{count}"
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        root.mkdir(exist_ok=True)
        return Workspace(root, root / "dream-vault", settings or Settings())

    return make


@pytest.fixture
def lived_in(tmp_path: Path) -> Workspace:
    """A copy of the example workspace and its last week, with what its DREAM.md asks for. All of it: tests/sessions/01."""
    from reverie.surfaces.configure import configured

    root = tmp_path / "lived-in"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("2026-10-*", "2026"))
    return configured(root, {"HOME": str(tmp_path / "nobody"), "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]})


def tree(root: Path, *, without: tuple[str, ...] = ("memory/.dreams",)) -> dict[str, bytes]:
    """Every file below a folder as bytes, except machine state (the record of runs grows by design)."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not str(path.relative_to(root)).startswith(without)
    }
