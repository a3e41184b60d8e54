"""Values behind a word that announces a secret: `password: …`, `| 密码 | … |`, `--token …`, `Authorization: Bearer …`.

In prose, tables, JSON, YAML, environment files, code and command lines, in ten languages. Only the value is reported, so
that what remains still says what stood there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.placeholders import is_drawn, is_example, is_key, is_lot, is_password, is_reference

# Words that mean nothing else: they may be glued to what stands before them (`dbpassword`, `管理员密码`).
_PASSWORD = (
    r"pass(?:word|wd|phrase|code|wort|key)|kennwort|contraseñ[ae]|contrasen[ae]|senha|palavra[- ]passe|mot[ _-]de[ _-]passe|парол[ьяею]м?|пин-код"
    r"|密码|密碼|口令|暗号|暗証番号|パスワード|パスコード|パスフレーズ|비밀번호|암호|패스워드"
)
_GLUED_KEY = (
    r"api[_ -]?(?:key|token|secret)|(?:access|secret|private|auth|account|encryption|signing|master|shared|service|license|client|ssh|app)[_ -]?key"
    r"|client[_ -]?secret|access[_ -]?token|密钥|密鑰|秘钥|令牌|私钥|シークレット|トークン|秘密鍵|APIキー|토큰|시크릿|токен[аы]?|секрет(?:ный ключ)?|ключ api"
)
# Words with other meanings: they must stand apart, or begin a hump (`botToken`).
_WEAK = r"pass|pwd|pw|secret|token|auth|bearer|credentials?|creds|clave|schlüssel|geheimnis|jeton|clé|chave|llave|secreto|segredo|ключ"
_HUMP = r"(?:Pass|Pwd|Secret|Token|Auth|Credentials?|Creds|Key(?=Base))"
# `tokenLimit`, `secret_name`, `password_hash` speak about a secret; `public_token`, `nextPageToken` are none.
_ABOUT = frozenset(
    ["id", "ids", "name", "names", "url", "uri", "path", "file", "files", "length", "len", "size", "type", "types", "count", "limit", "limits", "budget", "expiry", "expires", "expiration", "version", "field", "header", "variable", "var", "hash", "policy", "hint", "format", "prefix", "usage", "ref", "reference", "arn", "region", "label", "title", "status", "index", "page", "vault", "store", "manager", "provider", "endpoint", "rotation", "ttl", "max", "min", "per", "used", "cost", "price", "rate", "window", "spec", "class", "word", "words", "env", "date", "time", "at"]
)
_PUBLIC = re.compile(
    r"(?:publi[cs]h?(?:able|ed)?|csrf|xsrf|authenticity|anti-?forgery|next(?:_?page)?|page|cache|primary|foreign|sort|partition|idempotency|object|host|row|group|hot|continuation|sync|non|without|no)[_ -]?$",
    re.I,
)
_STOP = r"\s`'\"<>,;|⟦⟧，。；、：）】」』\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af"
_VALUE = rf"(?:[^{_STOP}\\)\]}}&]|[)\]}}](?=[^{_STOP}\\)\]}}])|&(?!\w+=)|\\(?![\"'nrt\\]))"
_IS = (
    r"is|are|was|=|lautet|ist|sind|war|es|son|era|est|é|são|это|(?:is |was |been )?(?:now |set |changed |reset |updated |rotated )(?:to|from)"
    r"|(?:wurde |jetzt )?(?:geändert |gesetzt )?(?:auf|zu)"
)
# The beginnings by which a line is known to be worth reading; everything else is skipped at the speed of `in`.
STEMS = (
    "pass", "pw", "kennwort", "contrase", "senha", "парол", "пин-код", "密", "口令", "暗", "パス", "비밀번호", "암호", "패스워드", "key", "キー", "secret", "token",
    "令牌", "秘", "私钥", "シークレット", "トークン", "토큰", "시크릿", "токен", "секрет", "ключ", "auth", "bearer", "cred", "clave", "schlüssel", "geheimnis", "jeton",
    "clé", "chave", "llave", "secreto", "segredo", "curl", "pin",
)  # fmt: skip


@cache
def _labelled() -> re.Pattern[str]:
    cjk = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
    return re.compile(
        rf"(?:(?P<password>(?i:{_PASSWORD})|(?<![^\W\d_])(?:PIN|Pin))|(?P<key>(?i:{_GLUED_KEY})|(?<![^\W\d_])(?i:{_WEAK})|(?<=[a-z\d]){_HUMP})|(?P<some>(?<=\w[_-])(?i:key)))"
        r"(?P<tail>s?(?:[_-][A-Za-z0-9]{1,20}|[A-Z][a-z0-9]{1,20}|\d{1,3}(?!\w)){0,4}+)(?![A-Za-z])"
        r"[`*\"'”’»」』】\\)\]]{0,5}+"
        r"(?:\s?\([^)\n⟦⟧]{1,40}\)|\s(?i:for|of|on|to|at|in|für|von|vom|zum?|de|del|da|do|du|pour|para|от|для)\s[^\n:=：|⟦⟧]{1,40}?(?=\s?[:=：]))?"
        rf"(?P<sign>\s{{0,4}}(?:::=|[:?.+]=|=>|==?|->|→|[:：＝|](?!//)|(?<=[\"']),\s?(?=[\"'])|(?<=[\"'])\s?value\s?=|(?<=\w)>|(?i:\b(?:{_IS})\b)(?:\s?[:：])?)"
        rf"|\s{{0,2}}(?:是|为|為|は|が|는|은|(?:已?改|换|設定|设置?|更新)(?:为|成|為|到)|：)[:：]?|(?<=[{cjk}])\s{{0,2}}(?=[!-~]))"
        rf"[\s`*\"'“„«「『【\\(]{{0,6}}(?P<value>{_VALUE}{{4,400}})"
    )


@cache
def _flag() -> re.Pattern[str]:
    """`--password hunter22`: an option is divided from its value by a space, which prose must not be."""
    return re.compile(rf"(?<![\w-])--?(?P<name>[A-Za-z][\w-]{{0,40}})\s{{1,3}}[\"']?(?P<value>{_VALUE}{{6,400}})")


@cache
def _flag_name() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?P<password>(?i:{_PASSWORD}))|(?P<key>(?i:{_GLUED_KEY})|(?<![^\W\d_])(?i:{_WEAK})|{_HUMP}))s?$"
    )


@cache
def _header() -> re.Pattern[str]:
    return re.compile(
        r"(?i:\bauthorization\b[\"'\\]{0,3}\s{0,3}[:=,]\s{0,3}[\"'\\]{0,3}(?:(?:basic|bearer|token|digest|apikey|key|bot|negotiate|aws4-hmac-sha256)\s{1,3})?|\bbearer\s{1,3})"
        r"[\"'`]?(?P<value>[\w.~+/=:|-]{8,8000})"
    )


@cache
def _user() -> re.Pattern[str]:
    """`curl -u name:password`, with quotes around either or both."""
    return re.compile(
        r"(?<=\s)(?:-u|--user|-U|--proxy-user)[\s=]{0,3}\\?[\"']?[^\s:\"']{0,100}\\?[\"']?:(?:\"(?P<a>[^\"\n]{1,200})\"|'(?P<b>[^'\n]{1,200})'|(?P<c>[^\s\"']{1,200}))"
    )


@cache
def _then() -> re.Pattern[str]:
    """The second value of a line that announces a change: `from old to new`."""
    return re.compile(
        rf"[`*\"'”]{{0,3}}\s{{0,2}}(?:to|→|->|=>|auf|zu|nach|a|à|по|на|改为|改成|换成)\s{{0,2}}[`*\"'“]{{0,3}}(?P<value>{_VALUE}{{6,400}})"
    )


def labelled_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where, between two places of a text, a value stands behind a word that announces a secret."""
    yield from _values(text, start, end)
    for found in _flag().finditer(text, start, end):
        named = _flag_name().search(found["name"])
        if named and (is_password if named["password"] else is_key)(found["value"]):
            yield found.span("value")
    for found in _header().finditer(text, start, end):
        value = found["value"]
        if is_drawn(value) and not is_example(value) and not is_reference(value):
            yield found.span("value")
    if text.find("curl", start, end) >= 0:
        for found in _user().finditer(text, start, end):
            part = found.lastgroup or ""
            if _is_login(found[part]):
                yield found.span(part)


def _values(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    pattern = _labelled()
    while found := pattern.search(text, start, end):
        start, stop = found.span("value")
        value = text[start:stop].rstrip(".:…")
        strong = found["password"] is not None
        if _speaks_about(found["tail"]) or _PUBLIC.search(text, max(0, found.start() - 16), found.start()):
            continue
        if not (is_password(value) if strong else is_key(value)) or (found["some"] and not is_lot(value)):
            continue
        yield start, start + len(value)
        start += len(value)
        if then := _then().match(text, start, end):
            if is_password(then["value"]):
                yield then.span("value")
            start = then.end()


def _speaks_about(tail: str) -> bool:
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tail)
    return any(word.lower() in _ABOUT for word in words)


def _is_login(value: str) -> bool:
    value = value.strip("{}\\")
    return len(value) >= 3 and not is_reference(value) and not is_example(value) and (len(value) >= 8 or is_drawn(value))
