"""Questions and answers: what the nights could not settle, and what the owner says to it. Engine level.

An answer goes through the one writer and the promises like everything else, and can be undone.
"""

from __future__ import annotations

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.core.ports import Clock
from reverie.features.projections.projections import refreshed
from reverie.judge.question import CHOICES, Question
from reverie.night.engine import Night
from reverie.plan.asked import answer_plan, open_questions, questions_in
from reverie.plan.promises import check_promises
from reverie.plan.splices import changes_of
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace


def questions(workspace: Workspace, *, everything: bool = False) -> tuple[Question, ...]:
    """What waits for an answer, oldest first; with `everything` also what was answered."""
    snapshot = read_workspace(workspace)
    return questions_in(snapshot) if everything else open_questions(snapshot)


def answer(
    workspace: Workspace, clock: Clock, its_id: str, choice: str, text: str = "", *, disk: Disk | None = None
) -> Night:
    """Do what the owner answered to a question: one line gives way, both stand, or other words take their place."""
    now = clock.now()
    with held(workspace.root, "answer", now.isoformat(timespec="seconds"), workspace.settings.lock_wait):
        told = recover(workspace, disk)
        snapshot = read_workspace(workspace)
        plan = answer_plan(snapshot, its_id, choice, text, now)
        check_promises(snapshot, plan)
        run = write_run(workspace, plan, changes_of(snapshot, plan), disk)
        return Night(snapshot, plan, run, told, projected=refreshed(workspace, disk))


__all__ = ["CHOICES", "Question", "answer", "questions"]
