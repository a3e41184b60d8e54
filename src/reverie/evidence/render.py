"""How a turn stands in the corpus, and by what it is known again. Nothing is kept before it is redacted."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from reverie.privacy.redact import DEFAULT_KINDS, redacted
from reverie.text.lines import count_units
from reverie.workspace.transcripts import Turn
from reverie.workspace.values import Origin

WIDEST = 800  # UTF-16 units of a line, as the peer wraps them
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff]+")
_BREAKS = " 。！？；，、"


def rendered(turn: Turn, kinds: frozenset[str] = DEFAULT_KINDS) -> str:
    """A turn as the corpus keeps it: `[main/sessions/a.jsonl#L3] User: …`, redacted, long ones in several lines.

    Words of somebody who is not the owner stand after `Guest:`, so that nobody takes them for the owner's later.
    """
    return "\n".join(lines_of(turn, words_of(turn, kinds)))


def lines_of(turn: Turn, words: str) -> list[str]:
    place = _plain(f"{turn.agent}/{turn.session}").replace("]", ")")
    prefix = f"[{place}#L{turn.line}] {_label(turn)}: "
    return [prefix + part for part in _wrapped(words, max(WIDEST // 4, WIDEST - count_units(prefix)))]


def words_of(turn: Turn, kinds: frozenset[str] = DEFAULT_KINDS) -> str:
    """What may be kept of a turn. Redacted before lines are joined (keys span lines) and after (values do too)."""
    return redacted(_plain(redacted(turn.text, kinds)), kinds)


def weight(words: str) -> int:
    """How much was said, in characters; a wide one (Chinese, Japanese, Korean) says as much as two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in words)


def identity(scope: str, turn: Turn, words: str) -> str:
    """The peer's id of a message: who and when and what, but not where, so that a rewritten file is known again."""
    when = f"ts:{round(turn.at.timestamp() * 1000)}" if turn.at else f"line:{turn.line}"
    return hashlib.sha1(f"{scope}\n{when}\n{_label(turn)}: {words}".encode(), usedforsecurity=False).hexdigest()


def _label(turn: Turn) -> str:
    if turn.role != "user":
        return "Assistant"
    return "Guest" if turn.origin is Origin.QUOTED else "User"


def _plain(text: str) -> str:
    return " ".join(_UNPRINTED.sub(" ", text).split())


def _wrapped(text: str, width: int) -> list[str]:
    """Parts of at most so many UTF-16 units, cut at a space or after a Chinese stop where there is one."""
    parts = []
    while len(text) > width or count_units(text) > width:
        end = width
        while (over := count_units(text[:end]) - width) > 0:
            end -= (over + 1) // 2
        at = max(text.rfind(sign, 0, end) for sign in _BREAKS) + 1
        at = at if at > end // 2 else end
        parts.append(text[:at].rstrip())
        text = text[at:].lstrip()
    return [*parts, text]
