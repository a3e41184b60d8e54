"""Recognising secrets and their masks, so that none of them ever enters what we write or print.

The ground table: public token formats, `keyword = value`, addresses with a password, private keys. It lives
on the ground floor because the promises and every surface need it. Precision first: a line that is taken for a
secret is only left alone, never changed.
"""

from __future__ import annotations

import re

_TOKENS = (
    r"sk-(?:ant-|proj-|live-|test-)?[A-Za-z0-9_-]{20,}",
    r"gh[pousr]_[A-Za-z0-9]{30,}", r"github_pat_[A-Za-z0-9_]{40,}", r"glpat-[A-Za-z0-9_-]{20,}",
    r"xox[abposr]-[A-Za-z0-9-]{10,}", r"A(?:KIA|SIA)[A-Z0-9]{16}", r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"npm_[A-Za-z0-9]{36}", r"pypi-[A-Za-z0-9_-]{40,}", r"hf_[A-Za-z0-9]{30,}", r"dop_v1_[a-f0-9]{64}",
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}",
    r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
)  # fmt: skip
_KEYWORDS = (
    r"pass(?:word|wd|phrase|code)?|pwd|pw|secret|api[_ -]?key|access[_ -]?key|auth[_ -]?token|token|bearer|private[_ -]?key"
    r"|client[_ -]?secret|passwort|kennwort|schlüssel|contraseña|clave|mot de passe|senha|пароль|токен|секрет"
    r"|密码|密碼|口令|密钥|令牌|パスワード|비밀번호|암호"
)
# A value is taken for a secret when it mixes classes of characters; "password: see the vault" is prose.
_VALUE = r"(?=[^\s`'\"]*\d)(?=[^\s`'\"]*[^\W\d_])[^\s`'\",;，。；）)\]}|]{6,}"
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    rf"|(?<![A-Za-z0-9])(?:{'|'.join(_TOKENS)})"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,80}:[^\s/@]{3,200}@[^\s/]+"
    rf"|(?:(?<![^\W_])(?:{_KEYWORDS})s?)[`*\"'”]*\s*(?:is|are|ist|es|est|是|为|[:：=]|\|)[\s`*\"'“]{{0,6}}(?P<value>{_VALUE})",
    re.I,
)
_TOKEN_CASE = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_TOKENS)})")
_MASK = re.compile(r"\[REDACTED[:\w -]{0,40}\]|(?<![*\w])\*{3,}(?![*\w])|‹secret›|<redacted>", re.I)
HIDDEN = "‹secret›"


def holds_secret(text: str) -> bool:
    """Whether a text seems to carry a key, a token or a password."""
    return bool(_SECRET.search(text) or _TOKEN_CASE.search(text))


def holds_mask(text: str) -> bool:
    """Whether a text carries the mark where a secret was taken out; such a text is no evidence."""
    return bool(_MASK.search(text))


def shown(text: str) -> str:
    """A text as it may be shown: secrets hidden, undecodable bytes and control characters made visible."""
    text = _SECRET.sub(_hide, text)
    return "".join(_visible(char) for char in text)


def _hide(found: re.Match[str]) -> str:
    value = found["value"]
    return found[0].replace(value, HIDDEN) if value else HIDDEN


def _visible(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    if (char < " " and char not in "\t\n") or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff":
        return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
    return char
