"""Terminal sessions as documents: prose for people, `$ dream …` and its exact output for this runner.

The first line of a session names its start: `<!-- workspace: lived-in -->` copies an example, `<!-- workspace: empty -->`
begins with nothing. A fence ```file PATH writes a file, a fence ```console runs commands. UPDATE_SESSIONS=1 rewrites
the outputs; read the difference before you commit it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from told_sessions import played, start

SESSIONS = sorted((Path(__file__).parents[1] / "sessions").glob("*.md"))


@pytest.mark.skipif(sys.platform == "win32", reason="sessions are told in a POSIX shell")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_session_goes_as_it_is_told(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    start(text, tmp_path / "agent")

    now = played(text, tmp_path / "agent")

    if os.environ.get("UPDATE_SESSIONS"):
        path.write_text(now, "utf-8")
    assert now == text, f"if this is right, UPDATE_SESSIONS=1 rewrites {path.name}"


def test_there_are_sessions_and_each_runs_a_command() -> None:
    assert len(SESSIONS) >= 5
    assert [path.name for path in SESSIONS if "\n$ dream " not in path.read_text("utf-8")] == []
