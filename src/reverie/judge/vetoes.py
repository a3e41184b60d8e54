"""The four things that keep a line out of MEMORY.md, whoever judges: a secret, an untrusted origin, an order from a stranger, code.

Everything else (a mood, a chore, a joke, a plan for one day) is a matter of worth, and worth is the judge's.
"""

from __future__ import annotations

import re

from reverie.judge.contamination import is_contaminated
from reverie.judge.private_matters import is_private
from reverie.judge.requests import is_for_machines, is_request
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_mask, holds_secret
from reverie.text.terms import terms

TRUSTED = frozenset({"owner", "session"})
SECRET, UNTRUSTED, INSTRUCTION, CODE = "secret or personal data", "untrusted", "instruction", "code"
_CODE = re.compile(
    r"^\s*(?:npm|pip|git|docker|kubectl|curl|ssh) (?!.*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2})|^\s*(?:\$|>>>|sudo |SELECT |INSERT |UPDATE \w+ SET|ALTER |CREATE |Traceback|at [\w.$]+\()"
    r"|^[\s`]*(?:[\w./~-]+/[\w./-]+|https?://\S+|[A-Z_]{4,}=\S+)[\s`]*$|[{}\[\]]\s*$|;\s*$|=>|\b(?:null|undefined|NaN)\b",
)
_INSIDE = re.compile(r"\b(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d")

_LABEL = re.compile(r"[:：]\s*$|^\s*(?:\*\*|__)[^*_]{1,60}(?:\*\*|__)\s*$")
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
_TURN = re.compile(r"\s*\**(?:user|assistant|system|tool|human|ai|bot)\**\s*[:：]\s", re.I)
_METADATA = re.compile(
    r"^[\W_]*(?:message|chat|session|thread|sender|channel|conversation|request|trace|commit|run|job)[ _-]?(?:id|key|sha|hash)\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b[0-9a-f]{24,}\b",
    re.I,
)
_SHORTEST = 3  # words; fewer name a thing and say nothing about it


def veto(text: str, context: str = "", origin: str = "owner") -> str:
    """Why this line must not enter MEMORY.md; empty when nothing certain speaks against it."""
    said = text.strip()
    if origin not in TRUSTED or is_contaminated(said):
        return UNTRUSTED
    if holds_mask(said) or holds_secret(said) or _holds_personal(said):
        return SECRET
    if is_for_machines(context) or is_for_machines(said) or is_request(said):
        return INSTRUCTION
    return CODE if _is_code(said) else ""


def is_chatter(text: str) -> bool:
    """A turn of a chat, or the id of a message: no statement of anybody's."""
    return bool(_TURN.match(text.strip()) or _METADATA.search(text.strip()))


def is_statement(text: str) -> bool:
    """Whether a line states something by itself: no label, no question, no turn of a chat, no id, no half sentence."""
    said = text.strip()
    if any(form.search(said) for form in (_LABEL, _QUESTION, _METADATA)) or _TURN.match(said):
        return False
    return len([term for term in terms(said) if len(term) > 1 or not term.isascii()]) >= _SHORTEST


def _is_code(text: str) -> bool:
    if _CODE.search(text):
        return True
    inside = sum(len(part) for part in re.findall(r"`[^`]*`", text))
    signs = sum(1 for char in text if char in "{}[]<>=;|\\/$#_")
    return inside > 0.6 * len(text) or signs > 0.12 * len(text)


def unfit(text: str, context: str = "", origin: str = "owner") -> str:
    """Why a line is not shown as something remembered: one of the four, or that it states nothing by itself."""
    return veto(text, context, origin) or ("" if is_statement(text) else "no statement")


def _holds_personal(text: str) -> bool:
    kinds = KINDS - {"ip"} if _INSIDE.search(text) else KINDS  # an address of one's own network names nobody
    return is_private(text) or bool(findings(text, kinds))


__all__ = ["CODE", "INSTRUCTION", "SECRET", "TRUSTED", "UNTRUSTED", "is_chatter", "is_statement", "unfit", "veto"]
