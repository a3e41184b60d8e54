"""The quality gate: what may stand in MEMORY.md at all, whatever its score. Rules for what is certain, nothing else.

Only a self-contained, distilled statement may enter. Every refusal has a word, so that it can be counted and shown.
"""

from __future__ import annotations

import re

from reverie.personal import KINDS
from reverie.phases.contamination import is_contaminated
from reverie.phases.requests import is_request
from reverie.redact import findings, holds_mask
from reverie.terms import terms

TRUSTED = frozenset({"owner", "session"})
_LABEL = re.compile(r"[:：]\s*$|^\s*(?:\*\*|__)[^*_]{1,60}(?:\*\*|__)\s*$")
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
_TURN = re.compile(r"\s*\**(?:user|assistant|system|tool|human|ai|bot)\**\s*[:：]\s", re.I)
_CODE = re.compile(
    r"^\s*(?:\$|>>>|sudo |npm |pip |git |docker |kubectl |curl |ssh |SELECT |INSERT |UPDATE \w+ SET|ALTER |CREATE |Traceback|at [\w.$]+\()"
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
# A person with a room or a bed, or an address somebody lives at: other people's data, whatever it is good for.
_OF_PERSONS = re.compile(
    r"\b(?:mr|mrs|ms|miss|herr|frau|señora?|sra?|madame|monsieur|mme|patient\w*|bewohner\w*|пациент\w*)\b\.?[^.]{0,60}\b(?:room|bed|ward|zimmer|bett|habitación|cama|chambre|lit|quarto|leito|палата)\s*\d+"
    r"|\b(?:address|adresse|dirección|direccion|endereço|адрес)\b[^.]{0,40}[:：]\s*\S[^.]{0,40}\d|(?:住址|家庭地址|收货地址|住所|주소)\s*[:：]|(?:病人|患者|환자)[^。]{0,20}(?:床|病房|诊断|確診|号)",
    re.I,
)
# Told in confidence: whoever said so did not mean a file that is read before every conversation.
_CONFIDED = re.compile(
    r"\b(?:in (?:strict )?confidence|confidential(?:ly)?|between (?:us|you and me|ourselves)|off the record|(?:don['’]?t|do not|not to|never) (?:tell|mention it to) (?:anyone|anybody|him|her|them|mum|dad|the (?:kids|team|others))"
    r"|keep (?:it|this|that) (?:to yourself|quiet|between us)|it['’]s a secret|vertraulich|im vertrauen|unter uns|nicht weitersagen|niemandem? (?:sagen|erzählen)|behalt es für dich"
    r"|en confianza|confidencial(?:mente)?|entre nosotros|que no se entere\w*|no se lo digas|en confidence|confidentiel\w*|entre nous|ne le dis à personne|em confiança|entre nós|não conte a ninguém"
    r"|по секрету|между нами|конфиденциальн\w*|никому не говори\w*)\b|别(?:跟|和)[^，。]{0,6}(?:说|讲)|别告诉|不要(?:告诉|外传)|别外传|保密|私下(?:说|跟我说|告诉)|别说出去|内緒|ここだけの話|口外|비밀로|우리끼리",
    re.I,
)
# What befell somebody who is not of the house: of a customer, a colleague, a neighbour nobody needs it in a memory.
_STRANGER = re.compile(
    r"\b(?:mr|mrs|ms|miss|customers?|clients?|guests?|tenants?|patients?|pupils?|students?|colleagues?|co-?workers?|neighbou?rs?|applicants?|the other (?:mum|mother|dad|father)"
    r"|herr|frau|kund(?:e|in|en)|kolleg(?:e|in|en)|nachbar\w*|mieter\w*|anwohner\w*|anlieger\w*|bewerber\w*|schüler\w*|señora?|sra?|client[ea]s?|vecin[oa]s?|compañer[oa]s?|inquilin[oa]s?"
    r"|madame|monsieur|mme|clients?|voisin\w*|collègues?|locataires?|senhora?|vizinh[oa]s?|colegas?|клиент\w*|сосед\w*|коллег\w*|пациент\w*|жилец\w*)\b"
    r"|顾客|客人|客户|同事|邻居|学生|家长|租客|患者|病人|先生|女士|お客|同僚|隣人|生徒|고객|손님|동료|이웃|학생",
    re.I,
)
_BEFELL = re.compile(
    r"\b(?:chemo\w*|cancer|tumou?rs?|dialysis|bypass|stroke|heart attack|surgery|operated|diagnos\w+|depress\w+|burn-?out|rehab|therap\w+|pregnan\w+|miscarr\w+|divorc\w+|separated|drinks? (?:a lot|too much)|alcohol\w*"
    r"|sick leave|signed off sick|in hospital|hospitali[sz]ed|bankrupt\w*|in debt|arrested|fired for|has a cold|chickenpox|chemotherapie|krebs|schlaganfall|herzinfarkt|operiert|operation|krankgeschrieben|bandscheibe\w*|reha"
    r"|schwanger\w*|fehlgeburt|scheidung|geschieden|trinkt (?:zu )?viel|im krankenhaus|insolven\w*|verschuldet|quimioterapia|cáncer|infarto|operad[oa]|embarazad[oa]|divorci\w*|de baja|chimio\w*|opérée?|enceinte|divorc\w*|arrêt maladie"
    r"|quimio\w*|câncer|grávid[oa]|divórcio|de atestado|рак\w?|химиотерап\w*|инсульт|инфаркт|беремен\w*|развод\w*|больничн\w*)\b"
    r"|化疗|癌|肿瘤|中风|心梗|手术|抑郁|怀孕|流产|离婚|分居|酗酒|病假|住院|破产|欠债|水痘|抗がん|がん|手術|妊娠|離婚|入院|病欠|항암|암\s|수술|임신|이혼|병가|입원",
    re.I,
)
# Where a person lives: a name with a house number, or a flat in a block.
_LIVES_AT = re.compile(
    r"\b(?:mr|mrs|ms|miss|herr|frau|señora?|sra?|madame|monsieur|mme|senhora?)\.? [^\W\d_][^,;.]{1,40}, (?-i:\d{1,4}[a-z]? [A-Z]|[A-ZÄÖÜ][^\W\d_]{1,24}(?:straße|strasse|str\.|weg|gasse|platz|allee|damm|ufer|ring) \d{1,4}\b)"
    r"|\bhome address\w*|\b(?:wohnt|lives) (?:in der|at|im) [^,;.]{0,30}\d{1,4}\b|\b(?:rua|calle|avenida|rue) (?:d[aoe]s? |de la |del )?(?-i:[A-ZÀ-Þ])\S+(?: \S+){0,2},? \d{1,4}\b"
    r"|[\u4e00-\u9fff]{2,}(?:路|街|巷|道|弄|村)\s?\d{1,5}\s?号[^，。]{0,12}?(?:\d{1,4}\s?(?:栋|幢|单元|室|楼)|\d{3,4})|(?:栋|幢)\s?\d{1,2}\s?单元",
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
    if holds_mask(text) or _OF_PERSONS.search(text) or _LIVES_AT.search(text) or findings(text, kinds):
        return True
    return bool(_CONFIDED.search(text)) or bool(_STRANGER.search(text) and _BEFELL.search(text))


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
    ("code", _is_code),
    ("half a sentence", _too_short),
)
