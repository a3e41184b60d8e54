"""Re-emergence: what left MEMORY.md and is said again later comes back (seed 000).

Only newer evidence counts, never the old lines read once more. Certain is only the same statement; what a judge should look at
is what seems to be about the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import numpy as np

from reverie.core.ports import Embedder
from reverie.judge.brief import Brief, NoteLine, ReturnedLine
from reverie.judge.compose import composed, plain_line
from reverie.judge.operation import Op, Operation
from reverie.judge.relation import Kind, relation
from reverie.judge.vetoes import is_statement
from reverie.text.comparing import bag, is_negated, shared, values_in
from reverie.text.sections import CURRENT, STABLE
from reverie.workspace.values import MARK, MAY_RETURN, Removed

TAG = "re-emerged"
NEAR, WORDS = 0.6, 0.5  # cosine, and share of words, from which a judge should look
MOST = 20  # lines of the archive that a brief shows
_NIGHT = 6  # a removal before this hour is a night's; that day's note is later


def returned_lines(
    removed: Sequence[Removed], notes: Sequence[NoteLine], embedder: Embedder | None
) -> tuple[ReturnedLine, ...]:
    """What left and what a newer note seems to say again, each with the note that says it best."""
    gone = [one for one in removed if one.category in MAY_RETURN]
    said = [note for note in notes if not note.quoted and note.claim.day]
    if not gone or not said:
        return ()
    olds, news = [words_of(one.text) for one in gone], [plain_line(note.claim.text) for note in said]
    rows = np.asarray(embedder.embed([*olds, *news])) if embedder else np.zeros((len(olds) + len(news), 1))
    near = rows[: len(olds)] @ rows[len(olds) :].T
    found = []
    for i, old in enumerate(gone):
        best = max(
            (j for j in range(len(said)) if later(said[j], old) and says_it_again(olds[i], news[j], float(near[i, j]))),
            key=lambda j: float(near[i, j]) + shared(olds[i], news[j]),
            default=None,
        )
        if best is not None:
            found.append((old, said[best].id))
    return tuple(ReturnedLine(f"a{n}", old, note) for n, (old, note) in enumerate(found[:MOST], 1))


def returning(brief: Brief) -> Iterator[Operation]:
    """What is said again in the same words, or nearly: it comes back as the note says it now."""
    notes = {note.id: note for note in brief.notes}
    for line in brief.returned:
        note, old = notes[line.note], line.removed
        if _is_the_same(words_of(old.text), plain_line(note.claim.text)) and (text := composed(note.claim)):
            why = f"said again on {note.claim.day}; it had left on {old.at[:10]} ({old.category}) as [{old.id}]"
            section = CURRENT if old.category in ("stale", "completed") else STABLE
            yield Operation(Op.ADD, why, (note.claim,), text=f"{MARK} {text}", section=section, tag=TAG)


def _is_the_same(old: str, new: str) -> bool:
    """The same statement, not a question about it and without a word more: "maybe" and "is cancelled" are such words."""
    return relation(old, new).kind is Kind.SAME and bag(old) == bag(new) and is_statement(new)


def words_of(text: str) -> str:
    """The words of what left, without list marker, marks of ours and the sign of an earlier return."""
    return plain_line(text.lstrip(" \t-*+")).replace(MARK, "").strip()


def later(note: NoteLine, old: Removed) -> bool:
    """Said after the removal. Of the same day only what follows a night; what was forgotten by hand waits a day longer."""
    try:
        left, said = date.fromisoformat(old.at[:10]), date.fromisoformat(note.claim.day)
    except ValueError:
        return False
    by_night = old.category != "forgotten" and old.at[11:13].isdecimal() and int(old.at[11:13]) < _NIGHT
    return said >= left + timedelta(days=0 if by_night else 1)


def says_it_again(old: str, new: str, cosine: float) -> bool:
    """Whether a new line seems to say what a removed one said: the same values and sense, and much in common."""
    if values_in(old) != values_in(new) or is_negated(old) != is_negated(new):
        return False
    return relation(old, new).kind is Kind.SAME or (cosine >= NEAR and shared(old, new) >= WORDS)
