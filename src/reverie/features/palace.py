"""`dream palace`: memory by time, by project, by technique and by its owner's own views, as quotations with links (seed 003).

By form only: headings, labels, boxes, addresses, days. A view is made again from memory and may be deleted at any time.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from reverie.errors import Unreadable
from reverie.plan.pages import chapters, quotation
from reverie.store.disk import Disk, bytes_of
from reverie.text.days import named_days
from reverie.text.lines import clipped
from reverie.text.terms import terms
from reverie.workspace.layout import MEMORY, NOTES, FileKind, Layout
from reverie.workspace.origins import Origin
from reverie.workspace.protection import section_key
from reverie.workspace.read import read
from reverie.workspace.sections import front_matter
from reverie.workspace.snapshot import Snapshot, Statement

_HEAD = "<!-- Written by `dream palace` from memory; what is changed here is lost. -->"
_DECIDED = re.compile(r"(?:\d{1,2}:\d\d\s+)?(?:\*\*)?(?:decision|decided|决定|决策)(?:\*\*)?\s{0,3}[:：]", re.I)
_DECISIONS = {"decisions", "decided", "决定", "决策"}
_PROJECT = re.compile(r"(?:active )?(?:projects?|项目)(?:\s*[:：-]\s*|\s+|$)(?P<name>.*)", re.I)
_RUNNING = {
    "in flight",
    "in progress",
    "ongoing",
    "current state",
    "进行中",
    "当前状态",
}  # items with a name begin with it
_KEY = re.compile(r"(?:\*\*)?([^*:：—]{2,40})(?:\*\*\s{0,3}[:：—]?|\s{0,3}[:：—])")
_STATE = re.compile(r"(?:status|state|状态)\s{0,3}[:：]\s*(?P<state>.+)", re.I)
_DONE = re.compile(r"(?:done|finished|completed?|closed|完成|已完成|结束)\b", re.I)
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


def palace(layout: Layout, disk: Disk | None = None) -> Palace:
    """Make the views anew: the same memory gives the same bytes, and then nothing is written."""
    snapshot, disk = read(layout), disk or Disk()
    counts, written, left_alone = dict[str, int](), list[str](), list[str]()
    views = {"timeline": timeline, "projects": projects, "technology": technology, "custom": custom}
    for name, make in views.items():
        page = f"{NOTES}/palace/{name}.md"
        title, *lines = make(snapshot, page)
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
    return Palace(counts, tuple(written), tuple(left_alone))


def timeline(snapshot: Snapshot, page: str) -> list[str]:
    """What memory dates and what notes call decided, the newest first."""
    days: defaultdict[date, list[str]] = defaultdict(list)
    for line in _stated(snapshot, FileKind.MEMORY, FileKind.TOPIC):
        for day in named_days(line.text)[:1]:
            days[day].append(quotation(line, page))
    for line in _decided(snapshot):
        if line.day:
            days[line.day].append(quotation(line, page, line.day))
    months = {day: f"## {day:%Y-%m}\n\n" for day in sorted(days)}
    for newer, older in zip(list(months)[1:], list(months), strict=False):
        months[older] = "" if (newer.year, newer.month) == (older.year, older.month) else months[older]
    return chapters("Timeline", ((f"{months[day]}### {day}", days[day]) for day in sorted(days, reverse=True)))


def projects(snapshot: Snapshot, page: str) -> list[str]:
    """Each project that a heading, an item below one, or a topic file names: its state, what is known, decided and open."""
    parts: list[tuple[str, list[str]]] = []
    decided = list(_decided(snapshot))
    for name, lines in _by_project(snapshot).items():
        words = set(terms(name))
        state = [line for line in lines if _STATE.match(line.text)]
        open_ends = [line for line in lines if line.ticked is False]
        about = [line for line in lines if line not in state and line not in open_ends]
        chosen = [line for line in decided if words and words <= set(terms(f"{line.context} {line.text}"))][-12:]
        is_done = any(_DONE.search(_STATE.match(line.text)["state"]) for line in state if _STATE.match(line.text))  # type: ignore[index]
        parts += [(f"## {name}{' (Done)' * is_done}", [quotation(line, page) for line in state + about])]
        parts += [("### Decided", [quotation(line, page, line.day) for line in chosen])]
        parts += [("### Open", [quotation(line, page) for line in open_ends])]
    return chapters("Projects", parts)


def technology(snapshot: Snapshot, page: str) -> list[str]:
    """Lines with an address, a host, a version, a size or a path, by the heading they stand under."""
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for line in _stated(snapshot, FileKind.MEMORY, FileKind.TOPIC):
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
            for line in _stated(snapshot, FileKind.MEMORY, FileKind.TOPIC)
            if heads.intersection(map(section_key, line.headings))
            or any(word in line.text.casefold() for word in words)
        ]
        parts.append((f"## {name.strip()}", found))
    return chapters("Custom", parts)


def _stated(snapshot: Snapshot, *kinds: FileKind) -> Iterator[Statement]:
    files = (file for file in snapshot.of_kind(*kinds))
    return (line for file in files for line in file.statements if line.origin is Origin.OWNER)


def _decided(snapshot: Snapshot) -> Iterator[Statement]:
    for line in _stated(snapshot, FileKind.NOTE):
        if _DECIDED.match(line.text) or _DECISIONS.intersection(map(section_key, line.headings[1:])):
            yield line


def _by_project(snapshot: Snapshot) -> dict[str, list[Statement]]:
    """The lines of memory by the project they belong to."""
    found: defaultdict[str, list[Statement]] = defaultdict(list)
    for file in snapshot.of_kind(FileKind.MEMORY, FileKind.TOPIC):
        about = front_matter(file) if file.path != MEMORY else {}
        for line in _stated_in(file.statements):
            name = about.get("name", "") if about.get("type") == "project" else ""
            for number, heading in enumerate(line.headings):
                if match := _PROJECT.fullmatch(section_key(heading)):
                    below = (*line.headings[number + 1 :], *line.parents, line.text)
                    name = match["name"] or re.split(r"\s*[:：](?:\s|$)|\s[—–-]\s", below[0].replace("**", ""))[0]
                elif section_key(heading) in _RUNNING and (key := _KEY.match((*line.parents, line.text)[0])):
                    name = key[1]
            if name:
                found[clipped(name.strip("*_` "), 60)].append(line)
    return dict(found)


def _stated_in(lines: tuple[Statement, ...]) -> Iterator[Statement]:
    return (line for line in lines if line.origin is Origin.OWNER)
