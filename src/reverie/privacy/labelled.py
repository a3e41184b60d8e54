"""Values behind a word that announces a secret: `password: …`, `| 密码 | … |`, `--token …`, `Authorization: Bearer …`.

In prose, tables, JSON, YAML, environment files, code and command lines, in ten languages. Only the value is reported, so
that what remains still says what stood there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.privacy.placeholders import (
    changes,
    is_drawn,
    is_example,
    is_key,
    is_lot,
    is_reference,
    is_spoken,
)

_GLUED_KEY = (
    r"api[_ -]?(?:key|token|secret)|(?:access|secret|private|auth|account|encryption|signing|master|shared|service|license|client|ssh|app|application|deploy|server)[_ -]?(?:key|token)"
    r"|client[_ -]?secret|access[_ -]?token|密钥|密鑰|秘钥|令牌|私钥|シークレット|トークン|秘密鍵|APIキー|토큰|시크릿|токен[аы]?|секрет(?:ный ключ)?|ключ api"
)
# Words with other meanings: they must stand apart, or begin a hump (`botToken`).
_WEAK = r"pass|pwd|pw|secret|token|auth|bearer|credentials?|creds|clave|schlüssel|geheimnis|jeton|clé|chave|llave|secreto|segredo|ключ"
_HUMP = r"(?:Pass|Pwd|Secret|Token|Auth|Credentials?|Creds|Key(?=Base))"
_STOP = r"\s`'\"<>,;|⟦⟧，。；、：）】」』\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af"
_VALUE = rf"(?:[^{_STOP}\\)\]}}&]|[)\]}}](?=[^{_STOP}\\)\]}}])|&(?!\w+=)|\\(?![\"'nrt\\]))"
_IS = (
    r"is|are|was|=|lautet|ist|sind|war|es|son|era|est|é|são|это|(?:is |was |been )?(?:now |set |changed |reset |updated |rotated )(?:to|from)"
    r"|(?:wurde |jetzt )?(?:geändert |gesetzt )?(?:auf|zu)"
)
# The beginnings by which a line is known to be worth reading; everything else is skipped at the speed of `in`.
STEMS = (
    "pass", "pw", "key", "キー", "secret", "token", "密", "令牌", "秘", "私钥", "シークレット", "トークン", "토큰", "시크릿", "токен", "секрет", "ключ", "auth", "bearer", "cred",
    "clave", "schlüssel", "geheimnis", "jeton", "clé", "chave", "llave", "segredo",
)  # fmt: skip


@cache
def _labelled() -> re.Pattern[str]:
    cjk = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
    blank = r"[^\S\n]"  # a value may stand on the next line, but nothing else of the phrase
    label = rf"(?P<key>(?i:{_GLUED_KEY})|(?<![^\W\d_])(?i:{_WEAK})|(?<=[a-z\d]){_HUMP})|(?P<some>(?<=\w[_-])(?i:key))"
    tail = r"(?P<tail>s?(?:[_-][A-Za-z0-9]{1,20}|[A-Z][a-z0-9]{1,20}|\d{1,3}(?!\w)){0,4}+)(?![A-Za-z])[`*\"'”’»」』】\\)\]]{0,5}+"
    # What the secret is for: `password (admin): …`, `Passwort der Werkstatt: …`, `password for the party was …`.
    purpose = rf"{blank}?\([^)\n⟦⟧]{{1,40}}\)|(?P<gap>{blank}[^\n:=：|⟦⟧.,;!?\"]{{1,50}}?(?={blank}?[:=：]|{blank}(?i:{_IS}){blank}))"
    code = rf"::=|[:?.+]=|=>|==?|->|→|[:：＝](?!//)|\|(?=[\s`*])|(?<=[\s*`{cjk}])\||(?P<comma>(?<=[\"']),{blank}?(?=[\"']))|(?<=[\"']){blank}?value{blank}?=|(?<=\w)>"
    said = rf"(?i:\b(?:{_IS})\b)(?:{blank}?[:：])?"
    glued = rf"{blank}{{0,2}}(?:是|为|為|は|が|는|은|(?:已?改|换|設定|设置?|更新)(?:为|成|為|到)|：)[:：]?|(?<=[{cjk}]){blank}{{0,2}}(?=[!-~])"
    opening = rf"(?:{blank}|[`*\"'“„«「『【\\(]){{0,6}}(?:\n{blank}{{0,12}}[`*\"'-]{{0,2}}{blank}?)?"
    return re.compile(
        rf"(?P<label>{label}){tail}(?:{purpose})?(?:{blank}{{0,4}}(?:{code}|{said})|{glued}|(?P<bare>{blank}{{1,2}}(?=[!-~]))){opening}(?P<value>{_VALUE}{{4,120}})"
    )


@cache
def _about() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`tokenLimit`, `secret_name`, `password_hash` speak about a secret; `public_token`, `nextPageToken` are none."""
    about = (
        r"ids?|names?|url|uri|path|files?|len|length|size|types?|count|limits?|budget|expir\w*|version|field|header|var|variable|hash|policy|hint|format|prefix|usage|ref|reference|arn"
        r"|region|label|title|status|index|page|vault|store|manager|mgr|provider|endpoint|rotation|ttl|mode|callback|max|min|per|used|cost|price|rate|window|spec|class|words?|env|date|time|at"
    )
    public = r"(?:publi[cs]h?(?:able|ed)?|csrf|xsrf|authenticity|anti-?forgery|next(?:_?page)?|page|cache|primary|foreign|sort|partition|idempotency|object|host|row|group|hot|continuation|sync|non|without|no)[_ -]?$"
    return re.compile(about, re.I), re.compile(public, re.I)


@cache
def _flag() -> re.Pattern[str]:
    """`--password hunter22`: an option is divided from its value by a space, which prose must not be."""
    return re.compile(rf"(?<![\w-])--?(?P<name>[A-Za-z][\w-]{{0,40}})\s{{1,3}}[\"']?(?P<value>{_VALUE}{{6,400}})")


@cache
def _flag_name() -> re.Pattern[str]:
    return re.compile(rf"(?:(?i:{_GLUED_KEY})|(?<![^\W\d_])(?i:{_WEAK})|{_HUMP})s?$")


@cache
def _header() -> re.Pattern[str]:
    return re.compile(
        r"(?i:\bauthorization\b[\"'\\]{0,3}\s{0,3}[:=,]\s{0,3}[\"'\\]{0,3}(?:(?:basic|bearer|token|digest|apikey|key|bot|negotiate|aws4-hmac-sha256)\s{0,3})?|\bbearer\s{1,3})"
        r"[\"'`]?(?P<value>[\w.~+/=:|-]{8,8000})"
    )


@cache
def _then() -> re.Pattern[str]:
    """The second value of a line that announces a change or a pair: `from old to new`, `id / secret`."""
    return re.compile(
        rf"[`*\"'”]{{0,3}}[ \t]{{0,2}}(?:to|→|->|=>|/|auf|zu|nach|a|à|по|на|改为|改成|换成)[ \t]{{0,2}}[`*\"'“]{{0,3}}(?P<value>{_VALUE}{{6,120}})"
    )


@cache
def _rest() -> re.Pattern[str]:
    return re.compile(rf"{_VALUE}*+")


def labelled_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where, between two places of a text, a value stands behind a word that announces a secret."""
    part = text[start:end]
    yield from _values(text, start, end)
    if " -" in part or part.startswith("-") or "`-" in part:
        yield from _flags(text, start, end)
    if "earer" in part or "uthorization" in part or "AUTHORIZATION" in part:
        for found in _header().finditer(text, start, end):
            value = found["value"]
            if is_drawn(value) and not is_example(value) and not is_reference(value):
                yield found.span("value")


def _flags(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _flag().finditer(text, start, end):
        if _flag_name().search(found["name"]) and is_key(found["value"]):
            yield _whole(text, *found.span("value"))


def _values(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    pattern = _labelled()
    while found := pattern.search(text, start, end):
        start = found.end("label")
        if not _is_secret(text, found):
            continue
        first, start = _whole(text, *found.span("value"))
        yield first, start
        if then := _then().match(text, start, end):
            if is_spoken(then["value"]) or (is_key(then["value"]) and is_lot(then["value"])):
                yield _whole(text, *then.span("value"))
            start = then.start("value")


def _is_secret(text: str, found: re.Match[str]) -> bool:
    value = found["value"].rstrip(".:…")
    if not any(map(str.isdigit, value)):  # the cheapest question first
        return False
    about, public = _about()
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", found["tail"])
    if any(map(about.fullmatch, words)) or public.search(text, max(0, found.start() - 16), found.start()):
        return False
    if found["bare"] and found["label"].lower() in ("pass", "auth", "pw"):  # verbs and names as well
        return is_spoken(value) and changes(value) >= 3
    if found["gap"] or found["bare"] or found["comma"]:  # prose and code: only what nobody would say otherwise
        return is_spoken(value) or (is_lot(value) and is_key(value))
    if found["some"]:
        return is_lot(value) and is_key(value)
    return is_key(value)


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """A value to its real end, without the full stop of the sentence."""
    rest = _rest().match(text, end)
    end = rest.end() if rest else end
    while text[end - 1] in ".:…":
        end -= 1
    return start, end
