"""What time it is."""

import os
from datetime import datetime

from reverie.errors import ReverieError


def moment(text: str = "") -> datetime:
    """The moment that somebody gives, or REVERIE_NOW in the environment, or that of the machine; on the clock of the wall."""
    text = text or os.environ.get("REVERIE_NOW", "")
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else datetime.now()
    except ValueError:
        raise ReverieError(f"{text!r} is no time. Write it as 2026-11-15T03:00.") from None
