"""`dream import`: what another system kept becomes dated notes of their own, and a night judges them like any other.

Nothing goes into MEMORY.md, and no note of the owner's is touched: each day gets `memory/DAY-import-KIND.md`, which says where its lines
come from. The owner's messages are the owner's word only where the owner imports them; a saved memory is what an assistant wrote down,
and an answer stands behind `Assistant:`, so that nobody takes it for the owner's. What is there already is not written again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from reverie.apply.files import Disk
from reverie.core.errors import BadInput
from reverie.core.layout import imported_note, imports_of, place_of
from reverie.core.ports import Clock
from reverie.evidence.session_corpus import SHORTEST, printable, weight
from reverie.features.note import LONGEST
from reverie.judge.forgotten import forgotten_in
from reverie.lang.messages import say
from reverie.night.transaction import transact
from reverie.plan.build import plan_of
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.lines import appended, bare, clipped, count_units, split_lines
from reverie.workspace.exports import EDITED, OWNER, REPLY, SAVED, WORDLESS, Told, read_export
from reverie.workspace.origins import heard
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Edit, Intent, Plan, Snapshot, Workspace, short_id

TAG = "import"
_UNSAID = re.compile(r"```.*?(?:```|\Z)|<!--.*?(?:-->|\Z)", re.S)  # code and comments
_QUOTED = re.compile(r"(?:[-*+•]\s+)?[>＞]")
_MARK = re.compile(r"\A(?:[-*+•]|#{1,6})\s+(?![>＞])")
_NUMBER = re.compile(r"(?P<n>\d{1,3})(?:[.)]\s+|[、）]\s*)")
_WORD = re.compile(r"[^\W_]")
_LABEL = re.compile(r"(?P<bold>\*\*|__)[^*_.!?。！？]{1,60}(?P=bold)[:：]?")
_TITLE = 80  # characters of a conversation's name


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to, in lines: those that are new, those that stood there already, and those left out, by reason."""

    notes: Mapping[str, int] = field(default_factory=dict)  # by path how many lines it gains
    already: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    run: str = ""

    @property
    def lines(self) -> int:
        return sum(self.notes.values())


@dataclass(frozen=True, slots=True)
class _Line:
    path: str
    whose: str
    title: str
    text: str  # as it stands in the note
    dated: bool


def import_from(
    workspace: Workspace,
    clock: Clock,
    where: Path,
    kind: str = "",
    *,
    by: Author,
    replies: bool = False,
    dry_run: bool = False,
    disk: Disk | None = None,
) -> Imported:
    """Take in an export: the owner's messages and saved memories, and the answers too with `replies`."""
    where, now, left_out = where.expanduser(), clock.now(), Counter[str]()
    ours = {path.resolve() for path in (workspace.folder, workspace.root / "memory", workspace.vault)}
    if any(where.resolve() in (path, *path.parents) for path in ours):
        raise BadInput(say("imports.itself", path=where))
    zone = ZoneInfo(workspace.settings.timezone) if workspace.settings.timezone else None
    lines = list(_lines(read_export(where, kind), now, zone, left_out, replies=replies))

    def decide(snapshot: Snapshot) -> tuple[tuple[Mapping[str, int], Counter[str]], Plan]:
        fresh, counts = _new_among(snapshot, lines)
        notes: dict[str, list[_Line]] = {}
        for line in fresh:
            notes.setdefault(line.path, []).append(line)
        edits = [edit for path, its in sorted(notes.items()) for edit in _edits(snapshot, path, its, by)]
        gains = {path: len(its) for path, its in sorted(notes.items())}
        return (gains, counts + left_out), plan_of(snapshot, Intent.IMPORT, edits, now)

    if dry_run:
        (notes, counts), run = decide(read_workspace(workspace))[0], ""
    else:
        done = transact(workspace, clock, "import", decide, disk=disk)
        (notes, counts), run = done.told, done.run.id if done.run else ""
    already = counts.pop("already", 0)
    return Imported(notes, already, dict(sorted(counts.items())), run)


def _lines(
    told: Iterable[Told], now: datetime, zone: tzinfo | None, left_out: Counter[str], *, replies: bool
) -> Iterator[_Line]:
    """What is taken of an export, as it stands in the notes. The hour is that of the day it was said on, summer or winter."""
    for one in told:
        if one.whose in (EDITED, WORDLESS) or (one.whose == REPLY and not replies):
            left_out[one.whose] += 1
            continue
        at = min(one.at or one.fallback or now, now).astimezone(zone)
        path, clock = imported_note(at.date(), one.kind), f"{at:%H:%M} " if one.whose == OWNER else ""
        said = heard("user", one.text) if one.whose == OWNER else None
        if said is not None and said.why:
            left_out["short" if said.why == "empty" else "machine"] += 1
            continue
        title = _title(one.title)
        for text in _statements(said.text if said else one.text):
            if why := _against(text, whole=one.whose == SAVED):
                left_out[why] += 1
            elif one.whose == REPLY:
                yield _Line(path, REPLY, title, f"Assistant: {text}", dated=True)
            else:
                yield _Line(path, one.whose, title, f"- {clock}{text}", dated=one.at is not None)


def _statements(text: str) -> Iterator[str]:
    """A message line by line, without code, comments, bold labels and the marks of lists and headings."""
    lines = [_MARK.sub("", printable(line)) for line in _UNSAID.sub("\n", text).split("\n")]
    numbers = {int(found["n"]) for line in lines if (found := _NUMBER.match(line))}
    for line in lines:
        found = _NUMBER.match(line)
        if found and numbers & {int(found["n"]) - 1, int(found["n"]) + 1}:  # alone it may be a day: "3. November"
            line = line[found.end() :]
        if _WORD.search(line) and not _LABEL.fullmatch(line):
            yield line


def _against(text: str, *, whole: bool) -> str:
    """Why a line is not taken; what would be refused as a note is refused here too. `whole`: it was kept as it is, however short."""
    if _QUOTED.match(text):  # somebody else's words in a message of the owner's
        return "quoted"
    if weight(text) < SHORTEST and not whole:
        return "short"
    if count_units(text) > LONGEST:
        return "long"
    return "secret" if holds_secret(text) or holds_secret(f"- 00:00 {text}") or holds_mask(text) else ""


def _title(title: str) -> str:
    said = clipped(printable(title).lstrip(" >#*+•-_").rstrip(" *_"), _TITLE)
    return "" if holds_secret(said) or holds_secret(f"## {said}") or holds_mask(said) else said


def _new_among(snapshot: Snapshot, lines: Iterable[_Line]) -> tuple[list[_Line], Counter[str]]:
    """The lines that no note of an import has yet, each once; what was forgotten for ever stays so."""
    gone, counts, fresh = forgotten_in(snapshot), Counter[str](), list[_Line]()
    known = {
        (path, bare(line))
        for path in snapshot.files
        if imports_of(path)
        for line in split_lines(snapshot.text_of(path))
    }
    known |= {(imports_of(path), line) for path, line in known}  # a line without a day may stand under any
    for line in lines:
        name = line.path if line.dated else imports_of(line.path), line.text
        if name in known:
            counts["already"] += 1
        elif gone.is_gone(line.text):
            counts["forgotten"] += 1
        else:
            fresh.append(line)
        known.add(name)
    return fresh, counts


def _edits(snapshot: Snapshot, path: str, lines: Iterable[_Line], by: Author) -> Iterator[Edit]:
    """The new lines of one note, the owner's and what an assistant wrote apart, because a run names the author of each edit."""
    there, kind = split_lines(snapshot.text_of(path)), imports_of(path)
    head = [""] if there else [f"# {say('imports.heading', day=place_of(path).day, kind=kind)}", ""]
    second = False
    for author, whose in ((Author(by.who, TAG), (OWNER,)), (Author("agent", TAG), (SAVED, REPLY))):
        if its := [line for line in lines if line.whose in whose]:
            at, old, new = appended(there, [*([""] if second else head), *_under_titles(its)])
            if second:  # below the first, which has closed the last line that was there
                at, old, new = len(there), (), new[len(old) :]
            yield Edit(short_id(its[0].text), path, at, old, new, TAG, say("imports.why", kind=kind), by=str(author))
            second = True


def _under_titles(lines: Iterable[_Line]) -> Iterator[str]:
    title, open_list = "", False
    for line in lines:
        its = line.title or say("imports.saved" if line.whose == SAVED else "imports.untitled")
        if its != title:
            yield from (*([""] if open_list else []), f"## {its}", "")
        title, open_list = its, line.whose != REPLY
        yield from (line.text,) if open_list else (line.text, "")
