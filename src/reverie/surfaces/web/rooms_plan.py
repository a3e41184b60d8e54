"""Plan: what a night wants, item by item, with the reason and the words it rests on; and what the owner says to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from reverie.apply.saved import plan_as_dict
from reverie.core.errors import BadInput
from reverie.judge.operation import Op
from reverie.night import engine
from reverie.surfaces.web.charts import bar
from reverie.surfaces.web.house import House, Visit, as_read, hidden, said, spoken
from reverie.surfaces.web.showing import Item, Layout, Quoted, laid_out, waiting_plan
from reverie.surfaces.web.tags import Html, Inside, h
from reverie.workspace.values import Plan, short_id


def plan(house: House, visit: Visit) -> Html:
    waits = house.shelf.get("waiting", lambda: waiting_plan(house.workspace))
    found = house.preview or waits  # who asked for a new plan wants to see that one
    waits = waits if found is waits else None
    make = visit.form(
        "/plan/make", visit.button("make_again" if found else "make_plan", "" if found else "main", disabled=house.sleeper.progress.running)
    )  # fmt: skip
    if found is None:
        return h("section", h("p", visit.say("no_plan")), make, class_="card")
    laid = house.shelf.get(f"laid {found.made} {waits is not None}", lambda: laid_out(house.workspace, found))
    intro = h("p", visit.say("plan_waits" if waits else "plan_made"), class_="lead")
    if laid.stale:
        stale = h("p", visit.say("plan_stale"), " ", ", ".join(laid.stale[:3]), class_="told trouble")
        return h("div", intro, stale, make)
    if not laid.items:
        return h("div", h("p", visit.say("plan_empty"), class_="lead"), make, _flags(visit, found))
    return h("div", intro, _figures(visit, laid), _decide(visit, laid), _flags(visit, found), make)


def decide(house: House, form: Mapping[str, Sequence[str]]) -> engine.Night:
    """Apply the items that are ticked and decline the others; `none` declines them all."""
    found = house.preview or waiting_plan(house.workspace)
    if found is None:
        raise BadInput("No plan waits any more. Let one be made, then decide.")
    if form.get("plan", [""])[0] != known_as(found):
        raise BadInput("The plan is another one than the one you saw. Look at it, then decide.")
    ticked, none = tuple(form.get("item", ())), "none" in form
    if not ticked and not none:
        raise BadInput("No item is ticked. Tick what should happen, or decline everything.")
    # A preview was looked at by the person who says yes; that is the word that a large saved plan asks for.
    night = engine.apply_plan(
        house.workspace, house.preview, house.clock, only=() if none else ticked, none=none, force=True
    )
    house.preview = None
    return night


def known_as(plan: Plan) -> str:
    """A short name for all that a plan says: a yes is given to the plan that was seen, and to no other."""
    return short_id(json.dumps(plan_as_dict(plan), sort_keys=True))


def _figures(visit: Visit, laid: Layout) -> Html:
    probes = laid.plan.probes
    asked = h(
        "section",
        h("h2", visit.say("probes")),
        h("p", h("span", f"{probes[0]} → {probes[1]}", class_="big")) if probes else h("p", "–", class_="big"),
        class_="card",
    )
    told = f"{laid.before:,} → {laid.after:,} {visit.say('of')} {laid.limit:,} {visit.say('characters')}"
    size = h("section", h("h2", visit.say("size")), bar(laid.after, laid.limit, told), h("p", told), class_="card")
    large = f"{laid.share:.0%} {visit.say('large')}"
    items = h("section", h("h2", visit.say("items")), h("p", h("span", len(laid.items), class_="big")), h("p", large, class_="quiet"), class_="card")  # fmt: skip
    return h("div", asked, size, items, class_="cards")


def _decide(visit: Visit, laid: Layout) -> Html:
    buttons = h(
        "div",
        visit.button("approve", "main"),
        visit.button("decline", "danger", name="none", value="1"),
        h("button", visit.say("tick_all"), type="button", class_="plain needs-script", data_tick="all"),
        h("button", visit.say("tick_none"), type="button", class_="plain needs-script", data_tick="none"),
        h("span", visit.say("declined_hint"), class_="quiet"),
        class_="decide",
    )
    others = h("details", h("summary", f"{len(laid.others)} {visit.say('also_written')}"), h("ul", [h("li", h("code", path)) for path in laid.others]))  # fmt: skip
    made = hidden("plan", known_as(laid.plan))
    items = h("ol", [_item(visit, one) for one in laid.items], class_="items list")
    return visit.form("/plan/decide", made, buttons, items, others)


def _item(visit: Visit, one: Item) -> Html:
    box = h("input", type="checkbox", name="item", value=one.id, id=f"i-{one.id}", checked=True)
    head = h(
        "label", box, h("span", visit.say(f"op_{one.op}"), class_=f"badge {one.op}"), h("span", one.tag, class_="badge"),
        h("code", one.id), for_=f"i-{one.id}",
    )  # fmt: skip
    cut: list[Inside] = [h("del", spoken(as_read(line))) for line in one.old]
    add = h("ins", spoken(one.text)) if one.op in (Op.ADD, Op.UPDATE, Op.MERGE) else None
    where = h("span", f" → {said(one.section)}", class_="quiet") if one.section else None
    why = h("p", visit.say("because"), " ", said(one.why), where, class_="why")
    return h("li", head, h("div", cut, add, class_="diff"), why, _evidence(visit, one.evidence), tabindex="-1")


def _evidence(visit: Visit, found: Sequence[Quoted]) -> Html | None:
    if not found:
        return None
    quotes = [
        h("li", h("code", str(one.source)), [h("blockquote", spoken(as_read(line))) for line in one.lines])
        for one in found
    ]
    return h("details", h("summary", f"{visit.say('evidence')} ({len(found)})"), h("ul", quotes, class_="evidence"))


def _flags(visit: Visit, plan: Plan) -> Html | None:
    if not plan.flags:
        return None
    flags = [h("li", h("span", flag.tag, class_="badge"), " ", said(flag.text), h("p", said(flag.why), class_="why")) for flag in plan.flags]  # fmt: skip
    return h("section", h("h2", visit.say("told_flags")), h("ul", flags, class_="plainlist"), class_="card wide")


__all__ = ["decide", "known_as", "plan"]
