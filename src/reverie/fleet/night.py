"""One night of one workspace, in a process of its own: it knows one tenant, its home is empty, and it may be killed at any time.

    python -m reverie.fleet.night PLACE SCRATCH

Prints one line of JSON for the worker, without a word of the memory.
"""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from reverie.errors import Changed, ReverieError
from reverie.features.schedule import scheduled
from reverie.features.when import Do, checked_cron, night_at, zone_of
from reverie.fleet.places import opened
from reverie.settings import load_settings
from reverie.text.clock import moment

TRIES = 3  # for a workspace whose owner keeps writing into its store
_PAUSE = 300.0  # seconds until it is looked at again then


class Result(msgspec.Struct, frozen=True):
    """What became of a workspace."""

    do: str  # as the schedule decides: dream, wait, defer, settle, hibernate, sleep, wake; or failed
    until: datetime | None = None  # when to look again
    run: str = ""
    is_led: bool = False
    refused: int = 0  # operations
    error: str = ""  # its class alone: a sentence may quote the memory
    seconds: float = 0.0
    is_unasked: bool = False  # the night says that no model was asked; one that was killed says nothing


def main(words: list[str]) -> None:
    begun, (place, scratch) = time.monotonic(), words
    try:
        result = dreamt_at(place, Path(scratch), moment())
    except ReverieError as error:
        result = Result("failed", error=type(error).__name__)
    except Exception as error:  # noqa: BLE001
        result = Result("failed", error=f"Bug: {type(error).__name__}")
    models = sys.modules.get("reverie.models.ask")  # loaded by a night that may ask, which few looks come to
    is_unasked = models is None or not models.Asking.of_process
    result = msgspec.structs.replace(result, seconds=time.monotonic() - begun, is_unasked=is_unasked)
    sys.stdout.write(msgspec.json.encode(result).decode() + "\n")


def dreamt_at(place: str, scratch: Path, now: datetime, **ports: Any) -> Result:
    """Look whether a night is due there, dream it if it is, and say when to look again."""
    for _ in range(TRIES):
        try:
            with opened(place, scratch) as root:
                outcome = scheduled(root, now, **ports)
                settings = load_settings(root)
                following = night_at(checked_cron(settings), now.astimezone(UTC), zone_of(settings), after=True)
            until = outcome.due.until if outcome.due.do is Do.DEFER else following and following.moment
            is_led = bool(outcome.judged_by)
            return Result(outcome.due.do, until and until.astimezone(UTC), outcome.run, is_led, outcome.refused)
        except Changed:
            continue
    return Result("defer", datetime.fromtimestamp(now.timestamp() + _PAUSE, UTC))


if __name__ == "__main__":
    main(sys.argv[1:])
