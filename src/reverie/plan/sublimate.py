"""`dream sublimate`: pages of knowledge, each with our block in it and the owner's words around it as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from reverie.layout import TRACKER
from reverie.model import Edit, Intent, Plan, Snapshot
from reverie.plan.build import plan_of
from reverie.plan.composed import SUBLIMATE
from reverie.plan.quoting import block_edits, page_lines
from reverie.plan.tracker import tracker_edits
from reverie.quoted import Page


def sublimate_plan(snapshot: Snapshot, pages: Sequence[Page], now: datetime) -> Plan:
    """The edits that write these pages; none for a page that says it all already."""
    refused = {refusal.path for refusal in snapshot.refused}
    edits: list[Edit] = []
    for page in pages:
        if page.path == TRACKER:
            edits += tracker_edits(snapshot, page.quotes, SUBLIMATE, page.about)
        elif page.path not in refused:
            body = page_lines(page, snapshot.workspace)
            edits += block_edits(snapshot.text_of(page.path), page, body, SUBLIMATE, page.about)
    plan = plan_of(snapshot, Intent.SUBLIMATE, edits, now)
    return replace(plan, counts=MappingProxyType({"pages": len(plan.paths)}))
