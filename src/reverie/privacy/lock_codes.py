"""Codes that open a door: of a key safe, a gate, an alarm, a lock, a card. Known by the word for what they open.

`error code 5012`, a postal code and a voucher are none of these: only what a lock is named for counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_YEAR = re.compile(r"(?:19|20)\d\d")
# The beginnings by which a line is known to be worth reading.
STEMS = (
    "code", "wifi", "wi-fi", "wlan", "combination", "kombination", "código", "codigo", "combina", "digicode", "код", "门禁", "门锁", "保险箱", "开门", "暗証", "ロック", "キーボックス", "도어락", "현관",
)  # fmt: skip
_WHAT = r"(?:key[- ]?safe|key[- ]?box|lock[- ]?box|safe|door|gate|alarm|entry|lock|locker|padlock|garage|keypad|intercom|shed|barn|bike|luggage|suitcase)"
_LABEL = (
    rf"\b(?:{_WHAT}[- ](?:code|pin|combination|number)|(?:code|combination|pin)(?: number)? (?:for|of|to|on) (?:the |his |her |their |my |our |dad's |mum's )?(?:\w+ ){{0,2}}?{_WHAT})"
    r"|\b(?:tür|tor|tresor|safe|schloss|alarm|zugangs|eingangs|haus|garagen|schlüsselsafe|schlüsselkasten)-?(?:code|kombination|zahl)"
    r"|\bcódigo (?:de|del|da|do) (?:la |las |el |los |o |a )?(?:puerta|alarma|caja fuerte|portal|candado|garaje|verja|acceso|entrada|porta|portão|cofre|alarme|cadeado|garagem|prédio)"
    r"|\bcombinaci[oó]n (?:de|del) (?:la |el )?\w+|\b(?:digicode|code (?:de|du|de la|de l'|d')\s?(?:porte|portail|coffre|alarme|entrée|immeuble|accès|garage|cadenas|boîte à clés))"
    r"|\b(?:wi-?fi|wlan|hotspot|router|internet)[- ]?(?:code|key|schlüssel|pw)|\b(?:code|clé|clave|chave)(?: du| de la| de l'| del| de| do| da)? ?(?:wi-?fi|wlan|hotspot|box)"
    r"|\bкод(?:ы)? (?:от |на |для )?(?:\w+ )?(?:двер\w+|домофон\w*|сейф\w*|сигнализаци\w+|замк\w+|ворот\w*|подъезд\w*|калитк\w+)"
    r"|门禁(?:密码|码|代码)?|门锁(?:密码|码)|保险[箱柜](?:密码|码)|开门码|(?:ドア|玄関|ロッカー|キーボックス|金庫)の?(?:暗証番号|番号|コード)|(?:도어락|현관|금고) ?(?:비밀)?번호"
)


@cache
def _code() -> re.Pattern[str]:
    said = r"(?:\s{0,2}(?:[:：=→]|\b(?:is|was|are|now|ist|lautet|es|c'est|est|é|это)\b|是|为|は|は、|—|-)|\s)"
    for_whom = r"(?:\s(?:for|of|to|at|on|der|des|vom|von|de|del|do|da|du|от|на)\s[^\n:=：,;.]{1,30}?)?"
    more = r"(?:\s(?:now|changed to|jetzt|ahora|maintenant|agora|теперь))?"
    value = r"(?P<value>(?=[#*]?[A-Za-zА-Яа-я]{0,14}\d)[#*]?[\dA-Za-zА-Яа-я][\dA-Za-zА-Яа-я#*]{2,14}(?:[-–][\dA-Za-zА-Яа-я#*]{2,12}){0,2}[#*]?)"
    return re.compile(
        rf"(?i:{_LABEL})[`*\"']{{0,3}}(?i:{for_whom}{said}{more})[\s`*\"'“]{{0,4}}{value}(?![\dA-Za-z:]|[.,]\d)"
    )


@cache
def _told_apart() -> re.Pattern[str]:
    """A PIN that comes a few words after its name, and a drawn key after the bare word: nobody else writes such numbers there."""
    pin = r"(?<![^\W\d_])(?:PINs?|(?i:pin[- ]?code|geheimzahl|пин-?код\w*|暗証番号|비밀번호))\b(?=[^\d\n.;。；]{0,48}[^\W\d_]{2})[^\d\n.;。；]{3,48}?(?P<pin>\d{4,8})(?![\d:.,/-]\d|\d|\s?(?:€|%|uhr|年|er\b))"
    key = r"(?i:\b(?:key|schlüssel|clave|clé|chave|ключ)\b|密钥|秘钥|キー|키)[^\n]{0,16}?(?<![0-9A-Za-z/_.-])(?P<key>[0-9a-f]{32,64})(?![0-9A-Za-z/_-])"
    return re.compile(f"{pin}|{key}")


def lock_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where such a code stands between two places of a text."""
    for found in _code().finditer(text, start, end):
        yield found.span("value")
    for found in _told_apart().finditer(text, start, end):
        value = found["pin"] or found["key"]
        if not (found["pin"] and _YEAR.fullmatch(value)):
            yield found.span("pin" if found["pin"] else "key")
