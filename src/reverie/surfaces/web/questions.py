"""Questions: two lines that cannot both hold, and four ways to answer; then what is likely and waits for a yes, a no or a later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from reverie.core.errors import RefusedSuggestion
from reverie.judge.operation import ANSWERED, Op, Question
from reverie.lang.messages import say
from reverie.night import commands, suggesting
from reverie.night.suggesting import Card
from reverie.surfaces.web.files import place_link, places, rests_on, wrote_it
from reverie.surfaces.web.html import (
    Html,
    Inside,
    badge,
    because,
    button,
    card,
    folded,
    formatted,
    h,
    hidden,
    quiet,
    row,
    safe,
    swapped,
)
from reverie.surfaces.web.runs import done_by
from reverie.surfaces.web.state import Done, Form, Site, Visit, given

MOST = 20  # suggestions that are shown at once
LATER = "later"
_PAGES = 100


def questions(site: Site, visit: Visit) -> Html:
    found = site.cache.get("questions", lambda: commands.questions(site.workspace, everything=True))
    today = site.clock.now().date().isoformat()
    still = [question for question in found if question.status != ANSWERED]
    waiting = [asked(visit, question) for question in still if question.later <= today]
    put_off = [asked(visit, question) for question in still if question.later > today]
    answered = [_answered(question) for question in reversed(found) if question.status == ANSWERED]
    done = folded(say("page.answered", n=len(answered)), h("ul", answered, class_="plainlist")) if answered else None
    everything = site.cache.get(
        "all suggestions", lambda: suggesting.suggestions(site.workspace, site.clock, everything=True)
    )
    off = [suggested(visit, one) for one in everything if one.status == suggesting.OPEN and one.later > today]
    hidden_till = folded(say("rooms.put_off", n=len(put_off) + len(off)), put_off, off) if put_off or off else None
    likely = _suggestions(site, visit)
    nothing = None if likely else card(h("p", say("page.no_questions")))
    return h("div", h("div", waiting, class_="list") if waiting else nothing, likely, hidden_till, done)


def answer(site: Site, form: Form) -> Done:
    its_id, choice, text = given(form, "id"), given(form, "choice"), given(form, "text")
    night = commands.answer(site.workspace, site.clock, its_id, choice, text)
    return done_by(night, say("front.said_later" if choice == LATER else "front.said_it"))


def answer_suggestion(site: Site, form: Form) -> Done:
    said = given(form, "answer")
    done = suggesting.answer(site.workspace, site.clock, {given(form, "id"): said})
    for its_id, why in done.refused:
        raise RefusedSuggestion(its_id, why)
    return done_by(done.night, say(f"front.said_{said}"))


def asked(visit: Visit, question: Question, back: str = "/questions", *, brief: bool = False) -> Html:
    """Two lines that cannot both hold, or one that may not belong, with its answers; other words only where there is room."""

    def choice(word: str, key: str) -> Html:
        return visit.form(
            "/answer", hidden("id", question.id), hidden("choice", word), hidden("back", back), button(key)
        )

    def quoted(text: str, place: str, *more: Html) -> Html:
        return h("figure", h("blockquote", formatted(text)), h("figcaption", place_link(place)), *more)

    label = {"aria_label": say("page.edit"), "placeholder": say("page.edit")}
    own = row(h("input", type="text", name="text", required=True, maxlength=1000, **label), button("edit_it"))
    edit = None if brief else visit.form("/answer", hidden("id", question.id), hidden("choice", "edit"), own)
    why = h("p", safe(question.why), class_="why") if question.why else None
    later = choice(LATER, "say_later")
    if not question.second:
        line = quoted(question.first, question.first_source)
        choices = _answers(choice("keep-first", "keep_it"), choice("keep-second", "leave_out"), later, edit)
        return card(line, why, choices, title=say("page.belongs"), wide=True, tabindex="-1")
    pair = h(
        "div",
        quoted(question.first, question.first_source, choice("keep-first", "keep_first")),
        quoted(question.second, question.second_source, choice("keep-second", "keep_second")),
        class_="pair",
    )
    choices = _answers(choice("both", "both"), later, edit)
    return card(pair, why, choices, title=say("page.cannot_both"), wide=True, tabindex="-1")


def _answers(*choices: Inside) -> Html:
    return h("div", choices, class_="row answers")


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
    most = MOST * max(1, min(_PAGES, int(more) if (more := visit.asked("more")).isdecimal() else 1))
    here = f"/questions?{urlencode({'kind': kind, 'more': most // MOST})}"
    cards = h("div", [suggested(visit, card, f"{here}#suggestions") for card in wanted[:most]], class_="list")
    further = (
        f"/questions?{urlencode({'kind': kind, 'more': most // MOST + 1})}#S{wanted[most].id}"
        if len(wanted) > most
        else ""
    )
    rest = h("p", h("a", say("page.more_wait", n=len(wanted) - most), href=further)) if further else None
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


def suggested(visit: Visit, found: Card, back: str = "/questions", *, brief: bool = False) -> Html:
    """What is likely: the change, where it was said, and three answers. Briefly, the reason waits behind one word."""

    def choice(word: str) -> Html:
        fields = hidden("id", found.id), hidden("answer", word), hidden("back", back)
        return visit.form("/suggestion", fields, button(f"say_{word}"))

    told = [one for one in found.said if one.text.strip() != found.text.strip()]  # the same words are not told twice
    quotes = [h("blockquote", formatted(said.text)) for said in told]
    why = because(found.why), rests_on([one.place for one in found.said]) if len(found.said) > 1 else None
    return card(
        row(badge(say(f"page.op_{found.op}"), str(found.op)), wrote_it([one.place for one in found.said])),
        quotes,
        change_of(found),
        None if brief else why,
        _answers(*map(choice, suggesting.ANSWERS), folded(say("page.why"), why) if brief else None),
        wide=True,
        id=f"S{found.id}",
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
        return h("div", place, h("p", swapped(line, line.replace(found.old, found.new, 1))))
    if found.op is Op.END:
        return h("div", place, h("p", h("del", formatted(line)), class_="diff"))
    leaving = found.lines if found.op is Op.UPDATE else found.lines[1:]
    gone = [h("del", formatted(line.text)) for line in leaving]
    return h("div", place, h("p", gone, " ", h("ins", formatted(found.text or line)), class_="diff"))
