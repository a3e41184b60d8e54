"""Runs: what each night and each command did, in one sentence; the way back first, then every decision with its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from reverie.core.layout import REJECTED, holds_memory
from reverie.features.status import KeptVersion, kept_versions
from reverie.lang.messages import said_with, say
from reverie.night import commands
from reverie.night.commands import decided, take_back
from reverie.plan.dream_log import receipt_lines
from reverie.plan.splices import VIEW
from reverie.plan.timeline import moved_by
from reverie.surfaces.web.files import rests_on
from reverie.surfaces.web.html import (
    Html,
    as_read,
    badge,
    because,
    button,
    card,
    counted,
    folded,
    formatted,
    h,
    hidden,
    quiet,
    row,
    safe,
    swapped,
    tag,
)
from reverie.surfaces.web.state import Done, Form, Site, Visit, given
from reverie.workspace.values import Edit, Intent, Run

MOST = 60
_KINDS = ("all", "nights", "moved", "yours", "undone")
_NOT_BACK = (Intent.WATCH, Intent.SCRUB)
_BY_ITSELF = (Intent.DREAM, Intent.WATCH)


def undo(site: Site, form: Form) -> Done:
    """Take back a run, or one decision of it."""
    run, item = given(form, "run"), given(form, "item")
    if item:
        night = take_back(site.workspace, site.clock, run, item)
        what = next((line for line in map(as_read, _lines_of(night)) if line), item)
        return Done(say("front.back_again", what=f"“{safe(what)}”"), run_of(night))
    gone = next((one for one in commands.list_runs(site.workspace) if one.id == run), None)
    night = commands.undo(site.workspace, site.clock, run)
    return Done(say("front.back_again", what=moved_words(gone) if gone else run), run_of(night))


def _lines_of(night: commands.Night) -> Iterator[str]:
    """The lines of MEMORY.md that a run brought back, else those that it took out."""
    edits = [edit for edit in night.plan.edits if holds_memory(edit.path) and edit.tag != VIEW]
    yield from (line for edit in edits for line in edit.new)
    yield from (line for edit in edits for line in edit.old)


def run_of(night: commands.Night) -> str:
    return night.run.id if night.run else ""


def done_by(night: commands.Night, otherwise: str = "") -> Done:
    """What a night that somebody wanted moved; in other words where it moved nothing."""
    run = night.run
    if run is None or not (moved_by(run) or declined_in(run)):
        return Done(otherwise, run_of(night))
    return Done(moved_words(run), run.id)


def declined_in(run: Run) -> int:
    """How many items of a plan its owner did not want."""
    return sum(len(edit.new) for edit in run.plan.edits if edit.path == REJECTED)


def runs(site: Site, visit: Visit) -> Html:
    found = site.cache.get("runs", lambda: commands.list_runs(site.workspace), 5)
    kept = site.cache.get("kept", lambda: kept_versions(site.workspace.root), 5)
    if not found:
        return card(h("p", say("page.no_runs")))
    asked, kind, words = visit.asked("run"), visit.asked("kind"), visit.asked("q").strip()
    kind = kind if kind in _KINDS else _KINDS[0]
    chosen = [run for run in found if _is(run, kind) and _says(run, words)]
    told = [
        _run(visit, run, [one for one in kept if one.run == run.id], opened=run.id == asked)
        for run in reversed(chosen[-MOST:])
    ]
    rest = quiet(say("rooms.older_runs", n=len(chosen) - MOST)) if len(chosen) > MOST else None
    listed = h("ol", told, class_="runs list") if told else card(quiet(say("rooms.no_such_run")))
    return h("div", _filters(kind, words), listed, rest)


def _filters(kind: str, words: str) -> Html:
    doors = [
        h(
            "li",
            h("a", say(f"rooms.runs_{one}"), href=_address(one, words), aria_current="true" if one == kind else None),
        )
        for one in _KINDS
    ]
    label = say("rooms.filter_text")
    field = h("input", type="search", name="q", value=words, maxlength=200, aria_label=label, placeholder=label)
    box = h("form", hidden("kind", kind), row(field, button("rooms.show")), method="get", action="/runs", role="search")
    nav = h("nav", h("ul", doors, class_="months"), aria_label=say("rooms.filters"))
    return h("div", nav, box, class_="filters")


def _address(kind: str, words: str) -> str:
    return f"/runs?{urlencode({'kind': kind} | ({'q': words} if words else {}))}"


def _is(run: Run, kind: str) -> bool:
    return {
        "all": True,
        "nights": run.plan.intent is Intent.DREAM,
        "moved": bool(moved_by(run)),
        "yours": run.plan.intent not in _BY_ITSELF,
        "undone": bool(run.undone_by),
    }[kind]


def _says(run: Run, words: str) -> bool:
    """Whether the words stand in a line that the run moved, in a reason, or in its name."""
    if not words:
        return True
    wanted = words.casefold()
    said = (text for edit in run.plan.edits for text in (edit.why, *edit.old, *edit.new))
    return wanted in run.id or any(wanted in text.casefold() for text in said)


def moved_words(run: Run) -> str:
    """What a run moved, in one sentence."""
    if run.plan.undoes:
        return say("page.undid", run=run.plan.undoes)
    moved = [say(f"rooms.moved_{kind}", n=n) for kind, n in moved_by(run).items()]
    noted = sum(len(edit.new) for edit in run.plan.edits if edit.tag == "note" and edit.path.startswith("memory/"))
    declined = declined_in(run)
    told = [*moved, *([say("rooms.moved_noted", n=noted)] if noted else [])]
    told += [say("front.declined", n=declined)] if declined else []
    return say("count.between").join(told) if told else say("page.nothing_moved")


def _run(visit: Visit, run: Run, kept: list[KeptVersion], *, opened: bool) -> Html:
    plan = run.plan
    head = (
        h("time", run.at[:16].replace("T", " ")),
        tag(str(plan.intent)),
        h("span", moved_words(run), class_="did"),
        badge(say("page.undone", run=run.undone_by), "cut") if run.undone_by else None,
        h("code", run.id),
    )
    inside = h("details", h("summary", head), _receipt(visit, run, kept), open=opened)
    return h("li", inside, id=f"R{run.id}", class_="gone" if run.undone_by else None, tabindex="-1")


def _receipt(visit: Visit, run: Run, kept: list[KeptVersion]) -> Html:
    plan = run.plan
    can_undo = not run.undone_by and plan.intent not in _NOT_BACK and bool(plan.edits)
    changes = [
        h(
            "li",
            row(tag(edit.tag), h("code", edit.id), h("span", _who(edit), class_="quiet")),
            _diff(edit),
            because(edit.why),
            rests_on([str(source) for source in edit.sources]),
            _one_back(visit, run, edit) if can_undo and plan.intent is Intent.DREAM else None,
        )
        for edit in plan.edits
        if holds_memory(edit.path) and edit.tag != VIEW
    ]
    probes = " → ".join(map(str, plan.probes or ()))
    key = "rooms.undo_undo" if plan.undoes else "rooms.undo_run"
    back = hidden("run", run.id), hidden("back", f"/runs?run={run.id}#R{run.id}")
    return h(
        "div",
        visit.form("/undo", *back, row(button(key, "danger"), quiet(say("rooms.undo_hint")))) if can_undo else None,
        h("ol", changes, class_="items") if changes else None,
        quiet(say("page.probes"), " ", probes) if probes else None,
        quiet(say("page.left_out", counts=counted(plan.refused))) if plan.refused else None,
        [quiet(safe(line)) for line in receipt_lines(plan.use)],
        [h("p", str(one), class_="warn") for one in kept],
        _files(plan.paths),
        class_="under",
    )


def _who(edit: Edit) -> str:
    """Who decided it, where the record names an author; a judge is named by the receipt."""
    return author_words(edit.by) if edit.by.endswith(")") else ""


def author_words(by: str) -> str:
    """`owner (page)` as a person reads it."""
    who, _, surface = by.partition(" (")
    surface = said_with("surfaces", surface.rstrip(")"))
    return say(f"authority.{who}", surface=surface) if who in ("owner", "agent", "program") else by


def _diff(edit: Edit) -> Html:
    old, new = ([line for line in lines if line.strip()] for lines in (edit.old, edit.new))
    if len(old) == len(new) == 1:
        return h("p", swapped(old[0], new[0]))
    gone = [h("del", formatted(as_read(line))) for line in old]
    return h("div", gone, [h("ins", formatted(as_read(line))) for line in new], class_="diff")


def _files(paths: Sequence[str]) -> Html:
    return folded(say("page.files", n=len(paths)), h("ul", [h("li", h("code", safe(path))) for path in paths]))


def _one_back(visit: Visit, run: Run, edit: Edit) -> Html:
    """A button for each decision of a night; an edit that brought several lines has one for each of them."""
    names = sorted(decided(edit))

    def back(name: str) -> Html:
        which = h("code", name) if len(names) > 1 else None
        where = hidden("back", f"/runs?run={run.id}#R{run.id}")
        fields = hidden("run", run.id), hidden("item", name), where
        return visit.form("/undo", *fields, button("undo_one", "plain"), which)

    return row(map(back, names))
