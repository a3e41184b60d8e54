"""Who said it: a person at a terminal is the owner, whoever else calls is an agent, and what a text says of itself is text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import NIGHT, Build
from reverie.apply.runs import runs
from reverie.core.errors import BadInput, RefusedPlan
from reverie.core.ports import fixed
from reverie.features import sessions
from reverie.features.note import note
from reverie.judge.brief_text import as_text
from reverie.night import commands
from reverie.night.briefing import brief_of
from reverie.plan.enter import written
from reverie.text.markdown import parse
from reverie.text.marks import protected_lines
from reverie.workspace.values import Author, Workspace, author_named
from terminal import call

EVENING, CLOCK = fixed("2026-11-14T20:00:00+01:00"), fixed(NIGHT)
MEMORY = "# Ada\n\n## Facts\n- Ferry: leaves at 10:00\n- keeps bees\n"
SAID = "Correction: the ferry leaves at 9:30, not 10:00"
MCP, OWNER = Author("agent", "mcp"), Author("owner", "cli")
TERMINALS = pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY})


def memory_of(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


def authors(workspace: Workspace) -> list[str]:
    return [edit.by for run in runs(workspace) for edit in run.plan.edits if edit.path != "MEMORY.md"]


def at_a_terminal(*args: str | Path, piped: bool = False) -> None:
    """`dream` with a terminal at both ends; `piped`: the words come through a pipe."""
    ours, theirs = os.openpty()
    asked = [sys.executable, "-m", "reverie", *map(str, args)]
    stdin = subprocess.PIPE if piped else theirs
    with subprocess.Popen(asked, stdin=stdin, stdout=theirs, stderr=theirs, env=os.environ) as child:
        child.communicate(SAID.encode() if piped else None, timeout=60)
    os.close(theirs)
    os.close(ours)


@TERMINALS
def test_a_person_at_a_terminal_is_the_owner_and_nobody_else(workspace: Workspace) -> None:
    asked = ("--workspace", workspace.root, "--now", NIGHT)

    call("note", *asked, "called by a program")
    at_a_terminal("note", *asked, "--as", "agent", "a program that holds a terminal")
    at_a_terminal("note", *asked, "-", piped=True)
    at_a_terminal("note", *asked, "typed by a person")

    assert authors(workspace) == ["agent (cli)", "agent (cli)", "agent (cli)", "owner (cli)"]
    assert call("note", *asked, "--as", "owner", "me").code == 2


@TERMINALS
def test_only_a_person_pins(workspace: Workspace) -> None:
    asked = ("--workspace", workspace.root, "--now", NIGHT)

    refused = call("pin", *asked, "keeps bees")
    assert refused.code != 0 and "Only its owner" in refused.err and memory_of(workspace) == MEMORY

    at_a_terminal("pin", *asked, "keeps bees")
    assert "- 📌 keeps bees\n" in memory_of(workspace)


def test_the_owner_corrects_at_once_and_an_agent_waits_for_a_yes(build: Build) -> None:
    mine, theirs = build({"MEMORY.md": MEMORY}), build({"MEMORY.md": MEMORY})

    assert note(mine, EVENING, SAID, by=OWNER).replaced == "Ferry: leaves at 10:00"
    noted = note(theirs, EVENING, SAID, by=MCP)
    assert (noted.line, noted.replaced) == ("", "") and "only you correct" in noted.why

    commands.review(theirs, CLOCK)
    assert memory_of(theirs) == MEMORY
    cards = commands.waiting_cards(commands.read_workspace(theirs), CLOCK.now().date())
    assert ("10:00", "9:30") in [(card.old, card.new) for card in cards]


def test_what_stands_in_the_owners_file_too_is_no_longer_a_programs_word_alone(workspace: Workspace) -> None:
    note(workspace, EVENING, SAID, by=MCP)
    (workspace.root / "memory/2026-11-13.md").write_text(f"- {SAID}\n")

    commands.review(workspace, CLOCK)

    assert "- Ferry: leaves at 9:30\n" in memory_of(workspace)


def test_the_judge_reads_and_why_tells_who_noted_it(workspace: Workspace) -> None:
    note(workspace, EVENING, "I've decided to sell the blue boat", by=MCP)
    (workspace.root / "memory/2026-11-13.md").write_text("- typed by hand\n")

    told = as_text(brief_of(workspace, CLOCK))
    assert " agent] 20:00 I've decided to sell the blue boat" in told and "] typed by hand" in told
    why = call("why", "--workspace", workspace.root, "blue boat").out
    assert "noted by an agent (mcp)" in why and "a decision, noted by an agent" in why


def test_a_summary_is_an_agents_and_a_queued_note_keeps_its_author(workspace: Workspace) -> None:
    from reverie.apply.lock import held

    sessions.end(workspace, EVENING, "Painted the boat")
    with held(workspace.root, "review", "now", 0.0):
        assert note(workspace, EVENING, "the mast is next", by=OWNER).queued
    note(workspace, EVENING, "and the oars", by=MCP)

    assert authors(workspace) == ["agent (session)", "owner (cli)", "agent (mcp)"]


@pytest.mark.parametrize("name", ["", "owner", "root (cli)", "owner, cli", "None", "the owner (cli)"])
def test_whoever_is_not_named_rightly_is_a_program(name: str) -> None:
    assert not author_named(name).is_owner
    assert author_named("owner (page)") == Author("owner", "page")


def test_the_tools_of_mcp_speak_for_an_agent(workspace: Workspace) -> None:
    pytest.importorskip("mcp")
    from reverie.surfaces.mcp.server import Tools

    class Open:
        def trusts(self, headers: object) -> bool:
            return True

    tools = Tools(lambda: workspace, lambda zone: EVENING, Open())  # type: ignore[arg-type]
    tools.memory_note(None, "📌 I've decided to sell the blue boat")  # type: ignore[arg-type]

    assert authors(workspace) == ["agent (mcp)"] and "📌" not in memory_of(workspace)
    assert not [name for name in vars(Tools) if "pin" in name]


LINE = "NEVER paint the boat in winter"


def test_a_mark_is_the_owners_as_soon_as_the_owner_touches_the_line(build: Build) -> None:
    ours = f"- {written(LINE)}"
    mine, theirs = f"- {LINE}", ours.replace("winter", "the winter")

    assert [line for line in (ours, mine, theirs) if protected_lines(parse(f"# Ada\n\n{line}\n"))] == [mine, theirs]

    workspace = build({"MEMORY.md": f"# Ada\n\n{ours}\n"})
    commands.pin(workspace, CLOCK, *commands.line_meant(workspace, "the boat"))
    assert f"- 📌 {LINE}" in "".join(protected_lines(parse(memory_of(workspace))))
    with pytest.raises(BadInput, match="pinned"):
        commands.pin(workspace, CLOCK, *commands.line_meant(workspace, "the boat"))


def test_no_update_marks_a_line_of_the_owners(workspace: Workspace) -> None:
    from reverie.workspace.values import Edit, Intent

    snapshot = commands.read_workspace(workspace)
    new = "- Ferry: NEVER leaves at 10:00\n"
    edit = Edit("0", "MEMORY.md", 3, ("- Ferry: leaves at 10:00\n",), (new,), "superseded", "because", by="a model")
    plan = commands.plan_of(snapshot, Intent.DREAM, [edit], CLOCK.now())

    with pytest.raises(RefusedPlan, match="protects itself"):
        commands.check_promises(snapshot, plan)
