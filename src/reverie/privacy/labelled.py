"""Values behind a word that announces a secret: `password: …`, `| 密码 | … |`, `--token …`, `Authorization: Bearer …`.

In prose, tables, JSON, YAML, environment files, code and command lines, in ten languages. Only the value is reported, so
that what remains still says what stood there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.privacy.lock_codes import STEMS as LOCKS
from reverie.privacy.lock_codes import lock_spans
from reverie.privacy.placeholders import (
    is_drawn,
    is_example,
    is_key,
    is_lot,
    is_password,
    is_reference,
    is_sequence,
    is_spoken,
)

# Words that mean nothing else: they may be glued to what stands before them (`dbpassword`, `管理员密码`).
_PASSWORD = (
    r"pass(?:word|wd|phrase|code|wort|key)|kennwort|contraseñ[ae]|contrasen[ae]|senha|palavra[- ]passe|mot[ _-]de[ _-]passe|парол[ьяею]м?"
    r"|密码|密碼|口令|暗号|パスワード|パスコード|パスフレーズ|비밀번호|비번|암호|패스워드"
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
# The words between speak about passwords in general, or about what is done with one.
_ABOUT_IT = re.compile(
    r"(?i)\b(?:reset|polic\w+|managers?|hints?|length|expir\w+|rotat\w+|rules?|remind\w*|fields?|prompts?|strength|hash\w*|forms?|links?|mails?|age|attempts?|richtlinie\w*|länge|läuft|"
    r"política|longitud|politique|longueur|tamanho|политик\w*|длин\w*)\b|策略|长度|規則|길이"
)
# The beginnings by which a line is known to be worth reading; everything else is skipped at the speed of `in`.
STEMS = (
    "pass", "pw", "kennwort", "contrase", "senha", "парол", "пин-код", "密", "口令", "暗", "パス", "비밀번호", "비번", "암호", "패스워드", "key", "キー", "secret", "token",
    "令牌", "秘", "私钥", "シークレット", "トークン", "토큰", "시크릿", "токен", "секрет", "ключ", "auth", "bearer", "cred", "clave", "schlüssel", "geheimnis", "jeton",
    "clé", "chave", "llave", "segredo", "curl", "ation code", "ity code", "one-time code", "a code", "a-code", "s code", "s-code",
    "y code", "p code", "bestätigungscode", "wiederherstellungscode", "sicherheitscode", "código de", "code de", "код под", "пин-код", "验证码", "校验码", "認証", "인증번호", "login", "log-in", "signin", "sign-in", "access", "account", "zugang", "anmeldung",
    "acceso", "cuenta", "accès", "compte ", "acesso", "conta ", "логин", "доступ", "учётка", "账", "帳號", "登录", "ログイン", "アカウント", "로그인", "계정", *LOCKS,
)  # fmt: skip
# These are words in small letters (`standard`), so only their capitals count.
CAPITALS = ("PIN", "TAN", "OTP", "PUK", "CVV", "CVC")


@cache
def _labelled() -> re.Pattern[str]:
    cjk = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
    blank = r"[^\S\n]"  # a value may stand on the next line, but nothing else of the phrase
    label = rf"(?P<password>(?i:{_PASSWORD}))|(?P<key>(?i:{_GLUED_KEY})|(?<![^\W\d_])(?i:{_WEAK})|(?<=[a-z\d]){_HUMP})|(?P<some>(?<=\w[_-])(?i:key))"
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
def _codes() -> re.Pattern[str]:
    """Short numbers that are secrets by their name alone."""
    return re.compile(
        r"(?:(?<!\w)(?:PIN|TAN|OTP|PUK|CVV2?|CVC2?)(?:[- ]?(?:Code|code|Nummer|код))?|(?i:recovery codes?|backup codes?|wiederherstellungscode|código de recuperación|code de récupération|verification code|security code|one-time code|(?:2FA|SMS|MFA)[- ]code|bestätigungscode|sicherheitscode"
        r"|código de verificación|code de vérification|код подтверждения|пин-код)|验证码|校验码|認証コード|暗証番号|인증번호)"
        r"[`*\"']{0,3}(?:[^\S\n][^\n:=：.,;!?\d|]{1,40}?(?=\s?[:=：]|\s(?:is|ist|lautet|es|est|é|это)\s)|\s(?:карты|der karte|de la tarjeta|de la carte|do cartão|for the card))?"
        r"(?:\s{0,2}(?:[:：=]|\b(?:is|ist|lautet|es|est|é|was)\b|是|为|は|—|-)|\s)[\s`*\"']{0,4}(?P<value>\d{4,6}-\d{4,6}|\d{4,8}|\d{3} \d{3})(?![\w.,]\w|\w)"
    )


@cache
def _pair() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`Camera login: admin / …`, `账号 ana / …`: a name, a stroke, a password, and before them the word for it."""
    pair = re.compile(
        rf"(?<![^\s:：`(*])[^\s:：/／|⟦⟧`*(]{{1,40}}[`*]{{0,2}}\s?[/／]\s?[`*]{{0,2}}(?P<value>{_VALUE}{{6,120}})"
    )
    return pair, re.compile(
        r"(?:\b(?:log-?in|sign-?in|credentials?|creds|access|account|zugang(?:sdaten)?|anmeldung|acceso|cuenta|accès|compte|acesso|conta|логин|доступ|учётка)\b|账号|帳號|账户|登录|ログイン|アカウント|로그인|계정)"
        r"[^⟦⟧]*$",
        re.I,
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
        r"(?<=\s)(?:-u|--user|-U|--proxy-user)[\s=]{0,3}\\?[\"']?[^\s:\"'⟦⟧]{0,100}\\?[\"']?:(?:\"(?P<a>[^\"\n⟦⟧]{1,200})\"|'(?P<b>[^'\n⟦⟧]{1,200})'|(?P<c>[^\s\"'⟦⟧]{1,200}))"
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
    if "/" in part or "／" in part:
        yield from _pairs(text, start, end)
    if any(map(str.isdigit, part)):
        yield from (
            found.span("value") for found in _codes().finditer(text, start, end) if not is_sequence(found["value"])
        )
        yield from lock_spans(text, start, end)
    if "curl" in part:
        for found in _user().finditer(text, start, end):
            group = found.lastgroup or ""
            if _is_login(found[group]):
                yield found.span(group)


def _flags(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _flag().finditer(text, start, end):
        named = _flag_name().search(found["name"])
        if named and (is_password if named["password"] else is_key)(found["value"]):
            yield _whole(text, *found.span("value"))


def _pairs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    pair, login = _pair()
    for found in pair.finditer(text, start, end):
        if is_spoken(found["value"]) and login.search(text, max(start, found.start() - 80), found.start()):
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
    if found["password"] is None and not any(map(str.isdigit, value)):  # the cheapest question first
        return False
    about, public = _about()
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", found["tail"])
    if any(map(about.fullmatch, words)) or public.search(text, max(0, found.start() - 16), found.start()):
        return False
    if found["bare"] and found["label"].lower() in ("pass", "auth", "pw"):  # verbs and names as well
        return False
    if found["password"] and _is_announced(text, found, value):
        return True
    if found["gap"] or found["bare"] or found["comma"]:  # prose and code: only what nobody would say otherwise
        return is_spoken(value) or (found["password"] is None and is_lot(value) and is_key(value))
    if found["some"]:
        return is_lot(value) and is_key(value)
    return is_password(value) if found["password"] else is_key(value)


def _is_announced(text: str, found: re.Match[str], value: str) -> bool:
    """`contraseña del wifi: perro2024`: what it is for stands between, and a sign or a verb announces the value."""
    if found["bare"]:
        return value.isdigit() and 6 <= len(value) <= 12 and not is_sequence(value)
    if not found["gap"] or _ABOUT_IT.search(found["gap"]) or not is_password(value):
        return False
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    signed = re.search("[:=：]", text[found.end("gap") : found.start("value")])
    return mixed and (bool(signed) or value[0].isalpha())


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """A value to its real end, without the full stop of the sentence."""
    rest = _rest().match(text, end)
    end = rest.end() if rest else end
    while text[end - 1] in ".:…":
        end -= 1
    return start, end


def _is_login(value: str) -> bool:
    value = value.strip("{}\\")
    return (
        len(value) >= 3 and not is_reference(value) and not is_example(value) and (len(value) >= 8 or is_drawn(value))
    )
