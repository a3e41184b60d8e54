"""A decision as people and programs see it, wherever it is told: in a report, the inbox, a run, a story."""

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
    run: str
    at: date | None  # when it was done or asked
    is_undone: bool


def decision_of(
    op: Operation, what: str = "", run: str = "", at: date | None = None, *, undone: bool = False
) -> Decision:
    before = tuple(ref.words.strip() for ref in op.lines if ref.words)
    after, under, sources = f"- {op.text}" * bool(op.text), " > ".join(op.under), (*op.cites, *op.lines)
    if op.op in {Op.UPDATE, Op.MERGE} and before:
        first = Statement("", 0, 1, 1, op.lines[0].words, "", is_row=before[0].startswith("|"))
        try:
            after = retold(op, first).strip()
        except Refused:
            after = op.text
    places = tuple(ref.place for ref in sources)
    return Decision(op.id, what or op.op, op.why, before, after, under, places, op.question, run, at, undone)
