"""What `dream` alone shows: the last night, what waits, the room that is left, and the three likeliest next steps for this very state.

Reads and decides; nothing is written. The same value serves a terminal and any other surface that opens with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from reverie.apply.runs import runs
from reverie.core.errors import BadPlanFile
from reverie.core.ports import Clock
from reverie.evidence.attempts import Attempt, Outcome, attempts, headline
from reverie.features.status import Glance, glance, warning
from reverie.lang.messages import say
from reverie.night.proposing import waiting
from reverie.night.suggesting import waiting_cards
from reverie.plan.asked import open_questions
from reverie.plan.show import moved_sentence
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Intent, Run, Workspace

MOST = 3


@dataclass(frozen=True, slots=True)
class Step:
    """A command that makes sense now, and why."""

    command: str
    why: str


@dataclass(frozen=True, slots=True)
class Overview:
    seen: Glance
    night: str  # the last night in one sentence
    proposed: bool  # a plan waits for the owner's word
    suggestions: int
    questions: int
    warning: str
    steps: tuple[Step, ...] = ()


def overview(workspace: Workspace, clock: Clock, *, started: bool) -> Overview:
    """Look at a workspace. `started`: whether anything on this machine starts its nights."""
    now = clock.now()
    seen = glance(workspace.root, workspace.vault, workspace.settings, now, workspace.home)
    snapshot = read_workspace(workspace)
    last = next(iter(reversed(attempts(workspace.root))), None)
    history = runs(workspace)
    night = next((run for run in reversed(history) if run.plan.intent is Intent.DREAM), None)
    said = [run.plan for run in history if run.plan.intent is Intent.SUGGESTION and not run.undone_by]
    said = [plan for plan in said if night is None or plan.made >= night.plan.made]
    by_yes = (
        moved_sentence(replace(said[-1], edits=tuple(edit for plan in said for edit in plan.edits))) if said else ""
    )
    waits = len(waiting_cards(snapshot, now.date())), len(open_questions(snapshot))
    told = _night(last, night) + (f" {say('overview.by_yes', what=by_yes)}" if by_yes else "")
    found = Overview(seen, told, _is_proposed(workspace), *waits, warning(seen))
    return replace(found, steps=tuple(islice(_steps(found, last, night, started=started), MOST)))


def _night(last: Attempt | None, run: Run | None) -> str:
    if run is None and last is None:
        return say("overview.no_night")
    if last is not None and (run is None or last.run != run.id):
        what = headline(last) or say(f"overview.{last.outcome.name.lower()}")
        return say("overview.night", when=last.at[:16].replace("T", " "), what=what.lstrip("🌙 ").rstrip("."))
    assert run is not None
    what = moved_sentence(run.plan) or say("overview.nothing_new")
    if run.undone_by:
        what = say("overview.undone", what=what)
    return say("overview.night", when=run.at[:16].replace("T", " "), what=what)


def _is_proposed(workspace: Workspace) -> bool:
    try:
        waiting(workspace)
    except BadPlanFile:  # none waits, or nobody can read it
        return False
    return True


def _steps(found: Overview, last: Attempt | None, run: Run | None, *, started: bool) -> Iterator[Step]:
    """What makes sense now, likeliest first; the last three always do."""
    seen = found.seen
    if found.proposed:
        yield Step("dream apply", say("overview.accept"))
    if last is not None and last.outcome is Outcome.FAILED:
        yield Step("dream doctor", say("overview.failed_why"))
    if found.questions:
        yield Step("dream questions", say("overview.answer_questions", n=found.questions))
    if last is None and run is None and (seen.characters or seen.pending):
        yield Step("dream plan", say("overview.first_plan"))
        yield Step("dream review", say("overview.first_review"))
    elif seen.pending or found.warning:
        yield Step(
            "dream review", say("overview.review", n=seen.pending) if seen.pending else say("overview.room_needed")
        )
    if found.suggestions:
        yield Step("dream suggestions", say("overview.answer_suggestions", n=found.suggestions))
    if not seen.characters and not seen.pending:
        yield Step("dream note TEXT", say("overview.first_note"))
    if not seen.on:
        yield Step("dream on", say("overview.switch_on"))
    elif not started:
        yield Step("dream schedule install", say("overview.start"))
    if run is not None and run.plan.counts and not run.undone_by:
        yield Step(f"dream runs {run.id}", say("overview.last_night"))
    yield Step("dream search WORDS", say("overview.search"))
    yield Step("dream note TEXT", say("overview.note"))
    yield Step("dream serve", say("overview.serve"))
