"""What the schedule keeps in mind (`watched.json`), as values and as text."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from reverie.when import Seen


def with_watched(seen: Seen, text: str) -> Seen:
    """What was kept, laid over what was seen. A damaged file only means that nothing is remembered."""
    try:
        kept = json.loads(text) if text else {}
    except ValueError:
        kept = {}
    if not isinstance(kept, dict):
        return seen
    tries = kept.get("tries")
    return replace(
        seen,
        settled=_moment(kept.get("settled")),
        asleep_since=_moment(kept.get("asleep_since")),
        tried=_moment(kept.get("tried")),
        tried_at=_moment(kept.get("tried_at")),
        tries=tries if type(tries) is int and tries >= 0 else 0,
        quiet_since=_day(kept.get("quiet_since")),
    )


def watched_text(seen: Seen) -> str:
    """The same, as it is kept: moments with their offset, so that a move to another zone changes nothing."""
    kept: dict[str, Any] = {
        name: moment.isoformat(timespec="seconds") if moment else None
        for name, moment in (
            ("settled", seen.settled),
            ("asleep_since", seen.asleep_since),
            ("tried", seen.tried),
            ("tried_at", seen.tried_at),
        )
    }
    kept |= {"tries": seen.tries, "quiet_since": seen.quiet_since.isoformat() if seen.quiet_since else None}
    return json.dumps({"version": 1, **kept}, indent=1) + "\n"


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
