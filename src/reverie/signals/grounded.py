"""Old notes looked at again without a model: the lines that are worth keeping, and of those what should last."""

from contextlib import suppress
from typing import NamedTuple

from reverie.errors import Unreadable
from reverie.judge.rules import LIKELY, SURE, worth_of
from reverie.privacy.secrets import private_number
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_secret
from reverie.workspace.snapshot import File, Statement

_MOST, _LASTING = 4, 3  # lines of a note


class Grounded(NamedTuple):
    path: str
    candidates: list[Statement]  # in the order of the note
    lasting: list[Statement]  # the best first

    @property
    def text(self) -> str:
        """As OpenClaw's diary frames it."""
        lines = [f"{' '.join(line.text.split())} [{line.place}]" for line in self.candidates]
        lasting = [f"- {' '.join(line.text.split())} [{line.place}]" for line in self.lasting]
        out = ["What Happened", *(f"{number}. {line}" for number, line in enumerate(lines, 1))]
        return "\n".join([*out, "", "Possible Lasting Updates", *lasting] if lasting else out)


def grounded(file: File) -> Grounded:
    """The few lines of a note that its owner wrote and would keep."""
    lines: list[Statement] = []
    with suppress(Unreadable):
        lines = [line for line in file.statements if line.origin is Origin.OWNER and not private_number(line.text)]
    rated = sorted(((worth_of(line), line) for line in lines if not is_secret(line)), key=lambda rated: -rated[0])[:_MOST]  # fmt: skip
    candidates = sorted((line for chance, line in rated if chance >= LIKELY), key=lambda line: line.start)
    return Grounded(file.path, candidates, [line for chance, line in rated if chance >= SURE][:_LASTING])
