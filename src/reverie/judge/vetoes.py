"""The four things that keep a line out of MEMORY.md, whoever judges: a secret, an untrusted origin, an order from a stranger, code.

Everything else (a mood, a chore, a joke, a plan for one day) is a matter of worth, and worth is the judge's.
"""

from __future__ import annotations

import re

from reverie.judge.private_matters import is_private
from reverie.phases.contamination import is_contaminated
from reverie.phases.requests import is_request
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_mask, holds_secret
from reverie.terms import terms

TRUSTED = frozenset({"owner", "session"})
SECRET, UNTRUSTED, INSTRUCTION, CODE = "secret or personal data", "untrusted", "instruction", "code"
_CODE = re.compile(
    r"^\s*(?:npm|pip|git|docker|kubectl|curl|ssh) (?!.*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2})|^\s*(?:\$|>>>|sudo |SELECT |INSERT |UPDATE \w+ SET|ALTER |CREATE |Traceback|at [\w.$]+\()"
    r"|^[\s`]*(?:[\w./~-]+/[\w./-]+|https?://\S+|[A-Z_]{4,}=\S+)[\s`]*$|[{}\[\]]\s*$|;\s*$|=>|\b(?:null|undefined|NaN)\b",
)
_ASSISTANTS = (
    r"(?:ai|llm|chat ?bot|language model|ai agents?|assistants?|ki|ki-assistent\w*|sprachmodell\w*|asistentes?|asistentes? de ia|modèles? de langage"
    r"|assistants? ia|assistentes? de ia|ассистент\w*|языков\w+ модел\w*)"
)
_STORE = (
    r"(?:remember|store|record|save|memori[sz]e|update (?:your|its) (?:long-term )?memory|add to (?:your )?memory|ignore (?:all|previous|prior)"
    r"|merke?n?|speicher\w*|recuerd\w*|guard\w*|mémoris\w*|enregistr\w*|retiens|lembr\w*|guarde|запомн\w*|сохран\w*)"
)
# Somebody speaks to the machine, not about the owner's life.
_INSTRUCTION = re.compile(
    rf"\b(?:dear|to|for|an|note to|attention) (?:all |alle |the )?{_ASSISTANTS}\b|\b{_ASSISTANTS}\b[^.。]{{0,60}}\b(?:must|should|shall|have to|müssen|deben|doivent)\b"
    rf"|\b{_ASSISTANTS}\b[^.。]{{0,80}}\b{_STORE}\b|\b(?:please|bitte|por favor|veuillez)\b[^.。]{{0,30}}\b{_STORE}\b[^.。]{{0,30}}\b(?:permanent\w*|dauerhaft|forever|always|siempre|toujours)"
    rf"|\b{_STORE}\b[^.。]{{0,40}}\b(?:permanently|dauerhaft|long-term memory|durable fact|permanentemente)\b|\bsystem\s*(?:prompt|message|override)?\s*:|\bignore (?:all |any )?(?:previous|prior|earlier)\b"
    r"|(?:AI|人工智能|智能)?\s*(?:助手|机器人|模型|アシスタント|어시스턴트)[^。]{0,30}(?:记住|保存|写入|覚え|記憶|기억)|(?:永久|长期)(?:记住|保存|记忆)|以后都要?按(?:照)?此",
    re.I,
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
    if _INSTRUCTION.search(f"{context} {said}" if _INSTRUCTION.search(context) else said) or is_request(said):
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
