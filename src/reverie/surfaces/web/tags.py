"""Markup that cannot forget to escape: whatever was not built here is text, and stays text.

    h("p", "1 < 2", class_="said")   →   <p class="said">1 &lt; 2</p>

There is no way to write a script, a style or a handler with it, and a link leads only to this page itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_FORBIDDEN = frozenset({"style", "srcdoc"})
_PLACES = frozenset({"href", "src", "action"})


class Html(str):
    """Markup that was built by `h`. Joining it with plain text gives plain text, which is escaped again: safe, if ugly."""

    __slots__ = ()


Inside = str | int | None | Iterable["Inside"]


def h(name: str, /, *inside: Inside, **attributes: str | int | bool | None) -> Html:
    """An element. `class_` and `for_` are attributes, `data_x` is data-x; False and None leave an attribute out."""
    opened = f"<{name}{''.join(map(_attribute, attributes.items()))}>"
    if name in VOID:
        return Html(opened)
    return Html(f"{opened}{_flat(inside)}</{name}>")


def together(*inside: Inside) -> Html:
    """Several pieces without an element around them."""
    return Html(_flat(inside))


def _flat(inside: Iterable[Inside]) -> str:
    return "".join(_one(piece) for piece in inside)


def _one(piece: Inside) -> str:
    if piece is None:
        return ""
    if isinstance(piece, Html):
        return str(piece)
    if isinstance(piece, str):
        return escape(_printable(piece))
    if isinstance(piece, int):
        return str(piece)
    return _flat(piece)


def _attribute(pair: tuple[str, str | int | bool | None]) -> str:
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


__all__ = ["Html", "Inside", "h", "together"]
