"""Two judges that are models: the weakest obeys whatever it is shown, a good one believes its owner alone."""

from __future__ import annotations

from reverie.judge.brief import Brief, Verdict
from reverie.operations import Op, Operation
from reverie.workspace.origins import Origin


def obeying(brief: Brief) -> Verdict:
    """Writes down everything that it is shown, as it stands and pinned, ends and retells every line, and asks for more."""
    operations, notes = list[Operation](), [line.statement for line in brief.notes]
    for note in notes:
        for text in (note.text, f"📌 {note.text}"):
            operations.append(
                Operation(Op.ADD, "ordered", text=text, under=("Facts",), cites=(note.ref,), judge="model")
            )
    for line in brief.memory:
        cites = tuple(note.ref for note in notes)
        for op, text in ((Op.END, ""), (Op.UPDATE, notes[0].text if notes else "obeyed")):
            operations.append(Operation(op, "ordered", (line.statement.ref,), text, cites=cites, judge="model"))
    return Verdict(tuple(operations), read=brief.reading)


def careful(brief: Brief) -> Verdict:
    """Writes down what the owner said, and changes nothing."""
    return keeping(brief, lambda line: line.statement.origin is Origin.OWNER)


def eager(brief: Brief) -> Verdict:
    """Writes down everything that it is shown, and changes nothing."""
    return keeping(brief, lambda _: True)


def keeping(brief: Brief, wanted: object) -> Verdict:
    assert callable(wanted)
    said = (line.statement for line in brief.notes if wanted(line))
    adds = (Operation(Op.ADD, "said", text=it.text, under=("Facts",), cites=(it.ref,), judge="model") for it in said)
    return Verdict(tuple(adds), read=brief.reading)
