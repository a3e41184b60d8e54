"""`dream seal` and `dream unseal`: encryption of what lies on the disk, on and off."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from reverie.features import seal as feature
from reverie.features.status import told_place
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command


@command
@click.option("--key-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
def seal(asked: Asked, *, key_file: Path | None) -> None:
    workspace, clock = asked.open()
    done = feature.seal(workspace, clock, key_file.expanduser().resolve() if key_file else None)
    asked.answer(asdict(done), _lines(done))


@command
def unseal(asked: Asked) -> None:
    workspace, clock = asked.open()
    done = feature.unseal(workspace, clock)
    asked.answer(asdict(done), _lines(done))


def _lines(done: feature.Sealing) -> Lines:
    if not done.key:
        yield "plain", say("seal.was_open")
        return
    place = told_place(done.recipient, done.key)
    if not done.sealed:
        yield "path", say("seal.opened", n=done.files)
        yield "plain", say("seal.key_stays", place=place)
        return
    yield "path", say("seal.done", n=done.files)
    yield "plain", say("seal.key", place=place)
    yield "why", say("seal.lose_it")
    yield "plain", say("seal.stays_plain")
