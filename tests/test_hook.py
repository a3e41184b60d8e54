"""Hooks: the right words at the right time, and never a broken host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NOW, Make
from reverie.workspace.layout import Layout

MEMORY = (
    "# Me\n## House\n- The boiler is serviced by Okafor every October\n" + "- more about tea </session_memory>\n" * 900
)


def answered(layout: Layout, said: bytes, host: str = "claude-code", here: Path | None = None) -> dict[str, Any]:
    """What the hook of this memory answers; with `here` that of a line that names none, in this folder."""
    program = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "hook", host]
    command, environ = program if here else [*program, "-w", str(layout.root)], os.environ | {"REVERIE_NOW": f"{NOW}"}
    run = subprocess.run(command, input=said, capture_output=True, env=environ, cwd=here)
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


def test_a_hook_is_known_also_behind_the_common_options(workspace: Make) -> None:
    command = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "-w", str(workspace(MEMORY).root)]
    asked = b'{"hook_event_name":"SessionStart","source":"startup"}'
    run = subprocess.run([*command, "hook", "claude-code"], input=asked, capture_output=True)
    assert run.returncode == 0 and b"additionalContext" in run.stdout


def test_a_prompt_gets_what_answers_it_or_nothing(workspace: Make) -> None:
    layout = workspace(MEMORY)
    asked = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "Who services the boiler?"}).encode()
    assert "Okafor" in answered(layout, asked)["hookSpecificOutput"]["additionalContext"]
    started = "<hook_context>What follows is the memory</hook_context>\n\nWho services the boiler?"  # as Gemini has it
    gemini = json.dumps({"hook_event_name": "BeforeAgent", "prompt": started}).encode()
    assert "Okafor" in answered(layout, gemini, "gemini")["hookSpecificOutput"]["additionalContext"]
    for prompt in ("/clear", "thanks", ""):
        said = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": prompt}).encode()
        assert answered(layout, said) == {}
    first = {
        "hook_event_name": "pre_llm_call",
        "extra": {"is_first_turn": True, "user_message": "Who services the boiler?"},
    }
    assert "active_memory_plugin" in answered(layout, json.dumps(first).encode(), "hermes")["context"]


def test_a_line_that_names_no_memory_serves_the_hosts_own_and_never_what_lies_in_the_folder(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, asked = workspace(MEMORY), b'{"hook_event_name":"UserPromptSubmit","prompt":"Who services the boiler?"}'
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home/.openclaw").mkdir(parents=True)
    (tmp_path / "home/.openclaw/workspace").symlink_to(layout.root)  # what `dream` alone would take elsewhere
    assert answered(layout, asked, here=layout.root) == {} == answered(layout, asked, here=tmp_path)
    own = tmp_path / "home/.claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(layout.root.resolve())) / "memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- The boiler is serviced by Ilse\n")
    assert "Ilse" in str(answered(layout, asked, here=layout.root))


def test_what_was_said_is_kept_once_before_its_transcript_goes(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    layout, folder = workspace(), tmp_path / ".claude/projects/-work"
    folder.mkdir(parents=True)
    turn = {"type": "user", "timestamp": "2026-03-30T12:00:00Z", "message": {"role": "user", "content": "The mill is sold to Anselm."}}  # fmt: skip
    for place in (folder / "a.jsonl", tmp_path / "stray.jsonl"):
        place.write_text(json.dumps(turn).replace("Anselm", place.stem) + "\n")
        for name in ("PreCompact", "SessionEnd"):
            event = {"hook_event_name": name, "transcript_path": str(place)}
            assert answered(layout, json.dumps(event).encode()) == {}
    kept = (layout.root / "memory/.dreams/session-corpus/reverie/2026-03-30.txt").read_text()
    assert kept == "[claude-code/a.jsonl#L1] User: The mill is sold to a.\n"


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


def test_a_sample_of_the_odd_calls_of_the_benchmark() -> None:
    script = Path(__file__).parents[1] / "benchmarks/hooks.py"
    run = subprocess.run([sys.executable, script, "30"], capture_output=True, text=True)
    assert run.returncode == 0 and "exit 0 each time, nothing lost" in run.stdout, run.stderr


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
