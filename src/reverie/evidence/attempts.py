"""The record of every try to dream, one line each, also of those that changed nothing or failed: the proof of life.

What a try came to is one word (`Outcome`). Only a change of MEMORY.md is a success; a night that read nothing, kept nothing,
or did again what the last one did says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.errors import RefusedFile
from reverie.core.layout import ATTEMPTS, STATE_DIR, holds_memory
from reverie.evidence.state_files import Steps, json_lines, make_real_folder, read_plain, replace_file
from reverie.lang.messages import said_with, say
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
    health: int = -1  # the score of the memory after it; -1: nobody looked

    @property
    def moment(self) -> datetime | None:
        """When it was, as a moment that can be compared; None where the record does not tell."""
        try:
            found = datetime.fromisoformat(self.at)
            return found if found.tzinfo else found.astimezone()
        except (ValueError, OverflowError):
            return None


def night_outcome(plan: Plan, last: Attempt | None, *, material: int, fresh: int, run: str, proposed: bool) -> Outcome:
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
        if holds_memory(edit.path) and edit.tag in plan.counts
    )
    return hashlib.sha256("\1".join(did).encode("utf-8", "replace")).hexdigest()[:16] if did else ""


def without_quotes(message: str) -> str:
    """A sentence about an error without the owner's words in it: what is kept for long must not hold them."""
    from reverie.privacy.redact import shown  # patterns by the hundred, which a glance at old nights does without

    return re.sub(r"“[^”]*”|'[^']{20,}'", "“…”", shown(message))[:300]


def as_dict(one: Attempt) -> dict[str, Any]:
    value = {part.name: getattr(one, part.name) for part in fields(one)}
    numbers = {"counts": dict(one.counts), "refused": dict(one.refused), "seconds": round(one.seconds, 2)}
    return value | numbers | {name: value[name] or None for name in ("run", "error", "message")}


def from_dict(value: Mapping[str, Any]) -> Attempt:
    """An attempt as it was kept; raises KeyError, TypeError or ValueError for anything else."""
    texts: dict[str, Any] = {name: str(value[name] or "") for name in ("at", "by", "run", "did", "error", "message")}
    numbers: dict[str, Any] = {name: int(value[name]) for name in ("read", "fresh", "unread")}
    numbers["health"] = int(value.get("health", -1))  # nights of before did not look
    counts, refused = (
        MappingProxyType({str(key): int(number) for key, number in dict(value[name]).items()})
        for name in ("counts", "refused")
    )
    outcome, seconds = Outcome(value["outcome"]), float(value["seconds"])
    return Attempt(outcome=outcome, seconds=seconds, counts=counts, refused=refused, **texts, **numbers)


def headline(one: Attempt) -> str:
    """What a person who called for the night is told first; empty where the night speaks for itself."""
    match one.outcome:
        case Outcome.CHANGED:
            return say("attempt.changed")
        case Outcome.KEPT_NOTHING:
            return say("attempt.kept_nothing", notes=say("attempt.notes", n=one.fresh), left_out=_left_out(one))
        case Outcome.READ_NOTHING:
            return say("attempt.read_nothing")
        case Outcome.REPEATED:
            return say("attempt.repeated")
        case Outcome.NOTHING_NEW if one.run:  # MEMORY.md itself was looked at, and is well
            return say("attempt.nothing_new")
    return ""


def _left_out(one: Attempt) -> str:
    most = sorted(one.refused.items(), key=lambda pair: (-pair[1], pair[0]))[:4]
    reasons = say("attempt.comma").join(f"{number} {said_with('codes', why)}" for why, number in most)
    return say("attempt.left_out", reasons=reasons) if most else ""


def in_a_row(attempts: Sequence[Attempt], outcome: Outcome) -> int:
    """How many of the newest attempts ended like this, one after the other."""
    return sum(1 for _ in takewhile(lambda one: one.outcome is outcome, reversed(attempts)))


MOST = 400  # more than a year of nights


def record(root: Path, attempt: Attempt, steps: Steps | None = None) -> None:
    """Add one line, the oldest leaving when there are too many. A folder that cannot be written loses a trace, no more."""
    steps = steps or Steps()
    lines = [json.dumps(as_dict(one)) for one in (*attempts(root), attempt)][-MOST:]
    with suppress(OSError, RefusedFile):
        make_real_folder(root, STATE_DIR, steps)
        replace_file(root / ATTEMPTS, ("\n".join(lines) + "\n").encode(), steps)


def attempts(root: Path) -> tuple[Attempt, ...]:
    """The tries so far, oldest first; a line that cannot be read is passed over."""
    try:
        data = read_plain(root / ATTEMPTS)
    except (OSError, RefusedFile):
        return ()
    found = []
    for line in json_lines(data):
        with suppress(ValueError, KeyError, TypeError):
            found.append(from_dict(line))
    return tuple(found)
