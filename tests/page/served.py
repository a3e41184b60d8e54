"""A page that is served in a thread, and somebody who came in by its link."""

from __future__ import annotations

import re
import threading
from html.parser import HTMLParser
from typing import Any

import httpx

from reverie.surfaces.page.serve import bound, made
from reverie.workspace.layout import Layout

VIEWS = ("/", "/?night=3", "/inbox", "/night", "/night?preview=1", "/night?backfill=1", "/night?year=all", "/search",
         "/search?q=boiler", "/search?view=timeline", "/search?view=projects", "/search?view=technology")  # fmt: skip


class Page:
    def __init__(self, layout: Layout, now: str, **limits: float) -> None:
        self.layout, listener = layout, bound(0)
        self.server, self.guard = made(layout, listener, now=now, **limits)  # type: ignore[arg-type]
        self.address = f"http://127.0.0.1:{self.guard.port}"
        self.link = f"{self.address}/enter?key={self.guard.key}"
        self.client = httpx.Client(base_url=self.address, timeout=30, follow_redirects=True, trust_env=False)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()

    def enter(self) -> Page:
        assert self.client.get(self.link).status_code == 200
        return self

    def get(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return answer.text

    def do(self, what: str, back: str = "/", **fields: str) -> str:
        """Press a button; the view that comes then."""
        answer = self.client.post("/act", data={"token": self.guard.token, "back": back, "do": what, **fields})
        assert answer.status_code == 200, answer.text
        return answer.text

    def buttons(self, path: str, verb: str) -> list[str]:
        """What the buttons of a view would do."""
        return [found for found in Elements.of(self.get(path)).values if found.split(" ")[0] == verb]

    def end(self) -> None:
        self.client.close()
        self.server.should_exit = True
        self.thread.join(10)


class Elements(HTMLParser):
    """What a browser would make of a page, as far as tests ask."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, Any]]] = []

    @classmethod
    def of(cls, text: str) -> Elements:
        parser = cls()
        parser.feed(text)
        return parser

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    @property
    def values(self) -> list[str]:
        return [about["value"] for tag, about in self.found if tag == "button" and about.get("value")]


def said(text: str) -> str:
    """What the page tells about the last act."""
    found = re.search(r'<div class="told"[^>]*>(.*?)</div>', text, re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split()) if found else ""
