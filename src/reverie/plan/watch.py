"""A paragraph in the review log about a night that was not dreamt: deferred, hibernating, awake again."""

from __future__ import annotations

from datetime import datetime

from reverie.core.layout import review_log
from reverie.plan.build import plan_of
from reverie.plan.views import TAG
from reverie.text.lines import appended, split_lines
from reverie.workspace.values import Edit, Intent, Plan, Snapshot


def told_plan(snapshot: Snapshot, said: str, now: datetime) -> Plan:
    """One more paragraph of the review log, in the form of the others. The memory is not touched."""
    path = review_log(now.date())
    at, old, new = appended(split_lines(snapshot.text_of(path)), (f"### {now:%Y-%m-%d %H:%M}", said, ""))
    return plan_of(snapshot, Intent.WATCH, [Edit("log", path, at, old, new, TAG, "the schedule's own line")], now)
