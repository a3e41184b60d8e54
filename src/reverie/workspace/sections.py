"""Where lines belong: the sections of MEMORY.md, topic files with the lines that tell of them, the `## Dream` list."""

import os
import re
import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

import msgspec

from reverie.text.lines import clipped, strip_eol, utf16_len
from reverie.text.markdown import Block, Kind, headings_above
from reverie.text.regions import Region
from reverie.text.terms import folded, terms
from reverie.workspace.layout import MEMORY, FileKind
from reverie.workspace.protection import section_key
from reverie.workspace.snapshot import File, Snapshot, Statement

DREAM_LINES = 5  # seed 000
LONGEST_DREAM_LINE = 140  # characters
_STATED = frozenset({Kind.HEADING, Kind.ITEM, Kind.TEXT, Kind.ROW, Kind.HEAD, Kind.QUOTE})
FOOTER = re.compile(r"[*_(]{0,2}(?:last updated|最后更新).{0,60}", re.I)
_LINK = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+\[([^\[\]\n]{1,200})\]\(<?([^()<>\s]{1,200})>?\)")
_INDEX_LINE = 149  # characters: seed 003 wants fewer than 150
_NEW = re.compile(r"new(?: topic)?\s{0,3}[:：]\s{0,3}", re.I)


class Place(NamedTuple):
    path: str
    at: int
    needs_gap: bool = False  # a blank line before it, because the line above is neither item nor heading


def find_place(snapshot: Snapshot, under: Sequence[str]) -> Place | None:
    """Behind the last line of the section that is meant; None where there is no such section."""
    memory = snapshot.file(MEMORY)
    if not under:
        return body_end(memory) if memory.lines else None
    for file in snapshot.topics:  # named by its path, its file name, or its front matter
        base = os.path.basename(file.path)
        names = (file.path, base, base.removesuffix(".md"), front_matter(file).get("name", ""))
        if _name(under[0]) in map(_name, names):
            return section_end(file, under[1:]) or _end_of(file, file.blocks)
    return next(filter(None, (section_end(file, under) for file in (memory, *snapshot.topics))), None)


def section_end(file: File, under: Sequence[str]) -> Place | None:
    """Behind what a section states. The whole path of headings decides between sections of one name."""
    wanted = [_name(heading) for heading in reversed(under)]
    found, best, meant = list(headings_above(_owned(file))), 0, None
    for heading, above in ((block, above) for block, above in found if block.kind is Kind.HEADING):
        pairs = zip((_name(block.text) for block in reversed(above)), wanted, strict=False)
        agreeing = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        best, meant = (agreeing, heading) if agreeing > best else (best, meant)
    return _end_of(file, [block for block, above in found if above and above[-1] is meant]) if meant else None


def body_end(file: File) -> Place:
    """Where a new section is made: before the list of the archive and a footer."""
    return _end_of(file, _body(file))


def links_end(snapshot: Snapshot) -> Place:
    """Behind the last line that tells of a topic file."""
    memory = snapshot.file(MEMORY)
    ends = [line.tail for line in memory.statements if linked_topic(snapshot, line)]
    return Place(MEMORY, max(ends)) if ends else body_end(memory)


def dream_section(file: File) -> tuple[int, int] | None:
    """The lines below the owner's `## Dream` heading."""
    found = file.blocks
    for number, block in enumerate(found):
        if _is_dream(block):
            following = (other.start for other in found[number + 1 :] if other.kind is Kind.HEADING)
            return block.end, next(following, len(file.lines))
    return None


def dream_reserve(file: File) -> int:
    """The characters that a full `## Dream` list would still need: a night leaves room for them."""
    if not (section := dream_section(file)):
        return 0
    used = sum(utf16_len(line) for line in file.lines[slice(*section)] if "<!-- dream:" in line)
    return max(0, DREAM_LINES * LONGEST_DREAM_LINE - used)


def best_section(snapshot: Snapshot, words: set[str], headings: Sequence[str]) -> tuple[str, ...]:
    """The section (of MEMORY.md or of a topic) that shares most words with a note; empty where none shares any."""
    heading_words = set(terms(" ".join(headings)))
    closed = {"dream", *map(section_key, snapshot.settings.dream.protected)}
    scores: dict[tuple[str, ...], int] = {}
    for statement in snapshot.memory:
        names = statement.headings if statement.path == MEMORY else (statement.path, *statement.headings)
        if names not in scores:
            said, is_closed = set(terms(" ".join(names))), any(section_key(name) in closed for name in names)
            scores[names] = 0 if is_closed else 2 * len(said & heading_words) + len(said & words)
    best = max(scores, key=scores.__getitem__, default=())
    return best if scores.get(best) else ()


def _body(file: File) -> list[Block]:
    """The blocks before the dream's own section and before a footer."""
    before = list(takewhile(lambda block: not _is_dream(block), file.blocks))
    return before if len(before) < len(file.blocks) else _unfooted(before)


def _owned(file: File) -> list[Block]:
    """The blocks without the dream's own section, wherever it stands, and without a footer."""
    found, is_ours, owned = file.blocks, False, list[Block]()
    for block in found:
        is_ours = _is_dream(block) if 0 < block.level <= 2 else is_ours
        owned += [] if is_ours else [block]
    return _unfooted(owned)


def _is_dream(block: Block) -> bool:
    return block.level == 2 and section_key(block.text) == "dream"


def _unfooted(found: list[Block]) -> list[Block]:
    last = max((number for number, block in enumerate(found) if block.kind in _STATED), default=None)
    return found[:last] if last is not None and FOOTER.fullmatch(found[last].text) else found


def _end_of(file: File, section: Sequence[Block]) -> Place:
    """Behind the last thing that is stated; below the comment that explains an empty section."""
    stated = [block for block in section if block.kind in _STATED]
    if not stated:
        at = section[-1].end if section and not any(block.region for block in section) else 0
        return Place(file.path, max([at, *(block.end for block in section if block.region is Region.FRONT_MATTER)]))
    last, at = stated[-1], stated[-1].tail
    if last.kind is Kind.HEADING:
        following = next((block for block in section if block.start >= at and file.lines[block.start].strip()), None)
        if following and following.region is Region.COMMENT and "-->" in file.lines[following.end - 1]:
            at = following.end
    return Place(file.path, at, last.kind not in {Kind.HEADING, Kind.ITEM} and last.parent is None)


def _name(heading: str) -> str:
    """A heading as its writer may copy it: case, signs and spaces aside."""
    return " ".join(folded(heading.strip("# \t")).split())


def topic_title(snapshot: Snapshot, under: Sequence[str]) -> str | None:
    """The title of a new topic file, where a line asks for one."""
    has_topics = not snapshot.layout.topics or snapshot.topics
    return _NEW.sub("", under[0]).strip() if has_topics and under and _NEW.match(under[0]) else None


def new_topic(title: str, kind: str, text: str, ending: str) -> list[str]:
    """A topic file with one line, in Claude Code's and seed 003's form."""
    return [f"{line}{ending}" for line in (*topic_front(title, clipped(text, 140), kind), f"- {text}")]


def topic_front(title: str, description: str, kind: str, *more: str) -> list[str]:
    """The front matter of a topic file, with the blank line behind it."""
    return ["---", f"name: {scalar(title)}", f"description: {scalar(description)}", f"type: {kind}", *more, "---", ""]


def index_line(title: str, path: str, description: str, ending: str) -> str:
    """The line of MEMORY.md that tells of a topic file; what its title says already is not said again."""
    description = description.removeprefix(title).lstrip(" ,.:;，。：；—–-") or description
    name = title.replace("[", "(").replace("]", ")")
    return clipped(f"- [{name}]({path}) — {' '.join(description.split())}", _INDEX_LINE) + ending


def linked_topic(snapshot: Snapshot, statement: Statement) -> str:
    """The topic file that a line of MEMORY.md tells of; empty for every other line."""
    link = _LINK.match(statement.raw) if statement.path == MEMORY else None
    path = link[2].removeprefix("./") if link else ""
    return path if path and snapshot.layout.kind(path) is FileKind.TOPIC else ""


def front_matter(file: File) -> dict[str, str]:
    front = [block for block in file.blocks[:1] if block.region is Region.FRONT_MATTER]
    pairs = (strip_eol(line).partition(":") for block in front for line in file.lines[block.start + 1 : block.end - 1])
    return {name.strip(): value.strip().strip("\"'") for name, colon, value in pairs if colon}


def slug(title: str, taken: Sequence[str]) -> str:
    """A file name of a title, in its own script: up to five words."""
    name = "_".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFC", title).casefold())[:5] or ["topic"])[:40]
    return next(other for other in (name, *(f"{name}_{number}" for number in range(2, 1000))) if other not in taken)


def scalar(text: str) -> str:
    """A value of YAML that every reader takes for this text."""
    is_plain = re.fullmatch(r"[^\W\d_][^:#\[\]{}&*!|>'\"%@`\n]*", words := " ".join(text.split()))
    return words if is_plain else msgspec.json.encode(words).decode()
