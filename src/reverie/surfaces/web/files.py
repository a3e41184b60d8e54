"""One file of the workspace as it stands, with the line that was meant marked; and the link that leads to it from everywhere.

Only files that the reader reads can be opened: no address names any other file of the machine, and nothing is changed here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlencode

from reverie.core.errors import BadInput
from reverie.lang.messages import say
from reverie.surfaces.web.html import Html, as_read, card, formatted, h, quiet, row, safe
from reverie.surfaces.web.state import Site, Visit
from reverie.text.lines import bare, split_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Snapshot

LISTED = 300  # files
AROUND = 150  # lines before and behind the one that is meant
_DAY = re.compile(r"memory/(\d{4}-\d\d-\d\d)[^/]*:\d")
_PLACE = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")


def place_link(place: str, words: str = "") -> Html:
    """A place such as `memory/2026-11-09.md:3` as a link to that line; what names no line stays as it is written."""
    found = _PLACE.fullmatch(place)
    if not found or safe(place) != place:
        return h("code", safe(place))
    path, first, last = found["path"], int(found["first"]), int(found["last"] or found["first"])
    if path.lower() == "memory.md":
        address = f"/memory?{urlencode({'line': first})}#L{first}"
    else:
        address = f"/notes?{urlencode({'path': path, 'line': first, 'to': last})}#L{first}"
    named = words or h("code", path if first == 0 else f"{path}:{first}")
    return h("a", named, href=address, class_="place")


def wrote_it(sources: Sequence[str]) -> Html | None:
    """The day on which the owner wrote what a change rests on, as a link to that line."""
    for place in sources:
        if found := _DAY.match(place):
            return h("span", place_link(place, say("front.you_wrote", day=found[1])), class_="source")
    return None


def places(told: Sequence[str]) -> list[Html]:
    """Several places, one behind the other."""
    return [h("span", place_link(place), " ") for place in dict.fromkeys(told)]


def rests_on(sources: Sequence[str]) -> Html | None:
    """What a decision rests on, each a link to its line; the line of memory that it is about is no source of it."""
    told = [place for place in sources if not place.lower().startswith("memory.md:")]
    return row(h("span", say("rooms.rests_on"), class_="quiet"), places(told[:6])) if told else None


def notes(site: Site, visit: Visit) -> Html:
    """The file that was asked for, around the line that was asked for."""
    snapshot = site.cache.get("files", lambda: read_workspace(site.workspace))
    path = visit.asked("path")
    if not path:
        return _every_file(snapshot)
    if path not in snapshot.files:
        raise BadInput(say("rooms.no_file", path=safe(path)[:200]))
    lines = split_lines(snapshot.files[path].text)
    first = min(_number(visit.asked("line")), max(1, len(lines)))
    last = max(first, min(_number(visit.asked("to")), first + AROUND))
    start, end = max(1, first - AROUND), min(len(lines), last + AROUND)
    told = [
        _line(n, lines[n - 1], here=first <= n <= last and bool(visit.asked("line"))) for n in range(start, end + 1)
    ]
    about = quiet(_about(snapshot, path, len(lines)))
    turn = row(
        _turn(path, start - AROUND, "rooms.lines_before", "prev") if start > 1 else None,
        _turn(path, end + AROUND, "rooms.lines_after", "next") if end < len(lines) else None,
    )
    return h("div", h("h2", h("code", safe(path)), class_="path"), about, h("div", told, class_="paper file"), turn)


def _every_file(snapshot: Snapshot) -> Html:
    """What can be opened, the newest days first."""
    found = sorted(snapshot.files.values(), key=lambda one: (str(one.place.day or ""), one.path), reverse=True)
    listed = [
        h("li", row(_door(one.path), h("span", say("rooms.file_lines", n=len(split_lines(one.text))), class_="quiet")))
        for one in found[:LISTED]
        if one.path == safe(one.path)
    ]
    return card(h("ul", listed, class_="plainlist"), wide=True) if listed else quiet(say("page.found_nothing"))


def _door(path: str) -> Html:
    return h("a", h("code", path), href=f"/notes?{urlencode({'path': path})}", class_="place")


def _number(text: str) -> int:
    return max(1, int(text)) if text.isdecimal() and len(text) < 10 else 1


def _about(snapshot: Snapshot, path: str, count: int) -> str:
    day = snapshot.files[path].place.day
    return " · ".join(filter(None, (str(day) if day else "", say("rooms.file_lines", n=count), say("rooms.read_only"))))


def _line(number: int, raw: str, *, here: bool) -> Html:
    text = bare(raw)
    level = len(text) - len(text.lstrip("#")) if text.startswith("#") else 0
    words = h("strong", safe(text.lstrip("# "))) if level else formatted(as_read(text) if text.strip() else "")
    bullet = "• " if text.lstrip().startswith(("- ", "* ", "+ ")) else ""
    depth = min(2, (len(text) - len(text.lstrip())) // 2)
    shown = h("span", bullet, words, class_=f"words in{depth}")
    no = h("a", number, href=f"#L{number}", class_="no", tabindex="-1")
    return h(
        "div", no, shown, id=f"L{number}", class_="at here" if here else "at", aria_current="true" if here else None
    )


def _turn(path: str, line: int, key: str, rel: str) -> Html:
    asked = urlencode({"path": path, "line": max(1, line)})
    return h("a", say(key), href=f"/notes?{asked}#L{max(1, line)}", rel=rel, class_="button")
