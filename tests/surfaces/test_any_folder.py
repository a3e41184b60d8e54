"""Every command in any folder: an empty one, one that cannot be written, one that is gone; the next step that is named works there."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from reverie.core.errors import NoWorkspace
from reverie.surfaces.cli import COMMANDS
from terminal import Done, call, dream

WORDS = {  # what a command wants to hear besides its name
    "why": ["tea"],
    "why-not": ["tea"],
    "promote-explain": ["tea"],
    "rem-backfill": ["--path", "."],
    "search": ["tea"],
    "recall": ["tea"],
    "session": ["start"],
    "note": ["likes tea"],
    "pin": ["tea"],
    "forget": ["tea"],
    "answer": ["abcd1234", "both"],
    "index": ["hello"],
    "import": ["export.json"],
    "share": ["tea"],
    "restore": ["tidy"],
    "schedule": ["show"],
    "daemon": ["--once"],
    "integrate": ["claude-code", "--dry-run"],
    "hook": ["claude-code"],
    "completion": ["bash"],
    "uninstall": ["--dry-run"],
}
WAITS = ("serve", "mcp")  # for somebody who calls; they stay until they are ended
ADVICE = re.compile(r"`(dream [^`]*)`")


def said(name: str) -> Done:
    return call(name, *WORDS.get(name, []), NO_COLOR="1")


def test_in_an_empty_folder_every_command_names_a_step_that_works_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    others = [name for name in COMMANDS if name != "init"]

    first = {name: said(name) for name in others}

    for name, done in first.items():
        assert done.out or done.err, f"{name} says nothing"
        assert done.code == 0 or done.err.count("\n") == 1, f"{name}: {done.err}"
        for advised in ADVICE.findall(done.out + done.err):
            assert shlex.split(advised)[1] in (*COMMANDS, "--help"), f"{name} advises {advised}"
    lost = [name for name, done in first.items() if done.code == NoWorkspace.exit_code]
    assert {ADVICE.findall(first[name].err)[0] for name in lost} == {"dream init"} and list(tmp_path.iterdir()) == []

    assert call("init").code == 0

    for name in others:
        if name not in WAITS:
            again = said(name)
            assert (again.out or again.err) and again.code != NoWorkspace.exit_code, f"{name}: {again.err}"


@pytest.mark.parametrize("place", ["with a space", "a project/.git", "home"])
def test_init_takes_the_folder_it_is_called_in(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = (tmp_path / place).parent if place.endswith(".git") else tmp_path / place
    (tmp_path / place).mkdir(parents=True)
    monkeypatch.chdir(folder)
    if place == "home":
        monkeypatch.setenv("HOME", str(folder))

    assert (call("init").code, (folder / "MEMORY.md").is_file()) == (0, True)
    assert call("review").code == 0


def test_a_folder_that_is_named_and_missing_is_made_by_what_the_error_advises(tmp_path: Path) -> None:
    lost = call("plan", "--workspace", tmp_path / "my notes")

    advised = shlex.split(ADVICE.findall(lost.err)[0])[1:]

    assert (lost.code, call(*advised).code, (tmp_path / "my notes/MEMORY.md").is_file()) == (8, 0, True)


def test_init_says_where_everything_is_and_how_to_begin_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "here").mkdir()
    call("init", "--workspace", tmp_path / "other")
    monkeypatch.setenv("OPENCLAW_WORKSPACE", str(tmp_path / "other"))
    monkeypatch.chdir(tmp_path / "here")

    done = call("init")

    assert str(tmp_path / "other") in done.out and "`dream init --workspace .`" in done.out
    assert (call("init", "--workspace", ".").code, (tmp_path / "here/MEMORY.md").is_file()) == (0, True)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder in which not even root can write")
def test_in_a_folder_that_cannot_be_written_one_sentence_says_so(tmp_path: Path) -> None:
    for words in (["init"], ["review", "--workspace", "/proc"]):
        done = dream(*words, cwd=Path("/proc"), HOME=str(tmp_path))

        assert (done.code, done.err.count("\n")) == (13, 1) and "`dream init --workspace PATH`" in done.err, done.err


@pytest.mark.skipif(sys.platform == "win32", reason="there a folder in use cannot be deleted")
def test_in_a_folder_that_is_gone_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    for name in ("status", "init", "plan"):
        done = said(name)
        assert done.code in (8, 13) and done.err.count("\n") == 1, done.err


def test_without_a_home_a_folder_can_still_be_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "OPENCLAW_STATE_DIR", "CLAUDE_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("HOME")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    assert [call(*words).code for words in (["init"], ["review"], ["status"], ["undo"])] == [0, 0, 0, 0]
