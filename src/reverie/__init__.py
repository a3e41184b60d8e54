"""Reverie gives an AI agent's Markdown memory a night's sleep.

    from reverie import dream, note, open_workspace, search

    workspace = open_workspace("~/.openclaw/workspace")
    note(workspace, "We decided to keep the ledger in PostgreSQL.")
    print([hit.claim.text for hit in search(workspace, "where is the ledger kept?").hits])
    print(dream(workspace, dry_run=True).plan.counts)

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.core.errors import ReverieError
    from reverie.core.ports import Clock, Embedder, FixedClock, HashEmbedder, Idle, ScriptedIdle, SystemClock, fixed
    from reverie.core.settings import Settings
    from reverie.features.forget.forget import Forgotten
    from reverie.features.note import Noted
    from reverie.features.recall.recall import Recalled
    from reverie.features.search import Answer, Hit
    from reverie.judge.operation import Operation
    from reverie.night.commands import apply_plan, init, list_runs, undo, why
    from reverie.night.night import Night, plan_dream, review
    from reverie.surfaces.configure import open_workspace
    from reverie.surfaces.library import dream, forget, note, recall, search
    from reverie.workspace.values import Edit, Notice, Plan, Run, Snapshot, Source, Statement, Workspace

_HOMES = {
    "features.search": ("Answer", "Hit"),
    "features.note": ("Noted",),
    "night.commands": ("apply_plan", "init", "list_runs", "undo", "why"),
    "night.night": ("Night", "plan_dream", "review"),
    "core.errors": ("ReverieError",),
    "features.forget.forget": ("Forgotten",),
    "judge.operation": ("Operation",),
    "workspace.values": ("Edit", "Statement", "Notice", "Plan", "Run", "Snapshot", "Source", "Workspace"),
    "core.ports": ("Clock", "Embedder", "FixedClock", "HashEmbedder", "Idle", "ScriptedIdle", "SystemClock", "fixed"),
    "features.recall.recall": ("Recalled",),
    "core.settings": ("Settings",),
    "surfaces.configure": ("open_workspace",),
    "surfaces.library": ("dream", "forget", "note", "recall", "search"),
}

__all__ = [
    "Answer",
    "Clock",
    "Edit",
    "Embedder",
    "FixedClock",
    "Forgotten",
    "HashEmbedder",
    "Hit",
    "Idle",
    "Night",
    "Noted",
    "Notice",
    "Operation",
    "Plan",
    "Recalled",
    "ReverieError",
    "Run",
    "ScriptedIdle",
    "Settings",
    "Snapshot",
    "Source",
    "Statement",
    "SystemClock",
    "Workspace",
    "apply_plan",
    "dream",
    "fixed",
    "forget",
    "init",
    "list_runs",
    "note",
    "open_workspace",
    "plan_dream",
    "recall",
    "review",
    "search",
    "undo",
    "why",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"reverie.{home}"), name)
    raise AttributeError(f"module 'reverie' has no name {name!r}")
