"""Possible lasting truths: new claims that may matter for long, though nothing has promoted them yet.

The judge says how likely a line is to last, the days and questions say how often life came back to it. Three at most, each
with its confidence and its place; a line that something speaks against is none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reverie.evidence.values import Observed
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, Embed, Line, worth_of
from reverie.plan.pages import one_line
from reverie.workspace.recalls import fixed
from reverie.workspace.values import Source

MOST = 3
_KEEP, _DAYS, _ASKED = 0.6, 0.25, 0.15  # what the judge, the days and the questions contribute
_OFTEN = 3  # days or questions from which more say nothing new


@dataclass(frozen=True, slots=True)
class LastingTruth:
    """A claim that may last, and how sure that is."""

    observed: Observed
    confidence: float


def lasting_truths(
    fresh: Sequence[Observed], promoted: Collection[Source], embed: Embed | None, *, most: int = MOST
) -> tuple[LastingTruth, ...]:
    """The surest few of what is new, without what enters MEMORY.md tonight (`promoted`, by its places)."""
    open_ones = [
        one
        for one in _one_each(fresh)
        if not set(one.sources or (one.claim.source,)) & set(promoted)
        and not unfit(one.claim.text, one.claim.context, one.claim.origin)
    ]
    judged = worth_of([Line(one.claim.text, one.claim.context) for one in open_ones], embed)
    found = [
        LastingTruth(one, confidence(its.keep, len(one.days), one.queries))
        for one, its in zip(open_ones, judged, strict=True)
        if its.keep >= THRESHOLDS["recalled"]
    ]
    found.sort(key=lambda truth: (-truth.confidence, truth.observed.claim.path, truth.observed.claim.first))
    return tuple(found[:most])


def confidence(keep: float, days: int, queries: int) -> float:
    """From 0 to 1: worth, spread over days, and being asked for."""
    return _KEEP * keep + _DAYS * min(1.0, days / _OFTEN) + _ASKED * min(1.0, queries / _OFTEN)


def truth_lines(truths: Sequence[LastingTruth], kinds: frozenset[str]) -> list[str]:
    """As they stand below `### Possible Lasting Truths`, in the peer's form."""
    return [
        f"- {one_line(claim.text, kinds)} [confidence={fixed(one.confidence, 2)} evidence={claim.path}:{claim.first}-{claim.last}]"
        for one in truths
        for claim in (one.observed.claim,)
    ]


def _one_each(fresh: Sequence[Observed]) -> list[Observed]:
    """Of several wordings of one subject the last: it is the newest."""
    return list({one.subject or one.claim.key: one for one in fresh}.values())
