"""Tonight: how the memory is, when it dreamt and will dream, what waits, and three charts."""

from __future__ import annotations

from reverie.core.errors import ReverieError
from reverie.features.glance import Glance, glance, warning
from reverie.features.quality import Quality, quality
from reverie.features.schedule.due import next_night
from reverie.features.schedule.outlook import outlook
from reverie.night import questions, suggesting
from reverie.night.exam_results import Standing, standing_of
from reverie.openclaw.recall_lane import Deep, deep_status
from reverie.surfaces.web.charts import bar, growth_chart, health_strip, nights_chart
from reverie.surfaces.web.house import House, Visit
from reverie.surfaces.web.showing import nights_of, waiting_plan
from reverie.surfaces.web.tags import Html, h


def tonight(house: House, visit: Visit) -> Html:
    workspace, clock, shelf = house.workspace, house.clock, house.shelf
    now = clock.now()
    seen = shelf.get("glance", lambda: glance(workspace.root, workspace.vault, workspace.settings, now))
    figures = shelf.get("quality", lambda: quality(workspace, clock), 30, old_will_do=True)
    deep = shelf.get("deep", lambda: deep_status(workspace), 10)
    nights = shelf.get("nights", lambda: nights_of(workspace))
    entered = sum(sum(one.counts.values()) for one in nights if one.run and one.at[:10] == now.date().isoformat())
    return h(
        "div",
        _waits(house, visit),
        h("div", _state(house, visit, seen), _budget(visit, seen), _health(visit, figures), class_="cards"),
        _numbers(visit, seen, deep, entered),
        _actions(house, visit),
        _chart(visit, "chart_size", growth_chart(visit, figures.growth, seen.limit, now.date())),
        _chart(visit, "chart_nights", nights_chart(visit, nights)),
        _chart(visit, "chart_health", health_strip(visit, nights, now.date())),
    )


def _waits(house: House, visit: Visit) -> list[Html]:
    """What needs the owner's word: a plan, questions and suggestions."""
    told = []
    if house.shelf.get("waiting", lambda: waiting_plan(house.workspace)) is not None:
        told.append(_one_waits(visit, visit.say("waiting_one"), "/plan"))
    if count := house.shelf.get("open questions", lambda: _questions(house), 5):
        told.append(_one_waits(visit, f"{visit.say('open_questions')} {count}", "/questions"))
    if count := house.shelf.get("open suggestions", lambda: _suggestions(house), 5):
        told.append(_one_waits(visit, f"{visit.say('open_suggestions')} {count}", "/questions#suggestions"))
    return told


def _one_waits(visit: Visit, words: str, room: str) -> Html:
    return h("p", words, " ", h("a", visit.say("look_at_it"), href=room), class_="told proposed")


def _questions(house: House) -> int:
    try:
        return len(questions.questions(house.workspace))
    except ReverieError:  # a damaged list is told by the doctor
        return 0


def _suggestions(house: House) -> int:
    try:
        return len(suggesting.suggestions(house.workspace, house.clock))
    except ReverieError:
        return 0


def _state(house: House, visit: Visit, seen: Glance) -> Html:
    coming = house.shelf.get("outlook", lambda: _coming(house), 5)
    switch = visit.form("/switch", visit.button("switch_off" if seen.on else "switch_on", "plain"))
    return h(
        "section",
        h("h2", visit.say("state")),
        h("p", h("span", class_=f"dot {'good' if seen.on else 'bad'}", aria_hidden="true"), visit.say("is_on" if seen.on else "is_off")),
        h(
            "dl",
            h("dt", visit.say("state")), h("dd", seen.state),
            h("dt", visit.say("last_dream")), h("dd", seen.last_review or visit.say("never")),
            h("dt", visit.say("next_dream")), h("dd", coming),
            _model(house, visit),
        ),
        switch,
        class_="card",
    )  # fmt: skip


def _model(house: House, visit: Visit) -> list[Html]:
    """Who leads besides the built-in judge, and by which result of its exam; nothing without a model."""
    standing, result = house.shelf.get("model", lambda: standing_of(house.workspace), 30)
    if standing is Standing.NO_MODEL:
        return []
    figures = f" ({result.score:.2f} / {result.built_in_score:.2f})" if result and result.passed is not None else ""
    said = visit.say(f"model_{standing.name.lower()}")
    return [h("dt", visit.say("model")), h("dd", f"{result.model}: " if result else "", said, figures)]


def _coming(house: House) -> str:
    try:
        return next_night(outlook(house.workspace, house.clock)[1], house.clock.now())
    except ValueError as error:  # a schedule that nobody can read
        return str(error)


def _budget(visit: Visit, seen: Glance) -> Html:
    about = "" if seen.exact else f"{visit.say('about')} "
    told = f"{about}{seen.characters:,} {visit.say('of')} {seen.limit:,} {visit.say('characters')}"
    over = warning(seen)
    return h(
        "section",
        h("h2", visit.say("budget")),
        h("p", h("span", f"{seen.share}", class_="big"), h("span", " %", class_="unit")),
        bar(seen.characters, seen.limit, told, "warn" if seen.characters >= seen.warn_at else ""),
        h("p", told, class_="quiet"),
        h("p", over, class_="warn") if over else None,
        class_="card",
    )


def _health(visit: Visit, figures: Quality) -> Html:
    if figures.score is None:
        return h("section", h("h2", visit.say("health")), h("p", visit.say("no_health"), class_="quiet"), class_="card")
    parts = [
        h("li", h("span", part.name), bar(part.points, part.of, f"{part.name}: {part.points} / {part.of}"), h("small", part.why))
        for part in figures.parts
    ]  # fmt: skip
    score = h("p", h("span", figures.score, class_="big"), h("span", " / 100", class_="unit"))
    return h("section", h("h2", visit.say("health")), score, h("ul", parts, class_="parts"), class_="card")


def _numbers(visit: Visit, seen: Glance, deep: Deep, entered: int) -> Html:
    audit = deep.audit
    pairs = (
        ("short_term", audit.entries), ("grounded", audit.grounded), ("signals", audit.light + audit.rem),
        ("promoted_today", entered), ("archived", seen.archive), ("pending", seen.pending),
    )  # fmt: skip
    return h("ul", [h("li", h("b", f"{n:,}"), h("span", visit.say(key))) for key, n in pairs], class_="numbers")


def _actions(house: House, visit: Visit) -> Html:
    busy = house.sleeper.progress.running
    dream = visit.form(
        "/dream", visit.button("dream_now", "main", disabled=busy), h("p", visit.say("dream_now_hint"), class_="quiet")
    )
    label = h("label", visit.say("note"), for_="note")
    words = h("input", type="text", name="text", id="note", maxlength=2000, required=True, autocomplete="off")
    note = visit.form("/note", label, h("div", words, visit.button("note_it"), class_="row"))
    return h("div", h("section", dream, class_="card"), h("section", note, class_="card"), class_="cards")


def _chart(visit: Visit, key: str, chart: Html) -> Html:
    return h("section", h("h2", visit.say(key)), chart, class_="card wide")


__all__ = ["tonight"]
