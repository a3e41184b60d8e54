"""What nights leave in the stores: which entries light and REM met, and which stand in MEMORY.md since when.

Each store changes under the lock of the fold, whole or not at all; a change that changes nothing writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.evidence.fold import replace_state, stamp_of, store_in, trim_signals
from reverie.evidence.steps import Steps, alone, make_real_folder, read_plain
from reverie.layout import RECALLS, SIGNALS, STATE_DIR
from reverie.recalls import PeerSignal, met

Entries = dict[str, Any]


def mark_promoted(root: Path, promoted: Mapping[str, str], now: datetime, steps: Steps | None = None) -> None:
    """Note which entries stand in MEMORY.md, and since when; an empty moment takes the note back (an undo did)."""

    def change(store: Entries) -> None:
        for key, at in promoted.items():
            entry = store["entries"].get(key)
            if isinstance(entry, dict) and at and "promotedAt" not in entry:
                entry["promotedAt"] = at
            elif isinstance(entry, dict) and not at:
                entry.pop("promotedAt", None)

    if promoted:
        changed(root, RECALLS, change, now, steps)


def reinforce(
    root: Path,
    signals: Mapping[str, PeerSignal],
    light: Iterable[str],
    rem: Iterable[str],
    now: datetime,
    steps: Steps | None = None,
) -> int:
    """Write down what light and REM met tonight, each entry once a phase; returns how many were new meetings."""
    met_tonight: dict[str, PeerSignal] = {}
    for phase, keys in (("light", light), ("rem", rem)):
        for key in keys:
            old = met_tonight.get(key) or signals.get(key)
            new = met(old, key, phase, now)
            if new != old:
                met_tonight[key] = new

    def change(store: Entries) -> None:
        store["entries"] |= {key: _signal(signal) for key, signal in sorted(met_tonight.items())}

    if met_tonight:
        changed(root, SIGNALS, change, now, steps)
    return len(met_tonight)


def changed(root: Path, path: str, change: Callable[[Entries], None], now: datetime, steps: Steps | None) -> None:
    """Change a store under its lock; a change that changes nothing writes nothing."""
    steps = steps or Steps()
    folder = make_real_folder(root, STATE_DIR, steps)
    with alone(folder / "fold.lock"):
        data = read_plain(root / path)
        before, store = store_in(data)["entries"], store_in(data)
        change(store)
        if store["entries"] == before:
            return
        store["updatedAt"] = stamp_of(now)
        replace_state(folder, path, store, steps)
        if path == RECALLS:
            trim_signals(folder, root, store, now, steps)


def _signal(signal: PeerSignal) -> dict[str, Any]:
    value: dict[str, Any] = {"key": signal.key, "lightHits": signal.light, "remHits": signal.rem}
    if signal.last_light:
        value["lastLightAt"] = stamp_of(signal.last_light)
    if signal.last_rem:
        value["lastRemAt"] = stamp_of(signal.last_rem)
    return value
