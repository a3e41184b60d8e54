"""`dream changes`: what the last night, or every run since a day, added to memory, changed in it and took out, and what waits.

What came and left again in the same time is no change; a value that changed twice changed once; of a copy that left it is said
that its words still stand. To a night belongs what the owner's yes and answers did after it. Reads only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from reverie.apply.runs import last_night, runs
from reverie.apply.state import read_proposal
from reverie.core.layout import holds_memory
from reverie.core.ports import Clock
from reverie.features.as_of import past_day
from reverie.judge.forgotten import forgotten_in
from reverie.lang.messages import say
from reverie.night.suggesting import waiting_cards
from reverie.plan.asked import open_questions
from reverie.plan.splices import VIEW
from reverie.privacy.redact import shown
from reverie.text.lines import SEPARATOR, bare, split_lines
from reverie.text.sections import OURS
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Run, Snapshot, Workspace

NEWS = 7  # days after which a night is no news any more
_FEW = 3  # lines of a kind that are told one by one
_SHORT = 90  # characters of each of them
_STOP = ".。 "
_BULLET = re.compile(r"^[-*+]\s+")


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of memory, in its own words, and how much waits for somebody."""

    since: str = ""  # the day it begins with
    runs: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()  # the old words and the new ones
    removed: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()  # what stood twice and stands once now
    suggestions: int = 0
    questions: int = 0
    proposal: bool = False


def changes(workspace: Workspace, clock: Clock, since: str = "") -> Changes:
    """What every run since this day did to memory; without a day, what the last night did."""
    snapshot, today = read_workspace(workspace), clock.now().date()
    if since:
        first = past_day(since, today).isoformat()
        return changes_in(snapshot, _standing([run for run in runs(workspace) if run.at[:10] >= first]), first, today)
    night = last_night(workspace)
    return changes_in(snapshot, night, night[0].at[:10] if night else "", today)


def news(snapshot: Snapshot, today: date) -> Changes | None:
    """What the last night did, where that is news; None where it is not."""
    night = last_night(snapshot.workspace)
    if not night or (today - date.fromisoformat(night[-1].at[:10])).days > NEWS:
        return None
    return changes_in(snapshot, night, night[0].at[:10], today)


def changes_in(snapshot: Snapshot, history: Sequence[Run], since: str, today: date) -> Changes:
    """What some runs came to."""
    gone = forgotten_in(snapshot)
    stands = {line.rstrip(_STOP) for file in snapshot.memories for line in _said(split_lines(file.text))}
    came: dict[str, str] = {}  # each line that is new, with what stood in its place; nothing for what was added
    left: dict[str, None] = {}
    for old, new in _moves(history):
        first = came.pop(old, old)
        if new:
            came[new] = first
        elif first:
            left[first] = None
        if not old and new in left:
            del left[new], came[new]
    told = {new: old for new, old in came.items() if old != new and not gone.is_gone(new)}
    return Changes(
        since,
        tuple(run.id for run in history),
        tuple(new for new, old in told.items() if not old),
        tuple((old, new) for new, old in told.items() if old),
        tuple(old for old in left if old.rstrip(_STOP) not in stands and not gone.is_gone(old)),
        tuple(old for old in left if old.rstrip(_STOP) in stands and not gone.is_gone(old)),
        len(waiting_cards(snapshot, today)),
        len(open_questions(snapshot, today)),
        read_proposal(snapshot.workspace) is not None,
    )


def _moves(history: Iterable[Run]) -> Iterable[tuple[str, str]]:
    """The lines of memory that runs exchanged, in order: the old words and the new ones; one of them empty for what came or left."""
    for run in history:
        for edit in run.plan.edits:
            if holds_memory(edit.path) and edit.tag != VIEW:
                olds, news = _said(edit.old), _said(edit.new)
                both = {*olds} & {*news}
                old, new = ([line for line in lines if line not in both] for lines in (olds, news))
                pairs = min(len(old), len(new))
                yield from zip(old, new, strict=False)
                yield from ((line, "") for line in old[pairs:])
                yield from (("", line) for line in new[pairs:])


def _standing(history: Sequence[Run]) -> list[Run]:
    """Without what was taken back, and without its taking back, where both lie in the same time."""
    there = {run.id for run in history}
    return [run for run in history if not run.undone_by and run.plan.undoes not in there]


def _said(lines: Iterable[str]) -> list[str]:
    """The words of lines that say something, as they may be shown: without their bullet and the stars of bold words."""
    plain = (OURS.sub("", bare(line)).strip() for line in lines)
    said = (line for line in plain if line and line != SEPARATOR and not line.startswith(("#", "<!--")))
    return [shown(_BULLET.sub("", line)).replace("**", "") for line in said]


def in_three_lines(found: Changes) -> list[str]:
    """What was added; what changed and what left; what waits."""
    none = say("time.none")
    changed = [say("time.became", old=_short(old), new=_short(new)) for old, new in found.changed]
    counts = {"n": found.suggestions}, {"n": found.questions}
    waits = [say(f"time.{name}", **n) for name, n in zip(("cards", "asked"), counts, strict=True) if n["n"]]
    waits += [say("time.proposal")] if found.proposal else []
    return [
        say("time.added", lines=_few(found.added) or none),
        say("time.changed", changed=_few(changed) or none, removed=_few(found.removed) or none),
        say("time.waits", what=say("count.between").join(waits) or none),
    ]


def _few(lines: Sequence[str]) -> str:
    rest = [say("time.more", n=len(lines) - _FEW)] if len(lines) > _FEW else []
    return say("time.between").join([*map(_short, lines[:_FEW]), *rest])


def _short(line: str) -> str:
    line = line.rstrip(".。")  # the sentence that it stands in has a stop of its own
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1].rstrip()}…"
