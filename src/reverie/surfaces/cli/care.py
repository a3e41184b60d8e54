"""Whether all is well, and whether dreams happen: `doctor`, `due`, `on`, `off`, `wakeup`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from reverie.core.errors import Unwell
from reverie.features.doctor import doctor as clinic
from reverie.features.doctor.signs import Severity, Sign, worst
from reverie.features.schedule.nightshift import due as is_due
from reverie.features.schedule.when import switch
from reverie.features.wakeup import Awake, days_of, remembered
from reverie.features.wakeup import wakeup as wake
from reverie.lang.messages import said_with, say
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.surfaces.starters import night_starter

QUESTIONS = ("on", "ran", "read", "kept", "next")
_LEVELS = {
    Severity.GOOD: ("ok", "plain"),
    Severity.NOTE: ("note", "why"),
    Severity.BAD: ("bad", "cut"),
}  # code and colour


@command
@click.option("--fix", is_flag=True)
def doctor(asked: Asked, *, fix: bool) -> None:
    workspace, clock = asked.open()
    started = night_starter(workspace, clock)
    chart, signs = clinic.examine(workspace, clock, started)
    done: tuple[str, ...] = ()
    if fix:
        done = clinic.mend(workspace, chart, clock)
        chart, signs = clinic.examine(workspace, clock, started)
    whole = worst(signs)
    value = {
        "now": chart.now.isoformat(timespec="seconds"),
        "workspace": str(workspace.folder),
        "status": whole.status if whole.level is Severity.BAD else "ok",
        "signs": [_sign_as_dict(sign) for sign in signs],
        "mended": list(done),
    }
    asked.answer(value, _sign_lines(signs, done))
    if whole.level is Severity.BAD:
        raise SystemExit(Unwell.exit_code)


def _sign_as_dict(sign: Sign) -> dict[str, Any]:
    return {
        "about": sign.about,
        "level": _LEVELS[sign.level][0],
        "status": sign.status,
        "says": shown(sign.says),
        "mend": shown(sign.mend) or None,
    }


def _sign_lines(signs: Sequence[Sign], done: Sequence[str]) -> Lines:
    for word in done:
        yield "add", say("cli.care.mended", what=word)
    for sign in signs:
        if sign.about in QUESTIONS:
            yield "path", say(f"cli.care.{sign.about}")
            yield _sign_line(sign)
    others = sorted((sign for sign in signs if sign.about not in QUESTIONS), key=lambda sign: -sign.level)
    yield "path", say("cli.care.anything_else")
    yield from map(_sign_line, others)
    if not others:
        yield "plain", "  " + say("cli.care.all_well")


def _sign_line(sign: Sign) -> tuple[str, str]:
    mark = f"⚠ {said_with('signs', sign.status)}: " if sign.level is Severity.BAD else ""
    mend = f" → {shown(sign.mend)}" if sign.mend else ""
    return _LEVELS[sign.level][1], f"  {mark}{shown(sign.says)}{mend}"


@command
def due(asked: Asked) -> None:
    found = is_due(*asked.open())
    value = {
        "due": found.ready,
        "why": found.why,
        "new_notes": found.notes,
        "until": found.until.isoformat(timespec="seconds") if found.until else None,
    }
    asked.answer(value, [("plain", line) for line in found.lines])
    if not found.ready:
        raise SystemExit(1)


@command
def on(asked: Asked) -> None:
    _switch(asked, on=True)


@command
def off(asked: Asked) -> None:
    _switch(asked, on=False)


def _switch(asked: Asked, *, on: bool) -> None:
    changed = switch(asked.workspace(), on=on)
    name = "switched_on" if on else "switched_off"
    line = say(f"cli.care.{name}" if changed else f"cli.care.{name}_before")
    asked.answer({"on": on, "changed": changed}, [("plain", line)])


@command
@click.option("--snapshot", is_flag=True)
def wakeup(asked: Asked, *, snapshot: bool) -> None:
    workspace = asked.workspace()
    seen = remembered(workspace) if snapshot else wake(workspace)
    asked.answer(_awake_as_dict(seen), _snapshot_lines(seen) if snapshot else _awake_lines(seen))


def _awake_as_dict(seen: Awake) -> dict[str, Any]:
    return {
        "state": {"before": seen.state, "restored": seen.restored},
        "memory": {
            "characters": seen.characters,
            "sections": [
                {"heading": shown(part.heading), "lines": [shown(line) for line in part.lines], "more": part.more}
                for part in seen.sections
            ],
        },
        "archived": [
            {"id": one.id, "archived": one.archived, "category": one.category, "content": shown("\n".join(one.content))}
            for one in seen.archived
        ],
        "since": {
            "last_review": seen.last_review or None,
            "last_night": seen.last_night or None,
            "new_notes": list(seen.new_notes),
            "memory_edited": seen.edited,
        },
    }


def _snapshot_lines(seen: Awake) -> Lines:
    for part in seen.sections:
        yield "path", shown(part.heading) or "MEMORY.md"
        for line in part.lines:
            yield "plain", f"  {shown(line)}"
        if part.more:
            yield "why", "  " + say("cli.care.more", n=part.more)
    if not seen.sections:
        yield "plain", say("cli.care.empty_memory")


def _awake_lines(seen: Awake) -> Lines:
    yield "path", say("cli.care.awake" if seen.restored else "cli.care.awake_before")
    yield from _snapshot_lines(seen)
    yield "path", say("cli.care.archived_last")
    for one in reversed(seen.archived):
        yield (
            "plain",
            f"  [{one.id}] {one.archived[:10]} [{said_with('tags', one.category)}] {shown(one.content[0].strip())}",
        )
    if not seen.archived:
        yield "plain", "  " + say("cli.care.nothing_yet")
    yield "path", say("cli.care.since", when=seen.last_review) if seen.last_review else say("cli.care.since_never")
    days = days_of(seen.new_notes)
    span = f", {days[0]}" if len(days) == 1 else say("cli.care.span", first=days[0], last=days[-1]) if days else ""
    count = len(seen.new_notes)
    yield "plain", "  " + (say("cli.care.new_files", n=count) + span if count else say("cli.care.nothing_new"))
    if seen.edited:
        yield "plain", "  " + say("cli.care.edited")
    if seen.last_night:
        counts = (part.partition(": ") for part in seen.last_night.partition(": ")[2].split(" | "))
        told = " | ".join(f"{said_with('review_counts', name)}{colon}{n}" for name, colon, n in counts)
        yield "why", "  " + say("cli.care.that_night", what=told)
