"""Lines of MEMORY.md that name their own end, once it is past; and files they name that are gone.

Never by age: a line leaves only when its own words say until when it holds ("trial until 2026-02-28", 有效期到2026年2月28日).
What tells of the past ("lived there until 2019"), names a later day besides, or begins with its day is history and stays. A
note that a line names and that is not there any more is only pointed out.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache

from reverie.core.layout import Kind, place_of
from reverie.judge.operation import Op, Operation
from reverie.judge.written_dates import Written
from reverie.judge.written_dates import days_in as written_days
from reverie.lang import words
from reverie.lang.lexicon import either
from reverie.privacy.redact import holds_secret
from reverie.text.marks import days_in, is_current_state, is_footer, is_history, is_marked
from reverie.workspace.values import File, Notice, Origin, Snapshot, Statement

TAG, GONE = "stale", "reference"
_PATH = re.compile(r"`([^`\s]+\.md)`")
_NAMED = frozenset({Kind.DAILY, Kind.TOPIC, Kind.KNOWLEDGE, Kind.CLASSIFIED})


def find_expired(memory: File | None, today: date) -> tuple[Operation, ...]:
    """The end of every line whose own last day is past."""
    return tuple(
        Operation(Op.END, f"it held until {end.isoformat()}, as it says itself", (), (entry,), tag=TAG)
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER and (end := end_of(entry.text)) is not None and end < today and _may_end(entry)
    )


def missing_files(snapshot: Snapshot) -> tuple[Notice, ...]:
    """A notice for every line of MEMORY.md that names a note which is gone."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = [entry for entry in (memory.entries if memory else ()) if entry.origin is Origin.OWNER]
    return tuple(notice for entry in entries for notice in _dead_paths(snapshot, entry))


def end_of(text: str) -> date | None:
    """The last day on which this line holds, if it names one and no later day besides."""
    if not _until().search(text):
        return None
    ends = [day for written in written_days(text) if _is_end(written, text) and (day := _last_day(written))]
    if not ends or max((*days_in(text), *ends)) > max(ends):
        return None
    return max(ends)


def is_over(text: str, headings: Sequence[str], today: date) -> bool:
    """Whether a line that wants to enter has ended by its own word: the same night would take it out again."""
    end = end_of(text)
    return end is not None and end < today and _is_for_a_while(text, headings)


def _may_end(entry: Statement) -> bool:
    """A line of its own that speaks of something for a while; not the owner's rule, not a tale of the past."""
    if entry.protected or entry.block.tail != entry.block.end or is_footer(entry.text) or holds_secret(entry.text):
        return False
    return _is_for_a_while(entry.text, entry.headings)


def _is_for_a_while(text: str, headings: Sequence[str]) -> bool:
    if is_marked(text) or _any_of("past").search(text) or is_history(text):
        return False
    return bool(_any_of("for_a_while").search(text)) or any(map(is_current_state, headings))


def _is_end(written: Written, text: str) -> bool:
    """Whether the words around a day make it the last one: until 5 March, 3月5日まで."""
    return bool(_before().search(text[: written.start]) or _behind().match(text[written.end :]))


def _last_day(written: Written) -> date | None:
    """The day that is written, the later one where it can be read in two ways; of a month its last."""
    days = [_day(*reading) for reading in written.readings if reading[0] and reading[1]]
    return max((day for day in days if day), default=None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day or calendar.monthrange(year, month)[1])
    except ValueError:  # 31 February
        return None


@cache
def _any_of(group: str) -> re.Pattern[str]:
    return re.compile(either(words(f"expiry.{group}")), re.I)


@cache
def _until() -> re.Pattern[str]:
    return re.compile(either((*words("expiry.until"), *words("expiry.until_behind"))), re.I)


@cache
def _before() -> re.Pattern[str]:
    articles = either(words("specifics.day_articles"))
    return re.compile(rf"(?:{either(words('expiry.until'))})\s*(?:{articles})?\s*$", re.I)


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(rf"\s?(?:{either(words('expiry.until_behind'))})", re.I)


def _dead_paths(snapshot: Snapshot, entry: Statement) -> Iterator[Notice]:
    """Notes of this workspace that the line names and that are not there. Nobody deletes a line for that."""
    refused = {refusal.path for refusal in snapshot.refused}
    there = {path.casefold() for path in (*snapshot.files, *refused)}
    for path in _PATH.findall(entry.text):
        named = path.removeprefix("./")
        if ".." not in named and place_of(named).kind in _NAMED and "/" in named and named.casefold() not in there:
            why = f"it names {named}, which is not there any more"
            yield Notice(GONE, entry.text, why, (entry.source,), entry)
