"""Which model is meant: the owner's table `[model]`, and what the environment says over it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from reverie.errors import BadSettings
from reverie.setting_groups import Mind

HOSTS = (
    "claude",
    "codex",
    "gemini",
    "opencode",
    "openclaw",
)  # programs with a login of their own: `llm/host_programs.py`
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
