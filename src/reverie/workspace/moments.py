"""What a place of a file tells, and when: the time of day that a heading or a line opens with."""

from __future__ import annotations

import re
from datetime import time
from functools import cache, lru_cache

from reverie.dates.relative import absolute
from reverie.lang import words
from reverie.text.lines import split_lines
from reverie.workspace.values import Snapshot, Source


@lru_cache(maxsize=2_000)
def time_in(heading: str) -> time | None:
    """The time a heading begins with (`## 00:40 — after the call`); None when it says none."""
    found = _time().match(heading)
    if not found:
        return None
    hour, half = int(found["hour"]), (found["before"] or found["behind"] or "").casefold()
    if half in words("halves.afternoon") and hour < 12:
        hour += 12
    return time(hour, int(found["minute"]))


@cache
def _time() -> re.Pattern[str]:
    half = "|".join((*words("halves.morning"), *words("halves.afternoon")))
    return re.compile(
        rf"[\W_]*(?:\d{{4}}-\d{{2}}-\d{{2}}[T ,]+)?(?P<before>{half})?\s*"
        rf"(?P<hour>[01]?\d|2[0-3])[:：h](?P<minute>[0-5]\d)(?!\d)\s*(?P<behind>{half})?",
        re.I,
    )


def told_at(snapshot: Snapshot, source: Source) -> str:
    """What a source says: its lines, what they hang on, and the days that its words mean."""
    text = "".join(split_lines(snapshot.text_of(source.path))[source.first - 1 : source.last])
    file = snapshot.files.get(source.path)
    if file is None:
        return text
    day = file.place.day
    above = [
        part
        for entry in file.entries
        if entry.source.first <= source.last and source.first <= entry.source.last
        for part in (*entry.headings, *entry.parents, entry.text, str(entry.day or ""))
    ]
    hours = {time_in(part) for part in above} | {None}
    dated = [absolute(text, day, time=hour) for hour in hours] if day else []
    return "\n".join([text, *above, str(day or ""), *dated])
