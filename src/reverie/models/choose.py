"""Which model is meant: the owner's table `[model]`, and what the environment says over it. Pure.

The model that the owner chose, by the settings and the environment. Loads a provider only when it is that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from reverie.core.errors import BadSettings
from reverie.core.ports import Model
from reverie.core.settings import Mind

HOSTS = (
    "claude",
    "codex",
    "gemini",
    "opencode",
    "openclaw",
)  # programs with a login of their own: `models/host_programs.py`
KINDS = ("openai", "anthropic", "ollama", "llamacpp", "command", *HOSTS)  # who can be asked
NOBODY = ("off", "agent")  # an agent is not asked: it asks us
_OF_A_KIND = ("url", "model", "key_variable", "command")  # what makes no sense for another kind


def named_model(settings: Mind, environ: Mapping[str, str]) -> Mind:
    """The table with DREAM_MODEL ("kind:name", or the kind alone) and DREAM_MODEL_URL laid over it."""
    said, url = environ.get("DREAM_MODEL", "").strip(), environ.get("DREAM_MODEL_URL", "").strip()
    if said:
        kind, _, name = said.partition(":")
        settings = _of_kind(settings, kind.strip().lower())
        if name.strip():
            settings = _of_name(settings, name.strip())
    return replace(settings, url=url) if url else settings


def _of_kind(settings: Mind, kind: str) -> Mind:
    if kind not in (*KINDS, *NOBODY):
        raise BadSettings(f"DREAM_MODEL names the kind {kind!r}; it can be {', '.join((*NOBODY, *KINDS))}.")
    if kind == settings.kind:
        return settings
    usual = {item.name: item.default for item in fields(Mind) if item.name in _OF_A_KIND}
    return replace(settings, kind=kind, **usual)  # type: ignore[arg-type]


def _of_name(settings: Mind, name: str) -> Mind:
    """What stands behind the colon: the name of a model, or the words of a command as a shell would part them."""
    if settings.kind != "command":
        return replace(settings, model=name)
    import shlex  # only for those who name a command

    try:
        return replace(settings, command=tuple(shlex.split(name)))
    except ValueError:
        raise BadSettings("DREAM_MODEL names a command with a quote that is never closed.") from None


_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "ollama": "OLLAMA_API_KEY"}


def chosen_model(settings: Mind, environ: Mapping[str, str]) -> Model | None:
    """The model to ask, or nothing where there is none to be asked.

    What is missing (a key, a package, weights) is said when it is asked, as a ModelTrouble.
    """
    meant = named_model(settings, environ)
    if meant.kind in NOBODY:
        return None
    name = meant.model
    if meant.kind == "llamacpp":
        from reverie.models.llamacpp import LlamaModel

        return LlamaModel(name)
    if meant.kind == "command":
        from reverie.models.command import CommandModel

        return CommandModel(meant.command, name, environ)
    if meant.kind in HOSTS:
        from reverie.models.host_programs import host_program

        return host_program(meant.kind, name, environ)
    variable = meant.key_variable or _KEYS[meant.kind]
    return _remote(meant, name, environ.get(variable, ""), variable)


def _remote(meant: Mind, name: str, key: str, variable: str) -> Model:
    if meant.kind == "anthropic":
        from reverie.models.anthropic import AnthropicModel

        return AnthropicModel(meant.url, name, key, variable)
    if meant.kind == "ollama":
        from reverie.models.ollama import OllamaModel

        return OllamaModel(meant.url, name, key, variable)
    from reverie.models.openai import OpenAIModel

    return OpenAIModel(meant.url, name, key, variable)
