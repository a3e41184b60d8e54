"""Search: one box over memory, archive and content index."""

from __future__ import annotations

from reverie.features import search as feature
from reverie.surfaces.web.charts import bar
from reverie.surfaces.web.house import House, Visit, said, spoken
from reverie.surfaces.web.showing import archive_of
from reverie.surfaces.web.tags import Html, h

GROUPS = ("memory", "archive", "content")
LONGEST = 500  # characters of a question
LATEST = 8


def search(house: House, visit: Visit) -> Html:
    question = visit.asked("q").strip()[:LONGEST]
    words = h(
        "input", type="search", name="q", value=question, maxlength=LONGEST, aria_label=visit.say("search"),
        placeholder=visit.say("search_hint"), autofocus=not question, id="q",
    )  # fmt: skip
    box = h("form", h("div", words, visit.button("search", "main"), class_="row"), method="get", action="/search", role="search")  # fmt: skip
    if not question:
        return h("div", box, _latest(house, visit))
    workspace = house.workspace
    found = house.shelf.get(
        f"search {question}",
        lambda: feature.ask(
            workspace, workspace.embedder, house.clock, question, limit=3 * workspace.settings.search.max_results, record=False
        ),
    )  # fmt: skip
    groups = [_group(visit, group, [hit for hit in found.hits if hit.claim.group == group]) for group in GROUPS]
    nothing = h("p", visit.say("found_nothing"), class_="quiet") if not found.hits else None
    degraded = h("p", said(found.degraded), class_="told trouble") if found.degraded else None
    return h("div", box, degraded, groups, nothing)


def _group(visit: Visit, group: str, hits: list[feature.Hit]) -> Html | None:
    if not hits:
        return None
    return h(
        "section", h("h2", visit.say(f"group_{group}")), h("ul", [_hit(visit, hit) for hit in hits], class_="hits list")
    )


def _hit(visit: Visit, hit: feature.Hit) -> Html:
    claim = hit.claim
    above = " › ".join(filter(None, (claim.heading, claim.parents)))
    state = None
    if hit.current is not None:
        words = visit.say("current") if hit.current else f"{visit.say('superseded')} {hit.superseded_by}"
        state = h("span", words, class_="badge add" if hit.current else "badge cut")
    others = [day for day in hit.days if day != claim.day]
    again = f" · {visit.say('also_on')} {', '.join(others[-3:])}" if others else ""
    return h(
        "li",
        h("p", spoken(claim.text), " ", state, class_="old" if hit.current is False else None),
        h("div", bar(hit.score, 1, f"{visit.say('score')} {hit.score:.2f}"), h("code", f"{claim.path}:{claim.first}"),
          h("span", said(above), class_="quiet"), h("span", f"{said(hit.why)}{again}", class_="quiet"), class_="row"),
        tabindex="-1",
    )  # fmt: skip


def _latest(house: House, visit: Visit) -> Html | None:
    kept = house.shelf.get("archive", lambda: archive_of(house.workspace, LATEST), 5)
    if not kept:
        return None
    told = [
        h("li", h("p", spoken(block.content[0])), h("div", h("code", block.id), h("span", block.archived, class_="quiet"),
          h("span", block.category, class_="badge"), h("span", said(block.note), class_="quiet"), class_="row"))
        for block in reversed(kept)
    ]  # fmt: skip
    return h("section", h("h2", visit.say("latest_archive")), h("ul", told, class_="hits"))


__all__ = ["search"]
