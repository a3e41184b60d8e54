"""DREAMS.md as text: the entries between the diary's markers, a new one put in, old ones taken out.

An entry is `---`, a blank line, `*<date>*`, a blank line and its words. Only what stands between the peer's markers
is ours; every other byte of the file stays. Markers that do not pair up are left alone: better a long diary than a
lost one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from reverie.text.lines import BOM

START = "<!-- openclaw:dreaming:diary:start -->"
END = "<!-- openclaw:dreaming:diary:end -->"
TITLE = "# Dream Diary"
# In the mark of a backfilled entry: what was made for it, and goes with the last of them.
_MADE_DIARY, _MADE_FILE = "made=diary ", "made=file "
# Three dashes alone are no entry: only a line in italics below them shows that a date follows.
_ENTRY = re.compile(r"^---[ \t]*\r?\n(?:[ \t]*\r?\n)*\*[^*\r\n]+\*[ \t]*\r?$", re.M)
_STAMP = re.compile(r"\*([^*\r\n]+)\*[ \t]*\r?\n?")
_BACKFILLED = re.compile(r"^<!-- openclaw:dreaming:backfill-entry\b[^>\r\n]*-->", re.M)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def entries_in(text: str) -> tuple[str, ...]:
    """The words of every entry that a night wrote, oldest first, without dashes and date."""
    return tuple(_words(entry) for entry in _split(text)[1] if not _is_backfilled(entry))


def rotated(text: str, most_entries: int) -> tuple[str, tuple[str, ...]]:
    """The file with its newest entries, and the older ones, oldest first, each as it stood.

    Backfilled entries stay and do not count: whoever takes them back must find them.
    """
    head, entries, tail = _split(text)
    of_nights = [number for number, entry in enumerate(entries) if not _is_backfilled(entry)]
    leaving = set(of_nights[: max(0, len(of_nights) - max(0, most_entries))])
    kept = "".join(entry for number, entry in enumerate(entries) if number not in leaving)
    return head + kept + tail, tuple(entries[number] for number in sorted(leaving))


def is_damaged(text: str) -> bool:
    """Whether there are markers that do not pair up: nobody can say what is the diary then, so nothing is put in."""
    return _inside(text) is None and (START in text or END in text)


def with_entry(text: str, stamp: str, words: str) -> str:
    """The file with one more entry at the end of its diary; a diary that is not there yet goes before everything else."""
    line = _ending(text)
    return with_entries(text, (line.join(("---", "", f"*{stamp}*", "", words, "", "")),))


def with_entries(text: str, entries: Iterable[str]) -> str:
    """The file with these entries, whole ones, at the end of its diary, each as it stands."""
    fresh, found = "".join(entries), _inside(text)
    if found is not None:
        return text[: found[1]] + fresh + text[found[1] :]
    mark = BOM if text.startswith(BOM) else ""
    return mark + _frame(_ending(text or fresh), fresh) + text.removeprefix(mark)


def with_backfill(text: str | None, entries: Iterable[str]) -> tuple[str | None, int]:
    """The file with these backfilled entries instead of all earlier ones, and how many those were. None is no file."""
    cleared, replaced = without_backfill(text)
    made = _MADE_FILE if cleared is None else "" if _inside(cleared) else _MADE_DIARY
    line = _ending(cleared or "")
    marked = [
        _BACKFILLED.sub(lambda found: found[0].replace("-->", f"{made}-->"), entry, count=1).replace("\n", line)
        for entry in entries
    ]
    return (with_entries(cleared or "", marked) if marked else cleared), replaced


def without_backfill(text: str | None) -> tuple[str | None, int]:
    """The file without its backfilled entries, and how many there were; every other byte stays.

    A diary that was made for them, as their marks say, goes with the last of them, and so does a file.
    """
    head, entries, tail = _split(text or "")
    kept = [entry for entry in entries if not _is_backfilled(entry)]
    if len(kept) == len(entries):
        return text, 0
    gone = len(entries) - len(kept)
    left = head + "".join(kept) + tail
    marks = "".join(found[0] for entry in entries if (found := _BACKFILLED.search(entry)))
    if kept or not (_MADE_DIARY in marks or _MADE_FILE in marks):
        return left, gone
    bare = next((left.replace(frame, "", 1) for line in ("\r\n", "\n") if (frame := _frame(line)) in left), left)
    return (None if _MADE_FILE in marks and not bare else bare), gone


def year_of(entry: str) -> int | None:
    """The year in an entry's date line, which decides the file it moves to."""
    stamp = _STAMP.search(entry)
    year = _YEAR.search(stamp[1]) if stamp else None
    return int(year[0]) if year else None


def _ending(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_backfilled(entry: str) -> bool:
    return bool(_BACKFILLED.search(entry))


def _frame(line: str, entries: str = "") -> str:
    return line.join((TITLE, "", START, entries + END, "", ""))


def _split(text: str) -> tuple[str, list[str], str]:
    """What stands before the first entry, the entries, and what stands behind them. Together they are the text."""
    found = _inside(text)
    if found is None:
        return text, [], ""
    start, stop = found
    edges = [start + match.start() for match in _ENTRY.finditer(text[start:stop])]
    if not edges:
        return text, [], ""
    return (
        text[: edges[0]],
        [text[one:next_one] for one, next_one in zip(edges, [*edges[1:], stop], strict=True)],
        text[stop:],
    )


def _inside(text: str) -> tuple[int, int] | None:
    """The span between the two markers, each alone on a line and there exactly once."""
    starts, ends = (list(re.finditer(rf"^{re.escape(mark)}[ \t]*(?:\r?\n|\r?\Z)", text, re.M)) for mark in (START, END))
    if len(starts) != 1 or len(ends) != 1 or starts[0].end() > ends[0].start():
        return None
    return starts[0].end(), ends[0].start()


def _words(entry: str) -> str:
    stamp = _STAMP.search(entry)
    return entry[stamp.end() :].strip() if stamp else ""
