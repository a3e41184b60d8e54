"""Memory: MEMORY.md line by line, each with where it came from; why, pin and forget beside it."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlencode

from reverie.core.errors import BadInput
from reverie.features.forget import forget as feature
from reverie.features.forget.forget import Gone
from reverie.night import engine
from reverie.night.pinning import seen_as
from reverie.surfaces.web.charts import bar
from reverie.surfaces.web.house import House, Visit, as_read, hidden, said, spoken
from reverie.surfaces.web.showing import Line, memory_of
from reverie.surfaces.web.tags import Html, Inside, h
from reverie.text.marks import PIN

MOST = 20


def memory(house: House, visit: Visit) -> Html:
    found = house.shelf.get("memory", lambda: memory_of(house.workspace))
    if not found.lines:
        return h("section", h("p", visit.say("no_memory")), class_="card")
    told = f"{found.characters:,} {visit.say('of')} {found.limit:,} {visit.say('characters')}"
    size = h("div", bar(found.characters, found.limit, told), h("p", told, class_="quiet"), class_="size")
    return h(
        "div",
        size,
        h("div", [_line(visit, line, found.path) for line in found.lines if line.text], class_="paper list"),
    )


@lru_cache(4_096)  # a line looks the same to every reader
def _line(language: str, line: Line, path: str) -> Html:
    visit = Visit(language, "", lambda _: "")
    if line.level:
        words = said(line.text.lstrip("#").strip())
        return h(f"h{min(line.level + 1, 6)}", words)
    if not line.entry:
        return h("p", spoken(line.text), class_="rest")
    marks: list[Inside] = []
    if line.pinned:
        marks.append(h("span", visit.say("pinned"), class_="badge note"))
    elif line.protected:
        marks.append(h("span", visit.say("protected"), class_="badge"))
    if line.id:
        marks.append(h("span", "☾", class_="ours", aria_hidden="true"))
    origin = _origin(visit, line)
    words = h(
        "span",
        spoken(as_read(line.text.replace(f"{PIN} ", "", 1))),
        class_=f"words in{min(2, _depth(line.text))}",
        title=origin if line.told else None,
    )
    return h(
        "details",
        h("summary", h("span", line.number, class_="no"), words, h("span", marks, class_="marks")),
        h("div", h("p", origin, class_="why"), _doing(visit, line, path), class_="under"),
        tabindex="-1",
    )


def _depth(text: str) -> int:
    """How far a line is indented, in steps."""
    return (len(text) - len(text.lstrip())) // 2


def _origin(visit: Visit, line: Line) -> str:
    """Where a line came from, in a sentence: the owner, or a run with its reason and its sources."""
    if line.told is None:
        return visit.say("your_words")
    sources = f" · {visit.say('sources')}: {', '.join(line.told.sources[:4])}" if line.told.sources else ""
    return f"{visit.say('by_run')} {line.told.run} · {said(line.told.why)}{sources}"


def _doing(visit: Visit, line: Line, path: str) -> Html:
    told = line.id or line.text
    # A secret stays out of the address bar too.
    asked = (
        None
        if told != said(told)
        else h("a", visit.say("why"), href=f"/memory/why?{urlencode({'line': told})}", class_="button")
    )
    pin = visit.button("pin", name="line", value=f"{line.number} {seen_as(line.text)}") if line.can_pin else None
    forget = None
    if not (line.ours or line.pinned or line.protected):
        place = urlencode({"what": f"{path}:{line.number}"})
        forget = h("a", visit.say("forget"), href=f"/forget?{place}", class_="button danger")
    return h("div", asked, pin, forget, class_="row")


def why(house: House, visit: Visit) -> Html:
    """The story of one line."""
    asked = visit.asked("line")
    story = engine.why(house.workspace, asked)
    back = h("p", h("a", visit.say("back"), href="/memory"))
    title = h("h2", visit.say("story"))
    if story.empty:
        return h(
            "section", title, h("blockquote", said(asked)), h("p", visit.say("no_story")), back, class_="card wide"
        )
    chapters = [
        h(
            "li",
            h("time", chapter.at[:16].replace("T", " ")), " ", h("b", chapter.did), " ", h("a", chapter.run, href=f"/runs?run={chapter.run}"),
            [h("blockquote", said(text)) for text in chapter.text.split("\n")],
            h("p", visit.say("because"), " ", said(chapter.why), class_="why"),
            h("p", visit.say("sources"), ": ", ", ".join(chapter.sources), class_="quiet") if chapter.sources else None,
            h("p", visit.say("undone"), " ", chapter.undone_by, class_="warn") if chapter.undone_by else None,
        )
        for chapter in story.chapters[-MOST:]
    ]  # fmt: skip
    stands = [h("p", visit.say("stands"), " ", h("code", place)) for place in story.stands[:MOST]]
    kept = [
        h("li", h("code", block.id), f" {block.archived} ({block.category}) ", said(block.note)) for block in story.archived[-MOST:]
    ]  # fmt: skip
    return h("section", title, h("blockquote", said(asked)), h("ol", chapters, class_="story"), stands, h("ul", kept), back, class_="card wide")  # fmt: skip


def forget(house: House, visit: Visit) -> Html:
    """What would leave, before anybody says yes."""
    what = visit.asked("what")
    if not what.strip():
        raise BadInput("There is nothing to forget. Choose a line under Memory.")
    found = feature.forget(house.workspace, house.clock, what, dry_run=True)
    back = h("p", h("a", visit.say("back"), href="/memory"))
    if not found.removed:
        return h("section", h("p", visit.say("nothing_meant")), _gone(visit, "stays", found.stays), _gone(visit, "near", found.near), back, class_="card")  # fmt: skip
    seen = hidden("seen", _fingerprint(found.removed))
    forever = h("label", h("input", type="checkbox", name="forever", value="1"), visit.say("forget_forever"))
    sure = visit.form("/forget", hidden("what", what), seen, forever, h("div", visit.button("forget_really", "danger"), class_="row"))  # fmt: skip
    return h(
        "section", _gone(visit, "would_leave", found.removed), _gone(visit, "stays", found.stays), _gone(visit, "near", found.near),
        sure, h("p", visit.say("forget_hint"), class_="quiet"), back, class_="card wide",
    )  # fmt: skip


def forget_now(house: House, what: str, seen: str, *, forever: bool) -> feature.Forgotten:
    """Forget it, if what would leave is still what was shown."""
    would = feature.forget(house.workspace, house.clock, what, dry_run=True)
    if _fingerprint(would.removed) != seen:
        raise BadInput("Something else would leave now than what you saw. Look at it again.")
    return feature.forget(house.workspace, house.clock, what, forever=forever)


def _fingerprint(gone: tuple[Gone, ...]) -> str:
    return " ".join(one.id for one in gone)


def _gone(visit: Visit, key: str, lines: tuple[Gone, ...]) -> Html | None:
    if not lines:
        return None
    told = [h("li", h("code", f"{one.path}:{one.line}"), " ", said(one.text), f" ({one.why})" if one.why else "") for one in lines]  # fmt: skip
    return h("div", h("h2", visit.say(key)), h("ul", told, class_="plainlist"))


__all__ = ["forget", "forget_now", "memory", "why"]
