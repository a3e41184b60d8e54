"""Reverie gives an AI agent's Markdown memory a night's sleep.

    from reverie import SystemClock, Workspace, open_workspace, review

    night = review(open_workspace("~/.openclaw/workspace"), SystemClock())
    print(night.plan.counts, night.run)

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.engine import Night, apply_plan, init, list_runs, plan_dream, review, undo, why
    from reverie.errors import ReverieError
    from reverie.model import Edit, Entry, Finding, Plan, Run, Snapshot, Source, Workspace
    from reverie.ports import Clock, FixedClock, SystemClock
    from reverie.settings import Settings
    from reverie.surfaces.configure import open_workspace

_HOMES = {
    "engine": ("Night", "apply_plan", "init", "list_runs", "plan_dream", "review", "undo", "why"),
    "errors": ("ReverieError",),
    "model": ("Edit", "Entry", "Finding", "Plan", "Run", "Snapshot", "Source", "Workspace"),
    "ports": ("Clock", "FixedClock", "SystemClock"),
    "settings": ("Settings",),
    "surfaces.configure": ("open_workspace",),
}

__all__ = [
    "Clock", "Edit", "Entry", "Finding", "FixedClock", "Night", "Plan", "ReverieError", "Run", "Settings", "Snapshot",
    "Source", "SystemClock", "Workspace", "apply_plan", "init", "list_runs", "open_workspace", "plan_dream", "review",
    "undo", "why",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"reverie.{home}"), name)
    raise AttributeError(f"module 'reverie' has no name {name!r}")
