"""Palace: the views of a memory by time, project, technology and the owner's own words."""

from __future__ import annotations

from reverie.features.palace import palace as feature
from reverie.plan.quoting import Page
from reverie.surfaces.web.house import House, Visit, said, spoken
from reverie.surfaces.web.tags import Html, h


def palace(house: House, visit: Visit) -> Html:
    found = house.shelf.get("palace", lambda: feature.show(house.workspace), 60, old_will_do=True)
    asked = visit.asked("view")
    here = next((page for page in found.pages if _view(page) == asked), found.pages[0] if found.pages else None)
    doors = [
        h("li", h("a", said(page.title), " ", h("small", len(page.quotes)), href=f"/palace?view={_view(page)}",
          aria_current="true" if page is here else None))
        for page in found.pages
    ]  # fmt: skip
    rebuild = visit.form("/palace/rebuild", visit.button("rebuild"))
    return h(
        "div", h("nav", h("ul", doors, class_="months"), aria_label=visit.say("palace")), _page(visit, here), rebuild
    )


def _view(page: Page) -> str:
    return page.path.rsplit("/", 1)[-1].removesuffix(".md")


def _page(visit: Visit, page: Page | None) -> Html:
    if page is None or not page.chapters:
        return h("section", h("p", visit.say("view_empty"), class_="quiet"), class_="card")
    chapters = [
        h(
            "section",
            h("h2" if chapter.level <= 2 else "h3", said(chapter.title)),
            h("ul", [h("li", h("b", said(one.subject), ": ") if one.subject else None, spoken(one.text), " ", h("code", str(one.source)))
                     for one in chapter.quotes]) if chapter.quotes else None,
        )
        for chapter in page.chapters
    ]  # fmt: skip
    return h("div", chapters, class_="paper palace")


__all__ = ["palace"]
