"""Operations in a few words, and a judge that wants whatever a test wants of the brief it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reverie.core.layout import place_of
from reverie.judge.brief import Brief, Verdict
from reverie.judge.operation import Op, Operation
from reverie.workspace.values import Snapshot, Statement, stated

NOTE = "memory/2026-11-14.md"


def claim(text: str, line: int = 1, path: str = NOTE) -> Statement:
    return stated(path, line, line, text, day=str(place_of(path).day or ""))


def line_of(snapshot: Snapshot, words: str) -> Statement:
    """The line of MEMORY.md that holds these words."""
    return next(entry for entry in snapshot.files["MEMORY.md"].entries if words in entry.text)


def add(text: str, section: str = "stable", *, line: int = 1, path: str = NOTE, **fields: Any) -> Operation:
    fields = {"why": "said once", "tag": "added", **fields}
    return Operation(Op.ADD, cites=(claim(text, line, path),), text=text, section=section, **fields)


def end(entry: Statement, **fields: Any) -> Operation:
    return Operation(Op.END, memory=(entry,), **{"why": "because", "tag": "stale", **fields})


def update(entry: Statement, old: str, new: str, **fields: Any) -> Operation:
    cites = (claim(entry.text.replace(old, new)),)
    return Operation(
        Op.UPDATE,
        **{"why": "because", "tag": "superseded", "cites": cites, **fields},
        memory=(entry,),
        old=old,
        new=new,
    )


def retell(entry: Statement, text: str, **fields: Any) -> Operation:
    """An update that tells the whole line anew."""
    given = {"why": "because", "tag": "superseded", "cites": (claim(text),), **fields}
    return Operation(Op.UPDATE, memory=(entry,), text=text, **given)


class Wishing:
    """A judge that wants what a function makes of the brief."""

    name = "wishing"

    def __init__(self, wishes: Callable[[Brief], Sequence[Operation]]) -> None:
        self.wishes = wishes

    def judge(self, brief: Brief) -> Verdict:
        return Verdict(tuple(self.wishes(brief)))
