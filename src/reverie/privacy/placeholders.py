"""What only looks like a secret: filler, examples, variables, masks, dates, versions, names of files and of code.

These guards decide whether a value behind `password:` is one. They know nothing of formats or of keywords.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections import Counter
from functools import cache
from itertools import pairwise
from math import log2

from reverie.lang import words

_KEYBOARD = ("qwerty", "asdfgh", "zxcvbn", "1q2w3e")


@cache
def _example_words() -> re.Pattern[str]:
    """Words that people write where a secret would stand."""
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(words('secrets.examples'))})(?![^\W\d_])", re.I)


@cache
def _names() -> re.Pattern[str]:
    """What a value says when it only names what it is: `password: password`, `token=ACCESS_TOKEN`, `user:pass`."""
    return re.compile(rf"(?:{'|'.join(words('secrets.names_itself'))}|[\W_\d]){{1,12}}", re.I)


def entropy(value: str) -> float:
    """Bits per character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values()) if size else 0.0


def is_filler(value: str) -> bool:
    """`xxxxxxxx`, `AKIA0000000000000000`, `ghp_XXXX_PUT_YOUR_TOKEN_HERE_XXXX`: one character over and over."""
    commonest = max(Counter(value).values(), default=0)
    return (
        commonest * 5 >= len(value) * 2
        or (len(value) >= 16 and entropy(value) < 2)
        or _runs().search(value) is not None
    )


@cache
def _runs() -> re.Pattern[str]:
    # Base64 of empty bytes is a run of A, so that letter alone may be long.
    return re.compile(r"([B-Zb-z0-9*.#?])\1{9,}|(?i:(?<![a-z])(?:put|insert|enter|add)[_-](?:your|the)[_-])")


def is_sequence(value: str) -> bool:
    """`AbCdEf123`, `xoxp-1234-…`: most characters follow the one before them; or a part that only counts."""
    low = value.lower()
    if _breaks(low) * 5 <= (len(low) - 1) * 2 or any(row in low for row in _KEYBOARD):
        return True
    climb = longest = 0
    for a, b in pairwise(value):  # the same case: `aBcDeF` may be chance, `klmnopqr` is not
        climb = climb + 1 if ord(b) - ord(a) == 1 else 0
        longest = max(longest, climb)
    return longest >= 7 or any(
        len(part) >= 4 and ("1234567890".startswith(part) or "abcdefghijkl".startswith(part))
        for part in re.split(r"[\W_]", low)
    )


def _breaks(low: str) -> int:
    """How often a character does not follow the one before it, up or down."""
    return sum(ord(b) - ord(a) not in (1, -1) for a, b in pairwise(low))


def _only_counts(value: str) -> bool:
    """`abc123`, `123456`, `qwerty123`: people do choose `Abc12345x`, but these are written as examples."""
    return _breaks(value.lower()) <= 1 or any(row in value.lower() for row in _KEYBOARD)


def is_example(value: str) -> bool:
    """Whether somebody wrote this to show where a secret goes, or to show its form."""
    return (
        is_filler(value)
        or is_sequence(value)
        or is_empty_web_token(value)
        or _example_words().search(value) is not None
        or _names().fullmatch(value) is not None
    )


def is_blank(value: str) -> bool:
    """Whether a word only says that a value would stand here: `changeme`, `<password>`, `xxxx`."""
    return (
        re.fullmatch(r"(.)\1{2,}", value) is not None
        or _example_words().fullmatch(value) is not None
        or _names().fullmatch(value) is not None
    )


def is_web_token(value: str) -> bool:
    """Three parts in the form of a web token, whatever they say."""
    return re.fullmatch(r"eyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]{16,}", value) is not None


def is_empty_web_token(value: str) -> bool:
    """A web token that opens nothing: it names nobody and nothing, or its subject only counts, as in the manuals."""
    parts = value.split(".")
    if len(parts) != 3 or not value.startswith("ey"):
        return False
    try:
        said = json.loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return False
    if not isinstance(said, dict) or not said:
        return False
    subject = str(said.get("sub", ""))
    if len(subject) >= 6 and _breaks(subject) <= 1:  # `1234567890`
        return True
    # A name, an id, a moment, even a bare `true` may be all that somebody asks for; a fraction is a measurement.
    return all(one is None or isinstance(one, float) for one in said.values())


def _is_typed_hex(value: str) -> bool:
    """Long hexadecimal in both cases: programs write one of them, so a person made this up."""
    return re.fullmatch(r"(?=.*[a-f])(?=.*[A-F])[0-9a-fA-F]{32,}", value) is not None


@cache
def _no_value() -> re.Pattern[str]:
    return re.compile(
        r"\$|%\w+%|%\(|[{<\[‹]|.*(?:\$\{|\$\(|\{\{|[⟦⟧…‹›]|\.\.\.|\*\*\*|://)"  # a variable, a blank to fill in, a mask, an address
        r"|\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[T_ ].*)?$"  # a date
        rf"|[\d.,:+-]+(?:[kKmMgGtT]?[bB]?|ms|min|[smhdw]|px|%|€|eur|usd|{'|'.join(words('secrets.units'))})$"  # a number
        r"|[vV]?\d+(?:\.\d+)+[\w.+-]*$"  # a version
        r"|[\w.~-]*/[\w./~-]+\.[A-Za-z]\w{0,4}$"  # a path
        r"|[~.]{0,2}/|[A-Za-z]:\\|[\w./~-]+\.(?:pem|key|crt|json|ya?ml|toml|md|txt|env|ini|cfg|conf|py|js|ts|go|rs|java|sh|php|rb|html?|png|jpe?g|pdf|docx?|xlsx?|csv|gpg|kdbx)$"
        r"|(?:op|vault|ref|env|secretref|sops|keychain|arn)[:/]"  # where the secret is kept
        r"|[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,5}$|(?:[a-z]+[_-])*\w*(?:environ|getenv|process\.env|settings|config)\b"  # code
        r"|[\w.+-]+@[\w-]+\.[\w.-]+$",  # a mail address
        re.I,
    )


def is_reference(value: str) -> bool:
    """A variable, a mask, a date, a version, a path, a piece of code: something else than the secret itself."""
    return _no_value().match(value) is not None


def changes(value: str) -> int:
    """How often letters and digits take turns: chance does it often, a person seldom."""
    kinds = ["d" if char.isdigit() else "a" for char in value if char.isalnum()]
    return sum(a != b for a, b in pairwise(kinds))


def is_password(value: str) -> bool:
    """Whether a value behind a word that can only mean a password may be one: letters and digits, or digits alone."""
    if len(value) < 6 or is_filler(value) or _only_counts(value):
        return False
    if value.isdigit():
        return re.fullmatch(r"(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d(?:\d{4,6})?", value) is None
    if is_reference(value) or _names().fullmatch(value) or _example_words().search(value) or is_empty_web_token(value):
        return False
    if not any(char.isdigit() for char in value):
        return _is_mixed(value)
    return any(char.isalpha() for char in value)


def _is_mixed(value: str) -> bool:
    """Without a digit a value must mix both cases and signs inside itself, or it is a word: `Kirsche!Ahorn&Co`."""
    inner = value[1:].rstrip("!?.:")
    return (
        len(value) >= 8
        and any(map(str.isupper, inner))
        and any(map(str.islower, inner))
        and any(c in "!@#$%^&*+=~?" for c in inner)
    )


def is_drawn(value: str) -> bool:
    """Digits among letters, or capitals inside: the least that chance leaves in a token."""
    return any(map(str.isdigit, value)) or (any(map(str.isupper, value[1:])) and any(map(str.islower, value)))


def is_key(value: str) -> bool:
    """Whether a value behind `token` or `key`, words that mean much else, looks drawn by lot: `phase-2` does not."""
    if len(value) < 8 or is_reference(value) or is_example(value) or _is_typed_hex(value):
        return False
    if not any(map(str.isalpha, value)) or not any(map(str.isdigit, value)):
        return False
    if len(value) >= 16:
        return entropy(value) >= 3 or (entropy(value) >= 2.5 and changes(value) >= 4)
    return changes(value) >= 2 and entropy(value) >= 2.5


def is_lot(value: str) -> bool:
    """Whether a value behind a bare `…_key` can only have been drawn: keys of caches and tables are words."""
    return len(value) >= 16 and changes(value) >= 5


def is_spoken(value: str) -> bool:
    """Whether a value that follows its word without a sign (`password Cobalt-Pm9p-78#`) can be no other word."""
    if len(value) < 8 or not is_password(value) or not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    signs = any(char in "!@#$%^&*+=~?§" for char in value)
    return signs or changes(value) >= 3 or (len(value) >= 12 and changes(value) >= 2)
