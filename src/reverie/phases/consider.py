"""The distillation judgement, first half: what each new claim is worth, and what speaks against it (seed 000's table).

Three layers: rules for what is certain (`worthy`, repetition with other digits), the learned judge for the rest, and
evidence on top (days, questions). What is decided about a claim stands in one value, so that it can be explained.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reverie.claim import Claim, Evidence, Observed
from reverie.declared import is_declared
from reverie.headings import plain_heading
from reverie.layout import Kind, place_of
from reverie.model import Snapshot
from reverie.phases.compose import composed, plain_line
from reverie.phases.judge import Judged, Line, judge_lines
from reverie.phases.worthy import reason_against

ONCE, AGAIN = 0.6, 0.55  # how likely it must be that a line matters, said on one day and on several
DECLARED = 0.7  # what says of itself that it is a rule from now on; the judge has only seen so many subjects
HIGHEST = 0.97  # whatever the owner deletes, what is all but certain may enter
LESSON, MOST_LESSONS = 0.05, 5  # what each line that the owner took out by hand adds to the bar of its kind
ROUTINE_DAYS = 3  # the same frame with other digits on so many days is a job reporting
COMMON_DAYS = 4  # a heading of so many days is the frame of a day, not a subject
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_SPOKEN = frozenset({Kind.SESSION, Kind.CORPUS})
_LEFT_TO_OTHERS = frozenset({Kind.LOG, Kind.CLASSIFIED})


@dataclass(frozen=True, slots=True)
class Considered:
    """A claim with its line for MEMORY.md, its judgement, and the word against it (empty if there is none)."""

    observed: Observed
    line: str
    judged: Judged
    against: str = ""
    taught: float = 0.0  # how much more it needs, because the owner took lines of its kind out by hand
    advised: bool | None = None  # what a model thinks of it, where the rules let it decide

    @property
    def claim(self) -> Claim:
        return self.observed.claim

    @property
    def days(self) -> int:
        return len(self.observed.days)

    @property
    def wanted(self) -> bool:
        """Clearly important once, or likely so on two days or more, or asked for (seed 000)."""
        if self.against or self.advised is not None:
            return bool(self.advised) and not self.against
        return self.judged.keep >= self.bar

    @property
    def bar(self) -> float:
        """How likely it must be that this line matters."""
        return min((AGAIN if self.seen_again else ONCE) + self.taught, HIGHEST)

    @property
    def seen_again(self) -> bool:
        return self.days >= 2 or self.observed.queries >= 2


def consider(snapshot: Snapshot, evidence: Evidence, unwanted: Collection[str] = ()) -> tuple[Considered, ...]:
    """Every claim of the new notes, judged; what is decided elsewhere (logs, classified memories) is left out.

    `unwanted` are lines of ours that the owner took out by hand: their kinds need more from now on.
    """
    found = [one for one in evidence.fresh if _kind(snapshot, one.claim) not in _LEFT_TO_OTHERS]
    routine, common = _routine(found), common_headings(found)
    embed = evidence.embedder.embed if evidence.embedder else None
    lines = [Line(plain_line(one.claim.text), one.claim.context) for one in found]
    taught = _taught(sorted(unwanted), embed)
    considered = []
    for one, judged in zip(found, judge_lines(lines, embed), strict=True):
        if is_declared(plain_line(one.claim.text)) and judged.keep < DECLARED:
            judged = replace(judged, keep=DECLARED)
        line = composed(one.claim, common)
        against = _against(snapshot, one, line, routine)
        if not against and embed is None and not Considered(one, line, judged).seen_again:
            against = "said once, and judged without vectors"  # the judge is too sure of itself without them
        considered.append(Considered(one, line, judged, against, taught.get(judged.kind, 0.0)))
    return tuple(considered)


def _taught(unwanted: Sequence[str], embed: Callable[[Sequence[str]], Any] | None) -> Mapping[str, float]:
    """Kind → how much more it needs."""
    kinds = Counter(one.kind for one in judge_lines([Line(text) for text in unwanted], embed))
    return {kind: LESSON * min(count, MOST_LESSONS) for kind, count in kinds.items()}


def _against(snapshot: Snapshot, one: Observed, line: str, routine: frozenset[str]) -> str:
    claim = one.claim
    if _frame(claim.text) in routine:
        return "routine"
    if reason := reason_against(plain_line(claim.text), claim.context, claim.origin, cleaned=line):
        return reason
    if _kind(snapshot, claim) in _SPOKEN and claim.origin != "owner":
        return "said by the agent"
    return "" if line else "not one line"


def _kind(snapshot: Snapshot, claim: Claim) -> Kind:
    file = snapshot.files.get(claim.path)
    return file.place.kind if file else place_of(claim.path).kind


def _frame(text: str) -> str:
    return " ".join(_DIGITS.sub("#", text).split()).casefold()


def _routine(found: Sequence[Observed]) -> frozenset[str]:
    """Frames that come back with other digits, or with another word in the same place: what a job or a chore says."""
    with_digits = [one for one in found if _DIGITS.search(one.claim.text)]
    jobs = _coming_back(with_digits, _frame, lambda one: one.claim.text, fewest=2)
    chores = _coming_back(found, lambda text: _ends(_frame(text)), lambda one: _frame(one.claim.text), fewest=3)
    return frozenset(jobs).union(*chores.values())


def _coming_back(
    found: Sequence[Observed], key: Callable[[str], str], told: Callable[[Observed], str], *, fewest: int
) -> dict[str, set[str]]:
    """What is told under each key, where so many different things are told on so many days."""
    texts: dict[str, set[str]] = defaultdict(set)
    days: dict[str, set[str]] = defaultdict(set)
    for one in found:
        if name := key(one.claim.text):
            texts[name].add(told(one))
            days[name].update(one.days)
    return {name: texts[name] for name in texts if len(texts[name]) >= fewest and len(days[name]) >= ROUTINE_DAYS}


def _ends(frame: str) -> str:
    """How a line begins and ends, without what stands between: a form that is filled in every day has both."""
    bare = plain_line(frame).strip(" .。!！")
    parts = bare.split()
    if len(parts) >= 5:
        return " ".join((*parts[:2], "…", *parts[-2:]))
    glued = sum(1 for char in bare if "\u3040" <= char <= "\u9fff")
    return f"{bare[:5]}…{bare[-5:]}" if glued >= 12 else ""


def common_headings(found: Sequence[Observed]) -> frozenset[str]:
    """Headings that stand in many notes: the frame of a day."""
    days: Mapping[str, set[str]] = defaultdict(set)
    for one in found:
        for heading in one.claim.heading.split(" > "):
            days[plain_heading(heading)].add(one.claim.day)
    return frozenset(heading for heading, on in days.items() if len(on) >= COMMON_DAYS)
