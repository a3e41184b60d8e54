"""Which model leads, and how much of it a night may use. The choice is the owner's: a flag, the environment, never a workspace."""

import os
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass

from reverie.errors import BadSettings, ModelFailed
from reverie.judge.brief import estimated_tokens
from reverie.models.programs import ask_preset, installed, presets, run
from reverie.models.remote import KEYS, ask_remote

CALLS, TOKENS, SECONDS, ONE = 40, 200_000, 1_200.0, 240.0  # of a night; seconds of one answer


@dataclass(frozen=True)
class Model:
    kind: str  # none, a program's name, openai, anthropic, ollama or command
    name: str = ""
    url: str = ""


def chosen(text: str = "") -> Model:
    """The model of a flag or of DREAM_MODEL: `claude`, `openai:gpt-5`, `ollama:llama3`, `command:my-model --json`, auto, none."""
    kind, _, name = (text or os.environ.get("DREAM_MODEL", "") or "none").partition(":")
    if kind == "auto":
        kind = next(iter(installed()), "none")
    if kind not in {"none", "command", *KEYS, *presets()} - {"files"}:
        known = ", ".join(sorted({"auto", "none", "command", *KEYS, *presets()} - {"files"}))
        raise BadSettings(f"{kind!r} is no kind of model; there are {known}.")
    if kind in {"anthropic", "ollama", "command"} and not name:
        raise BadSettings(f"Name the model as well: {kind}:NAME.")
    return Model(kind, name, os.environ.get("DREAM_MODEL_URL", ""))


def asking(model: Model) -> Callable[[str], str]:
    """One function from a prompt to an answer, within the caps of a night."""
    started, calls, tokens = time.monotonic(), 0, 0

    def ask(prompt: str) -> str:
        nonlocal calls, tokens
        calls, tokens = calls + 1, tokens + estimated_tokens(prompt)
        left = started + SECONDS - time.monotonic()
        if calls > CALLS or tokens > TOKENS or left <= 0:
            raise ModelFailed(
                f"A night asks a model at most {CALLS} times, {TOKENS:,} tokens and {SECONDS:.0f} seconds."
            )
        return _ask(model, prompt, min(ONE, left))

    return ask


def _ask(model: Model, prompt: str, seconds: float) -> str:
    if model.kind == "command":
        try:
            words = shlex.split(model.name)
        except ValueError:
            raise BadSettings(
                "The command of the model cannot be read; quote its words as a shell wants them."
            ) from None
        return run(words, prompt, seconds)
    if model.kind in KEYS:
        key = os.environ.get(KEYS[model.kind], "").strip()
        return ask_remote(model.kind, model.name, prompt, seconds, model.url, key)
    return ask_preset(model.kind, model.name, prompt, seconds)
