"""What the classified files say already, so that nothing is written twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reverie.core.layout import Kind
from reverie.judge.later import says_the_same
from reverie.text.comparing import bag, is_negated, values_in
from reverie.text.terms import plain
from reverie.workspace.values import File

FEW = 4  # words; fewer stand together in any file by chance
COVERED = 0.85  # share of a memory's words that one file must hold to be about it already
_NAMED = re.compile(r"^(?:name|description):[ \t]*(.+)$", re.M)
_TITLE = re.compile(r"(?:\*\*|__)?(?P<name>[^,，;；.。:：(（*_]{2,60})(?:[:：(（]|\*\*|__|\s+[(（])")
_TYPE = re.compile(r"^type:[ \t]*(\w+)", re.M)


class Known:
    """The classified memories of a workspace, and those that this walk has met."""

    def __init__(self, files: Iterable[File]) -> None:
        self._files = [(file.path, file, *_front(file)) for file in files if file.place.kind is Kind.CLASSIFIED]
        self._met: list[tuple[str, str]] = []

    def learn(self, text: str, where: str) -> None:
        self._met.append((text, where))

    def met(self, whole: str) -> str:
        """The line of this walk that says the same words; empty when none does."""
        return next((where for text, where in self._met if plain(text) == plain(whole)), "")

    def says(self, parts: Sequence[str], kind: str = "") -> tuple[str, bool]:
        """(the file or line that says these parts of a memory, whether in the same words); ("", False) when nobody does."""
        whole, first = " ".join(parts), parts[0]
        if where := self.met(whole):
            return where, True
        for path, file, _, _ in self._files:
            if {plain(part) for part in parts} <= {plain(entry.text) for entry in file.entries}:
                return path, True
            if any(says_the_same(entry.text, whole) for entry in file.entries):
                return path, False
        for path, file, name, its_kind in self._files:
            if any(_covers(f"{name} {entry.text}", whole) for entry in file.entries):
                return path, False
            if kind == its_kind and len(bag(_title(first))) >= 2 and bag(_title(first)) <= bag(name):
                return path, False
        return "", False


def _covers(said: str, whole: str) -> bool:
    """Nearly all words and all values of a memory stand in one statement, its file's name and description."""
    words = bag(whole)
    most = len(words & bag(said)) >= COVERED * len(words) and values_in(whole) <= values_in(said)
    return len(words) >= FEW and most and is_negated(whole) <= is_negated(said)


def _front(file: File) -> tuple[str, str]:
    """(name and description, type) of a classified file; its folder says the type where the front matter does not."""
    head = file.text[:2_000]
    told, kind = " ".join(said.strip("\"' ") for said in _NAMED.findall(head)), _TYPE.search(head)
    return told, kind[1] if kind else file.path.split("/")[1]


def _title(text: str) -> str:
    """What a memory is called where it says so: the words before a colon or a bracket, or the bold ones; else nothing."""
    found = _TITLE.match(text)
    return found["name"] if found else ""
