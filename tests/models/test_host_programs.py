"""The hosts' own programs as models: started as the table says, in an empty folder, with the question on their input."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reverie.core.model_calls import Ask, ModelTrouble, Status
from reverie.core.settings import HOST_PROGRAMS, Mind
from reverie.models.choose import chosen_model
from reverie.models.programs import PROGRAMS, CommandModel

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}, "required": ["operations"]}
QUESTION = Ask("night", "1", "You are the editor.", "<data>\n[n1] 她对榛子过敏\n</data>\n", SCHEMA)
ANSWER = '{"operations": []}'
STAND_IN = """#!/bin/sh
[ "$1" = session ] && printf '%s\\n' "$@" > "$STAND_IN_DIR/forgotten" && exit 0
printf '%s\\n' "$@" > "$STAND_IN_DIR/words"
find . -type f > "$STAND_IN_DIR/folder"
for state in tmp history; do
  mkdir -p "$STAND_IN_DIR/.gemini/$state/ours" && pwd > "$STAND_IN_DIR/.gemini/$state/ours/.project_root"
done
cat > "$STAND_IN_DIR/question"
printf '%s' "$STAND_IN_SAYS"
exit "${STAND_IN_ENDS:-0}"
"""


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)


COUNTED = {"input_tokens": 7, "output_tokens": 3}
# As the real programs print them, shortened: tests/models/test_real_hosts.py asks them.
WRAPPED = {
    "claude": json.dumps({"type": "result", "is_error": False, "result": ANSWER, "usage": COUNTED}),
    "codex": lines(
        {"type": "thread.started", "thread_id": "1"},
        {"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found."}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": ANSWER}},
        {"type": "turn.completed", "usage": COUNTED},
    ),
    "gemini": json.dumps(
        {"response": ANSWER, "stats": {"models": {"small": {"tokens": {"prompt": 7, "candidates": 3}}}}}, indent=1
    ),
    "opencode": lines(
        {"type": "step_start", "sessionID": "ses_1", "part": {"type": "step-start"}},
        {"type": "text", "sessionID": "ses_1", "part": {"type": "text", "text": ANSWER}},
        {
            "type": "step_finish",
            "part": {"type": "step-finish", "tokens": {"input": 5, "output": 3, "cache": {"read": 2}}},
        },
    ),
    "openclaw": json.dumps({"ok": True, "payloads": [{"text": ANSWER}], "usage": {"input": 7, "output": 3}}, indent=1),
}
IN_THE_FOLDER = {
    "gemini": {"./.gemini/settings.json", "./system.md"},
    "opencode": {"./opencode.json"},
    "openclaw": {"./dream.json"},
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    for kind in HOST_PROGRAMS:
        program = tmp_path / "bin" / kind
        program.write_text(STAND_IN)
        program.chmod(0o755)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text('[mcp_servers.notes]\ncommand = "notes"\n')
    (tmp_path / ".openclaw").mkdir()
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{}")
    return {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path), "STAND_IN_DIR": str(tmp_path)}


@pytest.mark.parametrize("kind", HOST_PROGRAMS)
def test_a_host_is_asked_on_its_input_in_a_folder_of_its_own_and_its_answer_is_unwrapped(
    kind: str, environ: dict[str, str], tmp_path: Path
) -> None:
    model = chosen_model(Mind(kind=kind), {**environ, "STAND_IN_SAYS": WRAPPED[kind]})
    assert model is not None

    reply = model.ask(QUESTION, 20)

    assert (reply.text, reply.tokens_in, reply.tokens_out, model.identity) == (ANSWER, 7, 3, kind)
    assert set((tmp_path / "folder").read_text().split()) == IN_THE_FOLDER.get(kind, set())
    assert "她对榛子过敏" in (tmp_path / "question").read_text()
    assert "--model" not in (tmp_path / "words").read_text()


@pytest.mark.parametrize("kind", HOST_PROGRAMS)
def test_a_model_may_be_named(kind: str, environ: dict[str, str], tmp_path: Path) -> None:
    model = chosen_model(Mind(), {**environ, "DREAM_MODEL": f"{kind}:small", "STAND_IN_SAYS": ANSWER})
    assert model is not None

    model.ask(QUESTION, 20)

    assert "--model\nsmall\n" in (tmp_path / "words").read_text() and model.identity == f"{kind}:small"


def test_a_program_that_asks_the_environment_where_it_is_hears_of_its_own_folder() -> None:
    """A shell would put it right by itself; opencode worked in the folder of whoever had started the night."""
    says = "import json, os; print(json.dumps({'operations': [os.environ['PWD'], os.getcwd()]}))"

    reply = CommandModel((sys.executable, "-c", says), environ={**os.environ, "PWD": "/elsewhere"}).ask(QUESTION, 20)

    told, real = json.loads(reply.text)["operations"]
    assert os.path.basename(told) == os.path.basename(real)


def test_no_conversation_stays_behind(environ: dict[str, str], tmp_path: Path) -> None:
    for kind in ("gemini", "opencode"):
        model = chosen_model(Mind(kind=kind), {**environ, "STAND_IN_SAYS": WRAPPED[kind]})
        assert model is not None
        (tmp_path / ".gemini" / "tmp" / "theirs").mkdir(parents=True, exist_ok=True)
        model.ask(QUESTION, 20)
        if kind == "gemini":
            assert [path.name for path in (tmp_path / ".gemini").glob("*/*")] == ["theirs"]

    assert (tmp_path / "forgotten").read_text().split() == ["session", "delete", "ses_1"]


def test_tools_hooks_servers_and_sessions_are_off_where_they_can_be(environ: dict[str, str]) -> None:
    programs = {kind: make(environ) for kind, make in PROGRAMS.items()}
    words = {kind: " ".join(program.words) for kind, program in programs.items()}

    assert all(word in words["claude"] for word in ("--tools  --strict", "disableAllHooks", "--no-session-persistence"))
    assert all(
        word in words["codex"] for word in ("shell_tool=false", "--ephemeral", "mcp_servers.notes.enabled=false")
    )
    assert json.loads(programs["gemini"].files[".gemini/settings.json"])["tools"] == {"core": []}
    assert json.loads(programs["opencode"].files["opencode.json"])["agent"]["dream"]["tools"] == {"*": False}
    ours = json.loads(programs["openclaw"].files["dream.json"])
    assert ours["tools"] == {"deny": ["*"]} and ours["$include"].endswith(".openclaw/openclaw.json")


@pytest.mark.parametrize(
    ("kind", "said", "status"),
    [
        ("claude", {"type": "result", "is_error": True, "result": "Not logged in"}, Status.FAILED),
        ("claude", {"type": "result", "is_error": True, "result": "API Error: 429"}, Status.RATE_LIMITED),
        ("codex", {"type": "turn.failed", "error": {"message": "You've hit your usage limit."}}, Status.RATE_LIMITED),
        ("opencode", {"type": "error", "error": {"name": "UnknownError"}}, Status.FAILED),
        ("openclaw", {"ok": False, "error": {"message": "no such model"}}, Status.FAILED),
    ],
)
@pytest.mark.parametrize("code", ["0", "1"])
def test_a_trouble_has_the_same_name_whatever_code_the_program_ends_with(
    kind: str, said: dict[str, Any], status: Status, code: str, environ: dict[str, str]
) -> None:
    model = chosen_model(Mind(kind=kind), {**environ, "STAND_IN_SAYS": json.dumps(said), "STAND_IN_ENDS": code})
    assert model is not None

    with pytest.raises(ModelTrouble) as trouble:
        model.ask(QUESTION, 20)
    assert trouble.value.status is status


def test_a_program_that_is_not_there_is_no_model(tmp_path: Path) -> None:
    model = chosen_model(Mind(kind="codex"), {"PATH": str(tmp_path)})
    assert model is not None

    with pytest.raises(ModelTrouble) as trouble:
        model.ask(QUESTION, 5)
    assert trouble.value.status is Status.NO_MODEL
