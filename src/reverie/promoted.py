"""A line of MEMORY.md as OpenClaw writes it when it promotes one: a marker above it, its numbers behind its words.

Ground floor: who reads MEMORY.md takes the words without the numbers, who writes it in the `append` shape adds them, and
the promises look at the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

TITLE = "# Long-Term Memory"
HEADING = "Promoted From Short-Term Memory"
LONGEST_KEY = 120  # characters of a key that may stand in MEMORY.md; a longer one gives way to one by the words
_DAY_HEADING = re.compile(rf"{HEADING} \(\d{{4}}-\d{{2}}-\d{{2}}\)")
_MARK = re.compile(r"<!-- openclaw-memory-promotion:(?P<key>[^\s<>]{1,512}) -->")
_NUMBERS = re.compile(
    r"[ \t]*\[score=(?P<score>[\d.]+) (?:signals=(?P<signals>\d+) )?recalls=(?P<recalls>\d+) avg=(?P<average>[\d.]+)"
    r" source=(?P<source>[^\]\n]*)\]"
)
_TRIGGER = re.compile(r"[ \t]*<!-- trigger: (?P<tags>[^<>\n]*?) -->")
_IMPORTANCE = re.compile(r"[ \t]*<!-- importance: \d{1,2} -->")
_PROJECT = re.compile(r"[ \t]*<!-- project: [^<>\n]*? -->")
_BY_WORDS = re.compile(r"memory:(?:claim|grounded):[0-9a-f]{6,40}")
_LINES = re.compile(r":\d{1,7}:\d{1,7}(?::[0-9a-f]{6,40})?")
_TAG = re.compile(r"[^<>,\n]{1,64}")


@dataclass(frozen=True, slots=True)
class Promoted:
    """The numbers of a promoted line: its key in the recall store, its score, and what that rests on."""

    key: str
    score: float
    signals: int = 0
    recalls: int = 0
    average: float = 0.0
    tags: tuple[str, ...] = ()
    grounded: bool = False  # led in by old notes that a backfill looked at; no part of the line itself


def heading_of(day: date) -> str:
    """What the section of a night is called."""
    return f"{HEADING} ({day.isoformat()})"


def is_heading(text: str) -> bool:
    return bool(_DAY_HEADING.fullmatch(text))


def mark_of(key: str) -> str:
    """The comment above a promoted line."""
    return f"<!-- openclaw-memory-promotion:{key} -->"


def key_in(line: str) -> str:
    """The key that such a comment names; empty for any other line."""
    found = _MARK.fullmatch(line.strip())
    return found["key"] if found else ""


def is_key(key: str, paths: Iterable[str]) -> bool:
    """Whether a key may stand in a marker: one of the words alone, or of lines of these files.

    A store may come from a stranger, and what is not checked would be read by whoever reads MEMORY.md.
    """
    if not _MARK.fullmatch(mark_of(key)) or "--" in key or len(key) > LONGEST_KEY:
        return False
    placed = any(_LINES.fullmatch(key.removeprefix(f"memory:{path}")) for path in paths if f"memory:{path}:" in key)
    return placed or bool(_BY_WORDS.fullmatch(key))


def numbers_of(one: Promoted, place: str, *, before_2026_8: bool = False) -> str:
    """What stands behind the words: the peer's numbers, and since 2026.8 what its later recalls read."""
    from reverie.recalls import fixed  # decimal arithmetic, only for those who write such a line

    score, counts = fixed(one.score, 3), f"recalls={one.recalls} avg={fixed(one.average, 3)}"
    if before_2026_8:
        return f"[score={score} {counts} source={closed(place)}]"
    return f"[score={score} signals={one.signals} {counts} source={closed(place)}] {remarks_of(one.tags, one.score)}"


def remarks_of(tags: Iterable[str], score: float, project: str = "") -> str:
    """What later recalls read: words that call the line up, how important it is, whose project it belongs to."""
    words = [tag for tag in tags if _TAG.fullmatch(tag) and "--" not in tag][:3]
    found = [f"<!-- trigger: {', '.join(words)} -->"] if words else []
    found.append(f"<!-- importance: {importance(score)} -->")
    if project:
        found.append(f"<!-- project: {project} -->")
    return " ".join(found)


def importance(score: float) -> int:
    """From 3 to 10: the tenths of the score, a half going up."""
    return min(10, max(3, int(score * 10 + 0.5)))


def closed(place: str) -> str:
    """A place as it stands between brackets."""
    return place.replace("]", "%5D")


def words_of(text: str) -> str:
    """A promoted line without its numbers and remarks; any other text as it is."""
    if "[score=" not in text or not _NUMBERS.search(text):
        return text
    for rule in (_NUMBERS, _TRIGGER, _IMPORTANCE, _PROJECT):
        text = rule.sub("", text)
    return text.rstrip()


def places_in(text: str) -> list[str]:
    """The places that the numbers of a line name as its source."""
    return [found["source"] for found in _NUMBERS.finditer(text)]


def triggers_in(text: str) -> list[str]:
    return [tag for found in _TRIGGER.finditer(text) for tag in found["tags"].split(", ")]


def read_back(line: str, above: str) -> Promoted | None:
    """The numbers of a line that was written with `numbers_of`, below its marker; None when it has none."""
    found, key = _NUMBERS.search(line), key_in(above)
    if found is None or not key:
        return None
    tags = tuple(triggers_in(line))
    counts = int(found["signals"] or 0), int(found["recalls"])
    return Promoted(key, float(found["score"]), *counts, float(found["average"]), tags)
