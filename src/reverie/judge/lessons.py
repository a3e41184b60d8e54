"""Lessons: what an agent was corrected in twice, or got wrong twice, becomes one line in the log's own words (seed 001).

All records of the logs are compared as soon as one is new: the second mistake may stand in another file than the first. The
fix makes the rule where the log names one; else the correction; else what went wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import numpy as np

from reverie.judge.brief import Brief
from reverie.judge.compose import owner_words, whole_sentences
from reverie.judge.learnt import Learnt
from reverie.judge.operation import Op, Operation
from reverie.judge.relation import Kind, relation
from reverie.judge.vetoes import veto
from reverie.text.comparing import is_negated, shared
from reverie.text.sections import LESSONS
from reverie.text.terms import plain
from reverie.workspace.values import Statement, stated

TAG = "lesson"
TWICE = 2
CLOSE = 0.62  # cosine from which two records that share words tell of one mistake
WORDS = 0.25  # share of their words that they must have in common besides


def lessons(brief: Brief) -> Iterator[Operation]:
    """One addition for every mistake that was logged more than once, not all of it before the last night."""
    new = {(note.claim.path, note.claim.first) for note in brief.notes}
    for group in grouped([one for one in brief.logged if one.kind not in ("decision", "request")], brief):
        times = max(len({(one.day, plain(one.context)) for one in group}), *(one.times for one in group))
        if times < TWICE or not any(_is_new(one, new) for one in group):
            continue
        best = min(group, key=lambda one: (not one.rule, one.kind != "correction", -len(one.text)))
        line = whole_sentences(owner_words(best.rule or best.text))
        if line and not veto(line) and not any(relation(m.entry.text, line).kind is Kind.SAME for m in brief.memory):
            cites = tuple(_claim(one) for one in (best, *(one for one in group if one is not best)))[:4]
            why = f"it was logged {times} times, last on {max(one.day for one in group) or 'a day that is not named'}"
            yield Operation(Op.ADD, why, cites, text=line, section=LESSONS, tag=TAG)


def grouped(records: Sequence[Learnt], brief: Brief) -> list[list[Learnt]]:
    """Records that tell of one mistake, each in one group; a record joins where it is like most of those there."""
    texts = [one.text for one in records]
    rows = np.asarray(brief.embedder.embed(texts)) if brief.embedder and texts else None
    groups: list[list[int]] = []
    for i, one in enumerate(texts):
        for group in groups:
            alike = sum(_alike(texts[j], one, None if rows is None else float(rows[i] @ rows[j])) for j in group)
            if alike and 2 * alike >= len(group):
                group.append(i)
                break
        else:
            groups.append([i])
    return [[records[i] for i in group] for group in groups]


def _alike(one: str, other: str, cosine: float | None) -> bool:
    if relation(one, other).kind is Kind.SAME:
        return True
    near = cosine is not None and cosine >= CLOSE and is_negated(one) == is_negated(other)
    return near and shared(one, other) >= WORDS


def _is_new(one: Learnt, new: Set[tuple[str, int]]) -> bool:
    """A record of several lines is new as soon as one of its lines is."""
    return any((one.path, line) in new for line in range(one.source.first, one.source.last + 1))


def _claim(one: Learnt) -> Statement:
    return stated(one.source.path, one.source.first, one.source.last, one.text, one.context, "", one.day)
