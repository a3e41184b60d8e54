"""What one try to dream came to, in one word: the proof of life. Only a change of MEMORY.md is a success.

A night that read nothing, kept nothing, or did again what the last one did says so.

The record of every try to dream, one line each, under `memory/.dreams`: also of those that changed nothing or failed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.errors import RefusedFile
from reverie.core.layout import ATTEMPTS, STATE_DIR, TEMPORARY
from reverie.evidence.state_files import Steps, make_real_folder, read_plain
from reverie.privacy.redact import shown
from reverie.workspace.values import Plan


class Outcome(StrEnum):
    CHANGED = "changed"  # MEMORY.md changed
    KEPT_NOTHING = "kept nothing"  # there was something new, and none of it was worth keeping
    NOTHING_NEW = "nothing new"  # everything had been read before
    READ_NOTHING = "read nothing"  # there is neither a memory nor a note
    REPEATED = "repeated"  # the same changes as last time: somebody takes them back
    PROPOSED = "proposed"  # it waits for the owner's word
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try, as it is kept: numbers and reasons, no word of the owner's."""

    at: str
    by: str  # who wanted it: the owner, or the schedule
    outcome: Outcome
    read: int = 0  # files
    fresh: int = 0  # notes that no night had judged
    unread: int = 0  # files that were refused
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    run: str = ""
    seconds: float = 0.0
    did: str = ""  # a fingerprint of the changes
    error: str = ""  # the class of the error
    message: str = ""


def judged(plan: Plan, last: Attempt | None, *, material: int, fresh: int, run: str, proposed: bool) -> Outcome:
    """The one word for a night that did not fail. `material` counts memory and notes, `fresh` those nobody had judged."""
    if proposed:
        return Outcome.PROPOSED
    if not material:
        return Outcome.READ_NOTHING
    if run and plan.counts:
        return Outcome.REPEATED if last and last.did == fingerprint(plan) else Outcome.CHANGED
    return Outcome.KEPT_NOTHING if fresh else Outcome.NOTHING_NEW


def fingerprint(plan: Plan) -> str:
    """The same for the same changes of MEMORY.md, wherever in it they stand."""
    did = sorted(
        f"{edit.tag}\0{''.join(edit.old).strip()}\0{''.join(edit.new).strip()}"
        for edit in plan.edits
        if edit.path.lower() == "memory.md" and edit.tag in plan.counts
    )
    return hashlib.sha256("\1".join(did).encode("utf-8", "replace")).hexdigest()[:16] if did else ""


def without_quotes(message: str) -> str:
    """A sentence about an error without the owner's words in it: what is kept for long must not hold them."""
    return re.sub(r"“[^”]*”|'[^']{20,}'", "“…”", shown(message))[:300]


def as_dict(one: Attempt) -> dict[str, Any]:
    return {
        "at": one.at, "by": one.by, "outcome": str(one.outcome), "read": one.read, "fresh": one.fresh, "unread": one.unread,
        "counts": dict(one.counts), "refused": dict(one.refused), "run": one.run or None, "seconds": round(one.seconds, 2),
        "did": one.did, "error": one.error or None, "message": one.message or None,
    }  # fmt: skip


def from_dict(value: Mapping[str, Any]) -> Attempt:
    """An attempt as it was kept; raises KeyError, TypeError or ValueError for anything else."""
    return Attempt(
        at=str(value["at"]), by=str(value["by"]), outcome=Outcome(value["outcome"]), read=int(value["read"]),
        fresh=int(value["fresh"]), unread=int(value["unread"]), counts=_numbers(value["counts"]), refused=_numbers(value["refused"]),
        run=str(value["run"] or ""), seconds=float(value["seconds"]), did=str(value["did"]),
        error=str(value["error"] or ""), message=str(value["message"] or ""),
    )  # fmt: skip


def headline(one: Attempt) -> str:
    """What a person who called for the night is told first; empty where the night speaks for itself."""
    if one.outcome is Outcome.CHANGED:
        return "🌙 Distillation complete"
    if one.outcome is Outcome.KEPT_NOTHING:
        notes = f"{one.fresh} new note{'s' if one.fresh != 1 else ''} read"
        return f"🌙 Nothing was worth keeping: {notes}{_left_out(one)}."
    if one.outcome is Outcome.READ_NOTHING:
        return "There was nothing to read. Is this the right folder? `dream workspaces` lists those that are known."
    if one.outcome is Outcome.REPEATED:
        return "🌙 The same changes as last time: something puts the old MEMORY.md back."
    if one.outcome is Outcome.NOTHING_NEW and one.run:  # MEMORY.md itself was looked at, and is well
        return "🌙 MEMORY.md was read; nothing in it had to change."
    return ""


def _left_out(one: Attempt) -> str:
    if not one.refused:
        return ""
    most = sorted(one.refused.items(), key=lambda pair: (-pair[1], pair[0]))[:4]
    return "; left out: " + ", ".join(f"{number} {why}" for why, number in most)


def in_a_row(attempts: Sequence[Attempt], outcome: Outcome) -> int:
    """How many of the newest attempts ended like this, one after the other."""
    count = 0
    for one in reversed(attempts):
        if one.outcome is not outcome:
            break
        count += 1
    return count


def _numbers(value: Any) -> Mapping[str, int]:
    return MappingProxyType({str(key): int(number) for key, number in dict(value).items()})


MOST = 400  # more than a year of nights


def record(root: Path, attempt: Attempt, steps: Steps | None = None) -> None:
    """Add one line, the oldest leaving when there are too many. A folder that cannot be written loses a trace, no more."""
    steps = steps or Steps()
    try:
        folder = make_real_folder(root, STATE_DIR, steps)
        lines = [json.dumps(as_dict(one), ensure_ascii=True) for one in (*attempts(root), attempt)][-MOST:]
        fresh = folder / f".attempts{TEMPORARY}"
        steps.create(fresh, ("\n".join(lines) + "\n").encode(), 0o644)
        steps.sync(fresh)
        steps.move(fresh, root / ATTEMPTS)
    except (OSError, RefusedFile):
        return


def attempts(root: Path) -> tuple[Attempt, ...]:
    """The tries so far, oldest first; a line that cannot be read is passed over."""
    try:
        data = read_plain(root / ATTEMPTS) or b""
    except (OSError, RefusedFile):
        return ()
    found = []
    for line in data.split(b"\n"):
        try:
            found.append(from_dict(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return tuple(found)
