"""Doctor: the five questions, whatever else is wrong, and a button that mends what can be mended safely."""

from __future__ import annotations

from reverie.features.doctor import doctor as clinic
from reverie.features.doctor.signs import Level, Sign
from reverie.surfaces.cli.doctor_command import schedule_of  # what starts the nights on this machine
from reverie.surfaces.web.house import House, Visit, said
from reverie.surfaces.web.tags import Html, h

QUESTIONS = ("on", "ran", "read", "kept", "next")
_LEVELS = {Level.GOOD: "good", Level.NOTE: "note", Level.BAD: "bad"}


def doctor(house: House, visit: Visit) -> Html:
    _, signs = house.shelf.get(
        "doctor", lambda: clinic.examine(house.workspace, house.clock, schedule_of(house.clock)), 20
    )
    asked = [
        h("section", h("h2", visit.say(f"q_{about}")), [_sign(visit, sign) for sign in signs if sign.about == about], class_="card wide")
        for about in QUESTIONS
    ]  # fmt: skip
    others = [sign for sign in signs if sign.about not in QUESTIONS]
    rest = [_sign(visit, sign) for sign in others] or h("p", visit.say("well"))
    return h(
        "div",
        asked,
        h("section", h("h2", visit.say("q_else")), rest, class_="card wide"),
        visit.form("/doctor/mend", visit.button("mend")),
    )


def mend(house: House) -> tuple[str, ...]:
    """Do what is safe, and say what was done."""
    chart, _ = clinic.examine(house.workspace, house.clock, schedule_of(house.clock))
    return clinic.mend(house.workspace, chart, house.clock)


def _sign(visit: Visit, sign: Sign) -> Html:
    word = _LEVELS[sign.level]
    return h(
        "p",
        h("span", visit.say(f"level_{word}"), class_=f"badge {word}"), " ", said(sign.says),
        h("span", " → ", h("code", said(sign.mend))) if sign.mend else None,
    )  # fmt: skip


__all__ = ["doctor", "mend"]
