"""How likely a line answers a question: a dozen figures and learned weights.

The figures: how much of the question's telling words it has, its BM25 and its cosine beside the best and beside what is usual in this
memory, how well each piece of the question is met by some piece of the line (in any language, the vectors are shared by all),
whether it holds what is asked for (a day, a price, a number), whose words it is. `training/asking.py` fits the weights on questions
people asked and on messages that no memory knows anything about; a chance of a half means that it as likely answers as not.
The best of them are looked at once more, by what the whole network of the embedded encoder makes of question and line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np

from reverie.core.layout import holds_memory
from reverie.evidence.encoder import encode
from reverie.evidence.index import spoken
from reverie.evidence.relevance import Background, Weighing
from reverie.lang.lexicon import any_of
from reverie.text.terms import values_in
from reverie.workspace.values import Group, Origin, Statement

SPREAD = 5.0  # deviations of nearness that count
LOOKED_AT = 24  # of the best lines by the first figures: with more of them no more questions are answered, and each costs a millisecond
_TIME = re.compile(r"\d[:：]\d\d|\b\d{1,2}[-/.]\d{1,2}\b")
_DIGIT = re.compile(r"\d")
_MONEY = re.compile(r"[€$£¥₽₩]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may answer: its words and vectors beside the question's, and how good the lines beside it are."""

    claim: Statement
    words: float  # BM25 as a share of the best
    near: float  # cosine; zero where none is known
    beside: float


class Pieces:
    """The pieces of texts as an embedder knows them: for each text unit rows, and how much each piece says."""

    def __init__(self, rows: Any, weights: Any, starts: Sequence[int]) -> None:
        self._rows, self._weights, self._starts = rows, weights, [*starts, len(rows)]

    def met(self, one: int, others: Sequence[int]) -> list[float]:
        """How well the pieces of one text are met by those of each other: the nearest for each, by what it says."""
        mine = slice(self._starts[one], self._starts[one + 1])
        whole = float(self._weights[mine].sum())
        if not whole:
            return [0.0] * len(others)
        like = self._rows[mine] @ self._rows.T
        filled = [other for other in others if self._starts[other] < self._starts[other + 1]]
        ends = [edge for other in filled for edge in (self._starts[other], self._starts[other + 1])]
        # Every second part is what stands between two texts; the last text may end where the rows do.
        best = np.maximum.reduceat(like, [edge for edge in ends if edge < like.shape[1]], axis=1)[:, ::2]
        found = dict(zip(filled, (self._weights[mine] / whole) @ best, strict=True))
        return [float(found.get(other, 0.0)) for other in others]


def log_odds(
    question: str, found: Sequence[Candidate], weighing: Weighing, usual: Background, pieces: Pieces | None
) -> list[float]:
    """For each line the log odds that it answers. `pieces` are those of the question and then of the lines."""
    if not found:
        return []
    table = figures(question, found, weighing, usual, pieces)
    odds = table @ _weights()["meaning" if usual.spread else "words"]
    if pieces is not None:
        best = np.argsort(-odds, kind="stable")[:LOOKED_AT]
        closer = looked_closer(question, [found[at].claim for at in best], table[best]) @ _weights()["network"]
        odds = np.minimum(odds, closer.min())  # who was not looked at stands behind who was
        odds[best] = closer
    return [float(one) for one in odds]


def looked_closer(question: str, lines: Sequence[Statement], table: Any) -> Any:
    """The figures of some lines, and how near each is to the question by the whole network."""
    asked, *known = encode([question, *map(spoken, lines)])
    near = [float(one.sentence @ asked.sentence) for one in known]
    return np.column_stack([table, near, _standing(near)])


def figures(
    question: str, found: Sequence[Candidate], weighing: Weighing, usual: Background, pieces: Pieces | None
) -> Any:
    """One row a line, on scales of about one."""
    nears = [one.near for one in found]
    alike = pieces.met(0, range(1, len(found) + 1)) if pieces else nears
    shares = [weighing.share(one.claim) for one in found]
    wanted = asked_for(question)
    newest = bool(any_of("asking.newest").search(question))
    days = sorted({one.claim.day for one in found if one.claim.day})
    rows = [
        (
            1.0, share, share * share, one.words, max(near, 0.0),
            min(max((near - usual.mean) / usual.spread, 0.0), SPREAD) / SPREAD if usual.spread else 0.0,
            met, standing, float(bool(wanted)) * len(wanted & held_by(one.claim.text)) / max(len(wanted), 1),
            float(is_memory(one.claim)), math.log1p(len(one.claim.text)) / 5, float("?" in one.claim.text or "？" in one.claim.text),
            float(one.claim.origin is not Origin.OWNER), float(one.claim.origin in (Origin.MACHINE, Origin.FENCED)), float(one.claim.group is not Group.MEMORY),
            (days.index(one.claim.day) + 1) / len(days) if newest and one.claim.day else 0.0, one.beside,
        )
        for one, near, met, standing, share in zip(found, nears, alike, _standing(alike), shares, strict=True)
    ]  # fmt: skip
    return np.array(rows, dtype=np.float64)


def _standing(values: Sequence[float]) -> list[float]:
    """How far each stands out from all of them, three deviations being one."""
    mean = sum(values) / max(len(values), 1)
    spread = math.sqrt(sum((one - mean) ** 2 for one in values) / max(len(values), 1))
    return [(one - mean) / (3 * spread) if spread > 1e-9 else 0.0 for one in values]


def asked_for(question: str) -> frozenset[str]:
    """What kind of value a question wants: a day or time, a price, a number."""
    return frozenset(kind for kind in ("day", "price", "number") if any_of(f"asking.for_{kind}").search(question))


@lru_cache(maxsize=5_000)
def held_by(text: str) -> frozenset[str]:
    """What kinds of values a line holds."""
    digits = bool(_DIGIT.search(text))
    named = any(not any(map(str.isdigit, value)) and len(value) > 1 for value in values_in(text))
    day = bool(_TIME.search(text)) or named or (digits and bool(any_of("asking.day_signs").search(text)))
    price = digits and bool(_MONEY.search(text) or any_of("asking.price_signs").search(text))
    kinds = (("day", day), ("price", price), ("number", digits))
    return frozenset(kind for kind, holds in kinds if holds)


def is_memory(claim: Statement) -> bool:
    """Whether a claim is a line of memory."""
    return claim.group is Group.MEMORY and holds_memory(claim.path)


@cache
def _weights() -> dict[str, Any]:
    stored = json.loads((resources.files("reverie.evidence") / "data" / "asking.json").read_text("utf-8"))
    return {name: np.array(stored[name]) for name in ("meaning", "words", "network")}
