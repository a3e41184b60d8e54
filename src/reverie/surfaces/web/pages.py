"""The frame around every room: head, navigation, what was just done, and the room itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from reverie.surfaces.web.house import House, Visit, hidden
from reverie.surfaces.web.tags import Html, Inside, h
from reverie.surfaces.web.words import LANGUAGES

ROOMS = ("tonight", "plan", "memory", "scene", "diary", "search", "runs", "questions", "palace", "doctor")
STATIC = {"style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "moon.svg": "image/svg+xml"}  # fmt: skip
Told = tuple[str, str]  # a kind (done, trouble) and a sentence


def page(house: House, visit: Visit, room: str, inside: Inside, told: Sequence[Told] = ()) -> str:
    """A whole page."""
    title = visit.say(room) if room in ROOMS else visit.say("door")
    body = h(
        "body",
        h("a", visit.say("skip"), href="#main", class_="skip"),
        h("header", _name(house), _rooms(visit, room), _foot(visit)),
        h("main", _live(house, visit), [_told(visit, *one) for one in told], h("h1", title), inside, id="main", tabindex="-1"),
        data_live="/live" if house.sleeper.progress.running else None,
        class_=f"room-{room}",
    )  # fmt: skip
    return _document(visit, f"{title} · Reverie", body, script=True)


def door(visit: Visit, *, wrong: bool, with_password: bool) -> str:
    """The page of those who are not in yet."""
    inside: list[Inside] = [h("h1", visit.say("door"))]
    if wrong or not with_password:
        inside.append(h("p", visit.say("wrong_key"), class_="told trouble", role="alert"))
    if with_password:
        field = h("input", type="password", name="key", id="key", required=True, autofocus=True, autocomplete="current-password")  # fmt: skip
        label = h("label", visit.say("password"), for_="key")
        form = h("form", label, field, h("button", visit.say("enter"), type="submit"), method="post", action="/enter")
        inside.append(form)
    return _document(visit, "Reverie", h("body", h("main", inside, id="main"), class_="door"))


def welcome(visit: Visit) -> str:
    """Leads on to the first room. A page rather than a redirection: so the cookie is sent also after a link elsewhere."""
    inside = h("main", h("h1", visit.say("welcome")), h("p", h("a", visit.say("enter"), href="/")), id="main")
    return _document(visit, "Reverie", h("body", inside, class_="door"), forward=True)


def _document(visit: Visit, title: str, body: Html, *, script: bool = False, forward: bool = False) -> str:
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("meta", http_equiv="refresh", content="0;url=/") if forward else None,
        h("title", title),
        h("link", rel="icon", href="/static/moon.svg", type="image/svg+xml"),
        h("link", rel="stylesheet", href=f"/static/style.css?{stamp('style.css')}"),
        h("script", src=f"/static/page.js?{stamp('page.js')}", defer=True) if script else None,
    )
    return f"<!doctype html>\n{h('html', head, body, lang='zh-Hans' if visit.language == 'zh' else 'en')}"


@cache
def static(name: str) -> bytes:
    """A file of the page, read once."""
    return (files("reverie.surfaces.web") / "static" / name).read_bytes()


@cache
def stamp(name: str) -> str:
    """Changes when the file does, so that a browser may keep it."""
    return sha256(static(name)).hexdigest()[:10]


def _name(house: House) -> Html:
    moon = h("img", src="/static/moon.svg", alt="", width=28, height=28)
    return h(
        "a", moon, h("span", h("strong", "Reverie"), h("small", house.workspace.root.name)), href="/", class_="name"
    )


def _rooms(visit: Visit, here: str) -> Html:
    links = [
        h(
            "li",
            h(
                "a",
                h("kbd", (n + 1) % 10, aria_hidden="true"),
                h("span", visit.say(room)),
                href="/" if room == "tonight" else f"/{room}",
                aria_current="page" if room == here else None,
                data_key=(n + 1) % 10,
            ),
        )
        for n, room in enumerate(ROOMS)
    ]
    return h("nav", h("ul", links), aria_label=visit.say("rooms"))


def _foot(visit: Visit) -> Html:
    others = [(code, name) for code, name in LANGUAGES.items() if code != visit.language]
    chosen = [
        visit.form("/language", hidden("language", code), h("button", name, type="submit", class_="plain", lang=code))
        for code, name in others
    ]
    leave = visit.form("/leave", visit.button("leave", "plain"))
    return h(
        "div", chosen, leave, h("details", h("summary", "⌨", aria_label="?"), h("p", visit.say("keys"))), class_="foot"
    )


def _live(house: House, visit: Visit) -> Html | None:
    now = house.sleeper.progress
    if not now.running:
        return None
    read = h("span", f"{now.read:,}", id="read")
    words = (visit.say("busy_dreaming"), " ", read, " ", visit.say("files_read"))
    return h("p", h("span", class_="pulse", aria_hidden="true"), words, class_="told live", role="status")


def _told(visit: Visit, kind: str, sentence: str) -> Html:
    return h("p", h("strong", visit.say(kind)), " ", sentence, class_=f"told {kind}", role="alert" if kind == "trouble" else "status")  # fmt: skip


__all__ = ["ROOMS", "STATIC", "Told", "door", "page", "stamp", "static", "welcome"]
