"""What a night tells besides what it does: the diary, the pages of the phases, a model's receipt, the views of the palace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from reverie.evidence.claims import Evidence
from reverie.judge.by_model import general
from reverie.judge.operation import BUILT_IN, Operation
from reverie.night.judging import Judged
from reverie.plan import dream_log
from reverie.plan.pages import Pages
from reverie.workspace.values import Plan, Snapshot

if TYPE_CHECKING:
    from reverie.night.night import Night


def pages_of(
    snapshot: Snapshot,
    evidence: Evidence,
    operations: Sequence[Operation],
    now: datetime,
    refused: Mapping[str, int],
    wanted: Judged,
) -> Pages:
    """The words of this night; none when nothing is new."""
    from reverie.night.pages import pages_of as pages  # the diary's grammar, only when there is something to tell

    return pages(snapshot, evidence, operations, now, refused, wanted.prose)


def with_receipt(snapshot: Snapshot, night: Night, wanted: Judged) -> Plan:
    """The plan with what a model was asked for it, what it cost, and what became of its words."""
    if wanted.use is None:
        return night.plan
    accepted = Counter(str(one.op) for one in night.operations if one.by != BUILT_IN)
    dropped = Counter(general(one.why) for one in night.dropped if one.operation.by != BUILT_IN)
    use = replace(
        wanted.use,
        accepted=MappingProxyType(dict(accepted)),
        dropped=MappingProxyType({**dict(dropped), **dict(wanted.use.dropped)}),
    )
    return dream_log.with_receipt(snapshot, replace(night.plan, use=use))


def with_palace(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan with the views of the palace, where the owner wants them every night."""
    if not snapshot.workspace.settings.palace.nightly:
        return plan
    from reverie.features.palace.palace import (
        with_views,  # the judge and its weights, only for those who want the views each night
    )

    return with_views(snapshot, plan)
