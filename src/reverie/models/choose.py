"""Which model is meant: the owner's table `[model]`, and what the environment says over it. Loads a provider only when it is that one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from reverie.core.errors import BadSettings
from reverie.core.ports import Model
from reverie.core.settings import HOST_PROGRAMS, Mind
from reverie.lang.messages import say

_NOBODY = ("off", "agent")  # an agent is not asked: it asks us
_OF_A_KIND = ("url", "model", "key_variable", "command")  # what makes no sense for another kind
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "ollama": "OLLAMA_API_KEY"}


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
    known = next(item.metadata["choices"] for item in fields(Mind) if item.name == "kind")
    if kind not in known:
        raise BadSettings(say("model.unknown_kind", kind=kind, known=", ".join(known)))
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
        raise BadSettings(say("model.open_quote")) from None


def chosen_model(settings: Mind, environ: Mapping[str, str]) -> Model | None:
    """The model to ask, or nothing where there is none to be asked.

    What is missing (a key, a package, weights) is said when it is asked, as a ModelTrouble.
    """
    meant = named_model(settings, environ)
    if meant.kind in _NOBODY:
        return None
    if meant.kind == "llamacpp":
        from reverie.models.llamacpp import LlamaModel

        return LlamaModel(meant.model)
    if meant.kind == "command":
        from reverie.models.programs import CommandModel

        return CommandModel(meant.command, meant.model, environ)
    if meant.kind in HOST_PROGRAMS:
        from reverie.models.programs import host_program

        return host_program(meant.kind, meant.model, environ)
    from reverie.models import remote

    kinds = {"anthropic": remote.AnthropicModel, "ollama": remote.OllamaModel, "openai": remote.OpenAIModel}
    variable = meant.key_variable or _KEYS[meant.kind]
    return kinds[meant.kind](meant.url, meant.model, environ.get(variable, ""), variable)
