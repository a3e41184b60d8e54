"""`dream init`: a workspace with a memory, an archive, and the answers to five questions (seed 000)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.splices import Splice
from reverie.privacy.secrets import holds_secret
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.store.journal import commit, writing
from reverie.store.runs import Run
from reverie.store.views import settle
from reverie.workspace.layout import CONTENT, DREAM_STATE, LEDGER, LEDGER_INDEX, MEMORY, NOTES, REMOVED, layout_of
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot

QUESTIONS = {
    "tools": "Which tools do you prefer?",
    "environment": "What does your work environment look like?",
    "project": "What is the most important thing you work on now?",
    "values": "What should every decision keep to?",
    "people": "Who are the most important people?",
}
_SECTIONS = {  # with their comments, and the questions whose answers they get
    "Current State": ("Active projects, unresolved decisions, recent important changes", "project"),
    "Stable Knowledge": ("Tools, work environment, preferences, what has proved right", "tools environment values"),
    "Relationships & Context": ("Important people, collaborations, the world around", "people"),
    "Dream": ("What was archived last; a night writes this list", ""),
}
_FIRST_FILES = {LEDGER: b"# Ledger\n\n", LEDGER_INDEX: b"[]\n", REMOVED: b"[]\n", DREAM_STATE: b"active\n"}


@dataclass(frozen=True)
class Begun:
    root: str
    run: Run | None  # None: there was a memory already, and it stays to the byte
    left_out: tuple[str, ...] = ()  # answers that may hold a secret


def init(path: str | Path, now: datetime, answers: Mapping[str, str], disk: Disk = DISK) -> Begun:
    """Make what is missing. A memory that says something stays to the byte."""
    root, run = Path(path).expanduser().resolve(), None
    disk.make_folder(root)
    layout = layout_of(root)
    secret = tuple(name for name, answer in answers.items() if holds_secret(answer, name))
    with writing(layout, "init", disk):
        if not layout.is_hosted:
            disk.make_folder(root / NOTES)
        disk.make_folder(layout.real(f"{CONTENT}/topics"))
        for name, data in _FIRST_FILES.items():
            if bytes_of(layout.real(name)) is None:
                disk.replace(layout.real(name), data)
        if not (bytes_of(layout.real(MEMORY)) or b"").removeprefix(b"\xef\xbb\xbf").strip() and not layout.is_hosted:
            said = {name: " ".join(words.split()) for name, words in answers.items() if name not in secret}
            here, lines = read(layout) if layout.real(MEMORY).exists() else Snapshot(layout, {}), list[str]()
            for name, (comment, questions) in _SECTIONS.items():
                lines += [*["\n"] * bool(lines), f"## {name}\n", f"<!-- {comment} -->\n"]
                lines += [f"- {said[question]}\n" for question in questions.split() if said.get(question)]
            begun = Operation(Op.ADD, "a memory begins", text="\n".join(filter(None, said.values())), judge="owner")
            old = tuple(here.file(MEMORY).lines)
            lines[0] = "\ufeff" * "".join(old).startswith("\ufeff") + lines[0]
            splices = (Splice(MEMORY, 0, old, tuple(lines), begun.id),)
            run = commit(Plan(here, splices, done=(begun,), unmakes=frozenset({MEMORY})), now, "init", disk)
            settle(layout, disk)
    return Begun(str(root), run, secret)
