"""`dream scrub`: what our files say of secrets, or of words that the owner types, is masked. Nothing that was typed is kept or shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from reverie.core.errors import Unwell
from reverie.features.scrub import Place, Scrubbed
from reverie.features.scrub import scrub as scrub_feature
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.workspace.settings_files import state_folder

MOST_LINES = 6


@command
@click.option("--yes", is_flag=True)
@click.option("--words", "--stdin", "words", is_flag=True)
@click.option("--host-files", is_flag=True)
def scrub(asked: Asked, *, yes: bool, words: bool, host_files: bool) -> None:
    workspace, clock = asked.open()
    given = _typed() if words else None
    if yes and not (asked.json or asked.quiet):
        click.echo(say("scrub.no_way_back"), err=True)
    beside = (state_folder(os.environ),)
    told = scrub_feature(workspace, clock, words=given, really=yes, hosts=host_files, beside=beside)
    asked.answer(scrubbed_as_dict(told), _scrubbed_lines(told, given=words))
    if told.really and (told.left or told.unread):
        raise SystemExit(Unwell.exit_code)


def _typed() -> list[str]:
    """Words from a prompt or standard input, a line each, so that they stand in no history of the shell."""
    if sys.stdin.isatty():
        return [str(click.prompt(say("scrub.prompt"), hide_input=True, err=True))]
    return [line.strip() for line in sys.stdin.read().split("\n") if line.strip()]


def scrubbed_as_dict(told: Scrubbed) -> dict[str, Any]:
    def listed(places: Sequence[Place]) -> list[dict[str, Any]]:
        return [{"path": one.path, "places": one.count, "lines": list(one.lines)} for one in places]

    return {
        "done": told.really,
        "files": listed(told.found),
        "places": told.places,
        "owners": listed(told.owners),
        "hosts": listed(told.hosts),
        "not_undoable": list(told.lost),
        "run": told.run or None,
        "read": {"files": told.files, "bytes": told.size},
        "left": listed(told.left) if told.really else None,
        "unread": list(told.unread),
        "names": list(told.names),
        "histories": list(told.histories),
    }


def _scrubbed_lines(told: Scrubbed, *, given: bool) -> Lines:
    about = {"n": told.places, "files": len(told.found), "read": told.files, "bytes": f"{told.size:,}"}
    if told.really:
        yield "path", say("scrub.done" if told.found else "scrub.clean", **about)
    else:
        yield "path", say("scrub.would" if told.found else "scrub.clean", **about)
    yield from _place_lines(told.found)
    if told.lost:
        yield "why", say("scrub.runs_lost" if told.really else "scrub.runs_lose", runs=", ".join(told.lost))
    if told.owners:
        yield "why", say("scrub.owners_words" if given else "scrub.owners")
        yield from _place_lines(told.owners)
    if told.hosts:
        yield "why", say("scrub.hosts")
        yield from _place_lines(told.hosts)
    if told.names:
        yield "why", say("scrub.names")
        yield from (("plain", f"  {name}") for name in told.names)
    if told.unread:
        yield "cut", say("scrub.unread", names=", ".join(told.unread))
    for name in told.histories:
        yield "why", say("scrub.history", name=name)
    if not told.really:
        yield "plain", say("scrub.how") if told.found else say("scrub.looked", **about)
        return
    left = sum(one.count for one in told.left)
    yield "cut" if left else "add", say("scrub.proof", left=left, **about)
    yield from _place_lines(told.left)


def _place_lines(places: Sequence[Place]) -> Lines:
    for one in places:
        lines = ", ".join(map(str, dict.fromkeys(one.lines[:MOST_LINES]))) + (
            ", …" if len(one.lines) > MOST_LINES else ""
        )
        yield "plain", "  " + (say("scrub.place", path=one.path, n=one.count, lines=lines) if lines else one.path)
