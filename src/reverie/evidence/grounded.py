"""The grounded lane of the recall store: lines of old notes, staged by a backfill and taken back by a rollback.

They have keys of their own and a counter of their own (`groundedCount`) in our own store, so live recall is never
touched, and the peer's store is not even opened. Whoever ranks joins both by their words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.core.layout import RECALLS, STATE_DIR
from reverie.evidence.fold import replace_state, stamp_of, store_in, words_hash
from reverie.evidence.steps import Steps, alone, make_real_folder, read_plain
from reverie.workspace.concepts import GROUNDED_QUERY, claim_hash, query_hash

LANE = "memory:grounded:"
LASTING, CANDIDATE = "lasting-update", "candidate"
_WORTH = {LASTING: (0.92, 2), CANDIDATE: (0.82, 1)}  # score and signals, as the peer records them
_FRAME = frozenset({"version", "entries"})


@dataclass(frozen=True, slots=True)
class OldLine:
    """A line of an old note that may still matter: where it stands, what it says, and how sure that is."""

    path: str
    first: int
    last: int
    day: str
    snippet: str
    kind: str = CANDIDATE


def stage_grounded(root: Path, lines: Iterable[OldLine], now: datetime, steps: Steps | None = None) -> tuple[int, int]:
    """Put these lines in the lane instead of all earlier ones: (how many stand there now, how many stood there)."""
    fresh: dict[str, Any] = {}
    for line in lines:
        _count(fresh, line, stamp_of(now))
    return len(fresh), _changed(root, fresh, steps)


def unstage_grounded(root: Path, steps: Steps | None = None) -> int:
    """Empty the lane; how many lines stood in it."""
    return _changed(root, {}, steps)


def _count(entries: dict[str, Any], line: OldLine, at: str) -> None:
    score, signals = _WORTH[line.kind]
    key = LANE + claim_hash(line.snippet)
    entry = entries.setdefault(key, {
        "key": key, "path": line.path, "startLine": line.first, "endLine": line.last, "source": "memory",
        "snippet": "", "recallCount": 0, "dailyCount": 0, "groundedCount": 0,
        "totalScore": 0.0, "maxScore": 0.0, "firstRecalledAt": at, "lastRecalledAt": at, "queryHashes": [],
        "recallDays": [], "conceptTags": [], "userQueryHashes": [], "claimHash": words_hash(line.snippet),
    })  # fmt: skip
    if line.day in entry["recallDays"]:
        return
    entry["groundedCount"] += signals
    entry["totalScore"] = round(entry["totalScore"] + score * signals, 6)
    entry["maxScore"] = max(entry["maxScore"], score)
    entry["queryHashes"] = sorted({*entry["queryHashes"], query_hash(GROUNDED_QUERY + line.kind)})
    entry["recallDays"] = sorted({*entry["recallDays"], line.day})
    entry["path"], entry["startLine"], entry["endLine"] = line.path, line.first, line.last  # where it was said last


def _changed(root: Path, fresh: dict[str, Any], steps: Steps | None) -> int:
    """Replace the lane under the store's lock. A store that holds nothing else goes away with it."""
    steps = steps or Steps()
    if not fresh and not (root / RECALLS).exists():
        return 0
    folder = make_real_folder(root, STATE_DIR, steps)
    with alone(folder / "fold.lock"):
        store = store_in(read_plain(root / RECALLS))
        old = {key: value for key, value in store["entries"].items() if key.startswith(LANE)}
        if old == fresh:
            return len(old)
        store["entries"] = {key: value for key, value in store["entries"].items() if key not in old} | fresh
        if store["entries"] or not set(store) <= _FRAME:
            replace_state(folder, RECALLS, store, steps)
        else:
            (root / RECALLS).unlink()
            steps.sync_folder(folder)
    return len(old)
