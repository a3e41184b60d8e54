"""Into which section of MEMORY.md a new line belongs: the owner's section that speaks of the same things, else its area."""

from __future__ import annotations

from typing import Any

import numpy as np

from reverie.claim import Evidence
from reverie.headings import plain_heading
from reverie.model import Snapshot
from reverie.phases.compose import plain_line
from reverie.protect import protected_blocks
from reverie.sections import CURRENT, LESSONS, PEOPLE, STABLE, Section, area_of, sections_of, statements_under

_AREAS = {
    "person": PEOPLE, "project": CURRENT, "update": CURRENT, "schedule": STABLE, "decision": CURRENT, "lesson": LESSONS,
}  # fmt: skip
CLOSE = 0.5  # mean cosine of the three nearest lines from which a section speaks of the same things


class Homes:
    """The sections of a memory that are open to new lines, looked at once. One that the owner protects is the owner's."""

    def __init__(self, snapshot: Snapshot, evidence: Evidence) -> None:
        memory = snapshot.files.get(snapshot.memory_path)
        self._sections: list[Section] = []
        self._said: list[tuple[Section, str]] = []
        self._embedder = evidence.embedder
        self._rows: Any = None
        if memory is None:
            return
        shielded = protected_blocks(memory.document, snapshot.workspace.settings.protected_sections)
        self._sections = [section for section in sections_of(memory.document) if section.index not in shielded]
        self._said = [
            (section, plain_line(block.text))
            for section in self._sections
            for block in statements_under(memory.document, section)
        ]
        if self._embedder is not None and self._said:
            self._rows = np.asarray(self._embedder.embed([text for _, text in self._said]))

    def home_of(self, line: str, kind: str, under: str = "") -> str:
        """A heading of the owner's, or one of `sections.AREAS`. `under` are the headings that the line stands under in its note."""
        area = _AREAS.get(kind, STABLE)
        near = self._named(under) or self._nearest(line)
        if near is not None:
            return near.heading
        return next((section.heading for section in self._sections if area_of(section.heading) == area), area)

    def _named(self, under: str) -> Section | None:
        """The section of the same name, where there is just one: whoever writes both means the same by it."""
        for heading in reversed(under.split(" > ")):
            name = plain_heading(heading)
            same = [section for section in self._sections if name and plain_heading(section.heading) == name]
            if len(same) == 1 and any(section is same[0] for section, _ in self._said):
                return same[0]
        return None

    def _nearest(self, line: str) -> Section | None:
        if self._embedder is None or self._rows is None:
            return None
        near = self._rows @ np.asarray(self._embedder.embed([line]))[0]
        best, chosen = CLOSE, None
        for section in self._sections:
            mine = sorted((float(near[i]) for i, (other, _) in enumerate(self._said) if other is section), reverse=True)
            score = sum(mine[:3]) / len(mine[:3]) if mine else 0.0
            if score > best:
                best, chosen = score, section
        return chosen
