"""What a host (the harness around an agent) wrote, known by its form first and by its protocol strings last.

The strings stand in `harness.toml` beside this file and nowhere else. Every rule looks at the beginning of a text, or walks
over it once: a note may hold megabytes that somebody else wrote.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

_DATA: Mapping[str, Any] = tomllib.loads(files("reverie.workspace").joinpath("harness.toml").read_text("utf-8"))
CHANNELS: str = "|".join(_DATA["channels"]["names"])
ELEMENTS: Mapping[str, str] = {tag: why for why, tags in _DATA["elements"].items() for tag in tags}

_OPENINGS: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (why, tuple(starts)) for why, starts in _DATA["openings"].items()
)
_SPOKEN: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (why, tuple(starts)) for why, starts in _DATA["spoken"].items()
)
_LONGEST = 120  # of a text, what may decide how it begins
_LEAD = " \t*_`~>#"  # emphasis in front of the words
# `Conversation info (untrusted metadata):`, `System (untrusted): …`, `System: [2026-03-18 22:49:37 EDT] …`
_LABEL = re.compile(
    r"[A-Z][\w ,'/-]{1,60} \((?:untrusted|metadata)\b[^)\n]{0,100}\):|system:\s*\[[^\]\n]{0,60}\d[-:]\d\d\b[^\]\n]{0,60}\]",
    re.I,
)
_KEYS = "|".join(map(re.escape, _DATA["metadata"]["keys"]))
_METADATA = re.compile(rf"[\s*_`\"'{{]*(?:{_KEYS})[\s*_`\"']*[:：(]", re.I)
_ENVELOPE = re.compile(
    rf"\[(?:message_id\b|(?:{CHANNELS})\b[^\]\n]{{0,300}}?(?:\bid:|\d{{4}}-\d\d-\d\d|\d\d:\d\d|\+\d{{6}}))[^\]\n]{{0,300}}\](?!\()",
    re.I,
)
_QUOTED_KEYS = tuple(f'"{key}"' for key in _DATA["metadata"]["keys"])
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)"
_LOG = re.compile(
    rf"\[?\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{{0,40}}\s+(?:\[?[\w.:/-]{{1,40}}\]?\s+){{0,2}}\[?{_LEVEL}\b"
    rf"|\[?{_LEVEL}\]?\s*\[[^\]\n]{{1,60}}\]"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} [\w./-]{1,60}(?:\[\d+\])?:|\S{1,60} \S{1,60} \S{1,60} \[\d\d/\w{3}/\d{4}:\d\d:"
    r"|Traceback \(most recent call last\)|File \"[^\"\n]{1,300}\", line \d+|at [\w.$<>\[\] ]{1,120} \([^()\n]{1,300}:\d+:\d+\)"
)
_CALL = re.compile(r"[\w :.-]{1,60}(?=\{\")")
_PAIR = re.compile(r"[\w.-]{1,40}=(?:\"[^\"\n]*\"|\S+)")


def opening_of(text: str, *, spoken: bool) -> str:
    """The reason why a text that begins like this is a host's; empty if nothing says so. `spoken`: a message in a conversation."""
    low = text[:_LONGEST].lstrip(_LEAD).casefold()
    for why, starts in (*_OPENINGS, *_SPOKEN) if spoken else _OPENINGS:
        if low.startswith(starts):
            return why
    return ""


def is_harness(text: str) -> bool:
    """Whether a host wrote this line of a note: its opening, its label, or the shape of a log."""
    plain = text.lstrip(_LEAD)
    return bool(opening_of(text, spoken=False) or _LABEL.match(plain) or _LOG.match(plain)) or _is_logfmt(plain)


def is_metadata(text: str) -> bool:
    """Whether a text is a channel's or a host's data about a message: a key, an envelope, JSON or a line of it."""
    return bool(_METADATA.match(text) or _ENVELOPE.match(text)) or _is_json(text)


def names_metadata(code: str) -> bool:
    """Whether a fenced block is data about a message."""
    low = code.lower()
    return any(key in low for key in _QUOTED_KEYS)


def _is_json(text: str) -> bool:
    if named := _CALL.match(text):  # `Tool call: exec {"command": "ls"}`
        text = text[named.end() :]
    elif text[:1] == '"':  # `"key": value,` out of an object
        text = f"{{{text.rstrip().rstrip(',')}}}"
    if not (text[:1] in ("{", "[") and text[-1:] in ("}", "]")):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_logfmt(text: str) -> bool:
    """`level=info msg="started" port=80`: three pairs or more, and little else."""
    if text.count("=") < 3:
        return False
    pairs = _PAIR.findall(text)
    return len(pairs) >= 3 and sum(map(len, pairs)) * 3 >= len(text) * 2
