"""Scene: what is on its way into memory, in lanes, with scores as bars; and one candidate explained to the last number."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from reverie.openclaw import harness, promotions
from reverie.openclaw.promotions import Gates, Weighed
from reverie.surfaces.web.charts import bar
from reverie.surfaces.web.house import House, Visit, hidden, said, spoken
from reverie.surfaces.web.tags import Html, h

MOST = 24  # candidates of a lane
FRESH = 60.0  # seconds: ranking weighs every candidate anew, and only a night changes much


@dataclass(frozen=True, slots=True)
class Lanes:
    """The best of every lane, and how many candidates there are."""

    count: int
    live: tuple[Weighed, ...]
    grounded: tuple[Weighed, ...]
    themes: tuple[str, ...]
    truths: tuple[harness.Truth, ...]


def lanes_of(house: House) -> Lanes:
    found = promotions.ranking(house.workspace, house.clock, Gates(), include_promoted=True)
    heard = harness.rehearse(house.workspace, house.clock)
    led = {one.key for one in found.everything if one.scored.grounded}
    live = [one for one in found.everything if one.key not in led]
    grounded = [one for one in found.everything if one.key in led]
    themes = [line.removeprefix("- ") for line in heard.reflections if line.startswith("- ")]
    return Lanes(
        len(found.everything), tuple(live[:MOST]), tuple(grounded[:MOST]), tuple(themes[:MOST]), heard.truths[:MOST]
    )


def scene(house: House, visit: Visit) -> Html:
    found = house.shelf.get("lanes", lambda: lanes_of(house), FRESH, old_will_do=True)
    truths = [
        h("li", bar(one.confidence, 1, f"{one.confidence:.2f}"), h("p", spoken(one.text)), h("code", place(one.place)))
        for one in found.truths
    ]
    return h(
        "div",
        h("p", f"{found.count:,} {visit.say('scene_count')}", class_="lead"),
        h(
            "div",
            _lane(visit, "lane_live", [_candidate(visit, one) for one in found.live]),
            _lane(visit, "lane_grounded", [_candidate(visit, one) for one in found.grounded]),
            _lane(visit, "lane_themes", [h("li", h("p", said(theme))) for theme in found.themes]),
            _lane(visit, "lane_truths", truths),
            class_="lanes",
        ),
    )


def _lane(visit: Visit, key: str, items: list[Html]) -> Html:
    inside = h("ul", items, class_="list") if items else h("p", visit.say("lane_empty"), class_="quiet")
    return h("section", h("h2", visit.say(key)), inside, class_="lane")


def _candidate(visit: Visit, one: Weighed) -> Html:
    entry, scored = one.scored.entry, one.scored
    verdict = h("span", visit.say("stays_out"), ": ", one.reason, class_="badge") if one.reason else h("span", visit.say("enters"), class_="badge add")  # fmt: skip
    more = h("form", hidden("key", entry.key), h("button", visit.say("explain"), type="submit", class_="plain"), method="get", action="/scene/explain")  # fmt: skip
    return h(
        "li",
        h("div", bar(scored.score, 1, f"{visit.say('score')} {scored.score:.2f}"), h("b", f"{scored.score:.2f}"), class_="scored"),
        h("p", spoken(one.text or entry.snippet)),
        h("div", verdict, h("code", place(entry.place)), more, class_="row"),
        tabindex="-1",
    )  # fmt: skip


def explain(house: House, visit: Visit) -> Html:
    """Every component, weight, gate and margin of one candidate."""
    key = visit.asked("key")
    found = house.shelf.get(f"explain {key}", lambda: promotions.explain(house.workspace, house.clock, key), FRESH)
    one, judged = found[1], found[2]
    scored = one.scored
    rows = [
        h(
            "tr", h("th", visit.say(name), scope="row"), h("td", bar(value, 1, f"{value:.2f}")), h("td", f"{value:.3f}"),
            h("td", f"× {getattr(scored.weights, name):.2f}"), h("td", f"{value * getattr(scored.weights, name):.3f}"),
        )
        for name, value in asdict(scored.components).items()
    ]  # fmt: skip
    gates = [
        h(
            "tr", h("th", gate.name, scope="row"), h("td", f"{gate.value:.3g}"), h("td", f"{gate.threshold:.3g}"),
            h("td", f"{gate.margin:+.3g}"), h("td", visit.say("passed" if gate.passed else "not_passed"), class_="good" if gate.passed else "bad"),
        )
        for gate in scored.gates
    ]  # fmt: skip
    heads = ("component", "value", "weight", "score")
    reason = h("p", visit.say("stays_out"), ": ", one.reason, " · ", said(one.detail), class_="why") if one.reason else h("p", visit.say("enters"), class_="good")  # fmt: skip
    return h(
        "section",
        h("blockquote", spoken(one.text or scored.entry.snippet)),
        h("p", h("code", place(scored.entry.place))),
        reason,
        h("div", h("table", h("thead", h("tr", h("th", visit.say(heads[0]), scope="col"), h("th", visit.say("value"), colspan=2, scope="col"),
          [h("th", visit.say(head), scope="col") for head in heads[2:]])), h("tbody", rows)), class_="scroll"),
        h("div", h("table", h("thead", h("tr", [h("th", visit.say(head), scope="col") for head in ("gate", "value", "needs")], h("th", "±", scope="col"),
          h("th", "", scope="col"))), h("tbody", gates)), class_="scroll"),
        h("p", visit.say("judge"), f": {judged.keep:.2f} ({judged.kind})", class_="quiet"),
        h("p", h("a", visit.say("back"), href="/scene")),
        class_="card wide",
    )  # fmt: skip


def place(text: str) -> str:
    """`note.md:8-8` is line 8."""
    path, _, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    return f"{path}:{first}" if first == last else text


__all__ = ["explain", "scene"]
