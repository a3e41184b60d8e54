"""Plan: what a night wants, item by item, with its reason and evidence, and the owner's word on each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.apply.runs import plan_as_dict
from reverie.apply.state import read_proposal
from reverie.core.errors import BadInput
from reverie.core.layout import holds_memory
from reverie.features.schedule import recorded
from reverie.judge.operation import Op, words_after
from reverie.lang.messages import say, spoken
from reverie.night.proposing import share
from reverie.plan.part import Decision, decisions
from reverie.plan.show import sizes
from reverie.surfaces.web.files import place_link
from reverie.surfaces.web.html import (
    Html,
    as_read,
    badge,
    bar,
    because,
    button,
    card,
    folded,
    formatted,
    h,
    hidden,
    quiet,
    safe,
    swapped,
    tag,
)
from reverie.surfaces.web.runs import done_by
from reverie.surfaces.web.state import Done, Form, Site, Visit, given, start
from reverie.text.lines import split_lines
from reverie.text.sections import AREAS, name_of
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Plan, Snapshot, Source, Workspace, short_id

QUOTED = 4  # lines of a source


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan beside the files it is about: what it decides, and which of them have changed since it was made."""

    plan: Plan
    snapshot: Snapshot
    items: tuple[Decision, ...]
    stale: tuple[str, ...]


def plan_view(workspace: Workspace, plan: Plan) -> PlanView:
    snapshot = read_workspace(workspace)
    stale = tuple(path for path in plan.paths if plan.base.get(path) != snapshot.hash_of(path))
    items = () if snapshot.memory_path in stale else decisions(snapshot, plan)
    return PlanView(plan, snapshot, items, stale)


def known_as(plan: Plan) -> str:
    """A short name for all that a plan says: a yes is given to the plan that was seen, and to no other."""
    return short_id(json.dumps(plan_as_dict(plan), sort_keys=True))


def plan(site: Site, visit: Visit) -> Html:
    waits = site.cache.get("waiting", lambda: read_proposal(site.workspace))
    found = site.preview or waits  # who asked for a new plan wants to see that one
    key, kind = ("make_again", "") if found else ("make_plan", "main")
    running = site.dream.seen()
    make = visit.form("/plan/make", button(key, kind, disabled=running.running))
    if found is None and running.running:  # the frame says how far it has come
        return quiet(say("front.shown_here" if running.kind == "plan" else "front.look_later"))
    if found is None:
        return card(h("p", say("page.no_plan")), make)
    view = site.cache.get(f"plan {found.made} {found is waits}", lambda: plan_view(site.workspace, found))
    intro = h("p", say("page.plan_waits" if found is waits else "page.plan_made"), class_="lead")
    if view.stale:
        return h(
            "div", intro, h("p", say("page.plan_stale", paths=", ".join(view.stale[:3])), class_="told trouble"), make
        )
    if not view.items:
        return h("div", h("p", say("page.plan_empty"), class_="lead"), make, _flags(found))
    return h("div", intro, _figures(view), _deciding(visit, view), _flags(found), make)


def make_plan(site: Site, form: Form) -> None:
    start(site, "plan")


def decide(site: Site, form: Form) -> Done:
    """Apply the items that are ticked and decline the others; `none` declines them all."""
    found = site.preview or read_proposal(site.workspace)
    if found is None:
        raise BadInput(say("page.plan_gone"))
    if given(form, "plan") != known_as(found):
        raise BadInput(say("page.plan_is_another"))
    ticked, none = tuple(form.get("item", ())), "none" in form
    if not ticked and not none:
        raise BadInput(say("page.nothing_ticked"))
    # A preview was looked at by the person who says yes; that is the word that a large saved plan asks for.
    only = () if none else ticked
    night = recorded.approve(site.workspace, site.clock, site.preview, only=only, none=none, force=True)
    site.preview = None
    return done_by(night)


def _figures(view: PlanView) -> Html:
    plan, snapshot = view.plan, view.snapshot
    probes = " → ".join(map(str, plan.probes)) if plan.probes else "–"
    (before, after), limit = sizes(snapshot, plan), snapshot.workspace.settings.memory.hard_limit
    told = say("page.size_change", before=before, after=after, limit=limit)
    count = h("p", h("span", len(view.items), class_="big"))
    return h(
        "div",
        card(h("p", h("span", probes, class_="big")), title=say("page.probes")),
        card(bar(after, limit, told), h("p", told), title=say("page.size")),
        card(count, quiet(say("page.share_changes", share=share(snapshot, plan))), title=say("page.items")),
        class_="cards",
    )


def _deciding(visit: Visit, view: PlanView) -> Html:
    ticks = [
        h("button", say(f"page.tick_{which}"), type="button", class_="plain needs-script", data_tick=which)
        for which in ("all", "none")
    ]
    hint = h("span", say("page.declined_hint"), class_="quiet")
    decline = button("decline", "danger", name="none", value="1")
    buttons = h("div", button("approve", "main"), decline, ticks, hint, class_="decide")
    items = h("ol", [_item(view.snapshot, item) for item in view.items], class_="items list")
    others = [path for path in view.plan.paths if not holds_memory(path)]
    seen = hidden("plan", known_as(view.plan))
    return visit.form("/plan/decide", seen, buttons, items, _files(others, "also_written"))


def _files(paths: Sequence[str], key: str) -> Html:
    return folded(say(f"page.{key}", n=len(paths)), h("ul", [h("li", h("code", path)) for path in paths]))


def _item(snapshot: Snapshot, item: Decision) -> Html:
    one = item.operation
    its = one.target
    old = split_lines(snapshot.text_of(its.path))[its.block.first : its.block.tail] if its else []
    new = [words_after(one)] if one.op in (Op.ADD, Op.UPDATE, Op.MERGE) else []
    box = h("input", type="checkbox", name="item", value=item.id, id=f"i-{item.id}", checked=True)
    kind = badge(say(f"page.op_{one.op}"), str(one.op))
    head = h("label", box, kind, tag(one.tag), h("code", item.id), for_=f"i-{item.id}")
    section = name_of(one.section, spoken()) if one.section in AREAS else one.section
    where = h("span", f" → {safe(section)}", class_="quiet") if section else None
    return h("li", head, _diff(old, new), because(one.why, where), _evidence(snapshot, one.sources), tabindex="-1")


def _diff(old: Sequence[str], new: Sequence[str]) -> Html:
    if len(old) == len(new) == 1:
        return h("p", swapped(old[0], new[0]))
    gone = [h("del", formatted(as_read(line))) for line in old if line.strip()]
    return h("div", gone, [h("ins", formatted(as_read(line))) for line in new if line.strip()], class_="diff")


def _evidence(snapshot: Snapshot, sources: Sequence[Source]) -> Html | None:
    """The words of each source as they stand now; none when the file has gone or grown shorter."""
    quotes = []
    for source in sources:
        last = min(source.last, source.first + QUOTED - 1)
        lines = split_lines(snapshot.text_of(source.path))[source.first - 1 : last]
        words = [h("blockquote", formatted(as_read(line))) for line in lines if line.strip()]
        quotes.append(h("li", place_link(str(source)), words))
    return folded(say("page.evidence", n=len(quotes)), h("ul", quotes, class_="evidence")) if quotes else None


def _flags(plan: Plan) -> Html | None:
    if not plan.flags:
        return None
    flags = [h("li", tag(flag.tag), " ", safe(flag.text), h("p", safe(flag.why), class_="why")) for flag in plan.flags]
    return card(h("ul", flags, class_="plainlist"), title=say("page.worth_knowing"), wide=True)
