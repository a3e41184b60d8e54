"""Who wrote which line of a note, and from what a line of memory was made, as the runs remember it. What no run knows was typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from reverie.core.layout import Kind, holds_memory, place_of
from reverie.text.lines import bare, split_lines
from reverie.workspace.values import Run, Snapshot, Source, author_named

Authors = Mapping[tuple[str, str], str]  # the file and the line as it stands there


def authors_in(runs: Iterable[Run]) -> Authors:
    """Every line of a note that a command wrote, with the author that its run names; of the same words twice, the owner's count."""
    found: dict[tuple[str, str], str] = {}
    for run in runs:
        for edit in run.plan.edits:
            if edit.by and not edit.op and place_of(edit.path).kind is Kind.DAILY:
                for line in edit.new:
                    known = found.get((edit.path, bare(line)), "")
                    if not (known and author_named(known).is_owner):
                        found[edit.path, bare(line)] = edit.by
    return found


def made_from(runs: Iterable[Run]) -> Mapping[str, Set[Source]]:
    """The places that each line of memory was made from, by the line as it stands there."""
    found: dict[str, set[Source]] = {}
    for run in runs:
        for edit in run.plan.edits:
            for line in edit.new if holds_memory(edit.path) and edit.sources else ():
                found.setdefault(bare(line).strip(), set()).update(edit.sources)
    return found


def author_of(snapshot: Snapshot, source: Source, authors: Authors) -> str:
    """Who wrote the line at this place; empty where nobody but the file says."""
    if not authors or all(path != source.path for path, _ in authors):
        return ""
    lines = split_lines(snapshot.text_of(source.path))[source.first - 1 : source.last]
    return next((name for line in lines if (name := authors.get((source.path, bare(line)), ""))), "")
