"""Words as the page shows them. Whatever is printed passes `shown`; only what is made here is markup."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any
from urllib.parse import quote
from zlib import crc32

from markupsafe import Markup, escape

from reverie.features.document import words_of
from reverie.surfaces.show import safe
from reverie.text.lines import is_wide

_FORMED = re.compile(r"\*\*([^*\n]{1,400})\*\*|`([^`\n]{1,400})`|\[([^\[\]\n]{1,200})\]\([^()\s]{1,200}\)")
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_\u2e80-\u9fff]+|\s+|.", re.S)  # Han signs one by one, figures whole
_MOST_WORDS = 600  # that are compared one by one


@lru_cache(maxsize=8_192)
def _safe(text: str) -> str:
    return safe(text).encode("utf-8", "replace").decode()


def shown(value: Any) -> Any:
    """What is printed: secrets masked, controls visible; what is markup is made of what passed here."""
    return _safe(value) if isinstance(value, str) and not isinstance(value, Markup) else "" if value is None else value


def bare(value: object) -> Markup:
    """A hash, a token or a place for a form: not masked, since it must come back as it is."""
    return escape(str(value).encode("utf-8", "replace").decode())


def prose(text: str) -> Markup:
    """A line with its bold words and its code; links are told by their words."""
    return _formed(_safe(text))


def swap(new: str, old: str) -> Markup:
    """A line that changed, told once: inside it what went and what came."""
    if not old:
        return Markup("<ins>{}</ins>").format(prose(new))
    if not new:
        return Markup("<del>{}</del>").format(prose(old))
    return Markup("").join(_parts(_WORD.findall(_safe(old)), _WORD.findall(_safe(new))))


def day(value: date | None, form: str = "short") -> str:
    """9 Nov; `long`: 9 November; with its year where that is not this one."""
    if value is None:
        return ""
    year = "" if value.year == date.today().year and form != "full" else f" {value.year}"
    return f"{value.day} {value:%b}{year}" if form == "short" else f"{value.day} {value:%B}{year}"


def anchor(place: str) -> Markup:
    """The name of a line within the page."""
    path, _, number = place.rpartition(":")
    return bare(f"l{crc32(path.encode('utf-8', 'replace')):x}-{number}")


def link(place: str) -> Markup:
    """Where a line of memory or of a note can be seen."""
    path, _, number = place.rpartition(":")
    return bare(f"/file?path={quote(path, errors='replace')}&line={number}#here")


def lang(text: str) -> Markup:
    """The language of a text in Han signs, for fonts and voices."""
    wide = sum(map(is_wide, text[:400]))
    return Markup(' lang="zh-Hans"') if wide * 3 > len(text[:400]) and wide else Markup("")


def moment(value: datetime | None) -> str:
    return f"{value:%Y-%m-%d %H:%M}" if value else ""


def found(text: str, question: str) -> Markup:
    """A line with the words that were looked for."""
    asked = [re.escape(word) for word in re.findall(r"[^\W_]{2,60}", _safe(question))[:20]]
    plain = _safe(text).replace("**", "")
    pieces = re.split(f"({'|'.join(asked)})", plain, flags=re.I) if asked else [plain]
    marked = (Markup("<mark>{}</mark>").format(piece) if n % 2 else escape(piece) for n, piece in enumerate(pieces))
    return Markup("").join(marked)


def quotation(text: str) -> Markup:
    """A line of a view, with a link to where it stands."""
    words, _, place = text.removeprefix("- ").rpartition(" ([")
    place = place.partition("](")[0]
    if not words:
        return prose(text)
    return Markup('{} <a href="{}"><small>{}</small></a>').format(prose(words), link(place), _safe(place))


def _formed(text: str) -> Markup:
    pieces, at = [Markup("")], 0
    for found in _FORMED.finditer(text):
        bold, code, words = found.groups()
        inside = Markup("<b>{}</b>").format(bold) if bold else Markup("<code>{}</code>").format(code)
        pieces += [escape(text[at : found.start()]), inside if bold or code else escape(words)]
        at = found.end()
    return Markup("").join([*pieces, escape(text[at:])])


def _parts(old: list[str], new: list[str]) -> Iterator[Markup]:
    """The pieces of a change: by words, or where there are very many, what lies between the two ends that stayed."""
    if len(old) + len(new) > _MOST_WORDS:
        top = next((i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
        codes = [("equal", 0, top, 0, top), ("replace", top, len(old), top, len(new))]
    else:
        codes = _joined(SequenceMatcher(None, old, new, autojunk=False).get_opcodes(), old)
    for kind, a, b, c, d in codes:
        gone, came = "".join(old[a:b]), "".join(new[c:d])
        if kind == "equal":
            yield _formed(gone)
            continue
        if gone.strip():
            yield Markup("<del>{}</del>").format(gone)
        yield Markup(" ") if gone.strip() and came.strip() else Markup("")
        if came:
            yield Markup("<ins>{}</ins>").format(came)


def _joined(codes: list[Any], old: list[str]) -> list[Any]:
    """The steps, with changes that only a space or a sign keeps apart as one change."""
    result: list[Any] = []
    for code in codes:
        kind, _, b, _, d = code
        is_thin = kind == "equal" and not any(map(str.isalnum, old[code[1] : b])) and len(result) > 0
        if result and result[-1][0] != "equal" and (kind != "equal" or (is_thin and code is not codes[-1])):
            result[-1] = ("replace", result[-1][1], b, result[-1][3], d)
        else:
            result.append(code)
    return result


FILTERS = {
    "bare": bare, "prose": prose, "swap": swap, "day": day, "anchor": anchor, "place": link, "lang": lang, "moment": moment,
    "found": found, "quotation": quotation,
    "words": words_of,
}  # fmt: skip
