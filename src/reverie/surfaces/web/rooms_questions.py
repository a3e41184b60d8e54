"""Questions: two lines that cannot both hold, and four ways to answer; then what is likely and waits for a yes, a no or a later."""

from __future__ import annotations

from reverie.judge.operation import Op
from reverie.judge.question import ANSWERED, Question
from reverie.night import questions as asking
from reverie.night import suggesting
from reverie.night.suggesting import Card
from reverie.surfaces.web.house import House, Visit, hidden, said, spoken
from reverie.surfaces.web.tags import Html, h

MOST = 20  # suggestions that are shown at once


def questions(house: House, visit: Visit) -> Html:
    found = house.shelf.get("questions", lambda: asking.questions(house.workspace, everything=True))
    waiting = [one for one in found if one.status != ANSWERED]
    answered = [one for one in found if one.status == ANSWERED]
    nothing = h("section", h("p", visit.say("no_questions")), class_="card") if not waiting else None
    done = h("details", h("summary", f"{visit.say('answered')} ({len(answered)})"), h("ul", [_done(one) for one in reversed(answered)], class_="plainlist")) if answered else None  # fmt: skip
    asked = h("div", [_asked(visit, one) for one in waiting], class_="list")
    return h("div", nothing, asked, done, _suggestions(house, visit))


def _suggestions(house: House, visit: Visit) -> Html | None:
    """The best suggestions, each a card with the change shown inside its line."""
    found = house.shelf.get("suggestions", lambda: suggesting.suggestions(house.workspace, house.clock))
    if not found:
        return None
    cards = h("div", [_suggested(visit, card) for card in found[:MOST]], class_="list")
    rest = h("p", f"{len(found) - MOST} {visit.say('more_wait')}", class_="quiet") if len(found) > MOST else None
    hint = h("p", visit.say("suggestions_hint"), class_="quiet")
    return h("section", h("h2", f"{visit.say('suggestions')} ({len(found)})"), hint, cards, rest, id="suggestions")


def _suggested(visit: Visit, card: Card) -> Html:
    def choice(word: str, key: str, kind: str = "") -> Html:
        return visit.form("/suggestion", hidden("id", card.id), hidden("answer", word), visit.button(key, kind))

    head = h("h3", h("span", visit.say(f"op_{card.op}"), class_=f"badge {card.op}"), " ", h("code", card.id))
    quotes = [
        h("figure", h("blockquote", spoken(one.text)), h("figcaption", h("code", one.place), f" {one.day}"))
        for one in card.said
    ]
    worth = h("span", f" · {visit.say('worth')} {card.worth:.2f}", class_="quiet")
    return h(
        "section",
        head,
        h("p", visit.say("was_said"), class_="quiet") if quotes else None,
        quotes,
        _change(visit, card),
        h("p", visit.say("because"), " ", said(card.why), worth, class_="why"),
        h("div", choice("yes", "say_yes", "main"), choice("no", "say_no"), choice("later", "say_later"), class_="row"),
        class_="card wide", tabindex="-1",
    )  # fmt: skip


def _change(visit: Visit, card: Card) -> Html:
    """What a yes would do: the old value struck out in its line and the new one behind it, a new line, or a line that leaves."""
    if card.op is Op.ADD:
        where = h("p", visit.say("would_enter"), " ", h("strong", said(card.section)), class_="quiet")
        return h("div", where, h("p", h("ins", spoken(card.text)), class_="diff"))
    place = h("p", visit.say("may_concern"), " ", h("code", ", ".join(one.place for one in card.lines)), class_="quiet")
    line = card.lines[0].text if card.lines else ""
    if card.op is Op.UPDATE and card.old:
        before, _, after = line.partition(card.old)
        told = h("p", said(before), h("del", said(card.old)), " ", h("ins", said(card.new)), said(after), class_="swap")
    elif card.op is Op.END:
        told = h("p", h("del", spoken(line)), class_="diff")
    else:
        gone = [h("del", spoken(one.text)) for one in (card.lines if card.op is Op.UPDATE else card.lines[1:])]
        told = h("p", gone, " ", h("ins", spoken(card.text or line)), class_="diff")
    return h("div", place, told)


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
