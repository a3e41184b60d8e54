"""`dream classify`: lines of MEMORY.md into files of four types, tasks into todos.md; memory becomes their index (seed 003).

Form sorts: a label, a heading, a bare link. What form cannot tell stays where it is, unless somebody names its type.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reverie.archive.ledger import Entry, entry_of
from reverie.errors import ReverieError
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.splices import Splice, whole_lines
from reverie.store.disk import DISK, Disk
from reverie.store.journal import commit, opened
from reverie.store.runs import Run
from reverie.text.lines import clipped, line_ending, strip_eol
from reverie.text.terms import key
from reverie.workspace.layout import ABOUT_OWNER, MEMORY, TODOS, Layout
from reverie.workspace.origins import Origin
from reverie.workspace.projects import by_project, is_state
from reverie.workspace.protection import is_protected, is_secret, section_key
from reverie.workspace.read import read, require_workspace
from reverie.workspace.sections import index_line, linked_topic, slug, topic_front
from reverie.workspace.snapshot import Snapshot, Statement

TYPES = ("user", "feedback", "project", "reference")
_FATES = (*TYPES, "task")
_APPENDED = {TODOS: ("From memory", "- [ ] "), ABOUT_OWNER: ("About me", "- ")}  # where lines are put under a heading
_HEADINGS = {
    "user": "about me|about the user|user|profile|preferences|habits|用户|关于我|偏好|习惯",
    "feedback": "feedback|corrections|lessons|lessons learned|rules|style|反馈|纠正|经验教训|规则",
    "project": "decisions|architecture decisions|决定|决策",
    "reference": "reference|references|links|resources|tools|bookmarks|参考|链接|资源|工具",
    "task": "todo|todos|to do|tasks|待办|任务",
}
_LABELS = {
    "user": "preference|prefers|habit|偏好|习惯",
    "feedback": "feedback|correction|rule|lesson(?: learned)?|反馈|纠正|规则|教训",
    "project": "decision|decided|决定|决策",
    "reference": "link|reference|tool|docs|链接|参考|工具",
}
_LABEL = {name: re.compile(rf"(?:\*\*)?(?:{words})(?:\*\*)?\s{{0,3}}[:：]", re.I) for name, words in _LABELS.items()}
_LINK = re.compile(r"(?:\[[^\]]{1,200}\]\()?\w{2,10}://\S+")
_NOT_SAVED = {  # the seed's "Don't save", by form
    "git tells it": r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\bPR #\d+|\bgit (?:log|commit|rebase)\b",
    "the code tells it": r"Traceback|\w+(?:Error|Exception)\b|\b\w+\.(?:py|js|ts|go|rs):\d+|\bsrc/\S+|\b\w+\(\)",
    "it is raw conversation": r"^(?:user|assistant|human)\s{0,3}:",
}
_WHY = re.compile(r"[,;，；]?\s*\b(because|so that|since|otherwise|weil|damit|porque)\b|[,，]?(因为|以便|否则)", re.I)
_CLAUSE = re.compile(r"[.;:,。；：，!?！？]\s?|\s[–—-]\s|\s\(")


@dataclass(frozen=True)
class Sorted:
    place: str
    text: str
    kind: str  # user, feedback, project, reference, task; empty: it stays where it is
    path: str = ""  # the file it goes to
    why: str = ""


@dataclass(frozen=True)
class Classified:
    items: tuple[Sorted, ...]
    run: Run | None = None


def classify(
    layout: Layout,
    now: datetime,
    kinds: Mapping[str, str] | None = None,
    *,
    apply: bool = False,
    user_file: bool = False,
    disk: Disk = DISK,
) -> Classified:
    """Where each line of MEMORY.md belongs; with `apply` it goes there. `kinds` says the type of lines by their place.

    `user_file`: what is about the owner goes into USER.md instead of files of its own.
    """
    require_workspace(layout)
    kinds = kinds or {}
    if layout.is_hosted or not layout.topics:
        raise ReverieError("This memory has topic files of its host; nothing was changed.")
    if wrong := next((kind for kind in kinds.values() if kind not in _FATES), ""):
        raise ReverieError(f"{wrong!r} is no type; there are {', '.join(_FATES)}.")
    if not apply:
        return Classified(tuple(item for item, _ in _sorted(read(layout), kinds, user_file=user_file)))
    with opened(layout, "classify", disk):
        snapshot = read(layout)
        found = list(_sorted(snapshot, kinds, user_file=user_file))
        run = commit(_plan(snapshot, now, [pair for pair in found if pair[0].kind]), now, "classify", disk)
    return Classified(tuple(item for item, _ in found), run)


def _sorted(snapshot: Snapshot, kinds: Mapping[str, str], *, user_file: bool) -> Iterator[tuple[Sorted, Statement]]:
    """Every memory of MEMORY.md (an item with all below it, a paragraph) with its fate."""
    in_projects = {line.place for lines in by_project(snapshot).values() for line in lines}
    taken = [file.path.rpartition("/")[2].removesuffix(".md") for file in snapshot.topics]
    lines = [line for line in snapshot.file(MEMORY).statements if not (line.parents or line.is_row)]
    lines = [line for line in lines if line.origin is Origin.OWNER and not linked_topic(snapshot, line)]
    if wrong := sorted(set(kinds).difference(line.place for line in lines)):
        raise ReverieError(f"{wrong[0]!r} is no line that can be sorted; name one as MEMORY.md:4=user.")
    for line in lines:
        kind, why = _kind(line, kinds.get(line.place, ""), in_project=line.place in in_projects), ""
        whole = (line, *snapshot.file(MEMORY).below(line))
        if any(is_protected(part, snapshot.settings) or is_secret(part) for part in whole):
            kind, why = "", "it is protected, or may hold a secret"
        elif kind and not kinds.get(line.place):
            why = next((why for why, form in _NOT_SAVED.items() if re.search(form, line.text)), "")
            kind = "" if why else kind
        path = TODOS if kind == "task" else ABOUT_OWNER if kind == "user" and user_file else ""
        if kind in TYPES and not path:
            taken.append(name := slug(title_of(line), taken))
            path = snapshot.layout.topic_path(name, kind)
        yield Sorted(line.place, line.text, kind, path, why or ("" if kind else "its form does not tell")), line


def _kind(line: Statement, named: str, *, in_project: bool) -> str:
    """The type by somebody's word, by its own form, by its heading."""
    if named or is_state(line) or line.ticked:
        return named
    if line.ticked is False:
        return "task"
    if _LINK.fullmatch(line.text):
        return "reference"
    labelled = (kind for kind, form in _LABEL.items() if form.match(line.text))
    heads = [section_key(name) for name in reversed(line.headings)]
    headed = (kind for head in heads for kind, names in _HEADINGS.items() if head in names.split("|"))
    return next(labelled, "") or next(headed, "") or ("project" if in_project else "")


def title_of(line: Statement) -> str:
    """A title that a person would choose: its label, or its first clause whole."""
    if (link := _LINK.fullmatch(line.text)) and not line.text.startswith("["):
        return clipped(link[0].partition("://")[2].removeprefix("www.").rstrip("/"), 60)
    words = " ".join(re.sub(r"\*\*|`|\[([^\]]*)\]\([^)]*\)", r"\1", line.text).split())
    words = (
        re.sub(r"^[^:：]{2,20}[:：]\s*", "", words) if any(form.match(line.text) for form in _LABEL.values()) else words
    )
    clause = _CLAUSE.split(words, maxsplit=1)[0]
    short = clause if len(clause) <= 60 else clause[:60].rpartition(" ")[0] or clause[:60]
    return short.strip() or line.headings[-1]


def _plan(snapshot: Snapshot, now: datetime, chosen: Sequence[tuple[Sorted, Statement]]) -> Plan:
    memory, done = snapshot.file(MEMORY), list[Operation]()
    splices, entries, appended = list[Splice](), list[Entry](), dict[str, list[tuple[Sequence[str], str]]]()
    ending = line_ending(memory.lines)
    for item, line in chosen:
        wish = Operation(
            Op.ADD, f"it is a {item.kind}", (line.ref,), item.text, under=(item.path,), judge="owner", kind=item.kind
        )
        old, fresh = tuple(memory.lines[line.start : line.tail]), tuple[str, ...]()
        below = [strip_eol(text) for text in memory.lines[line.end : line.tail] if text.strip()]
        if item.path in _APPENDED:
            appended.setdefault(item.path, []).append(([line.text, *below], wish.id))
        else:
            title = title_of(line)
            about = re.sub(r"\[([^\[\]]*)\]\(([^()]*)\)", r"\2", line.text) if item.kind == "reference" else line.text
            fresh = (index_line(title, item.path, about, ending),)
            splices.append(Splice(item.path, 0, (), tuple(_file(line, title, item.kind, below, now, ending)), wish.id))
        splices.append(Splice(MEMORY, line.start, old, fresh, wish.id))
        category = "todo" if item.kind == "task" else "classified"
        entries.append(entry_of("".join(old).strip(), category, item.place, wish.why, now))
        done.append(wish)
    for path, said in appended.items():
        splices += _appended(snapshot, path, said)
    paths = dict.fromkeys(splice.path for splice in splices)
    whole = (whole_lines([s for s in splices if s.path == path], snapshot.file(path).lines) for path in paths)
    return Plan(snapshot, tuple(splice for part in whole for splice in part), tuple(entries), tuple(done))


def _file(line: Statement, title: str, kind: str, below: Sequence[str], now: datetime, ending: str) -> list[str]:
    """A memory in a file of its own, in the seed's form and its owner's words."""
    rule, why = line.text, ""
    if (because := _WHY.search(line.text)) and because.start() > 10:
        rule, why = line.text[: because.start()], line.text[because.start() :].lstrip(",;，； ")
    front = topic_front(title, clipped(line.text, 149), kind, f"created: {now:%Y-%m-%d}")
    body = ["## Rule / Fact", f"- {rule}", *below, "", "## Why", *[f"- {why}"] * bool(why), "", "## How to apply"]
    return [f"{text}{ending}" for text in (*front, *body)]


def _appended(snapshot: Snapshot, path: str, said: Sequence[tuple[Sequence[str], str]]) -> list[Splice]:
    """Lines at the end of a file of the owner's, under a heading of their own; what stands there is not said again."""
    file, (heading, mark) = snapshot.file(path), _APPENDED[path]
    ending, known = line_ending(file.lines), {key(line.text) for line in file.statements}
    unsaid = (([f"{mark}{text}", *below], by) for (text, *below), by in said if below or key(text) not in known)
    fresh = [([f"{line}{ending}" for line in lines], by) for lines, by in unsaid]
    has_heading = any(line.strip("# \r\n") == heading for line in file.lines)
    gap = [ending] * bool(file.lines and file.lines[-1].strip())
    head = () if has_heading else (*gap, f"## {heading}{ending}", ending)
    lines = [(*head, *new) if number == 0 else tuple(new) for number, (new, _) in enumerate(fresh)]
    return [Splice(path, len(file.lines), (), new, by) for new, (_, by) in zip(lines, fresh, strict=True)]
