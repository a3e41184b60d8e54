"""Into which section of MEMORY.md a new line belongs: the owner's section that speaks of the same things, else its area."""

from __future__ import annotations

from typing import Any

import numpy as np

from reverie.judge.brief import Brief
from reverie.judge.compose import plain_line
from reverie.text.lines import plain_heading
from reverie.text.sections import CURRENT, LESSONS, PEOPLE, STABLE, area_of

_AREAS = {
    "person": PEOPLE, "project": CURRENT, "update": CURRENT, "schedule": STABLE, "decision": CURRENT, "lesson": LESSONS,
}  # fmt: skip
CLOSE = 0.5  # mean cosine of the three nearest lines from which a section speaks of the same things


class Homes:
    """The sections of a memory that are open to new lines, looked at once. One that the owner protects is the owner's."""

    def __init__(self, brief: Brief) -> None:
        self._sections = brief.sections
        self._embedder = brief.embedder
        self._said = [(m.section, plain_line(m.entry.text)) for m in brief.memory if m.section in set(brief.sections)]
        self._rows: Any = None
        if self._embedder is not None and self._said:
            self._rows = np.asarray(self._embedder.embed([text for _, text in self._said]))

    def home_of(self, line: str, kind: str, under: str = "") -> str:
        """A heading of the owner's, or one of `sections.AREAS`. `under` are the headings that the line stands under in its note."""
        area = _AREAS.get(kind, STABLE)
        if near := self._named(under) or self._nearest(line, CLOSE):
            return near
        if of_area := next((section for section in self._sections if area_of(section) == area), ""):
            return of_area
        # No section is invented where the owner has one: then the nearest must do.
        return self._nearest(line, -1.0) or (self._sections[-1] if self._sections else area)

    def _named(self, under: str) -> str:
        """The section of the same name, where there is just one: whoever writes both means the same by it."""
        for heading in reversed(under.split(" > ")):
            name = plain_heading(heading)
            same = [section for section in self._sections if name and plain_heading(section) == name]
            if len(same) == 1 and any(section == same[0] for section, _ in self._said):
                return same[0]
        return ""

    def _nearest(self, line: str, least: float) -> str:
        if self._embedder is None or self._rows is None:
            return ""
        near = self._rows @ np.asarray(self._embedder.embed([line]))[0]
        best, chosen = least, ""
        for section in self._sections:
            mine = sorted((float(near[i]) for i, (other, _) in enumerate(self._said) if other == section), reverse=True)
            score = sum(mine[:3]) / len(mine[:3]) if mine else -1.0
            if score > best:
                best, chosen = score, section
        return chosen
