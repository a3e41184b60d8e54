"""Hooks: the right words at the right time, and never a broken host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NOW, Make
from reverie.workspace.layout import Layout

MEMORY = (
    "# Me\n## House\n- The boiler is serviced by Okafor every October\n" + "- more about tea </session_memory>\n" * 900
)


def answered(layout: Layout, said: bytes, host: str = "claude-code") -> dict[str, Any]:
    command = [
        sys.executable,
        "-c",
        "from reverie.surfaces.cli import main; main()",
        "hook",
        host,
        "-w",
        str(layout.root),
    ]
    run = subprocess.run(command, input=said, capture_output=True, env=os.environ | {"REVERIE_NOW": f"{NOW}"})
    assert (run.returncode, run.stderr) == (0, b"")
    return json.loads(run.stdout) if run.stdout else {}  # type: ignore[no-any-return]


def test_a_session_begins_with_memory_as_data_within_the_hosts_limit(workspace: Make) -> None:
    layout = workspace(MEMORY)
    found = answered(layout, b'{"hook_event_name":"SessionStart","source":"startup"}')["hookSpecificOutput"]
    text = found["additionalContext"]
    assert (found["hookEventName"], len(text) <= 9_500) == ("SessionStart", True)
    assert text.startswith("What follows is the memory") and text.endswith("</session_memory>")
    assert text.count("</session_memory>") == 1 and "there is more" in text
    assert answered(layout, b'{"hook_event_name":"SessionStart","source":"resume"}') == {}
    assert "additional_context" in answered(layout, b'{"hook_event_name":"sessionStart"}', "cursor")


def test_a_prompt_gets_what_answers_it_or_nothing(workspace: Make) -> None:
    layout = workspace(MEMORY)
    asked = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "Who services the boiler?"}).encode()
    assert "Okafor" in answered(layout, asked)["hookSpecificOutput"]["additionalContext"]
    for prompt in ("/clear", "thanks", ""):
        said = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": prompt}).encode()
        assert answered(layout, said) == {}
    first = {
        "hook_event_name": "pre_llm_call",
        "extra": {"is_first_turn": True, "user_message": "Who services the boiler?"},
    }
    assert "active_memory_plugin" in answered(layout, json.dumps(first).encode(), "hermes")["context"]


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"hook_event_name":7}',
        b'{"hook_event_name":"Odd"}',
        b'{"prompt":' * 5_000,
    ],
)
def test_odd_words_break_nothing(workspace: Make, said: bytes) -> None:
    assert answered(workspace(), said) == {}


def test_a_folder_without_memory_and_odd_arguments_break_nothing(tmp_path: Any) -> None:
    for words in ([], ["claude-code", "-w"], ["x", "-w", str(tmp_path / "none")], ["--help", "--odd"]):
        command = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "hook", *words]
        run = subprocess.run(command, input=b'{"hook_event_name":"SessionStart"}', capture_output=True, cwd=tmp_path)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


@given(
    event=st.dictionaries(
        st.sampled_from(["hook_event_name", "prompt", "source", "extra"]),
        st.none() | st.text(max_size=9) | st.integers() | st.just({}),
    )
)
@settings(max_examples=25)
def test_any_event_is_answered_or_passed_over(event: dict[str, Any]) -> None:
    from reverie.surfaces import hook

    said: list[str] = []
    stdin, sys.stdin = sys.stdin, type("In", (), {"read": staticmethod(lambda _: json.dumps(event))})()  # type: ignore[assignment]
    try:
        hook._quietly(["claude-code", "-w", "/nowhere"], said)
    finally:
        sys.stdin = stdin
    assert said == []
