"""Words as people make passwords, which nobody says and nothing is called.

Some are known by their shape alone, whatever stands before them, because people announce a password in every way there is: both
cases, figures and a sign (`Harbour#7290-Kite`), parts that were drawn (`4kRe-VV31-moTib-07`), long runs that only chance makes.
That shape is narrow: what names a ticket, an address, a file, a version or two products with a plus between them has none of it.
Others come close to names of machines and versions (`Tern_4x1`, `OakSpoon-4471`). A *strong* one of them counts where values
stand (last behind a colon or an arrow, in a table, beside an account), a *loose* one only beside an account, or where a line
says that access was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reverie.lang.lexicon import GLUED
from reverie.privacy.access_words import Span, words_of_access
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


def password_spans(text: str) -> Iterator[Span]:
    """Where a text holds what is known by its shape alone."""
    yield from _signed_spans(text)
    yield from _divided_spans(text)
    yield from _address_spans(text)
    yield from _variable_spans(text)
    yield from _drawn_spans(text)


def _signed_spans(text: str) -> Iterator[Span]:
    """Letters and figures with a sign between them."""
    at = 0
    while seed := _SEED.search(text, at):
        first = seed.start()
        while first > 0 and _TOKEN.match(text, first - 1, first):
            first -= 1
        found = _TOKEN.match(text, first)
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


def _divided_spans(text: str) -> Iterator[Span]:
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


def _drawn_spans(text: str) -> Iterator[Span]:
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


def _address_spans(text: str) -> Iterator[Span]:
    """Drawn values in the path or the question of an address: who has the address has the key."""
    for found in _ADDRESS.finditer(text):
        for value in _QUERY.finditer(text, *found.span()):
            if not _PUBLIC.fullmatch(value["name"]) and is_key(value["value"]):
                yield value.span("value")
        for part in _SEGMENT.finditer(text, *found.span()):
            if is_key(part[0]) and changes(part[0]) >= 3:
                yield part.span()


def _variable_spans(text: str) -> Iterator[Span]:
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


# ---- words that come close to names of machines, models and versions: they count where values stand

SIGN = r"[:：=＝→—–]|[-=]>|(?<=\s)-(?=\s)"
_CANDIDATE = rf"[^\W{GLUED}](?:[^\W{GLUED}]|[!#$%§&@.?+-]){{5,63}}"
_WORD = re.compile(rf"(?<![^\W{GLUED}])(?<![./:@#=&?%+~-]){_CANDIDATE}(?![/=(:~])")
_PLACED = re.compile(rf"(?:{SIGN}|@[\w-]{{1,40}}\.[\w.]{{1,40}}[,;/ ])\s*(?:\S{{2,40}}\s?/\s?)?[`\"'“„«「『*]{{0,3}}(?P<value>{_CANDIDATE}?)[`\"'”“»」』*]{{0,3}}[.。]?\s*$")  # fmt: skip
_SET_TO = re.compile(rf"(?:\s[^\W\d_]{{1,4}}(?=\s)){{0,2}}\s?[`\"'“„«「『]?(?P<value>{_CANDIDATE})(?<![.,?-])")
_CELL = re.compile(rf"\|\s*[`*]{{0,2}}(?P<value>{_CANDIDATE}?)[`*]{{0,2}}\s*(?=\|)")
_ACCOUNT = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.\w")
_BELONGS = re.compile(
    r"://\S*$|^\W*[\w.-]*(?:_|[a-z][A-Z])[\w.-]*[\s\"']*$"
)  # to an address, or to a name in a program
_HTTP_HEADER = re.compile(r"(?<![\w-])X-(?![\w-]*(?:Id|Request|Trace|Name|Version)\b)[\w-]{2,40}[\"'`]?\s?(?:[:=]|\S{1,5}(?=\s))\s{0,2}[\"'`]?(?P<value>[\w.~+/=-]{12,200})")  # fmt: skip
_ESCAPE_OR_TICKET = re.compile(r"%[2-7][\dA-Fa-f]|#\d+$")
_STRONG = (
    re.compile(r"(?=.*\d)[\w.-]+(?:(?:[!#$%§&]+|@(?=\d{1,6}[a-z]{2}))[\w.-]+)+[!?]?"),
    re.compile(r"[A-Z][a-z]{3,20}_(?!(?:19|20)\d\d$)(?=[A-Za-z]*\d)[A-Za-z\d]{3,8}"),
    re.compile(r"(?=[a-z\d_.-]*[A-Z])(?:[^\W_]{2,20}[-_.])?[A-Za-z]{1,20}\d[a-z]{2,20}(?:[-_.][^\W_]{2,20}){1,5}"),
)
_STICKER = re.compile(r"(?=.*[g-z])[a-z\d]{10,64}")
_MODEL = re.compile(r"\d\.\d|^[A-Z\d._-]+$")
_LOOSE = re.compile(r"[^\W_]+(?:[-_.][^\W_]+){0,4}[!?]?")
_NUMBERED = re.compile(
    r"(?<![\w./:@#=&?%+~-])(?=[A-Za-z_.-]{0,60}\d)[^\W\d_]{2,20}(?:[-_.][^\W_]{1,20}){0,6}[-_.]?\d{1,4}(?![\w/@:=(%+~-]|\.\w)"
)
_YEAR_WORD = re.compile(r"[A-Z][a-z]{3,20}(?:19|20)\d\d")


def placed_spans(line: str) -> Iterator[Span]:
    """Where a made-up word stands at the place of a value, whatever the line says."""
    groups = words_of_access(line)
    opened = not groups.keys().isdisjoint(("logins", "networks", "locks"))
    yield from (found.span("value") for found in _HTTP_HEADER.finditer(line) if is_key(found["value"]))
    if (found := _PLACED.search(line)) and not _BELONGS.search(line, 0, found.start()):
        loose = "usual" in groups or (opened and "changed" in groups) or found[0][0] == "@" or "/" in found[0]
        if _is_strong(found["value"]) or (loose and _is_loose(found["value"])):
            yield found.span("value")
    for _, end in groups.get("changed", ()):  # "it takes …", "set it to …"
        if (found := _SET_TO.match(line, end)) and (
            _is_strong(found["value"]) or (opened and _is_loose(found["value"]))
        ):
            yield found.span("value")
    if line.count("|") > 1:
        account = "logins" in groups or _ACCOUNT.search(line)
        for cell in _CELL.finditer(line):
            if _is_strong(cell["value"]) or (account and _is_loose(cell["value"])):
                yield cell.span("value")


def made_up_spans(line: str) -> Iterator[Span]:
    """Where a made-up word stands in a line that speaks of a lock, a network or an account."""
    yield from (found.span() for found in _NUMBERED.finditer(line) if _is_numbered(found[0]))
    renewed = "changed" in words_of_access(line)
    for found in _WORD.finditer(line):
        word = found[0].rstrip(".-?")
        if _is_strong(word) or (renewed and _is_loose(word)) or _is_sticker(word):
            yield found.start(), found.start() + len(word)


def _is_strong(value: str) -> bool:
    if len(value) < SHORTEST or is_reference(value) or is_example(value) or _ESCAPE_OR_TICKET.search(value):
        return False
    both = any(map(str.isupper, value)) and any(map(str.islower, value))
    drawn = value.isalnum() and both and changes(value) >= 3 and is_key(value) and not is_of_words(value)
    return drawn or any(shape.fullmatch(value) for shape in _STRONG)


def _is_loose(value: str) -> bool:
    """`Walnut41`, `Fern-8ale-Tide`, `moorhen77!`: letters with figures, and capitals or a sign."""
    if len(value) < SHORTEST or not _LOOSE.fullmatch(value) or _MODEL.search(value):
        return False
    if is_reference(value) or is_example(value):
        return False
    figures = sum(map(str.isdigit, value)) >= 2 or re.search(r"\d[a-z]{3}", value)
    return bool(figures and re.search(r"[a-z]{3}", value) and re.search("[A-Z!?]", value))


def _is_sticker(value: str) -> bool:
    """`8f3kqp2w9x`: small letters and figures as printed under a router; a commit has no letter behind f."""
    return _STICKER.fullmatch(value) is not None and changes(value) >= 4 and is_key(value)


def _is_numbered(word: str) -> bool:
    """`Trout-at-Noon-3`, `OakSpoon-4471`, `Velvet_Anvil6`: words with a number as people make passwords, not names of things."""
    parts = re.split("[-_.]", word)
    letters = [part for part in parts if part.isalpha()]
    if re.search(r"(?:19|20)\d\d-\d\d", word) or word.isupper():
        return False
    if len(parts) >= 3:
        return sum(map(len, letters)) >= 7 and all(part.isalpha() or part.isdigit() for part in parts)
    return _YEAR_WORD.fullmatch(word) is not None or len(re.findall(r"[A-Z][a-z]{2,}", word)) >= 2
