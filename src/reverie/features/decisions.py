"""A decision as people see it, whoever tells of it: a night's report, a card, a run, the story of a line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from reverie.operations import Op, Operation
from reverie.plan.draft import Refused, retold
from reverie.workspace.snapshot import Statement


@dataclass(frozen=True)
class Decision:
    """What happens to which lines, whole before and after, so that a yes never surprises."""

    id: str  # for `dream undo RUN --only ID` and `dream inbox --yes ID`
    what: str
    why: str
    before: tuple[str, ...]
    after: str  # empty: the lines leave
    under: str
    sources: tuple[str, ...]
    question: str
    run: str = ""
    at: date | None = None  # when it was done or asked
    is_undone: bool = False


def decision_of(
    operation: Operation, what: str = "", run: str = "", at: date | None = None, *, is_undone: bool = False
) -> Decision:
    return Decision(
        operation.id,
        what or operation.op,
        operation.why,
        tuple(ref.words.strip() for ref in operation.lines if ref.words),
        _line_after(operation).strip(),
        " > ".join(operation.under),
        tuple(ref.place for ref in (*operation.cites, *operation.lines)),
        operation.question,
        run,
        at,
        is_undone,
    )


def _line_after(operation: Operation) -> str:
    if operation.op not in {Op.UPDATE, Op.MERGE} or not operation.lines:
        return f"- {operation.text}" if operation.text else ""
    path, words = operation.lines[0].path, operation.lines[0].words
    try:
        return retold(operation, Statement(path, 0, 1, 1, words, words, is_row=words.lstrip().startswith("|")))
    except Refused:
        return operation.text
