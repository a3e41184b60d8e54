"""What a night renders in MEMORY.md itself: the list of what left last (seed 000), the date of a "last updated" footer."""

import re
from collections.abc import Sequence
from datetime import date
from itertools import takewhile

from reverie.plan.splices import Splice
from reverie.privacy.secrets import shows_secret
from reverie.text.lines import clipped, line_ending
from reverie.workspace.sections import DREAM_LINES, FOOTER, LONGEST_DREAM_LINE, dream_section
from reverie.workspace.snapshot import File


def dream_splices(file: File, latest: Sequence[tuple[str, str, str, str]]) -> list[Splice]:
    """The list of what left last, in the owner's `## Dream` section; only lines with our mark are replaced."""
    if (section := dream_section(file)) is None:
        return []
    (start, end), new = section, list[str]()
    old = [number for number in range(start, end) if "<!-- dream:" in file.lines[number]]
    for entry_id, day, category, summary in latest[:DREAM_LINES]:
        words = clipped(summary.replace("<!--", "").replace("-->", ""), LONGEST_DREAM_LINE - 45)
        if shows_secret(words):  # as scripts before us wrote it into their lists
            continue
        new.append(f"- {day} [{category}] {words} <!-- dream:{entry_id[:8]} -->{line_ending(file.lines)}")
    if [file.lines[number] for number in old] == new:
        return []
    comments = takewhile(lambda line: line.lstrip().startswith("<!--") and "-->" in line, file.lines[start:end])
    at = old[0] if old else start + sum(1 for _ in comments)
    splices = [Splice(file.path, number, (file.lines[number],)) for number in old]
    return [Splice(file.path, at, (), tuple(new)), *splices] if new else splices


def footer_splices(file: File, today: date) -> list[Splice]:
    """The day in a footer like `*Last updated: 2026-11-14*`, where its owner made one (seed 001)."""
    number = next((at for at in range(len(file.lines) - 1, -1, -1) if file.lines[at].strip()), None)
    if number is None or not FOOTER.fullmatch(file.lines[number].strip()):
        return []
    line = file.lines[number]
    fresh = re.sub(r"\d{4}-\d\d-\d\d", str(today), line, count=1)
    return [Splice(file.path, number, (line,), (fresh,))] if fresh != line else []
