"""Terminal sessions as documents: prose for people, `$ dream …` and its exact output for this runner.

The first line of a session names its start: `<!-- workspace: lived-in -->` copies an example, `<!-- workspace: empty -->`
begins with nothing. A fence ```file PATH writes a file, a fence ```console runs commands. UPDATE_SESSIONS=1 rewrites
the outputs; read the difference before you commit it. A newcomer needs three commands and two minutes with every host.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import monotonic

import pytest

from reverie.hosts.integration import HOSTS
from told_sessions import played, start

SESSIONS = sorted((Path(__file__).parents[1] / "sessions").glob("*.md"))
NEWCOMERS = [path for path in SESSIONS if path.stem.startswith("newcomer-")]


@pytest.mark.skipif(sys.platform == "win32", reason="sessions are told in a POSIX shell")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_session_goes_as_it_is_told(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    began, newcomer = monotonic(), path in NEWCOMERS
    root = start(text, tmp_path / "agent")

    now = played(text, root, here=path != SESSIONS[0])  # the first one as the program itself

    if os.environ.get("UPDATE_SESSIONS"):
        path.write_text(now, "utf-8")
    assert now == text, f"if this is right, UPDATE_SESSIONS=1 rewrites {path.name}"
    assert not newcomer or (text.count("\n$ dream ") <= 3 and monotonic() - began < 120)


def test_every_host_has_a_session_for_newcomers() -> None:
    assert {path.stem.removeprefix("newcomer-") for path in NEWCOMERS} == set(HOSTS)
    assert all("\n$ dream review\n" in text and "\n$ dream undo\n" in text for text in map(Path.read_text, NEWCOMERS))


def test_there_are_sessions_and_each_runs_a_command() -> None:
    assert len(SESSIONS) >= 5
    assert [path.name for path in SESSIONS if "\n$ dream " not in path.read_text("utf-8")] == []
