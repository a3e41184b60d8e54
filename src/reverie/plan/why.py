"""The story of a line: what dreams did with it and why, where it stands now, what the archive holds of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.core.layout import LEDGER
from reverie.plan.ledger import Archived, read_ledger
from reverie.plan.views import TAG
from reverie.text.lines import bare
from reverie.workspace.values import Edit, Run, Snapshot


@dataclass(frozen=True, slots=True)
class Chapter:
    """One thing that a run did with the line."""

    run: str
    at: str
    id: str
    tag: str
    did: str
    text: str
    why: str
    sources: tuple[str, ...]
    undone_by: str
    op: str = ""  # add, update, end, merge; empty for what no judge decided
    by: str = ""  # who judged


@dataclass(frozen=True, slots=True)
class Story:
    asked: str
    chapters: tuple[Chapter, ...]
    stands: tuple[str, ...]  # where it is in MEMORY.md now
    archived: tuple[Archived, ...]

    @property
    def empty(self) -> bool:
        return not (self.chapters or self.stands or self.archived)


def story_of(snapshot: Snapshot, runs: Sequence[Run], asked: str) -> Story:
    """Everything known about an id (eight hex digits) or a text."""
    wanted = " ".join(asked.split()).casefold()
    if not wanted:
        return Story(asked, (), (), ())
    by_id = re.fullmatch(r"[0-9a-f]{8}", wanted) is not None
    chapters = tuple(
        _chapter(run, edit)
        for run in runs
        for edit in run.plan.edits
        if edit.path == snapshot.memory_path and edit.tag != TAG and _concerns(edit, wanted, by_id=by_id)
    )
    archived = tuple(
        block
        for block in read_ledger(snapshot.text_of(LEDGER))
        if (block.id == wanted if by_id else wanted in _plain(block.content))
    )
    texts = {_plain(block.content) for block in archived} if by_id else {wanted}
    memory = snapshot.files.get(snapshot.memory_path)
    stands = tuple(
        str(entry.source)
        for entry in (memory.entries if memory else ())
        if any(text and text in _plain(memory.document.lines[entry.block.first : entry.block.tail]) for text in texts)  # type: ignore[union-attr]
        and not entry.parents
    )
    return Story(asked, chapters, stands, archived)


def _chapter(run: Run, edit: Edit) -> Chapter:
    did = "brought back" if run.plan.undoes else "archived" if not edit.new else "wrote"
    lines = edit.new or edit.old
    op, by = ("", "") if run.plan.undoes else (edit.op, edit.by)
    return Chapter(
        run.id, run.at, edit.id, edit.tag, did, "\n".join(bare(line) for line in lines if line.strip()), edit.why,
        tuple(map(str, edit.sources)), run.undone_by, op, by,
    )  # fmt: skip


def _concerns(edit: Edit, wanted: str, *, by_id: bool) -> bool:
    return edit.id == wanted if by_id else bool(wanted) and wanted in _plain((*edit.old, *edit.new))


def _plain(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split()).casefold()
