"""Diary: the entries of one month, and the months there are."""

from __future__ import annotations

from reverie.surfaces.web.house import House, Visit, said
from reverie.surfaces.web.showing import diary_of
from reverie.surfaces.web.tags import Html, h


def diary(house: House, visit: Visit) -> Html:
    entries = house.shelf.get("diary", lambda: diary_of(house.workspace), 5)
    if not entries:
        return h("section", h("p", visit.say("no_diary")), class_="card")
    months = sorted({entry.month for entry in entries})
    asked = visit.asked("month")
    here = asked if asked in months else months[-1]
    place = months.index(here)
    earlier, later = months[place - 1] if place else None, months[place + 1] if place + 1 < len(months) else None
    turn = h(
        "p",
        h("a", f"← {visit.say('earlier')}", href=f"/diary?month={earlier}", rel="prev") if earlier else None,
        h("a", f"{visit.say('later')} →", href=f"/diary?month={later}", rel="next") if later else None,
        class_="row",
    )
    every = [
        h("li", h("a", month or visit.say("undated"), href=f"/diary?month={month}", aria_current="true" if month == here else None))
        for month in reversed(months)
    ]  # fmt: skip
    told = [
        h("article", h("h2", entry.stamp), [h("p", said(words)) for words in entry.words.split("\n\n") if words.strip()])
        for entry in entries
        if entry.month == here
    ]  # fmt: skip
    return h(
        "div",
        h("nav", h("ul", every, class_="months"), aria_label=visit.say("months")),
        h("div", told, class_="paper diary"),
        turn,
    )


__all__ = ["diary"]
