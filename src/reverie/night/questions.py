"""Questions and answers: what the nights could not settle, and what the owner says to it. Engine level.

An answer goes through the one writer and the promises like everything else, and can be undone.
"""

from __future__ import annotations

from reverie.apply.files import Disk
from reverie.core.ports import Clock
from reverie.judge.operation import CHOICES, Question
from reverie.night.night import Night, carried_out
from reverie.plan.asked import answer_plan, open_questions, questions_in
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Snapshot, Workspace


def questions(workspace: Workspace, *, everything: bool = False) -> tuple[Question, ...]:
    """What waits for an answer, oldest first; with `everything` also what was answered."""
    snapshot = read_workspace(workspace)
    return questions_in(snapshot) if everything else open_questions(snapshot)


def answer(
    workspace: Workspace, clock: Clock, its_id: str, choice: str, text: str = "", *, disk: Disk | None = None
) -> Night:
    """Do what the owner answered to a question: one line gives way, both stand, or other words take their place."""

    def plan(snapshot: Snapshot) -> Plan:
        return answer_plan(snapshot, its_id, choice, text, clock.now())

    return carried_out(workspace, clock, "answer", plan, disk)


__all__ = ["CHOICES", "Question", "answer", "questions"]
