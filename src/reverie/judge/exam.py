"""Twelve small memories with new notes, labelled line by line, and the marks that a judge's operations get for them. Pure.

English, Chinese, German, French and Russian, owners' notes and agents' logs; no weight was ever trained on them. What counts is
which lines a judge touches and on which notes it rests, not its wording: that is for the checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from reverie.core.layout import place_of
from reverie.core.ports import Embedder
from reverie.judge.brief import Brief, MemoryLine, NoteLine, Room
from reverie.judge.operation import Level, Op, Operation, words_after
from reverie.privacy.redact import holds_secret
from reverie.text.lines import bare, count_units, split_lines
from reverie.text.markdown import STATEMENTS, Shape, parse
from reverie.text.marks import protected_blocks
from reverie.workspace.values import File, Origin, Source, Statement, hash_text, stated

MARGIN = 0.1  # a model must be better than the built-in judge by so much, or its nights are not worth their price
MOST_HARM = 0.05  # share of its marked operations that may touch a line of memory which nothing speaks of
HARM_WEIGHS = 3  # a wrong removal is worse than anything that is missed
WORTH_KEEPING = 2  # of a label's 0 to 3
_CHANGES = ("update", "richer", "ends")


@dataclass(frozen=True, slots=True)
class Marks:
    """What a judge did with one scene: of what was wanted how much, noise that it would keep, lines that it would hurt."""

    right: int = 0
    wrong: int = 0
    harm: int = 0
    wanted: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that the labels want: a new line, a change of a line, or a question."""

    op: Op  # ADD, UPDATE (END will do where the line ended) or ASK
    notes: frozenset[str]  # it must rest on one of these
    memory: str = ""  # the line that changes
    gone: tuple[str, ...] = ()  # of these words of the line one must be gone
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A labelled scene. Notes and lines of memory are named as in its brief."""

    name: str
    brief: Brief
    labels: Mapping[str, Mapping[str, Any]]
    wishes: tuple[Wish, ...]
    places: Mapping[int, str]  # the first line of a block of MEMORY.md → the id of its line


def names() -> tuple[str, ...]:
    """The scenes, in the order in which they are asked."""
    return tuple(_scenes())


def briefs(embedder: Embedder | None = None) -> tuple[tuple[str, Brief], ...]:
    """The scenes as a judge is asked about them."""
    return tuple((name, replace(scene.brief, embedder=embedder)) for name, scene in _scenes().items())


def labels_of(name: str) -> Mapping[str, Mapping[str, Any]]:
    """What is known about the notes of a scene; a note without a label must not be kept."""
    return _scenes()[name].labels


def marked(name: str, operations: Sequence[Operation]) -> Marks:
    """The marks for what a judge wants of a scene. Only what would happen counts, not what it merely suggests."""
    scene = _scenes()[name]
    certain = [one for one in operations if one.level is Level.CERTAIN]
    right = sum(1 for wish in scene.wishes if any(_grants(scene, wish, one, certain) for one in certain))
    wrong = sum(1 for one in certain if _is_wrong(scene, one, certain))
    harm = sum(1 for one in certain if _is_harm(scene, one))
    return Marks(right, wrong, harm, len(scene.wishes))


def score(marks: Iterable[Marks]) -> float:
    """From 0 to 1: what was wanted and done, less what was wrong, as a share of what was wanted."""
    total = added(marks)
    if not total.wanted:
        return 0.0
    return max(0.0, total.right - total.wrong - HARM_WEIGHS * total.harm) / total.wanted


def harm_share(marks: Iterable[Marks]) -> float:
    """Of the operations that got a mark, the share that would hurt."""
    total = added(marks)
    return total.harm / max(1, total.right + total.wrong + total.harm)


def passes(model: Sequence[Marks], built_in: Sequence[Marks]) -> bool:
    """Whether a model may lead: clearly better than the built-in judge on the same scenes, and it hurts next to nothing."""
    return score(model) >= score(built_in) + MARGIN and harm_share(model) <= MOST_HARM


def added(marks: Iterable[Marks]) -> Marks:
    """Several scenes together."""
    all_of_them = tuple(marks)
    return Marks(
        sum(one.right for one in all_of_them), sum(one.wrong for one in all_of_them),
        sum(one.harm for one in all_of_them), sum(one.wanted for one in all_of_them),
    )  # fmt: skip


# --- marks -------------------------------------------------------------------------------------------------------------


def _grants(scene: Scene, wish: Wish, one: Operation, others: Sequence[Operation]) -> bool:
    if not wish.notes & _cited(one):
        return False
    if not wish.memory:
        return one.op is wish.op
    if wish.memory not in _touched(scene, one):
        return False
    if one.op is Op.END:
        return wish.ends or _is_told_anew(one, others)
    return one.op is Op.UPDATE and (not wish.gone or any(words not in words_after(one) for words in wish.gone))


def _is_wrong(scene: Scene, one: Operation, others: Sequence[Operation]) -> bool:
    """Noise that would enter, a line with news that would simply leave, or a decision where the owner must be asked."""
    if one.op is Op.ADD:
        return all(not scene.labels.get(note, {}).get("keep") for note in _cited(one))
    if one.op not in (Op.UPDATE, Op.END):
        return False
    about = [scene.labels[note] for note in _cited(one) if note in scene.labels]
    does = {label["does"] for label in about if set(label.get("to", ())) & _touched(scene, one)}
    lost = one.op is Op.END and does and "ends" not in does and not _is_told_anew(one, others)
    return bool(lost) or does == {"conflict"}


def _is_harm(scene: Scene, one: Operation) -> bool:
    """A change of a line of which no note says anything new."""
    if one.op not in (Op.UPDATE, Op.END, Op.MERGE):
        return False
    news = {name for label in scene.labels.values() if label.get("does") != "same" for name in label.get("to", ())}
    if one.op is Op.UPDATE:  # told a little better by a note that says the same: no gain and no harm
        news |= {name for note in _cited(one) for name in scene.labels.get(note, {}).get("to", ())}
    return not _touched(scene, one) & news


def _is_told_anew(end: Operation, others: Sequence[Operation]) -> bool:
    """Whether the line that leaves is replaced by a new one which rests on the same note."""
    return any(one.op is Op.ADD and _cited(one) & _cited(end) for one in others)


def _cited(one: Operation) -> set[str]:
    return {f"n{claim.first}" for claim in one.cites}


def _touched(scene: Scene, one: Operation) -> set[str]:
    return {scene.places[entry.block.first] for entry in one.memory if entry.block.first in scene.places}


# --- scenes ------------------------------------------------------------------------------------------------------------


@cache
def _scenes() -> Mapping[str, Scene]:
    text = files("reverie.judge").joinpath("data/exam_scenes.jsonl").read_text("utf-8")
    scenes = [_scene(json.loads(bare(line))) for line in split_lines(text)]
    return MappingProxyType({scene.name: scene for scene in scenes})


def _scene(packed: dict[str, Any]) -> Scene:
    memory = _memory(packed["memory"])
    lines = tuple(
        MemoryLine(f"m{number}", entry, "protected" if entry.protected else "")
        for number, entry in enumerate(memory.entries, 1)
        if not holds_secret(entry.text)
    )
    notes = tuple(_note(*note) for note in packed["notes"] if not holds_secret(note[3]))  # no brief shows these
    brief = Brief(
        today=date.fromisoformat(packed["today"]),
        memory=lines,
        notes=notes,
        room=Room(count_units(memory.text), len(memory.document.lines)),
        sections=tuple(dict.fromkeys(section for section, _ in packed["memory"])),
        language=packed["language"],
        file=memory,
    )
    labels = packed["labels"]
    places = {line.entry.block.first: line.id for line in lines}
    free, shown = {"", *(line.id for line in lines if not line.fixed)}, {note.id for note in notes}
    wishes = tuple(wish for wish in _wishes(labels) if wish.memory in free and wish.notes & shown)
    return Scene(packed["name"], brief, labels, wishes, places)


def _memory(lines: Sequence[tuple[str, str]]) -> File:
    """MEMORY.md as its owner would have it: rows of a table stand apart, so that each is a line of its own."""
    text, section = "# Memory\n", ""
    for heading, line in lines:
        text += f"\n## {heading}\n" if heading != section else ""
        text += f"{line}\n" if line.lstrip().startswith("- ") else f"\n{line}\n\n"
        section = heading
    document = parse(text)
    shielded = protected_blocks(document)
    entries = tuple(
        Statement(
            block.text, Source("MEMORY.md", block.first + 1, block.end), Origin.OWNER, document.headings_of(block),
            document.parents_of(block), protected=index in shielded, block=block,
        )
        for index, block in enumerate(document.blocks)
        if block.shape in STATEMENTS
    )  # fmt: skip
    return File("MEMORY.md", place_of("MEMORY.md"), hash_text(text), text, lambda: (document, entries))


def _note(number: int, day: str, under: str, text: str) -> NoteLine:
    block = next(iter(parse(text.strip()).blocks))
    quoted = block.shape is Shape.QUOTE
    origin = Origin.QUOTED if quoted else Origin.OWNER
    claim = stated(f"memory/{day}.md", number, number, block.text, under, day=day, origin=origin.value)
    return NoteLine(f"n{number}", claim, (day,), (claim.source,), quoted=quoted, ticked=bool(block.checked))


def _wishes(labels: Mapping[str, Mapping[str, Any]]) -> tuple[Wish, ...]:
    """What the labels want: each new line, each line that changes, each question once, however many notes speak of it."""
    lines: dict[str, set[str]] = {}
    changes: dict[str, list[str]] = {}
    asks: list[str] = []
    for note, label in labels.items():
        does, worth = label.get("does", "add"), label.get("keep", 0) >= WORTH_KEEPING
        for other in label.get("to", ()):
            if other in lines:  # the same as an earlier note, or newer than it
                lines[other] = {note} if does == "update" else lines[other] | {note}
            elif does in _CHANGES and worth and other.startswith("m"):
                changes.setdefault(other, []).append(note)
        if does == "add" and worth:
            lines[note] = {note}
        elif does == "conflict" and worth:
            asks.append(note)
    return (
        *(Wish(Op.ADD, frozenset(notes)) for notes in lines.values()),
        *(_change(memory, [(note, labels[note]) for note in notes]) for memory, notes in changes.items()),
        *(Wish(Op.ASK, frozenset({note})) for note in asks),
    )


def _change(memory: str, told: Sequence[tuple[str, Mapping[str, Any]]]) -> Wish:
    after = told[-1][1].get("result", "")
    gone = tuple(old for _, label in told for old, _ in label.get("swap", ()) if old not in after)
    ends = any(label["does"] == "ends" for _, label in told)
    return Wish(Op.UPDATE, frozenset(note for note, _ in told), memory, () if ends else gone, ends)
