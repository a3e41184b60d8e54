"""Every note line with what the learned judge knows of it: its worth, and the lines of memory that it may be about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reverie.core.layout import place_of
from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.compose import composed, plain_line
from reverie.judge.features import bare, terms
from reverie.judge.forms import SPOKEN, against
from reverie.judge.relation import key_of
from reverie.judge.worth import Line, Worth, about_same, worth_of
from reverie.text.lines import plain_heading
from reverie.text.terms import plain
from reverie.workspace.values import Statement

NEAREST = 4  # lines of memory that each note is looked at with
NEAR = 0.3  # cosine from which a line of memory may be concerned
CLOSE = 0.6  # cosine from which it may be without a common word
ACCESS = 0.06  # chance from which a line may open something: without a model it stays in its note (3 of 717 wanted lines did)
OPENS = "it may tell how something is opened"
COMMON_DAYS = 4  # a heading of so many days is the frame of a day


@dataclass(frozen=True, slots=True)
class Weighed:
    """A note line with all that the judge knows of it: its line for MEMORY.md, its worth, and the lines it may concern."""

    note: NoteLine
    line: str  # empty when it cannot stand alone
    worth: Worth
    near: tuple[MemoryLine, ...] = ()
    about: tuple[float, ...] = ()  # how likely it is about what each of those lines is about
    against: str = ""  # one of the four vetoes

    @property
    def same_thing(self) -> float:
        return max(self.about, default=0.0)


def weigh(brief: Brief) -> tuple[Weighed, ...]:
    """Every note line with its worth, beside the lines of memory that are nearest to it."""
    notes = [note for note in brief.notes if place_of(note.claim.path).kind in SPOKEN]
    vetoes = [against(note) for note in notes]
    near = _nearest(brief, notes)
    lines = [
        Line(plain_line(note.claim.text), under(note.claim), note.claim.day, tuple(plain_line(old.entry.text) for old, _ in its))
        for note, its in zip(notes, near, strict=True)
    ]  # fmt: skip
    embed = brief.embedder.embed if brief.embedder else None
    common = frozenset(_common_headings(brief))
    asked = [  # of what may not enter nobody wants to know
        (old, line.text)
        for line, its, veto in zip(lines, near, vetoes, strict=True)
        for old, (_, close) in zip(line.near, its, strict=True)
        if not veto and _may_be_about(line.text, old, close)
    ]
    about = dict(zip(asked, about_same(asked, embed), strict=True))
    return tuple(
        Weighed(
            note, composed(note.claim, common), worth, tuple(old for old, _ in its),
            tuple(about.get((old, line.text), 0.0) for old in line.near), veto or (OPENS if worth.access >= ACCESS else ""),
        )
        for note, line, worth, its, veto in zip(notes, lines, worth_of(lines, embed, quick=True), near, vetoes, strict=True)
    )  # fmt: skip


def under(claim: Statement) -> str:
    """What a line stands under, as the judge learnt it: without the day, which is the title of a note and says nothing of it."""
    names = [name for name in claim.heading.split(" > ") if name and not (claim.day and claim.day in name)]
    return " > ".join((*names, *filter(None, (claim.lead,))))


def _may_be_about(note: str, old: str, close: float) -> bool:
    """Whether it is worth asking: lines that are not close and share no word had at most 0.09 in seven workspaces."""
    return close >= CLOSE or not terms(bare(note)).isdisjoint(terms(bare(old)))


def said_when(one: Weighed) -> str:
    """On which days it was said, and what the recall lane tells of it."""
    days = one.note.days
    said = f"said on {len(days)} days" if len(days) > 1 else f"said on {days[0]}" if days else "said once"
    return f"{said}; {one.note.told}" if one.note.told else said


def _nearest(brief: Brief, notes: Sequence[NoteLine]) -> list[tuple[tuple[MemoryLine, float], ...]]:
    """For each note the lines of memory that may be concerned, near in meaning or with the same key, and how near each is."""
    olds = list(brief.memory)
    if not olds or not notes:
        return [() for _ in notes]
    keys: dict[str, list[int]] = {}
    for at, line in enumerate(olds):
        if key := key_of(line.entry.text):
            keys.setdefault(key, []).append(at)
    if brief.embedder is None:
        near = np.zeros((len(notes), len(olds)), dtype=np.float32)
    else:
        texts = [[plain_line(x.entry.text) for x in olds], [plain_line(x.claim.text) for x in notes]]
        rows = [np.asarray(brief.embedder.embed(part)) for part in texts]
        near = rows[1] @ rows[0].T
    found = []
    for i, note in enumerate(notes):
        ranked = [int(j) for j in np.argsort(-near[i])[:NEAREST] if near[i, j] >= NEAR]
        same = keys.get(key_of(note.claim.text), ())
        words = (
            [j for j, old in enumerate(olds) if plain(old.entry.text) == plain(note.claim.text)] if not ranked else []
        )
        found.append(tuple((olds[j], float(near[i, j])) for j in dict.fromkeys((*ranked, *same, *words))))
    return found


def _common_headings(brief: Brief) -> Iterator[str]:
    """Headings of several days: the frame of a day, no subject."""
    days: dict[str, set[str]] = {}
    for note in brief.notes:
        for heading in note.claim.heading.split(" > "):
            days.setdefault(plain_heading(heading), set()).add(note.claim.day)
    yield from (heading for heading, seen in days.items() if len(seen) >= COMMON_DAYS)


__all__ = ["Weighed", "said_when", "weigh"]
