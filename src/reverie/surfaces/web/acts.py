"""What can be done on the page: each act reads its form, calls one function of the engine, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reverie.core.errors import BadInput, Busy, RefusedSuggestion
from reverie.features import note as feature
from reverie.features.glance import is_on
from reverie.features.palace import palace
from reverie.features.schedule.switching import switch
from reverie.night import engine, pinning, questions, suggesting
from reverie.night.taking_back import take_back
from reverie.surfaces.web.house import House, said
from reverie.surfaces.web.rooms_doctor import mend
from reverie.surfaces.web.rooms_memory import forget_now
from reverie.surfaces.web.rooms_plan import decide

Form = Mapping[str, Sequence[str]]
Act = Callable[[House, Form], str]  # returns a sentence about what was done, or nothing


def one(form: Form, name: str) -> str:
    return form.get(name, [""])[0]


def dream(house: House, form: Form) -> str:
    _start(house, "review")
    return ""


def make_plan(house: House, form: Form) -> str:
    _start(house, "plan")
    return ""


def decide_plan(house: House, form: Form) -> str:
    night = decide(house, form)
    return _run(night)


def undo(house: House, form: Form) -> str:
    if one(form, "item"):
        return _run(take_back(house.workspace, house.clock, one(form, "run"), one(form, "item")))
    return _run(engine.undo(house.workspace, house.clock, one(form, "run")))


def forget(house: House, form: Form) -> str:
    gone = forget_now(house, one(form, "what"), one(form, "seen"), forever="forever" in form)
    return " · ".join(filter(None, (gone.run, *(said(line.text) for line in gone.removed[:3]))))


def pin(house: House, form: Form) -> str:
    number, _, seen = one(form, "line").partition(" ")
    if not number.isdecimal() or len(number) > 9:
        raise BadInput("Which line? Choose one under Memory.")
    return _run(pinning.pin(house.workspace, house.clock, int(number), seen))


def answer(house: House, form: Form) -> str:
    return _run(questions.answer(house.workspace, house.clock, one(form, "id"), one(form, "choice"), one(form, "text")))


def suggestion(house: House, form: Form) -> str:
    done = suggesting.answer(house.workspace, house.clock, {one(form, "id"): one(form, "answer")})
    for its_id, why in done.refused:
        raise RefusedSuggestion(its_id, why)
    return _run(done.night)


def note(house: House, form: Form) -> str:
    noted = feature.note(house.workspace, house.clock, one(form, "text"))
    return f"{noted.path} · {said(noted.line or noted.why)}"


def rebuild(house: House, form: Form) -> str:
    found = palace.rebuild(house.workspace, house.clock)
    return found.run.id if found.run else ""


def mend_all(house: House, form: Form) -> str:
    return "; ".join(mend(house))


def switch_over(house: House, form: Form) -> str:
    switch(house.workspace, on=not is_on(house.workspace.root))
    return ""


def _start(house: House, kind: str) -> None:
    if not house.sleeper.start(kind):
        raise Busy("a dream that was started on this page")


def _run(night: engine.Night) -> str:
    return night.run.id if night.run else ""


# The act of each address, and the room it leads back to.
ACTS: dict[str, tuple[Act, str]] = {
    "/dream": (dream, "/"),
    "/note": (note, "/"),
    "/switch": (switch_over, "/"),
    "/plan/make": (make_plan, "/plan"),
    "/plan/decide": (decide_plan, "/plan"),
    "/pin": (pin, "/memory"),
    "/forget": (forget, "/memory"),
    "/undo": (undo, "/runs"),
    "/answer": (answer, "/questions"),
    "/suggestion": (suggestion, "/questions"),
    "/palace/rebuild": (rebuild, "/palace"),
    "/doctor/mend": (mend_all, "/doctor"),
}
SILENT: tuple[Act, ...] = (dream, make_plan, switch_over)  # the page itself shows what came of these
STARTS: tuple[Act, ...] = (dream, make_plan)  # nothing has changed yet when these are over

__all__ = ["ACTS", "SILENT", "STARTS", "Act", "Form", "one"]
