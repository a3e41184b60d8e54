"""The hosts' real programs as clients of `dream mcp`, before a server of ours that plays their model.

HOST_PROGRAMS=… pytest tests/models/test_real_mcp_clients.py, as in test_real_hosts.py
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from host_homes import at_home, needed
from vendors import Call, speaking

from conftest import Build

ASK = "What do you know about the lathe?"
LATHE = "The lathe runs at 900 rpm."
MEMORY = f"# Workshop\n\n- {LATHE}\n"
DONE = "It runs at 900 rpm."
ONCE = {  # a question of somebody who waits for the answer and nothing more
    "claude": [
        "claude",
        "-p",
        ASK,
        "--tools",
        "",
        "--strict-mcp-config",
        "--mcp-config",
        ".claude.json",
        "--allowedTools",
        "mcp__own__memory_search",
    ],
    "codex": ["codex", "exec", "--skip-git-repo-check", "-c", "mcp_servers.own.required=true", ASK],
    "gemini": ["gemini", "-p", ASK, "--approval-mode", "yolo"],
    "opencode": ["opencode", "run", ASK],
}
LISTED = {
    "claude": "Connected",
    "gemini": "Connected",
    "opencode": "connected",
    "codex": "enabled",
}  # codex asks nobody

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("loopback")]


@pytest.mark.parametrize("kind", ONCE)
def test_a_real_client_connects_lists_our_tools_and_calls_one(kind: str, build: Build, tmp_path: Path) -> None:
    needed(kind)
    root, home = build({"MEMORY.md": MEMORY}).root, tmp_path / "home"
    home.mkdir()
    calls: list[str] = []

    def model(body: dict[str, Any]) -> str | Call:
        ours = next((name for name in offered(body) if name.endswith("memory_search")), "")
        if not ours or calls:
            return DONE
        calls.append(ours)
        return Call(ours, {"query": "lathe"})

    with speaking(model) as vendor:
        environ = at_home(kind, vendor, home, root) | {"GEMINI_CLI_TRUST_WORKSPACE": "true", "MCP_TIMEOUT": "60000"}
        listed, told = (said_by(words, environ, home) for words in ([kind, "mcp", "list"], ONCE[kind]))

    assert LISTED[kind] in listed, listed
    assert len(calls) == 1 and DONE in told, (told, vendor.tools())
    [heard] = {body for _, asked in vendor.asked if LATHE in (body := json.dumps(asked))} or [""]
    assert '"results' in heard.replace("\\", ""), told


def said_by(words: list[str], environ: dict[str, str], home: Path) -> str:
    none = subprocess.DEVNULL
    done = subprocess.run(
        words, env=environ, cwd=home, capture_output=True, text=True, timeout=150, stdin=none, check=False
    )
    return done.stdout + done.stderr


def offered(body: dict[str, Any]) -> Iterator[str]:
    """The tools that a question offers; those of a namespace with its name before them."""
    for tool in body.get("tools") or ():
        space = f"{tool['name']}::" if tool.get("type") == "namespace" else ""
        for one in tool.get("functionDeclarations") or tool.get("tools") or (tool.get("function") or tool,):
            yield f"{space}{one.get('name')}"
