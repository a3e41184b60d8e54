from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from reverie.core.errors import BadInput
from reverie.features import whynot
from reverie.privacy.redact import shown
from reverie.surfaces.cli.candidates import gate_as_dict
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("words", nargs=-1, required=True, metavar="TEXT")
def why_not(asked: Asked, *, words: tuple[str, ...]) -> None:
    """Say why a text is not in memory: never seen, below which gate and by how much, merged, archived, redacted."""
    text = " ".join(words)
    if not text.strip():
        raise BadInput("There is no text. Say `dream why-not TEXT`.")
    workspace = asked.workspace()
    found = whynot.why_not(workspace, asked.clock(workspace.settings.timezone), text)
    value = {
        "asked": shown(text),
        "reasons": [
            {
                "verdict": one.verdict,
                "detail": shown(one.detail),
                "text": shown(one.text) or None,
                "place": one.place or None,
                "gates": [gate_as_dict(gate) for gate in one.gates],
            }
            for one in found
        ],
    }
    asked.answer(value, _lines(text, found))


def _lines(text: str, found: Sequence[whynot.Reason]) -> Iterator[tuple[str, str]]:
    there = found[0].verdict == "in memory"
    yield "path", f"“{shown(text)}” is in memory:" if there else f"Why “{shown(text)}” is not in memory:"
    for one in found:
        place = f" — {one.place}" if one.place else ""
        yield "add" if one.verdict == "in memory" else "plain", f"· {one.verdict}{shown(place)}"
        if one.text:
            yield "plain", f"    {shown(one.text)}"
        yield "why", f"    {shown(one.detail)}"
