"""The model that the owner named, made when it is first asked something.

Most commands ask no model, so a workspace carries this instead of the real one, which loads the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from reverie.counsel import Ask, Reply
from reverie.named_model import NOBODY, named_model
from reverie.ports import Model
from reverie.setting_groups import Mind


class ChosenModel:
    """Stands for the model of the settings; the same identity, the same answers."""

    def __init__(self, settings: Mind, environ: Mapping[str, str], *, diary: bool = False) -> None:
        self._settings, self._environ, self._diary = settings, environ, diary

    @cached_property
    def _real(self) -> Model:
        from reverie.choosing import chosen_model  # urllib, a process or machine code

        chosen = chosen_model(self._settings, self._environ, diary=self._diary)
        assert chosen is not None, "an owner who wants no model gets none of these"
        return chosen

    @property
    def identity(self) -> str:
        return self._real.identity

    def ask(self, ask: Ask, seconds: float) -> Reply:
        return self._real.ask(ask, seconds)


def models_of(settings: Mind, environ: Mapping[str, str]) -> tuple[ChosenModel | None, ChosenModel | None]:
    """Stand-ins for the model to ask, and for the one that writes the diary where the owner named another for it."""
    meant = named_model(settings, environ)
    if meant.kind in NOBODY:
        return None, None
    return ChosenModel(meant, environ), ChosenModel(meant, environ, diary=True) if meant.diary_model else None
