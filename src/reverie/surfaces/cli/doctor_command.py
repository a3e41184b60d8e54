from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import click

from reverie.core.errors import Unwell
from reverie.core.ports import Clock
from reverie.features.doctor import doctor as clinic
from reverie.features.doctor.signs import Level, Sign, worst
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.heartbeat import heartbeat_file, last_beat
from reverie.surfaces.timers import started_by

QUESTIONS = {
    "on": "Is it on?",
    "ran": "Did it run?",
    "read": "What is there to read?",
    "kept": "What was kept, and why not more?",
    "next": "What happens next?",
}
_WORDS = {Level.GOOD: "ok", Level.NOTE: "note", Level.BAD: "bad"}


@command
@click.option("--fix", is_flag=True, help="Mend what can be mended without taking anything away.")
def doctor(asked: Asked, *, fix: bool) -> None:
    """Say what is wrong, in plain words: is it on, did it run, what did it read, why was nothing kept, what happens next."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    started = schedule_of(clock)
    chart, signs = clinic.examine(workspace, clock, started)
    done: tuple[str, ...] = ()
    if fix:
        done = clinic.mend(workspace, chart, clock)
        chart, signs = clinic.examine(workspace, clock, started)
    whole = worst(signs)
    value = {
        "now": chart.now.isoformat(timespec="seconds"),
        "workspace": str(workspace.root),
        "status": whole.status if whole.level is Level.BAD else "ok",
        "signs": [_as_dict(sign) for sign in signs],
        "mended": list(done),
    }
    asked.answer(value, _lines(signs, done))
    if whole.level is Level.BAD:
        raise SystemExit(Unwell.exit_code)


def schedule_of(clock: Clock) -> clinic.Schedule:
    """What starts the nights on this machine, as far as can be told."""
    by = started_by(os.environ, clock.now())
    beat = None if by else last_beat(heartbeat_file(os.environ))
    dead = beat is not None and not beat.stopped
    return clinic.Schedule(by, beat.at[:16].replace("T", " ") if beat and dead else "")


def _as_dict(sign: Sign) -> dict[str, Any]:
    return {
        "about": sign.about, "level": _WORDS[sign.level], "status": sign.status, "says": shown(sign.says),
        "mend": shown(sign.mend) or None,
    }  # fmt: skip


def _lines(signs: Sequence[Sign], done: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word in done:
        yield "add", f"Mended: {word}."
    for sign in signs:
        if sign.about in QUESTIONS:
            yield "path", QUESTIONS[sign.about]
            yield _colour(sign), f"  {_mark(sign)}{shown(sign.says)}{_mend(sign)}"
    others = sorted((sign for sign in signs if sign.about not in QUESTIONS), key=lambda sign: -sign.level)
    yield "path", "Anything else?"
    for sign in others:
        yield _colour(sign), f"  {_mark(sign)}{shown(sign.says)}{_mend(sign)}"
    if not others:
        yield "plain", "  No. Files, state, index, disk, clock and embedder are well."


def _mark(sign: Sign) -> str:
    return f"⚠ {sign.status}: " if sign.level is Level.BAD else ""


def _mend(sign: Sign) -> str:
    return f" → {shown(sign.mend)}" if sign.mend else ""


def _colour(sign: Sign) -> str:
    return {Level.GOOD: "plain", Level.NOTE: "why", Level.BAD: "cut"}[sign.level]
