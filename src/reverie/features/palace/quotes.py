"""Everything a workspace says that may be told again: memory, classified files, todos, the archive and the notes.

Only what the owner or the agent wrote; a line that holds a secret or personal data that is masked is left out whole.

Which projects a workspace has, and what it says about each. Pure: sayings in, projects out.

A project is an item of MEMORY.md with a state or open tasks below it, a named item under a heading of projects, or a
classified project file. A line belongs to it when all words of its name stand in the line, its parents or its headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reverie.core.layout import TODOS, Kind
from reverie.features.classify.filing import cut, name_of
from reverie.features.classify.memories import LINK, PROJECT, Unit, headed, is_labelled, key_of, units_of
from reverie.features.classify.sorting import is_state, is_task
from reverie.judge.compose import plain_line
from reverie.lang.notes_words import DONE
from reverie.plan.quoting import Said
from reverie.privacy.redact import holds_mask, holds_secret, redacted
from reverie.text.comparing import bag
from reverie.text.markdown import Shape
from reverie.text.marks import days_in, is_done, is_footer
from reverie.text.sections import OURS
from reverie.workspace.values import File, Origin, Snapshot, Source, Statement

LONGEST = 240  # characters of a quotation; the rest stands where the link leads
_STRUCK = re.compile(r"~~([^~]+)~~")
_LINKED = " ([MEMORY.md:1](../MEMORY.md#L1))"  # with a link behind it a harmless line may look like a secret
_KINDS = frozenset({Kind.MEMORY, Kind.CLASSIFIED, Kind.DAILY, Kind.TOPIC})
Archived = tuple[Source, str, str, str]  # where a block's content stands, its words, the day it was archived, its word
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[^\]]\]\s+)?")
_ELSEWHERE = frozenset({"classified", "todo", "duplicate"})  # words under which a line left that still stands elsewhere


def sayings(snapshot: Snapshot, archived: Iterable[Archived] = ()) -> tuple[Said, ...]:
    """All of them: memory first, then what is classified, open tasks, the archive, the notes by their days."""
    kinds = snapshot.workspace.settings.privacy.kinds
    files = sorted(snapshot.files.values(), key=_order)
    found = [said for file in files if _is_read(file) for entry in file.entries for said in _said(file, entry, kinds)]
    found += [said for block in archived for said in _from_archive(*block, kinds)]
    return tuple(found)


def _order(file: File) -> tuple[int, str]:
    rank = {Kind.MEMORY: 0, Kind.CLASSIFIED: 1, Kind.PROFILE: 2, Kind.TOPIC: 3}
    return rank.get(file.place.kind, 4), file.path


def _is_read(file: File) -> bool:
    return file.place.kind in _KINDS or file.path == TODOS


def _said(file: File, entry: Statement, kinds: frozenset[str]) -> Iterator[Said]:
    if entry.origin is not Origin.OWNER or entry.block.shape in (Shape.QUOTE, Shape.CODE):
        return
    if is_footer(entry.text) or LINK.match(entry.text) or _about_itself(file, entry):
        return
    text = quotable(entry.text, kinds)
    if not text:
        return
    named = days_in(entry.text)
    noted = file.place.kind is Kind.DAILY
    day = entry.day or (named[0].isoformat() if named else "")
    yield Said(
        text, entry.source, day, entry.headings, entry.parents, noted=noted,
        done=entry.text.startswith("~~") or is_done(entry.text, checked=entry.block.checked), open=is_task(entry), state=is_state(entry) and bool(entry.parents),
    )  # fmt: skip


def _about_itself(file: File, entry: Statement) -> bool:
    """The words under the title of MEMORY.md tell how the file is kept."""
    return file.place.kind is Kind.MEMORY and entry.block.shape is Shape.PARAGRAPH and len(entry.headings) < 2


def _from_archive(source: Source, content: str, archived: str, category: str, kinds: frozenset[str]) -> Iterator[Said]:
    """What has left memory. What was superseded did not happen on the day it was archived, so it has only its own day."""
    text = quotable(_ITEM.sub("", content, count=1), kinds)
    named, ended = days_in(content), category == "completed" or is_done(text, checked=None)
    day = named[0].isoformat() if named else archived[:10] if ended else ""
    if text and category not in _ELSEWHERE:
        yield Said(text, source, day, archived=True, done=ended)


def quotable(text: str, kinds: frozenset[str]) -> str:
    """A text as it may be told again, on one line; nothing when it must not be."""
    bare = _STRUCK.sub(r"\1:", OURS.sub("", text)).strip().removesuffix(":")
    cells = [cell.strip() for cell in bare.split("|")] if bare.startswith("|") else [bare]
    words = plain_line(" · ".join(filter(None, cells))).lstrip("📌⚠️✅☑✔ ")
    if holds_secret(text) or holds_secret(words + _LINKED) or holds_mask(text) or redacted(words, kinds) != words:
        return ""
    return cut(words, LONGEST)


@dataclass(frozen=True, slots=True)
class Project:
    """A project by its name, and every line about it."""

    name: str
    lines: tuple[Said, ...] = ()
    finished: bool = False

    @property
    def states(self) -> tuple[Said, ...]:
        return tuple(one for one in self.lines if one.state)

    @property
    def tasks(self) -> tuple[Said, ...]:
        return tuple(one for one in self.lines if one.open)

    @property
    def remembered(self) -> tuple[Said, ...]:
        """What memory and archive say about it, besides states and tasks."""
        return tuple(one for one in self.lines if not (one.noted or one.open or one.state))

    @property
    def noted(self) -> tuple[Said, ...]:
        return tuple(one for one in self.lines if one.noted)


def projects_in(snapshot: Snapshot, said: Sequence[Said]) -> tuple[Project, ...]:
    """The projects of a workspace, in the order of MEMORY.md, then those that only have a file."""
    found: dict[str, bool] = {}
    memory = snapshot.files.get(snapshot.memory_path)
    for unit in units_of(memory) if memory else ():
        if _is_project(unit):
            found.setdefault(name_of(unit), _is_finished(unit))
    for file in snapshot.files.values():
        if file.place.kind is Kind.CLASSIFIED and file.path.startswith("memory/project/"):
            name = _named(file.text)
            if name and not any(_same(name, other) for other in found):
                found[name] = any(_ended(entry.text) for entry in file.entries)
    return tuple(_project(name, said, finished=finished) for name, finished in found.items() if bag(name))


def _is_project(unit: Unit) -> bool:
    parts = [part for part in unit.parts if part.block.depth == 1]
    if unit.is_table or is_task(unit.entry):
        return False
    named = unit.entry.block.key or unit.text.startswith("**")
    under = any(headed(heading) == PROJECT for heading in unit.entry.headings[1:])
    boxes = [part for part in parts if part.block.checked is not None]
    return any(map(is_state, parts)) or bool(named and (boxes or under))


def _is_finished(unit: Unit) -> bool:
    """It says so itself, its status says so, or every box below it is ticked."""
    boxes = [part.block.checked for part in unit.parts if part.block.checked is not None]
    said = is_done(unit.text, checked=unit.entry.block.checked) or any(_ended(part.text) for part in unit.parts)
    return said or (bool(boxes) and all(boxes))


def _ended(text: str) -> bool:
    rest = key_of(text)[1].casefold().strip(" .。*_")
    return is_labelled(text, "status") and rest.split(" (")[0].split("（")[0].split(",")[0] in DONE


def _named(text: str) -> str:
    lines = text[:2_000].split("\n")
    found = next((line[5:].strip() for line in lines if line.startswith("name:")), "")
    return found.strip("\"'")


def _same(one: str, other: str) -> bool:
    fewer, more = sorted((bag(one), bag(other)), key=len)
    return fewer == more or (len(fewer) > 1 and fewer <= more)


def _project(name: str, said: Sequence[Said], *, finished: bool) -> Project:
    words = bag(name)
    lines = tuple(one for one in said if words <= bag(one.around) and not _only_names(one, words))
    return Project(name, lines, finished)


def _only_names(one: Said, words: frozenset[str]) -> bool:
    return bag(one.text) == words
