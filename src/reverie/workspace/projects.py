"""What memory says about projects, by form; and when memories of one matter became knowledge: then a page is proposed, once,
and made with a yes (seed 003). A project is named by a heading, an item below one, or a topic file."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from reverie.operations import Op, Operation
from reverie.text.lines import clipped
from reverie.text.terms import stems
from reverie.workspace.layout import KNOWLEDGE, MEMORY, FileKind
from reverie.workspace.origins import Origin
from reverie.workspace.protection import section_key
from reverie.workspace.sections import front_matter, linked_topic
from reverie.workspace.snapshot import Snapshot, Statement

_DECIDED = re.compile(r"(?:\d{1,2}:\d\d\s+)?(?:\*\*)?(?:decision|decided|决定|决策)(?:\*\*)?\s{0,3}[:：]", re.I)
_DECISIONS = {"decisions", "decided", "决定", "决策"}
_PROJECT = re.compile(r"(?:active )?(?:projects?|项目)(?:\s*[:：-]\s*|\s+|$)(?P<name>.*)", re.I)
# Items with a name begin with it.
_RUNNING = {"in flight", "in progress", "ongoing", "current state", "进行中", "当前状态"}
_KEY = re.compile(r"(?:\*\*)?([^*:：—]{2,40})(?:\*\*\s{0,3}[:：—]?|\s{0,3}[:：—])")
_STATE = re.compile(r"(?:status|state|状态)\s{0,3}[:：]\s*(?P<state>.+)", re.I)
_DONE = re.compile(r"(?:(?:done|finished|completed?|closed)\b|(?:已经?)?(?:完成|结束)(?!度|\s*\d))", re.I)
POSTMORTEM, STYLE, PLAYBOOK = (
    f"{KNOWLEDGE}/{name}.md" for name in ("project-postmortem", "user-work-style-guide", "user-playbook")
)
TRACKER = f"{KNOWLEDGE}/project-tracker.md"
_ENOUGH = 3  # related memories, as the seed counts
_HEADINGS = {"feedback": "feedback", "反馈": "feedback", "about me": "user", "about the user": "user", "用户": "user"}


def stated(snapshot: Snapshot, *kinds: FileKind) -> Iterator[Statement]:
    files = (file for file in snapshot.of_kind(*kinds))
    return (line for file in files for line in file.statements if line.origin is Origin.OWNER)


def decided(snapshot: Snapshot) -> Iterator[Statement]:
    for line in stated(snapshot, FileKind.NOTE):
        if _DECIDED.match(line.text) or _DECISIONS.intersection(map(section_key, line.headings[1:])):
            yield line


def by_project(snapshot: Snapshot) -> dict[str, list[Statement]]:
    """The lines of memory by the project they belong to. A topic file whose line in MEMORY.md stands below a project, or
    among the decisions, is a part of that and no project of its own."""
    found: defaultdict[str, list[Statement]] = defaultdict(list)
    placed = set[str]()
    for file in (*snapshot.of_kind(FileKind.MEMORY), *snapshot.topics):
        about = front_matter(file) if file.path not in {MEMORY, *placed} else {}
        for line in (line for line in file.statements if line.origin is Origin.OWNER):
            name = about.get("name", "") if about.get("type") == "project" else ""
            for number, heading in enumerate(line.headings):
                if match := _PROJECT.fullmatch(section_key(heading)):
                    below = (*line.headings[number + 1 :], *line.parents, line.text)
                    name = match["name"] or re.split(r"\s*[:：](?:\s|$)|\s[—–-]\s", below[0].replace("**", ""))[0]
                elif section_key(heading) in _RUNNING and (key := _KEY.match((*line.parents, line.text)[0])):
                    name = key[1]
            if name or _DECISIONS.intersection(map(section_key, line.headings)):
                placed.add(linked_topic(snapshot, line))
            if name:
                found[clipped(name.strip("*_` "), 60)].append(line)
    return dict(found)


def is_done(lines: list[Statement]) -> bool:
    """Whether its state says that a project is over, or all of its boxes are ticked."""
    boxes = [line.ticked for line in lines if line.ticked is not None]
    states = [match["state"] for line in lines if (match := _STATE.match(line.text))]
    return any(map(_DONE.match, states)) or (bool(boxes) and all(boxes))


def is_state(line: Statement) -> bool:
    return _STATE.match(line.text) is not None


def proposals(snapshot: Snapshot) -> Iterator[Operation]:
    """A question for each page that memory has enough for."""
    for page, count in ((page, len(lines)) for page, lines in ready(snapshot).items()):
        what = {
            POSTMORTEM: "lines on finished projects",
            STYLE: "related feedback entries",
            PLAYBOOK: "entries about you",
        }[page]
        question = f"Found {count} {what}: merge them into {page}?"
        yield Operation(
            Op.ASK, "they are about one matter", under=(page,), judge="rules", question=question, kind="page"
        )


def ready(snapshot: Snapshot) -> dict[str, list[Statement]]:
    """The pages that memory has enough for, with the lines that each would quote."""
    found: dict[str, list[Statement]] = {}
    over = [
        line for lines in by_project(snapshot).values() if len(lines) >= _ENOUGH and is_done(lines) for line in lines
    ]
    candidates = {
        POSTMORTEM: over,
        STYLE: _related(_of_type(snapshot, "feedback")),
        PLAYBOOK: _of_type(snapshot, "user"),
    }
    free = (
        {} if snapshot.layout.is_hosted else {page: c for page, c in candidates.items() if page not in snapshot.unread}
    )
    for page, lines in free.items():
        said = "".join(snapshot.file(page).lines)
        fresh = [line for line in lines if line.text not in said]
        if len(fresh) >= _ENOUGH:
            found[page] = fresh
    return found


def _of_type(snapshot: Snapshot, kind: str) -> list[Statement]:
    """The first line of each memory of a type: of topic files by their front matter, of MEMORY.md by the heading."""
    lines = [
        file.statements[0] for file in snapshot.topics if front_matter(file).get("type") == kind and file.statements
    ]
    named = stated(snapshot, FileKind.MEMORY)
    return lines + [line for line in named if any(_HEADINGS.get(section_key(name)) == kind for name in line.headings)]


def _related(lines: Sequence[Statement]) -> list[Statement]:
    """The largest group of lines that share a word."""
    said = [stems(line.text) for line in lines]
    common = Counter(stem for words in said for stem in words).most_common(1)
    return [line for line, words in zip(lines, said, strict=True) if common and common[0][0] in words]
