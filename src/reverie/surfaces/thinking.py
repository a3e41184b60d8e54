"""The model that the owner named, made when it is first asked something.

Most commands ask no model, so a workspace carries this instead of the real one, which loads the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from reverie.core.model_calls import Ask, Reply
from reverie.core.ports import Model
from reverie.core.settings import Mind
from reverie.models.choose import NOBODY, named_model
from reverie.workspace.values import Workspace


class ChosenModel:
    """Stands for the model of the settings; the same identity, the same answers."""

    def __init__(self, settings: Mind, environ: Mapping[str, str]) -> None:
        self._settings, self._environ = settings, environ

    @cached_property
    def _real(self) -> Model:
        from reverie.models.choose import chosen_model  # urllib, a process or machine code

        chosen = chosen_model(self._settings, self._environ)
        assert chosen is not None, "an owner who wants no model gets none of these"
        return chosen

    @property
    def identity(self) -> str:
        return self._real.identity

    def ask(self, ask: Ask, seconds: float) -> Reply:
        return self._real.ask(ask, seconds)


def with_models(workspace: Workspace, environ: Mapping[str, str]) -> Workspace:
    """A workspace with the model that is meant."""
    meant = named_model(workspace.settings.model, environ)
    settings = replace(workspace.settings, model=meant)
    if meant.kind in NOBODY:
        return replace(workspace, settings=settings)
    return replace(workspace, settings=settings, model=ChosenModel(meant, environ))
