"""`dream wakeup`: what was archived last, what the memory holds, what is new; and the system is awake again.

Nothing is deleted and nothing of the owner's changes: one word of state is written, and only if it said otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from reverie.apply.files import Disk
from reverie.apply.state import put_state
from reverie.core.errors import ReverieError
from reverie.core.layout import DREAM_STATE, LEDGER, REVIEWED, VAULT, Kind, place_of
from reverie.features.status import last_dream, said_in
from reverie.lang.messages import say
from reverie.plan.ledger import Archived, read_ledger, summary
from reverie.privacy.redact import shown
from reverie.text.lines import count_units
from reverie.text.sections import own_lines
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Origin, Snapshot, Statement, Workspace, to_bytes

LAST = 3  # entries of the ledger (seed 000)
LINES, LENGTH = 3, 100  # of each section, and of each line
_NIGHT = re.compile(
    r"^### (?P<at>\d{4}-\d{2}-\d{2} \d{2}:\d{2})\n(?P<counts>[^\n]+)\nMEMORY\.md chars: \d+ → \d+", re.M
)


@dataclass(frozen=True, slots=True)
class SectionShown:
    """A heading of MEMORY.md and what stands below it, shortened."""

    heading: str
    lines: tuple[str, ...]
    more: int  # statements that are not shown


@dataclass(frozen=True, slots=True)
class Awake:
    """What somebody who wakes wants to know first."""

    archived: tuple[Archived, ...]  # the newest last
    sections: tuple[SectionShown, ...]
    characters: int
    last_review: str
    last_night: str  # what the last night did, as the review log tells it
    new_notes: tuple[str, ...]  # notes that no night has judged
    edited: bool  # MEMORY.md is not as the last night left it
    state: str  # before we came
    restored: bool = False


def wakeup(workspace: Workspace, *, disk: Disk | None = None) -> Awake:
    """Look, and restore the active state."""
    seen = remembered(workspace)
    restored = seen.state != "active" and put_state(workspace, DREAM_STATE, "active", disk)
    return replace(seen, restored=restored)


def roused(workspace: Workspace) -> str:
    """Wake a hibernating memory for the conversation that begins, and say so (seed 000); empty where it is awake.

    Nobody's conversation waits for this: where the word cannot be written, the next one is told.
    """
    if said_in(workspace.vault / DREAM_STATE.removeprefix(VAULT)).lower() != "hibernating":
        return ""
    try:
        seen = wakeup(workspace)
    except (ReverieError, OSError):
        return ""
    last = [f"- [{one.id}] {one.archived[:10]} {shown(summary(one.content[0]))}" for one in seen.archived]
    held = [f"- {shown(part.heading)}: {len(part.lines) + part.more}" for part in seen.sections]
    parts = [say("roused.awake"), *([say("roused.archived"), *last] if last else [])]
    return "\n".join([*parts, say("roused.memory", size=seen.characters), *held])


def remembered(workspace: Workspace) -> Awake:
    """What the memory holds and what is new. Writes nothing."""
    snapshot = read_workspace(workspace)
    return Awake(
        archived=read_ledger(snapshot.text_of(LEDGER))[-LAST:],
        sections=tuple(_sections(snapshot)),
        characters=count_units(snapshot.text_of(snapshot.memory_path)),
        last_review=last_dream(workspace.vault),
        last_night=_last_night(snapshot),
        new_notes=tuple(file.path for file in unjudged(snapshot)),
        edited=_edited(snapshot),
        state=snapshot.text_of(DREAM_STATE).strip() or "active",
    )


def _sections(snapshot: Snapshot) -> Iterator[SectionShown]:
    """The owner's headings in their order, the file's name for what stands under none; what is protected is told first, our own Dream section not at all."""
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return
    ours = set(own_lines(memory.document))
    found: dict[str, list[Statement]] = {}
    for entry in memory.entries:
        if entry.origin is Origin.OWNER and entry.block.first not in ours and not entry.parents:
            found.setdefault(_heading(entry) or snapshot.memory_path, []).append(entry)
    for heading, entries in found.items():
        first = sorted(entries, key=lambda entry: not entry.protected)[:LINES]
        shown = sorted(first, key=lambda entry: entry.block.first)
        yield SectionShown(heading, tuple(summary(entry.text, LENGTH) for entry in shown), len(entries) - len(shown))


def _heading(entry: Statement) -> str:
    """The second heading from the top where there is one: the first is the file's title."""
    return entry.headings[min(1, len(entry.headings) - 1)] if entry.headings else ""


def _last_night(snapshot: Snapshot) -> str:
    """What the newest night of the review logs did."""
    logs = sorted(path for path, file in snapshot.files.items() if file.place.kind is Kind.REVIEW_LOG)
    for path in reversed([path for path in logs if path.startswith("vault:")]):
        nights = list(_NIGHT.finditer(snapshot.text_of(path).replace("\r\n", "\n")))
        if nights:
            return f"{nights[-1]['at']}: {nights[-1]['counts']}"
    return ""


def _edited(snapshot: Snapshot) -> bool:
    try:
        known = json.loads(snapshot.text_of(REVIEWED) or "{}").get("memory", {}).get("bytes")
    except (ValueError, AttributeError, RecursionError):
        return False
    return isinstance(known, int) and known != len(to_bytes(snapshot.text_of(snapshot.memory_path)))


def days_of(notes: tuple[str, ...]) -> tuple[date, ...]:
    """The days those notes are about, each once."""
    return tuple(sorted({day for path in notes if (day := place_of(path).day)}))
