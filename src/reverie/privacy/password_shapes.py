"""Words that nobody says: capitals and small letters, figures, and a sign between them. `Harbour#7290-Kite` is a password.

Known by its shape alone, whatever stands before it, because people announce a password in every way there is ("note it here
for now", "it is … now, delete later"). So the shape is narrow: what names a ticket, an address, a file, a version or two
products with a plus between them has none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reverie.privacy.placeholders import changes, is_example, is_key, is_reference

_SEED = re.compile(r"[A-Za-z0-9][!#$^~%§&+@]+[A-Za-z0-9]")  # rare, and found at the speed of the engine
_TOKEN = re.compile(r"[A-Za-z0-9!#$^~%§&+@_.\-]+")
_EDGES = ".-_"
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FILE = re.compile(r"\.[A-Za-z]{1,4}\d?$")
_TICKET = re.compile(r"(?:[a-z.-]+|[A-Z.-]+|[A-Z][a-z]{0,5}|[A-Za-z]+[.-][A-Za-z.-]*)#\d+")
_JOINED = re.compile(
    r"(?=[A-Za-z]{0,40}\d|[A-Za-z]{0,40}[!#][A-Za-z\d])[A-Za-z\d]{3,40}(?:![A-Za-z]{3,40}\d{1,6}|#\d{1,6})"
)
_VERSION = re.compile(r"^v?\d+\.\d+")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")
_WEAK = frozenset("&+@")  # they join names as well
SHORTEST, LONGEST = 8, 64


def shape_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a text holds what is known by its shape alone."""
    yield from password_spans(text, 0, len(text))
    yield from divided_spans(text)
    yield from address_spans(text)
    yield from variable_spans(text)
    yield from drawn_spans(text)


def password_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where such a word stands between two places of a text."""
    at = start
    while seed := _SEED.search(text, at, end):
        first = seed.start()
        while first > start and _TOKEN.match(text, first - 1, first):
            first -= 1
        found = _TOKEN.match(text, first, end)
        at = found.end() if found else seed.end()
        token = text[first:at].rstrip(_EDGES)
        if is_password_shaped(token) and not _is_part_of_an_address(text, first, at):
            yield first, first + len(token)


def is_password_shaped(token: str) -> bool:
    """Both cases, figures and a sign; or a word, a sign and figures as nobody numbers things (`Herbstlaub#19`, `spade!Fern4`)."""
    if _JOINED.fullmatch(token) and len(token) >= SHORTEST:
        return _TICKET.fullmatch(token) is None
    if not SHORTEST <= len(token) <= LONGEST or sum(map(str.isdigit, token)) < 2:
        return False
    if not any(map(str.isupper, token)) or not any(map(str.islower, token)):
        return False
    if (
        any(rule.fullmatch(token) for rule in (_MAIL, _TICKET))
        or _FILE.search(token)
        or _ESCAPED.search(token)
        or _VERSION.match(token)
    ):
        return False
    signs = set(token) & set("!#$^~%§&+@")
    return not signs <= _WEAK or bool(set(token) & set("-_"))


_WORDLIKE = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+[A-Za-z]{0,2}|[A-Z]?[a-z]\d[a-z]?")
_DIVIDED = re.compile(
    r"(?<![\w./:@#=&?%+~-])[A-Za-z0-9]{1,16}(?:[-_][A-Za-z0-9]{1,16}){1,7}(?![\w/@:=(%+~-]|\.\w)", re.ASCII
)
_HUMPED = re.compile(r"(?:[A-Z][a-z0-9]{2,15}){2,4}_\d{1,4}", re.ASCII)


def divided_spans(text: str) -> Iterator[tuple[int, int]]:
    """Parts with strokes between them that were drawn (`4kRe-VV31-moTib-07`), or two words in one with a number (`PlankRobin_3`)."""
    for found in _DIVIDED.finditer(text):
        value = found[0]
        if _HUMPED.fullmatch(value) or _is_drawn_in_parts(value):
            yield found.span()


def _is_drawn_in_parts(value: str) -> bool:
    """Names of models and machines are words and figures; a part that is neither, among figures, was drawn."""
    parts = re.split("[-_]", value)
    drawn = [part for part in parts if not _WORDLIKE.fullmatch(part)]
    figures = sum(any(map(str.isdigit, part)) for part in parts)
    both = any(map(str.isupper, value)) and any(map(str.islower, value))
    if _is_printed(parts):
        return True
    return len(value) >= 10 and len(parts) >= 3 and figures >= 2 and both and any(map(_is_mixed_part, drawn))


def _is_printed(parts: list[str]) -> bool:
    """Groups of one length as on a sticker or a licence: `QX7R-99PL-M2ZA`; a disk's long row of figures."""
    sizes = {len(part) for part in parts}
    if len(sizes) > 1 or not sizes & {4, 5, 6} or len(parts) < 3:
        return False
    if all(map(str.isdigit, parts)):
        return len(parts) >= 6
    mixed = sum(any(map(str.isdigit, part)) and any(map(str.isalpha, part)) for part in parts)
    return mixed >= 2 and "".join(parts).upper() == "".join(parts)


def _is_mixed_part(part: str) -> bool:
    return (
        len(part) >= 4 and any(map(str.isdigit, part)) and any(map(str.isupper, part)) and any(map(str.islower, part))
    )


# ---- long runs that only chance makes

_DRAWN_RUN = re.compile(
    r"(?<![A-Za-z0-9/+.=&?%~_\\-])[A-Za-z0-9][A-Za-z0-9+_-]{15,200}(?P<padding>={0,2})(?![A-Za-z0-9/=(~_-]|\.\w)"
)
_BASE32 = re.compile(r"[A-Z2-7]{16,64}")
_SPACED_BASE32 = re.compile(
    r"(?<![\w-])(?:[a-z2-7]{4} ){3,15}[a-z2-7]{4}(?![\w-])|(?<![\w-])(?:[A-Z2-7]{4} ){3,15}[A-Z2-7]{4}(?![\w-])"
)
_DIGEST = re.compile(r"sha\d{1,3}[-_]|md5[-_]|0x")
_PUBLIC_NAME = re.compile(
    r"(?i:publi[cs]|[cx]srf|authenticity|nonce|integrity|checksum|digest|etag)\w{0,20}\W{1,4}(?:value=\W)?$"
)
_HUMP = re.compile(r"[A-Z]?[a-z]{3,}")
_LONG_PART = 12


def drawn_spans(text: str) -> Iterator[tuple[int, int]]:
    """Letters and figures in no order, too long for a name: the seed of a second factor, a key, a login in base64."""
    for found in _DRAWN_RUN.finditer(text):
        public = _PUBLIC_NAME.search(text, max(0, found.start() - 40), found.start())
        if not public and _is_drawn_run(found[0], padded=bool(found["padding"])):
            yield found.span()
    for found in _SPACED_BASE32.finditer(text):
        if changes(found[0]) >= (2 if found[0].isupper() else 4):
            yield found.span()


def _is_drawn_run(run: str, *, padded: bool) -> bool:
    part = max(re.split("[-_+=]", run), key=len)
    if not any(map(str.isdigit, part)) or len(part) < _LONG_PART or _DIGEST.match(run) or is_example(part):
        return False
    if _BASE32.fullmatch(run):
        return changes(run) >= 3
    both = any(map(str.isupper, part)) and any(map(str.islower, part))
    return both and (padded or len(run) >= 18) and changes(part) >= 3 and is_key(part) and not is_of_words(part)


def is_of_words(value: str) -> bool:
    """`HttpServer2Factory`: the name of a class, most of it words."""
    return sum(map(len, _HUMP.findall(value))) * 2 > len(value)


# ---- addresses and variables

_QUERY = re.compile(r"[?&;](?P<name>[A-Za-z][\w.-]{0,30})=(?P<value>[\w.~+/-]{8,200})", re.ASCII)
_PUBLIC = re.compile(r"v|id|list|page|cursor|sha|commit|rev|ref|hash|version|date|from|to|utm_\w+|q|t|si", re.I)
_ADDRESS = re.compile(r"(?<![a-z])https?://[^\s<>\"'`|⟦⟧()\[\]，。；、」』]{8,2000}")
_SEGMENT = re.compile(
    r"(?<=/)(?=[\w-]{0,80}[a-z])(?=[\w-]{0,80}[A-Z])(?=[\w-]{0,80}\d)[\w-]{10,80}(?=[/?#.,;:!]|$)", re.ASCII
)
_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9_])(?:[A-Z][A-Z0-9]*_)+(?:PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|PW|PIN|SECRET|TOKEN|KEY|CREDENTIALS?)\s?=\s?[\"']?(?P<value>[^\s\"'`;|⟦⟧，。；、)]{6,200})"
)


def address_spans(text: str) -> Iterator[tuple[int, int]]:
    """Drawn values in the path or the question of an address: who has the address has the key."""
    for found in _ADDRESS.finditer(text):
        for value in _QUERY.finditer(text, *found.span()):
            if not _PUBLIC.fullmatch(value["name"]) and is_key(value["value"]):
                yield value.span("value")
        for part in _SEGMENT.finditer(text, *found.span()):
            if is_key(part[0]) and changes(part[0]) >= 3:
                yield part.span()


def variable_spans(text: str) -> Iterator[tuple[int, int]]:
    """`SMTP_PASS=…`: a variable that says what it holds."""
    for found in _VARIABLE.finditer(text):
        value = found["value"].rstrip(".,")
        if not is_reference(value) and not is_example(value) and not _is_constant(value):
            yield found.start("value"), found.start("value") + len(value)


def _is_constant(value: str) -> bool:
    """`SORT_KEY=created_at`: a name in a program, and no value."""
    return re.fullmatch(r"[A-Za-z]+(?:[_.][A-Za-z]+)*", value) is not None and not (
        any(map(str.isupper, value[1:])) and any(map(str.islower, value))
    )


def _is_part_of_an_address(text: str, first: int, end: int) -> bool:
    """A link, a path or an assignment goes on around it; those have rules of their own."""
    return text[max(0, first - 1) : first] in ("/", "=", ":", "\\", "?") or text[end : end + 1] in ("/", "=", "\\", "(")
