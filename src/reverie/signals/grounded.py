"""Old notes looked at again without a model: the lines that are worth keeping, and of those what should last."""

from dataclasses import dataclass

from reverie.errors import Unreadable
from reverie.judge.rules import LIKELY, SURE, worth_of
from reverie.privacy.secrets import private_number
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_secret
from reverie.workspace.snapshot import File, Statement

_MOST, _LASTING = 4, 3  # lines of a note


@dataclass(frozen=True)
class Grounded:
    path: str
    candidates: tuple[Statement, ...]  # the best first
    lasting: tuple[Statement, ...]

    @property
    def lines(self) -> list[str]:
        """As OpenClaw's diary frames it; what happened stands in the order of the note."""
        happened = sorted(self.candidates, key=lambda line: line.start)
        out = ["What Happened", *(f"{number}. {_told(line)}" for number, line in enumerate(happened, 1))]
        return (
            [*out, "", "Possible Lasting Updates", *(f"- {_told(line)}" for line in self.lasting)]
            if self.lasting
            else out
        )


def grounded(file: File) -> Grounded:
    """The few lines of a note that its owner wrote and would keep."""
    try:
        owned = [line for line in file.statements if line.origin is Origin.OWNER]
    except Unreadable:
        owned = []
    open_lines = (line for line in owned if not is_secret(line) and not private_number(line.text))
    rated = sorted(((worth_of(line), line) for line in open_lines), key=lambda rated: -rated[0])
    best = [(chance, line) for chance, line in rated if chance >= LIKELY][:_MOST]
    return Grounded(
        file.path, tuple(line for _, line in best), tuple(line for chance, line in best if chance >= SURE)[:_LASTING]
    )


def _told(line: Statement) -> str:
    return f"{' '.join(line.text.split())} [{line.place}]"
