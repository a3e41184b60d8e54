"""Where lines belong: the sections of MEMORY.md, topic files, and the `## Dream` list at its end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from reverie.text.lines import utf16_len
from reverie.text.markdown import Block, Kind, blocks, headings_above
from reverie.text.regions import Region
from reverie.text.terms import folded, terms
from reverie.workspace.layout import MEMORY
from reverie.workspace.protection import section_key
from reverie.workspace.snapshot import File, Snapshot
from reverie.workspace.topics import front_matter, linked_topic

DREAM_SECTION = "Dream"
DREAM_LINES = 5  # seed 000
LONGEST_DREAM_LINE = 140  # characters
_STATED = frozenset({Kind.HEADING, Kind.ITEM, Kind.TEXT, Kind.ROW, Kind.HEAD, Kind.QUOTE})
_FOOTER = re.compile(r"[*_(]{0,2}(?:last updated|最后更新).{0,60}", re.I)


class Place(NamedTuple):
    path: str
    at: int
    needs_gap: bool = False  # a blank line before it, because the line above is neither item nor heading


def find_place(snapshot: Snapshot, under: Sequence[str]) -> Place | None:
    """Behind the last line of the section that is meant; None where there is no such section."""
    memory = snapshot.file(MEMORY)
    if not under:
        return _end_of(memory, _body(memory)) if memory.lines else None
    if topic := _topic(snapshot, under[0]):
        inner = section_end(topic, under[1:]) if under[1:] else None
        return inner or _end_of(topic, blocks(topic.lines))
    found = section_end(memory, under)
    return found or next((place for topic in snapshot.topics if (place := section_end(topic, under))), None)


def section_end(file: File, under: Sequence[str]) -> Place | None:
    """Behind what a section states. The whole path of headings decides between sections of one name."""
    wanted = [_name(heading) for heading in reversed(under)]
    best, heading, section = 0, None, list[Block]()
    for block, above in headings_above(_body(file)):
        if block.kind is Kind.HEADING:
            path = [_name(head.text) for head in reversed(above)]
            agreeing = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, wanted, strict=False)))
            if agreeing > best:
                best, heading, section = agreeing, block, []
                continue
        if heading and above and above[-1] is heading:
            section.append(block)
    return _end_of(file, [heading, *section]) if heading else None


def body_end(file: File) -> Place:
    """Where a new section is made: before the list of the archive and a footer."""
    return _end_of(file, _body(file))


def links_end(snapshot: Snapshot) -> Place:
    """Behind the last line that tells of a topic file."""
    memory = snapshot.file(MEMORY)
    ends = [statement.tail for statement in memory.statements if linked_topic(snapshot, statement)]
    return Place(MEMORY, max(ends)) if ends else body_end(memory)


def dream_section(file: File) -> tuple[int, int] | None:
    """The lines below the owner's `## Dream` heading."""
    found = blocks(file.lines)
    for number, block in enumerate(found):
        if block.kind is Kind.HEADING and block.level == 2 and section_key(block.text) == DREAM_SECTION.lower():
            following = (other.start for other in found[number + 1 :] if other.kind is Kind.HEADING)
            return block.end, next(following, len(file.lines))
    return None


def dream_reserve(file: File) -> int:
    """The characters that a full `## Dream` list would still need: a night leaves room for them."""
    section = dream_section(file)
    if section is None:
        return 0
    lines = file.lines[section[0] : section[1]]
    used = sum(utf16_len(line) for line in lines if "<!-- dream:" in line)
    return max(0, DREAM_LINES * LONGEST_DREAM_LINE - used)


def _topic(snapshot: Snapshot, name: str) -> File | None:
    """The topic file that a name means: its path, its file name, or what its front matter calls it."""
    wanted = _name(name)
    for file in snapshot.topics:
        stem = file.path.rpartition("/")[2].removesuffix(".md")
        if wanted in {_name(file.path), _name(f"{stem}.md"), _name(stem), _name(front_matter(file).get("name", ""))}:
            return file
    return None


def best_section(snapshot: Snapshot, words: set[str], headings: Sequence[str]) -> tuple[str, ...]:
    """The section (of MEMORY.md or of a topic) that shares most words with a note; empty where none shares any."""
    best: tuple[str, ...] = ()
    most = 0.0
    heading_words = set(terms(" ".join(headings)))
    closed = {DREAM_SECTION.lower(), *map(section_key, snapshot.settings.dream.protected)}
    for statement in snapshot.memory:
        names = statement.headings if statement.path == MEMORY else (statement.path, *statement.headings)
        said = set(terms(" ".join(names)))
        score = 2.0 * len(said & heading_words) + len(said & words)
        if score > most and not any(section_key(name) in closed for name in names):
            best, most = names, score
    return best


def _body(file: File) -> list[Block]:
    """The blocks before the dream's own section and before a footer."""
    found = blocks(file.lines)
    for number, block in enumerate(found):
        if block.kind is Kind.HEADING and block.level <= 2 and section_key(block.text) == DREAM_SECTION.lower():
            return found[:number]
    stated = [number for number, block in enumerate(found) if block.kind in _STATED]
    is_footer = stated and _FOOTER.fullmatch(found[stated[-1]].text)
    return found[: stated[-1]] if is_footer else found


def _end_of(file: File, section: Sequence[Block]) -> Place:
    """Behind the last thing that is stated; below the comment that explains an empty section."""
    stated = [block for block in section if block.kind in _STATED]
    if not stated:
        at = section[-1].end if section and not any(block.region for block in section) else 0
        at = max([at, *(block.end for block in section if block.region is Region.FRONT_MATTER)])
        return Place(file.path, at)
    last, at = stated[-1], stated[-1].tail
    if last.kind is Kind.HEADING:
        following = next((block for block in section if block.start >= at and file.lines[block.start].strip()), None)
        if following and following.region is Region.COMMENT and "-->" in file.lines[following.end - 1]:
            at = following.end
    return Place(file.path, at, last.kind not in {Kind.HEADING, Kind.ITEM} and last.parent is None)


def _name(heading: str) -> str:
    """A heading as its writer may copy it: case, signs and spaces aside."""
    return " ".join(folded(heading.strip("# \t")).split())
