"""`dream sublimate`: memories that became knowledge as pages below `knowledge/`; nothing is deleted for them (seed 003)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.quotations import quotation, with_block
from reverie.plan.splices import Splice, difference
from reverie.store.disk import DISK, Disk
from reverie.store.journal import commit, opened
from reverie.store.runs import Run
from reverie.workspace.layout import Layout
from reverie.workspace.projects import (
    PLAYBOOK,
    POSTMORTEM,
    STYLE,
    TRACKER,
    by_project,
    decided,
    is_state,
    proposals,
    ready,
)
from reverie.workspace.read import read, require_workspace
from reverie.workspace.snapshot import Snapshot

_TITLES = {POSTMORTEM: "Postmortem", STYLE: "Work style", PLAYBOOK: "Playbook", TRACKER: "Projects"}
_LINK = re.compile(r" \(\[[^\]]*\]\([^)]*\)\)$")
_SUBJECT = re.compile(r"- ([^:：(]{2,60})[:：]")
Chapters = dict[str, list[str]]


@dataclass(frozen=True)
class Sublimated:
    proposed: tuple[str, ...]  # pages, with what they are made of
    run: Run | None = None


def sublimate(layout: Layout, now: datetime, *, apply: bool = False, disk: Disk = DISK) -> Sublimated:
    """What is ready to become a page; with `apply` the pages are made, and the tracker brought up to date."""
    require_workspace(layout)
    asked = tuple(operation.question for operation in proposals(read(layout)))
    if not apply:
        return Sublimated(asked)
    with opened(layout, "sublimate", disk):
        snapshot = read(layout)
        wishes = [
            Operation(Op.ADD, "made a page", under=(page,), judge="owner") for page in (*ready(snapshot), TRACKER)
        ]
        splices = [splice for wish in wishes for splice in page_splices(snapshot, wish.under[0], wish.id)]
        done = tuple(wish for wish in wishes if wish.id in {splice.by for splice in splices})
        run = commit(Plan(snapshot, tuple(splices), done=done), now, "sublimate", disk) if splices else None
    return Sublimated(asked, run)


def page_splices(snapshot: Snapshot, page: str, by: str) -> list[Splice]:
    """A page with what memory says now: chapters and lines that memory no longer mentions stay."""
    lines = snapshot.file(page).lines
    before = "".join(lines)
    grown = _grown(_chapters_in(before), _chapters_of(snapshot, page), by_subject=page == TRACKER)
    if not any(grown.values()):
        return []
    block = [piece for name, said in grown.items() for piece in ([f"## {name}"] * bool(name) + said + [""])]
    text = before or f"# {_TITLES[page]}\n\n"
    return difference(page, lines, with_block(text, "knowledge", block[:-1]), by)


def _chapters_of(snapshot: Snapshot, page: str) -> Chapters:
    if page in (STYLE, PLAYBOOK):
        return {"": [quotation(line, page) for line in ready(snapshot).get(page, ())]}
    names, chapters = by_project(snapshot), Chapters()
    wanted = set(ready(snapshot).get(page, ()))
    for name, lines in names.items():
        if page == TRACKER:
            chapters[name] = [quotation(line, page) for line in lines if is_state(line) or line.ticked is False]
        elif wanted.intersection(lines):
            about = (line for line in decided(snapshot) if name.casefold() in f"{line.context} {line.text}".casefold())
            chapters[name] = [
                *(quotation(line, page) for line in lines),
                *(quotation(line, page, line.day) for line in about),
            ]
    return {name: [line for line in said if line] for name, said in chapters.items()}


def _chapters_in(text: str) -> Chapters:
    """What our block on a page says by now."""
    inside, chapters, name = False, Chapters(), ""
    for line in text.splitlines():
        if line.startswith("<!-- reverie:knowledge:"):
            inside = "start" in line
        elif inside and line.startswith("## "):
            name = line[3:]
        elif inside and line.strip():
            chapters.setdefault(name, []).append(line)
    return chapters


def _grown(old: Chapters, new: Chapters, *, by_subject: bool) -> Chapters:
    """The chapters with what is new; in the tracker a line about the same subject replaces the old one."""
    grown = {name: list(said) for name, said in old.items()}
    for name, said in new.items():
        lines = grown.setdefault(name, [])
        for line in said:
            same = (
                at
                for at, known in enumerate(lines)
                if _words(known) == _words(line) or (by_subject and _alike(known, line))
            )
            if (at := next(same, None)) is None:
                lines.append(line)
            else:
                lines[at] = line
    return {name: said for name, said in grown.items() if said}


def _words(line: str) -> str:
    return _LINK.sub("", line)


def _alike(line: str, other: str) -> bool:
    subjects: Sequence[re.Match[str] | None] = [_SUBJECT.match(line), _SUBJECT.match(other)]
    return all(subjects) and len({subject[1] for subject in subjects if subject}) == 1
