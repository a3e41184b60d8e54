"""Which projects a workspace has, and what it says about each. Pure: sayings in, projects out.

A project is an item of MEMORY.md with a state or open tasks below it, a named item under a heading of projects, or a
classified project file. A line belongs to it when all words of its name stand in the line, its parents or its headings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reverie.core.layout import Kind
from reverie.features.classify.labels import PROJECT, headed, is_labelled, key_of
from reverie.features.classify.memo import name_of
from reverie.features.classify.sorting import is_state, is_task
from reverie.features.classify.units import Unit, units_of
from reverie.lang.notes_words import DONE
from reverie.plan.quoting import Said
from reverie.text.comparing import bag
from reverie.text.marks import is_done
from reverie.workspace.values import Snapshot


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
