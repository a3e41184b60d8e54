"""The plugin for OpenClaw, registered with a small host under Node: what it registers is called for real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import reverie.hosts.connect
from conftest import Make
from reverie.workspace.layout import Layout

PLUGIN = Path(reverie.hosts.connect.__file__).with_name("openclaw") / "index.js"
pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="there is no node on this machine")
BOILER = "Who services the boiler?"


def host(layout: Layout, *asked: list[Any], config: dict[str, Any] | None = None, **settings: str) -> dict[str, Any]:
    program = layout.root.parent / "dream"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from reverie.surfaces.cli import main; main()" "$@"\n')
    program.chmod(0o755)
    given = {"settings": {"command": str(program), **settings}, "ask": asked, "config": config or {}}
    words = ["node", str(Path(__file__).with_name("plugin_host.mjs")), str(PLUGIN), json.dumps(given)]
    run = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"REVERIE_NOW": "2026-03-31T09:00"})
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)  # type: ignore[no-any-return]


def test_before_a_prompt_it_recalls_for_a_person_and_stays_silent_otherwise(workspace: Make) -> None:
    layout = workspace("# Me\n## House\n- The boiler is serviced by Okafor every October\n")
    where = {"trigger": "user", "workspaceDir": str(layout.root)}
    turns = [{"role": "user", "content": [{"type": "text", "text": "hello"}]}, {"role": "tool", "content": "x"}]
    asked, haiku, cron, flag = host(
        layout,
        ["hook", "before_prompt_build", {"currentUserMessage": BOILER, "prompt": "long", "messages": turns}, where],
        ["hook", "before_prompt_build", {"prompt": "Write a haiku about rain."}, where],
        ["hook", "before_prompt_build", {"prompt": BOILER}, {**where, "trigger": "cron"}],
        ["hook", "before_prompt_build", {"prompt": "--help; $(touch pwned) `x`"}, where],
    )["answers"]
    assert "Okafor" in asked["prependContext"] and (haiku, cron, flag) == (None, None, None)
    missing = host(layout, ["hook", "before_prompt_build", {"prompt": BOILER}, where], command="/nowhere/at/all")
    assert missing["answers"] == [None]


def test_dreaming_is_ours_where_the_hosts_own_plugin_does_not_hold_it(workspace: Make) -> None:
    layout = workspace()
    assert host(layout)["commands"] == ["reverie"]
    off = {"plugins": {"slots": {"memory": "none"}}}
    found = host(layout, *(["command", "dreaming", {"args": word}] for word in ("off", "--workspace=/", "")), config=off, workspace=str(layout.root))  # fmt: skip
    assert found["commands"] == ["dreaming", "reverie"] and all(said["text"] for said in found["answers"])
