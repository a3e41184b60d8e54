"""Questions: two lines that cannot both hold, and four ways to answer."""

from __future__ import annotations

from reverie import asking
from reverie.question import ANSWERED, Question
from reverie.surfaces.web.house import House, Visit, hidden, said, spoken
from reverie.surfaces.web.tags import Html, h


def questions(house: House, visit: Visit) -> Html:
    found = house.shelf.get("questions", lambda: asking.questions(house.workspace, everything=True))
    waiting = [one for one in found if one.status != ANSWERED]
    answered = [one for one in found if one.status == ANSWERED]
    nothing = h("section", h("p", visit.say("no_questions")), class_="card") if not waiting else None
    done = h("details", h("summary", f"{visit.say('answered')} ({len(answered)})"), h("ul", [_done(one) for one in reversed(answered)], class_="plainlist")) if answered else None  # fmt: skip
    return h("div", nothing, h("div", [_asked(visit, one) for one in waiting], class_="list"), done)


def _asked(visit: Visit, one: Question) -> Html:
    def choice(word: str, key: str) -> Html:
        return visit.form("/answer", hidden("id", one.id), hidden("choice", word), visit.button(key))

    own = h("input", type="text", name="text", required=True, maxlength=1000, aria_label=visit.say("edit"), placeholder=visit.say("edit"))  # fmt: skip
    edit = visit.form("/answer", hidden("id", one.id), hidden("choice", "edit"), h("div", own, visit.button("edit_it"), class_="row"))  # fmt: skip
    if not one.second:
        return h(
            "section",
            h("h2", visit.say("belongs")),
            h("figure", h("blockquote", spoken(one.first)), h("figcaption", h("code", one.first_source))),
            h("p", said(one.why), class_="why") if one.why else None,
            h("div", choice("keep-first", "keep_it"), choice("keep-second", "leave_out"), edit, class_="row"),
            class_="card wide", tabindex="-1",
        )  # fmt: skip
    return h(
        "section",
        h("h2", visit.say("cannot_both")),
        h("div",
          h("figure", h("blockquote", spoken(one.first)), h("figcaption", h("code", one.first_source)), choice("keep-first", "keep_first")),
          h("figure", h("blockquote", spoken(one.second)), h("figcaption", h("code", one.second_source)), choice("keep-second", "keep_second")),
          class_="pair"),
        h("p", said(one.why), class_="why") if one.why else None,
        h("div", choice("both", "both"), edit, class_="row"),
        class_="card wide", tabindex="-1",
    )  # fmt: skip


def _done(one: Question) -> Html:
    return h("li", h("code", one.id), f" {one.answered[:10]} · ", said(one.first), " ↔ ", said(one.second), " → ", said(one.answer))  # fmt: skip


__all__ = ["questions"]
