"""What belongs to somebody else: told in confidence, about a stranger's health, a home, a wage. None of it is for a memory.

`MEMORY.md` is put into every conversation, whoever listens. Such lines stay in the notes, where their owner wrote them down.
"""

from __future__ import annotations

import re

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
    r"\b(?:mr|mrs|ms|miss|customers?|clients?|guests?|tenants?|patients?|pupils?|students?|colleagues?|co-?workers?|neighbou?rs?|applicants?|the other (?:mum|mother|dad|father)|(?-i:[A-ZÀ-Þ])[^\W\d_]+['’]s (?:mother|mum|mom|father|dad|wife|husband|partner|son|daughter|kids?|child|baby|brother|sister)"
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
    r"|[\u4e00-\u9fff]{2}(?:路|街|巷|道|弄|村)\s?\d{1,5}\s?号[^，。]{0,12}?(?:\d{1,4}\s?(?:栋|幢|单元|室|楼)|\d{3,4})|(?:栋|幢)\s?\d{1,2}\s?单元",
    re.I,
)
# What somebody else earns. One's own rates are one's own to remember.
_EARNS = re.compile(
    r"(?-i:[A-ZÄÖÜÀ-Þ][^\W\d_]+)['’]s (?:day rate|hourly rate|salary|pay|wages?|bonus)\b|\b(?:gehalt|lohn|stundensatz) von (?-i:[A-ZÄÖÜ])|\b(?:sueldo|salario|salaire|salário) de (?-i:[A-ZÀ-Þ])"
    r"|\bзарплат\w+ (?-i:[А-Я])|[\u4e00-\u9fff]{1,4}的(?:工资|月薪|年薪|薪水|底薪)|さんの(?:給料|年収|時給)|씨(?:의)? ?(?:연봉|월급)",
    re.I,
)


def is_private(text: str) -> bool:
    """Told in confidence, or about somebody's home, wage or fate."""
    if _OF_PERSONS.search(text) or _LIVES_AT.search(text) or _EARNS.search(text) or _CONFIDED.search(text):
        return True
    return bool(_STRANGER.search(text) and _BEFELL.search(text))
