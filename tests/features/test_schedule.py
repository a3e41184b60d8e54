"""`dream schedule`: the texts are what each system's own tool accepts, and what was put there is taken away to the byte."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import tree
from reverie.apply.folders import keep_in_mind
from reverie.core.cron import parse_cron
from reverie.hosts.timers import (
    BEGIN,
    Kind,
    cron_block,
    heartbeat,
    install,
    is_installed,
    launchd,
    openclaw,
    remove,
    systemd,
    timer,
    with_block,
    without_block,
)
from reverie.surfaces.daemon import Beat, beat, heartbeat_file, started_by
from terminal import call

COMMAND = ["/opt/my tools/100%/dream", "review", "--scheduled", "--workspace", "/home/ada/it's $HOME & <more>"]
posix = pytest.mark.skipif(sys.platform == "win32", reason="the pretended crontab is a shell script")
CRONTAB = """#!/bin/sh
file="$HOME/crontab"
case "$1" in
  -l) [ -f "$file" ] && cat "$file" || { echo "no crontab for ada" >&2; exit 1; };;
  -) cat > "$file";;
esac
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own with a `crontab` that keeps its lines there, and no other tool; returns the home."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "crontab").write_text(CRONTAB)
    (tools / "crontab").chmod(0o755)
    for name in ("cat", "sh"):
        (tools / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tools))
    return home


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here to judge its units")
def test_systemd_accepts_its_units(tmp_path: Path) -> None:
    program = tmp_path / "my tools" / "dream %h"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name, text in systemd([str(program), *COMMAND[1:]]).items():
        (tmp_path / name).write_text(text)

    env = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", "reverie-dream.service", "reverie-dream.timer"],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    assert [line for line in done.stderr.split("\n") if "reverie-dream" in line] == []
    calendar = subprocess.run(["systemd-analyze", "calendar", "*:0/15"], capture_output=True, timeout=60)
    assert calendar.returncode == 0


def test_launchd_reads_the_very_words_of_the_command() -> None:
    found = plistlib.loads(launchd(COMMAND).encode())

    assert (found["ProgramArguments"], found["StartInterval"], found["Label"]) == (COMMAND, 900, "local.reverie.dream")


def test_cron_reads_the_very_words_of_the_command() -> None:
    _, line, _ = cron_block(COMMAND).splitlines()

    fields = line.split(" ", 5)
    assert parse_cron(" ".join(fields[:5])) == "*/15 * * * *"
    assert shlex.split(fields[5].replace("\\%", "%")) == COMMAND
    assert "%" not in fields[5].replace("\\%", "")  # a bare one would end the command


def test_openclaw_and_the_heartbeat_are_told_and_not_written() -> None:
    words = shlex.split(openclaw("30 3 * * *", "Asia/Shanghai"))

    assert words[:3] == ["openclaw", "cron", "add"]
    assert words[words.index("--cron") + 1] == "30 3 * * *" and words[words.index("--tz") + 1] == "Asia/Shanghai"
    assert words[-2] == "--message" and "dream_brief" in words[-1]  # the agent leads the night
    assert heartbeat(["dream", "review"]).startswith("- Run `dream review`.")


@given(
    st.text(alphabet="ab#*\n\\% é中", max_size=60).map(lambda text: text + "\n" if text and text[-1] != "\n" else text)
)
def test_what_was_added_to_a_crontab_is_taken_away_to_the_byte(crontab: str) -> None:
    with_ours = with_block(crontab, cron_block(COMMAND))

    assert without_block(with_ours) == crontab
    assert with_block(with_ours, cron_block(COMMAND)) == with_ours  # twice is once
    assert with_ours.startswith(crontab)


def test_a_block_that_somebody_cut_in_two_is_left_alone() -> None:
    torn = f"0 1 * * * backup\n{BEGIN}\n5 * * * * other\n"

    assert without_block(torn) == torn


@posix
def test_the_crontab_gets_its_lines_and_loses_them_again(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine / "crontab").write_text("# mine\n0 1 * * * backup 50\\%\n")
    before = tree(machine, without=())

    asked = call("schedule", "install", "--kind", "cron")
    dry = call("schedule", "install", "--kind", "cron", "--dry-run")
    assert (asked.code, dry.code, tree(machine, without=())) == (14, 0, before)  # nobody was there to be asked
    assert "*/15 * * * * " in dry.out

    nobody = call("schedule", "install", "--kind", "cron", "--yes")  # no folder here or anywhere has a memory
    assert (nobody.code, tree(machine, without=())) == (8, before)

    (machine / "notes").mkdir()
    (machine / "notes/MEMORY.md").write_text("- likes tea\n")
    monkeypatch.chdir(machine / "notes")
    done = call("schedule", "install", "--kind", "cron", "--yes")
    assert (done.code, str(machine / "notes") in done.out.split("\n")[-2]) == (0, True)
    assert str(machine / "notes") in call("workspaces").out
    shown = json.loads(call("schedule", "show", "--json").out)
    assert (shown["started_by"], shown["kinds"]["cron"], shown["do"]) == ("cron", True, "due")
    assert "review --scheduled --all" in (machine / "crontab").read_text()

    assert call("schedule", "remove").out == "Took away the lines in your crontab.\n"
    assert (machine / "crontab").read_bytes() == before["crontab"]
    assert call("schedule", "remove").out == "Nothing was installed.\n"


@posix
@pytest.mark.parametrize("kind", [Kind.SYSTEMD, Kind.LAUNCHD])
def test_files_of_ours_come_and_go_and_those_of_others_stay(machine: Path, kind: Kind) -> None:
    wanted = timer(kind, os.environ, COMMAND)
    troubles = install(wanted, os.environ)
    assert is_installed(wanted, os.environ)
    assert all("did not work (the program is not installed)" in one for one in troubles) and len(troubles) == len(
        wanted.enable
    )

    assert remove(wanted, os.environ) == [str(path) for path, _ in wanted.files]
    assert tree(machine, without=()) == {}

    path = wanted.files[0][0]
    path.write_text("somebody else's\n")
    done = call("schedule", "install", "--kind", str(kind), "--yes", "--workspace", machine)
    assert (done.code, path.read_text()) == (14, "somebody else's\n")


@posix
def test_without_any_scheduler_the_daemon_is_named(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine))
    if sys.platform == "darwin":
        pytest.skip("a Mac always has one")

    done = call("schedule", "install", "--yes", "--workspace", machine)

    assert (done.code, "dream daemon" in done.err) == (14, True)


def test_a_living_daemon_starts_the_nights_of_the_folders_it_knows(tmp_path: Path) -> None:
    now = datetime(2026, 11, 15, 3, tzinfo=UTC)
    beat(heartbeat_file(os.environ), Beat(1, now.isoformat(), now.isoformat()))
    assert started_by(os.environ, now, tmp_path) is None  # nobody told it of this one

    keep_in_mind(tmp_path, os.environ, nights=False)
    assert started_by(os.environ, now, tmp_path) is None  # a command was called here once, no more

    keep_in_mind(tmp_path, os.environ, nights=True)
    assert started_by(os.environ, now, tmp_path) == "the daemon"
    assert started_by(os.environ, now.replace(hour=9), tmp_path) is None
