"""The gates over a few operations of a model, without a night: which would be dropped, and why. Engine level, writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from reverie.apply.history import runs
from reverie.claim import Evidence
from reverie.counsel import Counsel, Operation
from reverie.dreaming import LATEST_RUNS
from reverie.model import Snapshot
from reverie.phases.advice import REASON, Advice, entry_id
from reverie.phases.consider import consider
from reverie.phases.distill import pairs_with_memory
from reverie.phases.near import Near
from reverie.plan.forget import owner_removed


class Gates:
    """What is new tonight, looked at once, so that many operations can be tried against it."""

    def __init__(self, snapshot: Snapshot, evidence: Evidence, pairs: Collection[tuple[str, str]]) -> None:
        """`pairs` are the (line of memory, claim) that any of the operations speaks of."""
        by_hand = owner_removed(snapshot, runs(snapshot.workspace)[-LATEST_RUNS:])
        self._snapshot = snapshot
        self._considered = consider(snapshot, evidence, by_hand)
        may = [one for one in self._considered if not one.against]
        wanted = frozenset(pairs)
        self._pairs = [
            ((entry_id(pair.entry), pair.new.claim.key), pair)
            for pair in (pairs_with_memory(snapshot, may, evidence, wanted) if wanted else ())
        ]

    def against(self, operations: Sequence[Operation], *, rules: bool = False) -> Counter[str]:
        """The reasons for which some of these operations would be dropped, and how many."""
        advice = Advice(Counsel(tuple(operations), 0, rules))
        heeded = advice.heeded(self._considered)
        for ids, pair in self._pairs:
            if ids in advice.wanted_pairs:
                near = Near(
                    pair.old, pair.new.claim.text, pair.related.relations, pair.cosine, pair.anchors,
                    pair.related.met, pair.related.rare,
                )  # fmt: skip
                advice.of_pair(pair, near)
        advice.merged_lines(self._snapshot, ())
        advice.asked(self._snapshot, heeded)
        return Counter({why.removeprefix(REASON): count for why, count in advice.refused.items()})
