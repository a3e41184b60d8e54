"""`dream palace`: memory by time, by project, by technique and by its owner's own views, as quotations with links (seed 003).

By form only: headings, labels, boxes, addresses, days. A view is made again from memory and may be deleted at any time.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from reverie.errors import Unreadable
from reverie.plan.quotations import chapters, quotation
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.text.days import named_days
from reverie.text.terms import terms
from reverie.workspace.layout import NOTES, FileKind, Layout
from reverie.workspace.projects import by_project, decided, is_done, is_state, stated
from reverie.workspace.protection import section_key
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot

_HEAD = "<!-- Written by `dream palace` from memory; what is changed here is lost. -->"
_TECHNICAL = re.compile(
    r"\w{2,10}://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]+\.(?:lan|local|home|internal)\b|\b[\w.-]+:\d{2,5}\b|\bports? \d{2,5}\b"
    r"|\bv?\d+\.\d+(?:\.\d+)+\b|\b\d+ ?[KMGT]i?B\b|(?<!\w)[~.]?/[\w.-]+/[\w./-]+|`[^`]{2,80}`",
    re.I,
)


@dataclass(frozen=True)
class Palace:
    views: dict[str, int]  # how many lines each quotes
    written: tuple[str, ...]  # those that changed
    left_alone: tuple[str, ...]  # files of these names that are not ours
    unread: dict[str, str]  # what was quoted nowhere, and why


def palace(layout: Layout, disk: Disk = DISK) -> Palace:
    """Make the views anew: the same memory gives the same bytes, and then nothing is written."""
    snapshot = read(layout, whole=True)
    counts, written, left_alone = dict[str, int](), list[str](), list[str]()
    for name, (title, *lines) in views(snapshot).items():
        page = f"{NOTES}/palace/{name}.md"
        data = "\n".join([title, "", _HEAD, *lines, ""]).encode()
        counts[name] = sum(line.startswith("- ") for line in lines)
        try:
            before = bytes_of(layout.real(page))
        except Unreadable:
            before = b"no file of ours"
        if before and _HEAD.encode() not in before:
            left_alone.append(page)
        elif before != data and (counts[name] or before) and not layout.is_hosted:
            disk.replace(layout.real(page), data)
            written.append(page)
    return Palace(counts, tuple(written), tuple(left_alone), snapshot.unread)


def views(snapshot: Snapshot) -> dict[str, list[str]]:
    """The lines of each view."""
    made = {"timeline": timeline, "projects": projects, "technology": technology, "custom": custom}
    return {name: make(snapshot, f"{NOTES}/palace/{name}.md") for name, make in made.items()}


def timeline(snapshot: Snapshot, page: str) -> list[str]:
    """What memory dates and what notes call decided, the newest first."""
    days: defaultdict[date, list[str]] = defaultdict(list)
    for line in stated(snapshot, FileKind.MEMORY, FileKind.TOPIC):
        for day in named_days(line.text)[:1]:
            days[day].append(quotation(line, page))
    for line in decided(snapshot):
        if line.day:
            days[line.day].append(quotation(line, page, line.day))
    months = {day: f"## {day:%Y-%m}\n\n" for day in sorted(days)}
    for newer, older in zip(list(months)[1:], list(months), strict=False):
        months[older] = "" if (newer.year, newer.month) == (older.year, older.month) else months[older]
    return chapters("Timeline", ((f"{months[day]}### {day}", days[day]) for day in sorted(days, reverse=True)))


def projects(snapshot: Snapshot, page: str) -> list[str]:
    """Each project that a heading, an item below one, or a topic file names: its state, what is known, decided and open."""
    parts: list[tuple[str, list[str]]] = []
    decisions = list(decided(snapshot))
    for name, lines in by_project(snapshot).items():
        words = set(terms(name))
        state = [line for line in lines if is_state(line)]
        open_ends = [line for line in lines if line.ticked is False]
        about = [line for line in lines if line not in state and line not in open_ends]
        chosen = [line for line in decisions if words and words <= set(terms(f"{line.context} {line.text}"))][-12:]
        parts += [(f"## {name}{' (Done)' * is_done(lines)}", [quotation(line, page) for line in state + about])]
        parts += [("### Decided", [quotation(line, page, line.day) for line in chosen])]
        parts += [("### Open", [quotation(line, page) for line in open_ends])]
    return chapters("Projects", parts)


def technology(snapshot: Snapshot, page: str) -> list[str]:
    """Lines with an address, a host, a version, a size or a path, by the heading they stand under."""
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for line in stated(snapshot, FileKind.MEMORY, FileKind.TOPIC):
        if _TECHNICAL.search(line.raw):
            parts[f"## {line.headings[-1] if line.headings else 'Other'}"].append(quotation(line, page))
    return chapters("Technology", parts.items())


def custom(snapshot: Snapshot, page: str) -> list[str]:
    """The owner's own views, `Money: euro, €, #Finance`: a word of the line is enough, and `#` names a heading."""
    parts: list[tuple[str, list[str]]] = []
    for view in snapshot.settings.palace.views:
        name, _, wanted = view.partition(":")
        marks = [mark.strip().casefold() for mark in wanted.split(",") if mark.strip()]
        heads, words = {section_key(mark[1:]) for mark in marks if mark[0] == "#"}, [m for m in marks if m[0] != "#"]
        found = [
            quotation(line, page)
            for line in stated(snapshot, FileKind.MEMORY, FileKind.TOPIC)
            if heads.intersection(map(section_key, line.headings))
            or any(word in line.text.casefold() for word in words)
        ]
        parts.append((f"## {name.strip()}", found))
    return chapters("Custom", parts)
