"""Questions: two lines that cannot both hold, and four ways to answer; then what is likely and waits for a yes, a no or a later."""

from __future__ import annotations

from reverie.core.errors import RefusedSuggestion
from reverie.judge.operation import ANSWERED, Op, Question
from reverie.lang.messages import say
from reverie.night import commands, suggesting
from reverie.night.suggesting import Card
from reverie.surfaces.web.html import Html, badge, because, button, card, folded, formatted, h, hidden, quiet, row, safe
from reverie.surfaces.web.plans import run_of
from reverie.surfaces.web.state import Form, Site, Visit, given

MOST = 20  # suggestions that are shown at once


def questions(site: Site, visit: Visit) -> Html:
    found = site.cache.get("questions", lambda: commands.questions(site.workspace, everything=True))
    waiting = [_asked(visit, question) for question in found if question.status != ANSWERED]
    answered = [_answered(question) for question in reversed(found) if question.status == ANSWERED]
    done = folded(say("page.answered", n=len(answered)), h("ul", answered, class_="plainlist")) if answered else None
    nothing = card(h("p", say("page.no_questions")))
    return h("div", h("div", waiting, class_="list") if waiting else nothing, done, _suggestions(site, visit))


def answer(site: Site, form: Form) -> str:
    its_id, choice, text = given(form, "id"), given(form, "choice"), given(form, "text")
    return run_of(commands.answer(site.workspace, site.clock, its_id, choice, text))


def answer_suggestion(site: Site, form: Form) -> str:
    done = suggesting.answer(site.workspace, site.clock, {given(form, "id"): given(form, "answer")})
    for its_id, why in done.refused:
        raise RefusedSuggestion(its_id, why)
    return run_of(done.night)


def _asked(visit: Visit, question: Question) -> Html:
    def choice(word: str, key: str) -> Html:
        return visit.form("/answer", hidden("id", question.id), hidden("choice", word), button(key))

    def quoted(text: str, place: str, *more: Html) -> Html:
        return h("figure", h("blockquote", formatted(text)), h("figcaption", h("code", place)), *more)

    label = {"aria_label": say("page.edit"), "placeholder": say("page.edit")}
    own = row(h("input", type="text", name="text", required=True, maxlength=1000, **label), button("edit_it"))
    edit = visit.form("/answer", hidden("id", question.id), hidden("choice", "edit"), own)
    why = h("p", safe(question.why), class_="why") if question.why else None
    if not question.second:
        line = quoted(question.first, question.first_source)
        choices = row(choice("keep-first", "keep_it"), choice("keep-second", "leave_out"), edit)
        return card(line, why, choices, title=say("page.belongs"), wide=True, tabindex="-1")
    pair = h(
        "div",
        quoted(question.first, question.first_source, choice("keep-first", "keep_first")),
        quoted(question.second, question.second_source, choice("keep-second", "keep_second")),
        class_="pair",
    )
    return card(pair, why, row(choice("both", "both"), edit), title=say("page.cannot_both"), wide=True, tabindex="-1")


def _answered(question: Question) -> Html:
    words = f" {question.answered[:10]} · {safe(question.first)} ↔ {safe(question.second)} → {safe(question.answer)}"
    return h("li", h("code", question.id), words)


def _suggestions(site: Site, visit: Visit) -> Html | None:
    """The best suggestions, each a card with the change shown inside its line."""
    found = site.cache.get("suggestions", lambda: suggesting.suggestions(site.workspace, site.clock))
    if not found:
        return None
    cards = h("div", [_suggested(visit, card) for card in found[:MOST]], class_="list")
    rest = quiet(say("page.more_wait", n=len(found) - MOST)) if len(found) > MOST else None
    title = h("h2", say("page.suggestions", n=len(found)))
    return h("section", title, quiet(say("page.suggestions_hint")), cards, rest, id="suggestions")


def _suggested(visit: Visit, found: Card) -> Html:
    def choice(word: str, kind: str = "") -> Html:
        fields = hidden("id", found.id), hidden("answer", word)
        return visit.form("/suggestion", fields, button(f"say_{word}", kind))

    quotes = [
        h("figure", h("blockquote", formatted(said.text)), h("figcaption", h("code", said.place), f" {said.day}"))
        for said in found.said
    ]
    return card(
        h("h3", badge(say(f"page.op_{found.op}"), str(found.op)), " ", h("code", found.id)),
        quiet(say("page.was_said")) if quotes else None,
        quotes,
        change_of(found),
        because(found.why, h("span", f" · {say('page.worth', worth=found.worth)}", class_="quiet")),
        row(choice("yes", "main"), choice("no"), choice("later")),
        wide=True,
        tabindex="-1",
    )


def change_of(found: Card) -> Html:
    """What a yes would do: the old value struck out in its line and the new one behind it, a new line, or a line that leaves."""
    if found.op is Op.ADD:
        where = quiet(say("page.would_enter"), " ", h("strong", safe(found.section)))
        return h("div", where, h("p", h("ins", formatted(found.text)), class_="diff"))
    place = quiet(say("page.may_concern"), " ", h("code", ", ".join(line.place for line in found.lines)))
    line = found.lines[0].text if found.lines else ""
    if found.op is Op.UPDATE and found.old:
        before, _, after = line.partition(found.old)
        swap = formatted(before), h("del", safe(found.old)), " ", h("ins", safe(found.new)), formatted(after)
        return h("div", place, h("p", swap, class_="swap"))
    if found.op is Op.END:
        return h("div", place, h("p", h("del", formatted(line)), class_="diff"))
    leaving = found.lines if found.op is Op.UPDATE else found.lines[1:]
    gone = [h("del", formatted(line.text)) for line in leaving]
    return h("div", place, h("p", gone, " ", h("ins", formatted(found.text or line)), class_="diff"))
