"""Text that came out of a dream, a prompt or a transcript, and so must not be remembered as if it had been said.

The rules are OpenClaw's (2026.9): each is a trace that its own machinery leaves in a text.
"""

from __future__ import annotations

import re

from reverie.workspace.recalls import PeerRecall

_TRACES = (
    re.compile(r"<!--\s*openclaw-memory-(?:promotion|lineage):", re.I),
    re.compile(r"\[score=[\d.]+ (?:signals=\d+ )?recalls=\d+ avg=[\d.]+ source=[^\]]*\]", re.I),
    re.compile(r"^[\s#*>-]*conversation summary\s*:", re.I),
    re.compile(r"pre-compaction memory flush|store durable memories (?:now|only in)", re.I),
    re.compile(r"dreaming-narrative-|write a dream diary entry from these memory fragments", re.I),
)
_SESSION_KEY = re.compile(r"\bsession key\W", re.I)
_SESSION_ID = re.compile(r"\bsession id\W", re.I)
_TURN = re.compile(r"^\s*(?:\[[^\]]*\]\s*)?(?:user|assistant)\s*:", re.I)
_LEAD = re.compile(r"^[\s*>-]*(?:candidate|reflections?|theme)\s*:", re.I)
_CONFIDENCE = re.compile(r"\bconfidence\s*:\s*[\d.]", re.I)
_EVIDENCE = re.compile(r"\bevidence\s*:\s*\S", re.I)
_STAGED = re.compile(r"\bstatus\s*:\s*staged\b", re.I)
_RECALLS = re.compile(r"\brecalls\s*:\s*\d", re.I)
_REFLECTION = re.compile(r"\bnote\s*:\s*reflection\b", re.I)
_BLOCKED_ORIGINS = frozenset({"untrusted", "system"})


def is_contaminated(text: str, *, transcript: bool = False) -> bool:
    """Whether a text bears the traces of machinery. A `transcript` may begin with `User:` or `Assistant:`."""
    if any(trace.search(text) for trace in _TRACES):
        return True
    if _SESSION_KEY.search(text) and _SESSION_ID.search(text):
        return True
    if not transcript and _TURN.search(text):
        return True
    if not (_LEAD.search(text) and _CONFIDENCE.search(text) and _EVIDENCE.search(text)):
        return False
    return bool(_STAGED.search(text) and _RECALLS.search(text)) or bool(_REFLECTION.search(text))


def is_blocked(entry: PeerRecall) -> bool:
    """Whether an entry may not be ranked: contaminated, or said by somebody who is not trusted."""
    if entry.origin is not None and entry.origin.origin_class in _BLOCKED_ORIGINS:
        return True
    return is_contaminated(entry.snippet, transcript="/session-corpus/" in entry.path)
