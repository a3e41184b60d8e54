"""Who holds a workspace: somebody who is at work, or the name of one who was killed at it. Looks, and changes nothing."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from reverie.core import durable
from reverie.core.layout import LOCK


def holder_of(root: Path) -> tuple[str, str]:
    """(who holds it now, whose name stands in a lock that nobody holds any more); one of them or both are empty."""
    try:
        handle = os.open(root / LOCK, os.O_RDWR | durable.PLAIN)
    except OSError:
        return "", ""
    try:
        free = durable.taken(handle, 0.0)  # given back at once, with the handle
        name = _name(os.read(handle, 4096))
    except OSError:
        return "", ""
    finally:
        os.close(handle)
    if free:
        return "", name
    return name or "another dream", ""


def _name(text: bytes) -> str:
    if not text.strip():
        return ""
    try:
        about = json.loads(text)
        where = "" if about["host"] == socket.gethostname() else f" on {about['host']}"
        return f"`dream {about['command']}` (process {about['pid']}{where}, since {about['since']})"
    except (ValueError, KeyError, TypeError):
        return "a dream"
