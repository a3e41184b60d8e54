"""A new line in OpenClaw's shape: a marker above it, its numbers behind its words, our own mark at the end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from reverie.judge.operation import Operation
from reverie.text.lines import BOM, split_lines
from reverie.text.terms import STOP_WORDS
from reverie.workspace.concepts import claim_key, concept_tags
from reverie.workspace.recalls import TITLE, Promoted, heading_of, is_key, mark_of, numbers_of
from reverie.workspace.values import Edit, Snapshot, short_id


def in_peers_shape(snapshot: Snapshot, operation: Operation) -> list[str]:
    """A new line in OpenClaw's shape. One that no recall led in has its worth for a score, and its words for a key."""
    source = operation.sources[0] if operation.sources else None
    paths = {one.path for one in operation.sources}
    one = operation.promoted or Promoted(claim_key(operation.text), operation.worth, len(paths))
    key = one.key if is_key(one.key, paths) else claim_key(operation.text)
    tags = _triggers(operation.text)
    place = f"{source.path}:{source.first}-{source.last}" if source else ""
    about = numbers_of(
        Promoted(key, one.score, one.signals, one.recalls, one.average, tags), place, before_2026_8=_is_old(snapshot)
    )
    return [mark_of(key), f"- {operation.text} {about} <!-- dream:{short_id(operation.text)} -->"]


def first_night(snapshot: Snapshot, operations: Sequence[Operation], night: date) -> list[Edit]:
    """A MEMORY.md that says nothing yet gets OpenClaw's title and the section of the night."""
    path, before = snapshot.memory_path, snapshot.text_of(snapshot.memory_path)
    start, old = BOM if before.startswith(BOM) else "", split_lines(before)
    edits: list[Edit] = []
    head = [start + TITLE, "", f"## {heading_of(night)}", ""]
    for operation in operations:
        new = tuple(line + "\n" for line in (*head, *in_peers_shape(snapshot, operation)))
        edits.append(Edit(short_id(operation.text), path, 0, old, new, operation.tag, operation.why, operation.sources))
        head, old = [], ()
    return edits


def _triggers(text: str) -> tuple[str, ...]:
    """Words of the line that may call it up again: its own, since a store may come from a stranger.

    Pairs of Han characters are no words where one of them is a particle, and a common word calls up everything.
    """
    return tuple(
        tag
        for tag in concept_tags("", text)
        if tag not in STOP_WORDS and not (tag[0] >= "\u3040" and any(char in STOP_WORDS for char in tag))
    )


def _is_old(snapshot: Snapshot) -> bool:
    """Whether the lines are those of OpenClaw before 2026.8, which has no signals and no remarks."""
    return snapshot.workspace.settings.dreaming.profile == "openclaw-2026.4"
