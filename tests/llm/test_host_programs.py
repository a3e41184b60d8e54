"""The hosts' own programs as models: started as the table says, in an empty folder, with the question on their input."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from reverie.counsel import Ask, ModelTrouble, Status
from reverie.llm.choose import chosen_model
from reverie.llm.host_programs import PROGRAMS
from reverie.named_model import HOSTS
from reverie.setting_groups import Mind

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}, "required": ["operations"]}
QUESTION = Ask("night", "1", "You are the editor.", "<data>\n[n1] 她对榛子过敏\n</data>\n", SCHEMA)
ANSWER = '{"operations": []}'
STAND_IN = """#!/bin/sh
printf '%s\\n' "$@" > "$STAND_IN_DIR/words"
ls -A . > "$STAND_IN_DIR/folder"
cat > "$STAND_IN_DIR/question"
printf '%s' "$STAND_IN_SAYS"
"""
WRAPPED = {
    "claude": json.dumps({"type": "result", "result": ANSWER, "usage": {"input_tokens": 7, "output_tokens": 3}}),
    "gemini": json.dumps({"response": ANSWER, "stats": {}}),
    "openclaw": json.dumps({"result": {"payloads": [{"text": ANSWER}]}}),
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    for kind in HOSTS:
        program = tmp_path / "bin" / kind
        program.write_text(STAND_IN)
        program.chmod(0o755)
    return {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "STAND_IN_DIR": str(tmp_path)}


@pytest.mark.parametrize("kind", HOSTS)
def test_a_host_is_asked_on_its_input_in_an_empty_folder_and_its_answer_is_unwrapped(
    kind: str, environ: dict[str, str], tmp_path: Path
) -> None:
    model = chosen_model(Mind(kind=kind), {**environ, "STAND_IN_SAYS": WRAPPED.get(kind, ANSWER)})
    assert model is not None

    reply = model.ask(QUESTION, 20)

    assert (reply.text, model.identity) == (ANSWER, kind)
    assert "她对榛子过敏" in (tmp_path / "question").read_text() and (tmp_path / "folder").read_text() == ""
    assert "--model" not in (tmp_path / "words").read_text()


@pytest.mark.parametrize("kind", HOSTS)
def test_a_model_may_be_named(kind: str, environ: dict[str, str], tmp_path: Path) -> None:
    model = chosen_model(Mind(), {**environ, "DREAM_MODEL": f"{kind}:small", "STAND_IN_SAYS": ANSWER})
    assert model is not None

    model.ask(QUESTION, 20)

    assert "--model\nsmall\n" in (tmp_path / "words").read_text() and model.identity == f"{kind}:small"


def test_every_night_is_a_conversation_of_its_own(environ: dict[str, str], tmp_path: Path) -> None:
    model = chosen_model(Mind(kind="openclaw"), {**environ, "STAND_IN_SAYS": ANSWER})
    assert model is not None
    seen = set()
    for _ in range(2):
        model.ask(QUESTION, 20)
        seen.add((tmp_path / "words").read_text())

    assert len(seen) == 2


def test_tools_and_hooks_are_off_where_they_can_be() -> None:
    words = {kind: " ".join(command) for kind, (command, _) in PROGRAMS.items()}

    assert "--tools  --strict-mcp-config" in words["claude"] and "disableAllHooks" in words["claude"]
    assert "--sandbox read-only" in words["codex"] and "--extensions none" in words["gemini"]


def test_a_program_that_is_not_there_is_no_model(tmp_path: Path) -> None:
    model = chosen_model(Mind(kind="codex"), {"PATH": str(tmp_path)})
    assert model is not None

    with pytest.raises(ModelTrouble) as trouble:
        model.ask(QUESTION, 5)
    assert trouble.value.status is Status.NO_MODEL
