"""Markup that cannot forget to escape: whatever was not built here is text, and stays text.

    h("p", "1 < 2", class_="said")   →   <p class="said">1 &lt; 2</p>

There is no way to write a script, a style or a handler with it, and a link leads only to this page itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from itertools import takewhile

from reverie.lang.messages import said_with, say
from reverie.privacy.redact import shown
from reverie.text.sections import OURS

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_FORBIDDEN = frozenset({"style", "srcdoc"})
_PLACES = frozenset({"href", "src", "action"})
_BULLET = re.compile(r"^\s*[-*+] ")
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\u3040-\u9fff]+|.", re.S)  # a number whole; Han and kana sign by sign
_MARKED = re.compile(r"\*\*(\S[^*\n]*?)\*\*|`([^`\n]+)`")


class Html(str):
    """Markup that was built by `h`. Joining it with plain text gives plain text, which is escaped again: safe, if ugly."""

    __slots__ = ()


Inside = str | int | None | Iterable["Inside"]
Attribute = str | int | bool | None


def h(name: str, /, *inside: Inside, **attributes: Attribute) -> Html:
    """An element. `class_` and `for_` are attributes, `data_x` is data-x; False and None leave an attribute out."""
    opened = f"<{name}{''.join(map(_attribute, attributes.items()))}>"
    return Html(opened if name in _VOID else f"{opened}{_flat(inside)}</{name}>")


def _flat(piece: Inside) -> str:
    if piece is None:
        return ""
    if isinstance(piece, Html):
        return str(piece)
    if isinstance(piece, str):
        return escape(_printable(piece))
    return str(piece) if isinstance(piece, int) else "".join(map(_flat, piece))


def _attribute(pair: tuple[str, Attribute]) -> str:
    name, value = pair[0].rstrip("_").replace("_", "-"), pair[1]
    if value is None or value is False:
        return ""
    if name in _FORBIDDEN or name.startswith("on"):
        raise ValueError(f"the attribute {name} may hold code")
    if value is True:
        return f" {name}"
    text = _printable(str(value))
    if name in _PLACES and (not text.startswith(("/", "#")) or text.startswith("//")):
        raise ValueError(f"{name} leads outside this page")
    return f' {name}="{escape(text)}"'


def _printable(text: str) -> str:
    """Bytes of a note that were no UTF-8 cannot be sent; they are shown as a sign."""
    return text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text


@lru_cache(4_096)  # the same lines are shown to every reader, and looking for secrets takes its time
def safe(text: str) -> str:
    """Words of a note as they may be shown: secrets hidden, control characters made visible."""
    return shown(text)


def formatted(text: str) -> Html:
    """Words of a note with the two marks that everybody reads over, **bold** and `code`, shown as what they mean.

    Whatever is between the marks is text. No other mark of Markdown, and no markup of any kind, means anything here.
    """
    pieces: list[Inside] = []
    for n, part in enumerate(_MARKED.split(safe(text))):
        element = {1: "strong", 2: "code"}.get(n % 3)
        if part:
            pieces.append(h(element, part) if element else part)
    return Html(_flat(pieces))


def as_read(text: str) -> str:
    """A line as people read it: without the dash before it, and without the mark that only machines read."""
    return _BULLET.sub("", OURS.sub("", text.rstrip("\r\n")).rstrip())


def swapped(old: str, new: str) -> Html:
    """A line that changed, told once: what stays as it is, and inside it the words that went and those that came."""
    before, after = (_WORD.findall(safe(as_read(text))) for text in (old, new))
    same = list(takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    first = len(same)
    shorter = min(len(before), len(after)) - first
    tail = zip(reversed(before[first:]), reversed(after[first:]), strict=False)
    last = min(shorter, len(list(takewhile(lambda pair: pair[0] == pair[1], tail))))
    gone, came = ("".join(words[first : len(words) - last]) for words in (before, after))
    ends = "".join(before[:first]), "".join(before[len(before) - last :])
    inside = h("del", gone) if gone else None, " " if gone and came else None, h("ins", came) if came else None
    return h("span", formatted(ends[0]), *inside, formatted(ends[1]), class_="swap")


def counted(counts: Mapping[str, int]) -> str:
    """What was counted, most first: `superseded 3, stale 1`."""
    return say("count.between").join(f"{in_words(name)} {count}" for name, count in Counter(counts).most_common())


def hidden(name: str, value: str) -> Html:
    return h("input", type="hidden", name=name, value=value)


def button(key: str, kind: str = "", **attributes: Attribute) -> Html:
    """A button that sends its form, with the word `key` of the page (or of a table that is named) on it."""
    words = say(key if "." in key else f"page.{key}")
    return h("button", words, type="submit", class_=kind or None, **attributes)


def card(*inside: Inside, title: str = "", wide: bool = False, **attributes: Attribute) -> Html:
    head = h("h2", title) if title else None
    return h("section", head, *inside, class_="card wide" if wide else "card", **attributes)


def quiet(*inside: Inside) -> Html:
    return h("p", *inside, class_="quiet")


def row(*inside: Inside) -> Html:
    return h("div", *inside, class_="row")


def because(why: str, *more: Inside) -> Html:
    return h("p", say("page.because", why=safe(why)), *more, class_="why")


def badge(words: str, kind: str = "") -> Html:
    return h("span", words, class_=f"badge {kind}".strip())


def in_words(code: str) -> str:
    """A code that is kept in files (a tag, a reason that is counted), as a person reads it."""
    if code.startswith("judged "):
        return say("page.judged_as", kind=said_with("kinds", code.removeprefix("judged ")))
    return said_with("tags", code)


def tag(code: str) -> Html:
    return badge(in_words(code))


def folded(summary: str, *inside: Inside) -> Html:
    return h("details", h("summary", summary), *inside)


def table(heads: Iterable[str], rows: Iterable[Iterable[Inside]]) -> Html:
    """A table that may be wider than a phone."""
    head = h("thead", h("tr", [h("th", words, scope="col") for words in heads]))
    body = h("tbody", [h("tr", [h("td", cell) for cell in cells]) for cells in rows])
    return h("div", h("table", head, body), class_="scroll")


def bar(value: float, whole: float, about: str, kind: str = "") -> Html:
    """A bar that is full at `whole`; a value beyond it is told by its colour."""
    share = max(0.0, min(1.0, value / whole)) if whole else 0.0
    over = " over" if whole and value > whole else ""
    track = h("rect", class_="track", width="100", height="8")
    fill = h("rect", class_=f"fill{over} {kind}".strip(), width=f"{share * 100:.1f}", height="8")
    box = {"viewBox": "0 0 100 8", "preserveAspectRatio": "none"}
    return h("svg", track, fill, class_="bar", role="img", aria_label=about, **box)
