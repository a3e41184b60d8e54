"""The doors to the world, each a small protocol with a published fake.

Only what a dream cannot compute comes through here. `Model`, `Embedder`, `EvidenceStore` and `Idle` are
added with the rooms that use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo


class Clock(Protocol):
    """What time is it, where the owner lives?"""

    def now(self) -> datetime:
        """The present moment with its time zone; never naive."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock, told in the owner's zone (or the machine's own when none is set)."""

    zone: str = ""

    def now(self) -> datetime:
        if not self.zone:
            return datetime.now().astimezone()
        return datetime.now(ZoneInfo(self.zone))


@dataclass(frozen=True, slots=True)
class FixedClock:
    """The published fake: it is always the same moment."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment if self.moment.tzinfo else self.moment.astimezone()


def fixed(text: str, zone: tzinfo | None = None) -> FixedClock:
    """A clock stopped at an ISO moment; without an offset it is read in `zone`, else the machine's."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None and zone is not None:
        moment = moment.replace(tzinfo=zone)
    return FixedClock(moment)
