"""Questions: two lines that cannot both hold, and four ways to answer; then what is likely and waits for a yes, a no or a later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reverie.core.errors import RefusedSuggestion
from reverie.judge.operation import ANSWERED, Op, Question
from reverie.lang.messages import say
from reverie.night import commands, suggesting
from reverie.night.suggesting import Card
from reverie.surfaces.web.files import place_link, places, rests_on
from reverie.surfaces.web.html import Html, badge, because, button, card, folded, formatted, h, hidden, quiet, row, safe
from reverie.surfaces.web.runs import run_of
from reverie.surfaces.web.state import Form, Site, Visit, given

MOST = 20  # suggestions that are shown at once


def questions(site: Site, visit: Visit) -> Html:
    found = site.cache.get("questions", lambda: commands.questions(site.workspace, everything=True))
    today = site.clock.now().date().isoformat()
    still = [question for question in found if question.status != ANSWERED]
    waiting = [_asked(visit, question) for question in still if question.later <= today]
    put_off = [_asked(visit, question) for question in still if question.later > today]
    answered = [_answered(question) for question in reversed(found) if question.status == ANSWERED]
    done = folded(say("page.answered", n=len(answered)), h("ul", answered, class_="plainlist")) if answered else None
    everything = site.cache.get(
        "all suggestions", lambda: suggesting.suggestions(site.workspace, site.clock, everything=True)
    )
    off = [_suggested(visit, one) for one in everything if one.status == suggesting.OPEN and one.later > today]
    hidden_till = folded(say("rooms.put_off", n=len(put_off) + len(off)), put_off, off) if put_off or off else None
    likely = _suggestions(site, visit)
    nothing = None if likely else card(h("p", say("page.no_questions")))
    return h("div", h("div", waiting, class_="list") if waiting else nothing, likely, hidden_till, done)


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
        return h("figure", h("blockquote", formatted(text)), h("figcaption", place_link(place)), *more)

    label = {"aria_label": say("page.edit"), "placeholder": say("page.edit")}
    own = row(h("input", type="text", name="text", required=True, maxlength=1000, **label), button("edit_it"))
    edit = visit.form("/answer", hidden("id", question.id), hidden("choice", "edit"), own)
    why = h("p", safe(question.why), class_="why") if question.why else None
    later = choice("later", "say_later")
    if not question.second:
        line = quoted(question.first, question.first_source)
        choices = row(choice("keep-first", "keep_it"), choice("keep-second", "leave_out"), later, edit)
        return card(line, why, choices, title=say("page.belongs"), wide=True, tabindex="-1")
    pair = h(
        "div",
        quoted(question.first, question.first_source, choice("keep-first", "keep_first")),
        quoted(question.second, question.second_source, choice("keep-second", "keep_second")),
        class_="pair",
    )
    return card(
        pair, why, row(choice("both", "both"), later, edit), title=say("page.cannot_both"), wide=True, tabindex="-1"
    )


def _answered(question: Question) -> Html:
    words = f" {question.answered[:10]} · {safe(question.first)} ↔ {safe(question.second)} → {safe(question.answer)}"
    return h("li", h("code", question.id), words)


def _suggestions(site: Site, visit: Visit) -> Html | None:
    """The best suggestions of a kind, each a card with the change shown inside its line."""
    found = site.cache.get("suggestions", lambda: suggesting.suggestions(site.workspace, site.clock))
    if not found:
        return None
    kind = visit.asked("kind")
    wanted = [one for one in found if one.op == kind] or list(found)
    cards = h("div", [_suggested(visit, card) for card in wanted[:MOST]], class_="list")
    rest = quiet(say("page.more_wait", n=len(wanted) - MOST)) if len(wanted) > MOST else None
    title = h("h2", say("page.suggestions", n=len(found)))
    hint = quiet(say("page.suggestions_hint"))
    return h("section", title, hint, _kinds(found, kind), cards, rest, id="suggestions")


def _kinds(found: Sequence[Card], here: str) -> Html | None:
    """What can be shown alone, where there is more than one kind."""
    counts = Counter(str(one.op) for one in found)
    if len(counts) < 2:
        return None
    words = {"": say("rooms.runs_all")} | {op: say(f"page.op_{op}") for op in counts}
    doors = [
        h(
            "li",
            h(
                "a", name, " ", h("small", counts[op] if op else len(found)),
                href=f"/questions?kind={op}#suggestions", aria_current="true" if op == (here if here in counts else "") else None,
            ),
        )
        for op, name in words.items()
    ]  # fmt: skip
    return h("nav", h("ul", doors, class_="months"), aria_label=say("rooms.filters"))


def _suggested(visit: Visit, found: Card) -> Html:
    def choice(word: str) -> Html:
        fields = hidden("id", found.id), hidden("answer", word), hidden("back", "/questions")
        return visit.form("/suggestion", fields, button(f"say_{word}"))

    told = [one for one in found.said if one.text.strip() != found.text.strip()]  # the same words are not told twice
    quotes = [
        h("figure", h("blockquote", formatted(said.text)), h("figcaption", place_link(said.place), f" {said.day}"))
        for said in told
    ]
    same = [one.place for one in found.said if one not in told]
    return card(
        row(badge(say(f"page.op_{found.op}"), str(found.op)), h("code", found.id)),
        quiet(say("page.was_said")) if quotes else None,
        quotes,
        change_of(found),
        rests_on(same),
        because(found.why),
        row(choice("yes"), choice("no"), choice("later")),
        wide=True,
        tabindex="-1",
    )


def change_of(found: Card) -> Html:
    """What a yes would do: the old value struck out in its line and the new one behind it, a new line, or a line that leaves."""
    if found.op is Op.ADD:
        where = quiet(say("page.would_enter"), " ", h("strong", safe(found.section)))
        return h("div", where, h("p", h("ins", formatted(found.text)), class_="diff"))
    place = quiet(say("page.may_concern"), " ", places([line.place for line in found.lines]))
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
