"""What nights leave in our stores: which entries light and REM met, and which stand in MEMORY.md since when.

Each store changes under the lock of the fold, whole or not at all; a change that changes nothing writes nothing. What is
noted about an entry of the peer's stands in our store under its key, and reading adds it to what the peer counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.core.layout import RECALLS, SIGNALS, STATE_DIR
from reverie.evidence.fold import replace_state, stamp_of, store_in, trim_signals, words_hash
from reverie.evidence.steps import Steps, alone, make_real_folder, read_plain
from reverie.workspace.concepts import claim_hash
from reverie.workspace.recalls import PeerRecall, PeerSignal, met

Entries = dict[str, Any]
_COUNTS = ("recallCount", "dailyCount", "groundedCount")


def mark_promoted(
    root: Path,
    promoted: Mapping[str, str],
    now: datetime,
    steps: Steps | None = None,
    *,
    known: Mapping[str, PeerRecall] | None = None,
) -> None:
    """Note which entries stand in MEMORY.md, and since when; an empty moment takes the note back (an undo did).

    `known` are all entries, the peer's too: one that is not in our store gets its mark there, and counts nothing.
    """
    known = known or {}

    def change(store: Entries) -> None:
        entries = store["entries"]
        for key, at in promoted.items():
            if at and key not in entries and key in known:
                entries[key] = _place_of(known[key], at)
            entry = entries.get(key)
            if isinstance(entry, dict) and at and "promotedAt" not in entry:
                entry["promotedAt"] = at
            elif isinstance(entry, dict) and not at:
                entry.pop("promotedAt", None)
                if not any(entry.get(name) for name in _COUNTS):
                    del entries[key]  # it was nothing but a mark

    if promoted:
        changed(root, RECALLS, change, now, steps)


def _place_of(entry: PeerRecall, at: str) -> Entries:
    """An entry of the peer's as we keep a mark for it: where it stands, without a signal and without its words."""
    return {
        "key": entry.key, "path": entry.path, "startLine": entry.first, "endLine": entry.last, "source": "memory",
        "snippet": "", **dict.fromkeys(_COUNTS, 0), "totalScore": 0.0, "maxScore": 0.0, "queryHashes": [],
        "recallDays": [], "conceptTags": [], "userQueryHashes": [], "promotedAt": at,
        "claimHash": entry.claim or claim_hash(entry.snippet), "wordsHash": words_hash(entry.snippet),
    }  # fmt: skip


def reinforce(
    root: Path,
    signals: Mapping[str, PeerSignal],
    light: Iterable[str],
    rem: Iterable[str],
    now: datetime,
    steps: Steps | None = None,
) -> int:
    """Write down what light and REM met tonight, each entry once a phase; returns how many were new meetings.

    `signals` are all that is known, the peer's too; what is written is what tonight adds to ours.
    """
    met_tonight: dict[str, PeerSignal] = {}
    for phase, keys in (("light", light), ("rem", rem)):
        for key in keys:
            old = met_tonight.get(key) or signals.get(key)
            new = met(old, key, phase, now)
            if new != old:
                met_tonight[key] = new

    def change(store: Entries) -> None:
        for key, new in sorted(met_tonight.items()):
            old, ours = signals.get(key) or PeerSignal(key), store["entries"].get(key)
            store["entries"][key] = _grown(ours if isinstance(ours, dict) else {}, old, new)

    if met_tonight:
        changed(root, SIGNALS, change, now, steps)
    return len(met_tonight)


def let_go_unsaid(root: Path, said: Collection[str], now: datetime) -> bool:
    """Let go the entries that no note says any more: after a purge not even a hash of the words may stay."""
    gone: list[str] = []

    def change(store: Entries) -> None:
        gone.extend(key for key in store["entries"] if key not in said)
        for key in gone:
            del store["entries"][key]

    if (root / RECALLS).is_file():
        changed(root, RECALLS, change, now, None)
    return bool(gone)


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
        trim_signals(folder, root, set(before) - set(store["entries"]) if path == RECALLS else (), now, steps)


def _grown(ours: Mapping[str, Any], old: PeerSignal, new: PeerSignal) -> dict[str, Any]:
    """Our part of a signal after tonight: one meeting more for each phase that met it."""
    value: dict[str, Any] = {"key": new.key}
    for name, more in (("lightHits", new.light - old.light), ("remHits", new.rem - old.rem)):
        known = ours.get(name)
        value[name] = (known if isinstance(known, int) else 0) + more
    for name, last, known_last in (
        ("lastLightAt", new.last_light, old.last_light),
        ("lastRemAt", new.last_rem, old.last_rem),
    ):
        if last is not None and last != known_last:
            value[name] = stamp_of(last)
        elif name in ours:
            value[name] = ours[name]
    return value
