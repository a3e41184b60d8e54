"""The recall store ranked as the peer ranks it: what passes every gate, best first, as many as the profile allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from reverie.openclaw.score import NO_GROUPS, Profile, Scored, explained
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal


def passes(one: Scored) -> bool:
    return all(gate.passed for gate in one.gates)


def ranked(
    entries: Iterable[PeerRecall],
    signals: Mapping[str, PeerSignal],
    profile: Profile,
    now: datetime,
    *,
    include_promoted: bool = False,
    groups: Mapping[str, str] = NO_GROUPS,
) -> list[Scored]:
    everything = explained(entries, signals, profile, now, include_promoted=include_promoted, groups=groups)
    return [one for one in everything if passes(one)][: profile.limit]
