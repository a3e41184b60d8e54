"""The embedder that the owner's settings name, made when it is first asked something.

Most commands never embed anything, so a workspace carries this instead of the real one, which costs a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from reverie.core.ports import Embedder
from reverie.core.settings import Search


class ChosenEmbedder:
    """Stands for the embedder of the settings; the same identity, the same vectors."""

    def __init__(self, settings: Search, cache: Path, environ: Mapping[str, str]) -> None:
        self._settings, self._cache, self._environ = settings, cache, environ

    @cached_property
    def _real(self) -> Embedder:
        from reverie.features.search import chosen_embedder  # numpy and the tables

        chosen = chosen_embedder(self._settings, self._cache, self._environ)
        assert chosen is not None, "an owner who wants no embedder gets none of these"
        return chosen

    @property
    def identity(self) -> str:
        return self._real.identity

    @property
    def dimensions(self) -> int:
        return self._real.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        return self._real.embed(texts)
