"""The model that the owner chose, by the settings and the environment. Loads a provider only when it is that one."""

from __future__ import annotations

from collections.abc import Mapping

from reverie.named_model import HOSTS, NOBODY, named_model
from reverie.ports import Model
from reverie.setting_groups import Mind

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
        from reverie.llm.llamacpp import LlamaModel

        return LlamaModel(name)
    if meant.kind == "command":
        from reverie.llm.command import CommandModel

        return CommandModel(meant.command, name, environ)
    if meant.kind in HOSTS:
        from reverie.llm.host_programs import host_program

        return host_program(meant.kind, name, environ)
    variable = meant.key_variable or _KEYS[meant.kind]
    return _remote(meant, name, environ.get(variable, ""), variable)


def _remote(meant: Mind, name: str, key: str, variable: str) -> Model:
    if meant.kind == "anthropic":
        from reverie.llm.anthropic import AnthropicModel

        return AnthropicModel(meant.url, name, key, variable)
    if meant.kind == "ollama":
        from reverie.llm.ollama import OllamaModel

        return OllamaModel(meant.url, name, key, variable)
    from reverie.llm.openai import OpenAIModel

    return OpenAIModel(meant.url, name, key, variable)
