"""Reverie gives an AI agent's Markdown memory a night's sleep.

    from reverie import open_workspace, review

    workspace = open_workspace("~/.openclaw/workspace")
    print(review(workspace, dry_run=True).done)

Everything here takes the workspace that `open_workspace` returns, and the time as `now`, which is the present by default.
What is named here stays; everything else may change.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.errors import ReverieError
    from reverie.face import (
        answer,
        answer_cards,
        brief,
        forget,
        inbox,
        init,
        note,
        open_workspace,
        review,
        runs,
        show,
        status,
        undo,
        undo_to,
        why,
    )

__all__ = [
    "ReverieError",
    "answer",
    "answer_cards",
    "brief",
    "forget",
    "inbox",
    "init",
    "note",
    "open_workspace",
    "review",
    "runs",
    "show",
    "status",
    "undo",
    "undo_to",
    "why",
]


def __getattr__(name: str) -> Any:
    """What is asked for is loaded then: a program that needs one function waits for no other."""
    if name in __all__:
        return getattr(import_module("reverie.errors" if name == "ReverieError" else "reverie.face"), name)
    raise AttributeError(f"module 'reverie' has no attribute {name!r}")
