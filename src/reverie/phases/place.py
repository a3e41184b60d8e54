"""Into which section of MEMORY.md a new line belongs: the owner's section that speaks of the same things, else its area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reverie.claim import Evidence
from reverie.model import Snapshot
from reverie.phases.compose import plain_line
from reverie.protect import protected_blocks
from reverie.sections import CURRENT, LESSONS, PEOPLE, STABLE, Section, area_of, sections_of, statements_under

if TYPE_CHECKING:
    from reverie.phases.consider import Considered

_AREAS = {
    "person": PEOPLE, "project": CURRENT, "update": CURRENT, "schedule": STABLE, "decision": CURRENT, "lesson": LESSONS,
}  # fmt: skip
CLOSE = 0.5  # mean cosine of the three nearest lines from which a section speaks of the same things


def home_of(snapshot: Snapshot, one: Considered, evidence: Evidence) -> str:
    """A heading of the owner's, or one of `sections.AREAS`."""
    area = _AREAS.get(one.judged.kind, STABLE)
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return area
    open_sections = [section for section in sections_of(memory.document) if not _guarded(snapshot, section)]
    fits = [section for section in open_sections if area_of(section.heading) == area]
    near = _nearest(snapshot, open_sections, one.line, evidence)
    if near is not None:
        return near.heading
    return fits[0].heading if fits else area


def _guarded(snapshot: Snapshot, section: Section) -> bool:
    """A section that the owner protects is the owner's to extend."""
    memory = snapshot.files[snapshot.memory_path]
    shielded = protected_blocks(memory.document, snapshot.workspace.settings.protected_sections)
    return section.index in shielded


def _nearest(snapshot: Snapshot, sections: list[Section], line: str, evidence: Evidence) -> Section | None:
    if evidence.embedder is None:
        return None
    memory = snapshot.files[snapshot.memory_path]
    said = [
        (section, plain_line(block.text))
        for section in sections
        for block in statements_under(memory.document, section)
    ]
    if not said:
        return None
    rows = np.asarray(evidence.embedder.embed([text for _, text in said]))
    near = rows @ np.asarray(evidence.embedder.embed([line]))[0]
    best, chosen = CLOSE, None
    for section in sections:
        mine = sorted((float(near[i]) for i, (other, _) in enumerate(said) if other is section), reverse=True)[:3]
        score = sum(mine) / len(mine) if mine else 0.0
        if score > best:
            best, chosen = score, section
    return chosen
