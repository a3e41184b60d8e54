"""Which model is asked: by the owner's settings and environment, never by a workspace, and loaded when it is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reverie.core.errors import BadSettings
from reverie.core.settings import Mind
from reverie.models.choose import chosen_model
from reverie.surfaces.configure import configured


def test_nobody_is_asked_unless_the_owner_named_somebody() -> None:
    assert [chosen_model(Mind(kind=kind), {}) for kind in ("off", "agent")] == [None, None]


@pytest.mark.parametrize(
    ("environ", "identity"),
    [
        ({}, "openai:https://llm.example.org/v1:large"),
        ({"DREAM_MODEL": "openai:small"}, "openai:https://llm.example.org/v1:small"),
        ({"DREAM_MODEL": "ollama:qwen3:8b"}, "ollama:http://localhost:11434:qwen3:8b"),
        ({"DREAM_MODEL": "ollama:q", "DREAM_MODEL_URL": "http://u:p@gpu.local:1/?k=v"}, "ollama:http://gpu.local:1:q"),
        ({"DREAM_MODEL_URL": "https://other.example.org"}, "openai:https://other.example.org:large"),
        ({"DREAM_MODEL": "llamacpp:~/models/small.gguf"}, "llamacpp:small.gguf"),
        ({"DREAM_MODEL": "off"}, None),
    ],
)
def test_the_environment_names_a_model_over_the_settings(environ: dict[str, str], identity: str | None) -> None:
    chosen = chosen_model(Mind(kind="openai", url="https://llm.example.org/v1", model="large"), environ)

    assert (chosen.identity if chosen else None) == identity


def test_a_kind_that_nobody_knows_is_an_error_of_the_settings() -> None:
    with pytest.raises(BadSettings, match="it can be off, agent, openai"):
        chosen_model(Mind(), {"DREAM_MODEL": "oracle:delphi"})
    with pytest.raises(BadSettings, match="never closed"):
        chosen_model(Mind(), {"DREAM_MODEL": "command:echo 'x"})


def test_the_owner_names_a_model_and_a_workspace_may_not(tmp_path: Path) -> None:
    home, root = tmp_path / "home" / ".config" / "reverie", tmp_path / "agent"
    home.mkdir(parents=True)
    root.mkdir()
    environ = {"HOME": str(tmp_path / "home")}

    assert configured(root, environ).model is None
    (home / "reverie.toml").write_text('[model]\nkind = "ollama"\nmodel = "small"\n')
    found = configured(root, environ)
    assert found.model and found.model.identity == "ollama:http://localhost:11434:small"
    over = configured(root, {**environ, "DREAM_MODEL": "command:claude -p"})
    assert over.settings.model.command == ("claude", "-p")

    for line in ('kind = "command"', 'command = ["sh"]', 'url = "https://x.example.org"', 'key_variable = "HOME"'):
        (root / "reverie.toml").write_text(f"[model]\n{line}\n")
        with pytest.raises(BadSettings, match="a workspace may not decide"):
            configured(root, environ)


def test_a_workspace_with_a_model_loads_none_of_it_before_it_is_asked(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from reverie.surfaces.configure import configured;"
        f"w = configured(pathlib.Path({str(tmp_path)!r}), {{'DREAM_MODEL': 'openai:m', 'HOME': {str(tmp_path)!r}}});"
        "assert w.model; print([n for n in sys.modules if n.startswith(('reverie.models.', 'urllib.request'))])"
    )

    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "['reverie.models.choose']", "who is meant is known; no provider is loaded"
