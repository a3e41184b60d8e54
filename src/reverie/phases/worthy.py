"""The quality gate: what may stand in MEMORY.md at all, whatever its score. Rules for what is certain, nothing else.

Only a self-contained, distilled statement may enter. Every refusal has a word, so that it can be counted and shown.
"""

from __future__ import annotations

import re

from reverie.phases.contamination import is_contaminated
from reverie.phases.requests import is_request
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_mask
from reverie.private_matters import is_passing_illness, is_private
from reverie.terms import terms

TRUSTED = frozenset({"owner", "session"})
_LABEL = re.compile(r"[:：]\s*$|^\s*(?:\*\*|__)[^*_]{1,60}(?:\*\*|__)\s*$")
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
_TURN = re.compile(r"\s*\**(?:user|assistant|system|tool|human|ai|bot)\**\s*[:：]\s", re.I)
_CODE = re.compile(
    r"^\s*(?:npm|pip|git|docker|kubectl|curl|ssh) (?!.*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2})|^\s*(?:\$|>>>|sudo |SELECT |INSERT |UPDATE \w+ SET|ALTER |CREATE |Traceback|at [\w.$]+\()"
    r"|^[\s`]*(?:[\w./~-]+/[\w./-]+|https?://\S+|[A-Z_]{4,}=\S+)[\s`]*$|[{}\[\]]\s*$|;\s*$|=>|\b(?:null|undefined|NaN)\b",
)
_METADATA = re.compile(
    r"^[\W_]*(?:message|chat|session|thread|sender|channel|conversation|request|trace|commit|run|job)[ _-]?(?:id|key|sha|hash)\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b[0-9a-f]{24,}\b",
    re.I,
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
# Words of somebody who is not in the room: what a letter, a page or an advertisement said is not what the owner says.
_REPORTED = re.compile(
    r"^[\W_]*(?:newsletter|ad|advert\w*|spam|web ?page|website|web ?site|pop-?up|banner|review request|phishing|scam|push notification|werbung|webseite|publicidad"
    r"|publicité|anúncio|реклама|рассылка|广告|网页|弹窗|垃圾邮件|推广|広告|광고)[^.。]{0,80}[\"“„«「『:：]"
    r"|^[\W_]*(?:message|text|mail|e-?mail|call|sms|nachricht|短信|邮件)\b[^.。]{0,30}\b(?:unknown|unbekannt\w*|desconocid\w*|inconnu\w*|неизвест\w*|陌生)",
    re.I,
)
# Said in jest, or for one day: true, perhaps, and over before anybody reads it.
_JEST = re.compile(
    r"\b(?:jok(?:e|es|ed|ing|ingly)|kidding|in jest|scherzt?e?|scherzhaft|im scherz|witzelt|broma|bromea\w*|en broma|blague|plaisant\w*|brincadeira|brincando|шут(?:ит|я|ил\w*|ка|ливо))\b"
    r"|开玩笑|打趣|说笑|冗談|농담",
    re.I,
)
_ONE_DAY = re.compile(
    r"\b(?:(?:only|just)(?: for)? (?:today|tonight|this once|this time|one day)|just once|one-off|nur heute|nur diesmal|ausnahmsweise|s[oó]lo (?:por )?(?:hoy|esta vez)|por esta vez"
    r"|(?:juste|seulement) (?:pour )?(?:aujourd'hui|cette fois)|exceptionnellement|só (?:por )?(?:hoje|desta vez)|excepcionalmente|только (?:на )?сегодня|в виде исключения|на один день)\b"
    r"|(?:仅限?|只限?|就)今天|今天例外|就这一次|仅此一次|今日だけ|今回だけ|今日に限り|오늘만|이번만",
    re.I,
)
_INSIDE = re.compile(r"\b(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d")
_SHORTEST = 3  # words; fewer name a thing and say nothing about it


PERSONAL = "secret or personal data"


def reason_against(text: str, context: str = "", origin: str = "owner", *, cleaned: str = "") -> str:
    """Why this line must not enter MEMORY.md; empty when nothing certain speaks against it.

    `cleaned` is the line without the clause that held a secret or personal data, where something was left of it.
    """
    bare = text.strip()
    if origin not in TRUSTED:
        return "untrusted"
    for why, rule in _RULES:
        if rule(cleaned if why == PERSONAL and cleaned else bare):
            return why
    if _INSTRUCTION.search(f"{context} {bare}" if _INSTRUCTION.search(context) else bare) or is_request(bare):
        return "instruction"
    return ""


def _too_short(text: str) -> bool:
    words = [term for term in terms(text) if len(term) > 1 or not term.isascii()]
    return len(words) < _SHORTEST


def _is_code(text: str) -> bool:
    if _CODE.search(text):
        return True
    inside = sum(len(part) for part in re.findall(r"`[^`]*`", text))
    signs = sum(1 for char in text if char in "{}[]<>=;|\\/$#_")
    return inside > 0.6 * len(text) or signs > 0.12 * len(text)


def _holds_personal(text: str) -> bool:
    kinds = KINDS - {"ip"} if _INSIDE.search(text) else KINDS  # an address of one's own network names nobody
    return holds_mask(text) or is_private(text) or bool(findings(text, kinds))


_RULES = (
    ("label", lambda text: bool(_LABEL.search(text))),
    ("chat turn", lambda text: bool(_TURN.match(text))),
    ("question", lambda text: bool(_QUESTION.search(text))),
    (PERSONAL, _holds_personal),
    ("metadata", lambda text: bool(_METADATA.search(text))),
    ("dream output", is_contaminated),
    ("reported words", lambda text: bool(_REPORTED.search(text))),
    ("said in jest", lambda text: bool(_JEST.search(text))),
    ("for one day", lambda text: bool(_ONE_DAY.search(text))),
    ("an illness of a week", is_passing_illness),
    ("code", _is_code),
    ("half a sentence", _too_short),
)
