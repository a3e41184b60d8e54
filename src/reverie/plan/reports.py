"""Where a night's words are written: the diary in DREAMS.md, a report for each phase, a block in the day's note, the review log.

Everything is a splice that can be taken back. In a note only our own block is replaced, or put below everything else; of the
diary only what stands between the peer's markers is ours. Markers that do not pair up are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise

from reverie.core.errors import StalePlan
from reverie.core.layout import Kind, day_note, diary_of, diary_path, report
from reverie.lang.messages import say
from reverie.plan.splices import VIEW, difference, spliced
from reverie.privacy.redact import redacted
from reverie.text.lines import BOM, appended, bare, ending_of, split_lines
from reverie.text.managed import managed_lines, unbalanced
from reverie.workspace.values import Edit, Snapshot

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


LONGEST = 400  # characters of a text that is retold; the text itself stands where it was written


@dataclass(frozen=True, slots=True)
class Pages:
    """The words of a night; empty where it has nothing to tell. Where they are written is the plan's business."""

    stamp: str = ""  # the entry's date line, as the peer writes it
    entry: str = ""
    light: tuple[str, ...] = ()
    rem: tuple[str, ...] = ()
    deep: tuple[str, ...] = ()

    @property
    def reports(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Phase and lines, in the order of a night, of those that have something to say."""
        found = (("light", self.light), ("rem", self.rem), ("deep", self.deep))
        return tuple((phase, lines) for phase, lines in found if lines)


def one_line(text: str, kinds: frozenset[str]) -> str:
    """A text on one line, redacted, without comments that could pass for our markers."""
    words = " ".join(redacted(text, kinds).replace("<!--", "").replace("-->", "").split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"


NO_PAGES = Pages()


TITLES = {"light": "Light Sleep", "rem": "REM Sleep", "deep": "Deep Sleep"}
INLINE = "inline"  # the tag of what stands in the owner's note


def page_edits(snapshot: Snapshot, pages: Pages, now: datetime) -> list[Edit]:
    """The edits that write these words down where the settings want them."""
    storage = snapshot.workspace.settings.storage
    edits = _diary_edits(snapshot, pages)
    if storage.in_files:
        edits += _report_edits(snapshot, pages, now.date())
    if storage.inline:
        edits += _note_edits(snapshot, pages, now.date())
    refused = {refusal.path for refusal in snapshot.refused}  # a link in a place of ours costs the page, not the night
    return [edit for edit in edits if edit.path not in refused]


def _diary_edits(snapshot: Snapshot, pages: Pages) -> list[Edit]:
    """The new entry and deep's summary in DREAMS.md; entries above the limit go to the file of their year."""
    settings, path = snapshot.workspace.settings.diary, diary_path(snapshot.files)
    before = snapshot.text_of(path)
    if not settings.enabled or is_damaged(before):
        return []
    kept, old = rotated(before, settings.most_entries - 1) if pages.entry else (before, ())
    entered = with_entry(kept, pages.stamp, pages.entry) if pages.entry else kept
    after = _with_block(entered, "deep", pages.deep) if pages.deep else entered
    return [*_splices(path, before, kept, entered, after), *_old_entries(snapshot, old)]


def _old_entries(snapshot: Snapshot, old: Sequence[str]) -> list[Edit]:
    edits: list[Edit] = []
    for year in dict.fromkeys(year_of(entry) for entry in old):
        path = diary_of(year)
        text = snapshot.text_of(path)
        moved = with_entries(text, (entry for entry in old if year_of(entry) == year))
        edits += difference(path, text, moved, id="diary", tag=VIEW, why=say("why.diary_shorter"))
    return edits


def _report_edits(snapshot: Snapshot, pages: Pages, day: date) -> list[Edit]:
    edits: list[Edit] = []
    for phase, lines in pages.reports:
        path = report(phase, day)
        text = "\n".join((f"# {TITLES[phase]}", "", *lines, ""))
        edits += difference(path, snapshot.text_of(path), text, id="report", tag=VIEW, why=say("why.report"))
    return edits


def _note_edits(snapshot: Snapshot, pages: Pages, day: date) -> list[Edit]:
    """Light's and REM's blocks in the day's note, each replaced where it stands, else both put at the end."""
    path = day_note(day)
    file = snapshot.files.get(path)
    if file is not None and file.place.kind is not Kind.DAILY:
        return []  # a dumped conversation is a record; nothing is written into it
    before = text = snapshot.text_of(path)
    texts = [before]
    for phase, lines in pages.reports:
        if phase != "deep":
            text = _with_block(text, phase, lines)
            texts.append(text)
    return [replace(edit, tag=INLINE) for edit in _splices(path, *texts)]


def _with_block(text: str, phase: str, body: Sequence[str]) -> str:
    """The text with this phase's block replaced in place, or added at the end. In doubt it stays as it is."""
    lines = split_lines(text)
    plain = [bare(line) for line in lines]
    if unbalanced(plain):
        return text
    start, end = (f"<!-- openclaw:dreaming:{phase}:{edge} -->" for edge in ("start", "end"))
    starts, ends = ([i for i, line in enumerate(plain) if line.strip() == mark] for mark in (start, end))
    if not starts and not ends:
        gap = ("",) if plain and plain[-1].strip() else ()
        at, _, new = appended(lines, (*gap, f"## {TITLES[phase]}", start, *body, end))
        return "".join((*lines[:at], *new))
    if len(starts) != 1 or len(ends) != 1 or not set(range(starts[0], ends[0] + 1)) <= managed_lines(plain):
        return text
    fresh = (line + ending_of(lines) for line in body)
    return "".join((*lines[: starts[0] + 1], *fresh, *lines[ends[0] :]))


def _splices(path: str, *texts: str) -> list[Edit]:
    """The splices that lead over these texts from the first to the last, each small, placed in the first."""
    edits: list[Edit] = []
    for before, after in pairwise(texts):
        for edit in difference(path, before, after, id="diary", tag=VIEW, why=say("why.report")):
            shift = sum(len(one.new) - len(one.old) for one in edits if one.at < edit.at)
            edits.append(replace(edit, at=max(0, edit.at - shift)))
    try:
        fits = spliced(texts[0], edits) == texts[-1]
    except StalePlan:  # they overlap
        fits = False
    return edits if fits else list(difference(path, texts[0], texts[-1], id="diary", tag=VIEW, why=say("why.report")))
