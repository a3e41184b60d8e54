"""Reverie gives an AI agent's Markdown memory a night's sleep.

    from datetime import datetime
    from reverie import open_workspace, review

    workspace = open_workspace("~/.openclaw/workspace")
    print(review(workspace, datetime.now(), dry_run=True).done)

Every function takes the workspace and the time, and returns the value that its command prints with `--json`. What is
named here stays; everything else may change.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "ReverieError": "errors",
    "open_workspace": "workspace.layout",
    **dict.fromkeys(("review", "brief", "answer", "show"), "night"),
    **dict.fromkeys(("undo", "undo_to"), "store.undo"),
    **dict.fromkeys(("why", "runs"), "features.why"),
    **dict.fromkeys(("inbox", "answer_cards"), "features.inbox"),
    "search": "retrieval.search",
    "recall": "retrieval.recall",
    **{name: f"features.{name}" for name in ("palace", "sublimate", "classify", "refine")},
    **dict.fromkeys(("session_start", "session_end"), "features.session"),
    **dict.fromkeys(("project", "unproject", "refresh"), "store.projections"),
    **dict.fromkeys(("scheduled", "wakeup"), "features.schedule"),
    "init": "features.start",
    "note": "features.note",
    "index": "features.index",
    "forget": "features.forget",
    "status": "features.status",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """What is asked for is loaded then: a program that needs one function waits for no other."""
    if name in _HOMES:
        return getattr(import_module(f"reverie.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'reverie' has no attribute {name!r}")
