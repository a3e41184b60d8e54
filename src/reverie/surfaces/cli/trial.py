"""Did it help: `trial`."""

from __future__ import annotations

from dataclasses import asdict
from unicodedata import east_asian_width

import click

from reverie.features.trial import NIGHTS, Trial, share, trial_of, verdict_of
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command


@command
@click.option("--nights", type=click.IntRange(min=1), default=NIGHTS, metavar="N")
def trial(asked: Asked, *, nights: int) -> None:
    made = trial_of(*asked.open(), nights)
    value = asdict(made) | {"probes": made.probes, "chance": round(made.chance, 4), "verdict": made.verdict}
    asked.answer(value, _lines(made))


def _lines(made: Trial) -> Lines:
    if not made.probes:
        yield "plain", say("trial.nothing")
        return
    heads = [say(f"trial.{name}") for name in ("memory", "injected", "recalled", "outdated")]
    cells = [
        [
            say(f"trial.{row.name}", n=made.nights),
            share(made, row.injected),
            share(made, row.recalled),
            str(row.outdated),
        ]
        for row in made.rows
    ]
    wide = [max(_columns(one[at]) for one in (heads, *cells)) for at in range(len(heads))]
    for one in (heads, *cells) if cells else ():
        yield (
            "plain",
            "  ".join(cell + " " * (size - _columns(cell)) for cell, size in zip(one, wide, strict=True)).rstrip(),
        )
    if cells:
        yield "plain", say("trial.columns")
    yield "plain", say("trial.probes", n=made.probes, questions=made.questions, notes=made.notes)
    yield "plain", verdict_of(made)


def _columns(text: str) -> int:
    """The columns of a terminal that a text takes: a Chinese character takes two."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
