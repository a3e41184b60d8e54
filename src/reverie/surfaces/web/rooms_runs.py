"""Runs: what happened, each with its receipt, and the way back."""

from __future__ import annotations

from collections.abc import Mapping

from reverie.features.glance import Kept, kept_versions
from reverie.night import engine
from reverie.night.taking_back import decided
from reverie.plan.receipt import receipt_lines
from reverie.surfaces.web.house import House, Visit, as_read, hidden, said, spoken
from reverie.surfaces.web.tags import Html, h
from reverie.workspace.values import Edit, Intent, Run

MOST = 60


def runs(house: House, visit: Visit) -> Html:
    found = house.shelf.get("runs", lambda: engine.list_runs(house.workspace), 5)
    kept = house.shelf.get("kept", lambda: kept_versions(house.workspace.root), 5)
    if not found:
        return h("section", h("p", visit.say("no_runs")), class_="card")
    asked = visit.asked("run")
    told = [_run(visit, run, [one for one in kept if one.run == run.id], wide=run.id == asked) for run in found[-MOST:]]
    return h("ol", reversed(told), class_="runs list")


def _run(visit: Visit, run: Run, kept: list[Kept], *, wide: bool) -> Html:
    did = f"{visit.say('undoes')} {run.plan.undoes}" if run.plan.undoes else counted(visit, run.plan.counts)
    probes = h("span", f"{run.plan.probes[0]} → {run.plan.probes[1]}", class_="badge", title=visit.say("probes")) if run.plan.probes else None  # fmt: skip
    head = h(
        "summary",
        h("code", run.id), h("time", run.at[:16].replace("T", " ")), h("span", str(run.plan.intent), class_="badge"),
        h("span", did), probes,
        h("span", visit.say("undone"), " ", run.undone_by, class_="badge cut") if run.undone_by else None,
    )  # fmt: skip
    return h("li", h("details", head, _receipt(visit, run, kept), open=wide), class_="gone" if run.undone_by else None, tabindex="-1")  # fmt: skip


def _receipt(visit: Visit, run: Run, kept: list[Kept]) -> Html:
    can_undo = not run.undone_by and run.plan.intent is not Intent.WATCH and bool(run.plan.edits)
    memory = [edit for edit in run.plan.edits if edit.path.lower() == "memory.md" and edit.tag != "view"]
    changes = [
        h(
            "li", h("div", h("span", edit.tag, class_="badge"), h("code", edit.id), class_="row"),
            h("div", [h("del", spoken(as_read(line))) for line in edit.old if line.strip()],
              [h("ins", spoken(as_read(line))) for line in edit.new if line.strip()], class_="diff"),
            h("p", visit.say("because"), " ", said(edit.why), class_="why"),
            _one_back(visit, run, edit) if can_undo else None,
        )
        for edit in memory
    ]  # fmt: skip
    refused = h("p", visit.say("left_out"), ": ", counted(visit, run.plan.refused), class_="quiet") if run.plan.refused else None  # fmt: skip
    model = [h("p", said(line), class_="quiet") for line in receipt_lines(run.plan.use, chinese=visit.language == "zh")]
    files = h("details", h("summary", f"{len(run.plan.paths)} {visit.say('files')}"), h("ul", [h("li", h("code", path)) for path in run.plan.paths]))  # fmt: skip
    back = None
    if can_undo:
        back = visit.form("/undo", hidden("run", run.id), visit.button("undo_all", "danger"))
    return h("div", h("ol", changes, class_="items"), refused, model, [h("p", str(one), class_="warn") for one in kept], files, back, class_="under")  # fmt: skip


def _one_back(visit: Visit, run: Run, edit: Edit) -> Html | None:
    """A button for each decision of a night; an edit that brought several lines has one for each of them."""
    if run.plan.intent is not Intent.DREAM:
        return None
    names = sorted(decided(edit))
    several = len(names) > 1
    return h(
        "div",
        [
            visit.form("/undo", hidden("run", run.id), hidden("item", name), visit.button("undo_one", "plain"), h("code", name) if several else None)
            for name in names
        ],
        class_="row",
    )  # fmt: skip


def counted(visit: Visit, counts: Mapping[str, int]) -> str:
    told = [f"{count} {name}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1])]
    return ", ".join(told) or visit.say("nothing_moved")


__all__ = ["counted", "runs"]
