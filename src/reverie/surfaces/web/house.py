"""What every room of the page is given: the workspace, the clock, what was just computed, and who is visiting."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from reverie.core.ports import Clock
from reverie.privacy.redact import shown
from reverie.surfaces.web.shelf import Shelf
from reverie.surfaces.web.sleeper import Sleeper
from reverie.surfaces.web.tags import Html, Inside, h, together
from reverie.surfaces.web.words import say
from reverie.text.sections import OURS
from reverie.workspace.values import Plan, Workspace

_BULLET = re.compile(r"^\s*[-*+] ")
_MARKED = re.compile(r"\*\*(\S[^*\n]*?)\*\*|`([^`\n]+)`")


@dataclass
class House:
    """One workspace, open in the browser."""

    workspace: Workspace
    clock: Clock
    sleeper: Sleeper
    shelf: Shelf = field(default_factory=Shelf)
    preview: Plan | None = (
        None  # the plan that was asked for on the page; it waits for nobody and is never written down
    )

    def changed(self) -> None:
        self.shelf.clear()


@dataclass(frozen=True, slots=True)
class Visit:
    """One request: who asks, in which language, and for what."""

    language: str
    token: str
    asked: Callable[[str], str]  # a parameter of the address, or nothing

    def say(self, key: str) -> str:
        return say(self.language, key)

    def form(self, action: str, *inside: Inside, **attributes: str) -> Html:
        """A form that only this session can send."""
        hidden = h("input", type="hidden", name="token", value=self.token)
        return h("form", hidden, *inside, method="post", action=action, **attributes)

    def button(self, key: str, kind: str = "", **attributes: str | bool) -> Html:
        return h("button", self.say(key), type="submit", class_=kind or None, **attributes)


@lru_cache(4_096)  # the same lines are shown to every reader, and looking for secrets takes its time
def said(text: str) -> str:
    """Words of a note as they may be shown: secrets hidden, control characters made visible."""
    return shown(text)


@lru_cache(4_096)
def spoken(text: str) -> Html:
    """Words of a note with the two marks that everybody reads over, **bold** and `code`, shown as what they mean.

    Whatever is between the marks is text. No other mark of Markdown, and no markup of any kind, means anything here.
    """
    pieces: list[Inside] = []
    for n, part in enumerate(_MARKED.split(said(text))):
        element = {1: "strong", 2: "code"}.get(n % 3)
        if part:
            pieces.append(h(element, part) if element else part)
    return together(pieces)


def as_read(text: str) -> str:
    """A line as people read it: without the dash before it, and without the mark that only machines read."""
    return _BULLET.sub("", OURS.sub("", text.rstrip("\r\n")).rstrip())


def hidden(name: str, value: str) -> Html:
    return h("input", type="hidden", name=name, value=value)


__all__ = ["House", "Visit", "as_read", "hidden", "said", "spoken"]
