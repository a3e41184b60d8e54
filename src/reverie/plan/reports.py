"""Where a night's words are written: the diary, a report for each phase, a block in the day's note.

Everything is a splice that can be taken back. In a note only our own block is replaced, or put below everything else; no
other byte of it changes. Markers that do not pair up are left alone, and so is a note that is not one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import pairwise

from reverie.core.errors import StalePlan
from reverie.core.layout import Kind, day_note, diary_of, diary_path, report
from reverie.plan.diary_file import is_damaged, rotated, with_entries, with_entry, year_of
from reverie.plan.pages import Pages
from reverie.plan.splices import difference, spliced
from reverie.plan.views import TAG
from reverie.text.lines import appended, bare, ending_of, split_lines
from reverie.text.managed import managed_lines, unbalanced
from reverie.workspace.values import Edit, Snapshot

TITLES = {"light": "Light Sleep", "rem": "REM Sleep", "deep": "Deep Sleep"}
INLINE = "inline"  # the tag of what stands in the owner's note
_WHY = "what the night noticed, for people to read"


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
        edits += difference(path, text, moved, id="diary", tag=TAG, why="the diary keeps its newest entries")
    return edits


def _report_edits(snapshot: Snapshot, pages: Pages, day: date) -> list[Edit]:
    edits: list[Edit] = []
    for phase, lines in pages.reports:
        path = report(phase, day)
        text = "\n".join((f"# {TITLES[phase]}", "", *lines, ""))
        edits += difference(path, snapshot.text_of(path), text, id="report", tag=TAG, why=_WHY)
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
        for edit in difference(path, before, after, id="diary", tag=TAG, why=_WHY):
            shift = sum(len(one.new) - len(one.old) for one in edits if one.at < edit.at)
            edits.append(replace(edit, at=max(0, edit.at - shift)))
    try:
        fits = spliced(texts[0], edits) == texts[-1]
    except StalePlan:  # they overlap
        fits = False
    return edits if fits else list(difference(path, texts[0], texts[-1], id="diary", tag=TAG, why=_WHY))
