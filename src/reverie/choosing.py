"""The door between surfaces and the providers of models: surfaces know no room."""

from __future__ import annotations

from reverie.llm.choose import chosen_model

__all__ = ["chosen_model"]
