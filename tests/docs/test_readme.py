"""The README's session is run as it stands, and its library lines too."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import reverie
from conftest import Build
from reverie.core.ports import FixedClock
from reverie.night.suggesting import suggestions
from reverie.workspace.values import Workspace
from told_sessions import played

README = Path(__file__).parents[2] / "README.md"


def test_the_first_night_goes_as_the_readme_tells_it(tmp_path: Path) -> None:
    text = README.read_text("utf-8")

    now = played(text, tmp_path)

    if os.environ.get("UPDATE_SESSIONS"):
        README.write_text(now, "utf-8")
    assert now == text, "if this is right, UPDATE_SESSIONS=1 rewrites the README"


def test_the_night_before_and_after_is_the_one_the_readme_shows(build: Build, clock: FixedClock) -> None:
    text = README.read_text("utf-8")
    (note,) = re.findall(r"^```note\n(.*?)^```", text, re.M | re.S)
    (columns,) = re.findall(r"^```columns\n(.*?)^```", text, re.M | re.S)
    wide = columns.index("## Suppliers", 1)
    before = "".join(f"{line[:wide].rstrip()}\n" for line in columns.split("\n")[:-1])
    after = "".join(f"{line[wide:]}\n" for line in columns.split("\n") if line[wide:])
    workspace = reverie.open_workspace(build({"MEMORY.md": before, "memory/2026-11-10.md": note}).root)

    reverie.dream(workspace, clock=clock)

    memory = (workspace.root / "MEMORY.md").read_text("utf-8")
    assert re.sub(r" <!-- dream:\w+ -->", "", memory) == after
    cards = suggestions(workspace, clock)
    assert {card.said[0].text for card in cards} == {"The insurance is settled: they pay the new sum"}


def test_the_library_does_in_a_program_what_the_readme_shows(
    build: Build, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace: Workspace = build({"MEMORY.md": "- a b c\n- a b c\n"})
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    monkeypatch.setattr(reverie, "open_workspace", lambda _path: workspace, raising=False)
    monkeypatch.setattr(reverie, "SystemClock", lambda: clock, raising=False)

    exec("\n".join(line.removeprefix("  ") for line in code.split("\n")), {})

    assert (workspace.root / "MEMORY.md").read_text() == "- a b c\n"
