"""A document model over the owner's bytes: blocks that know their lines, never a renderer.

`parse` reads any text and `"".join(document.lines)` is that text again, byte for byte. Nobody below or above renders Markdown: a
change is a splice of whole lines (`reverie.workspace.values.Edit`). Why an own scanner and not a CommonMark parser:
docs/internals/design/001-markdown.md.

Front matter, fences, comments and conflicts are regions whose lines are not the owner's statements. Finding them errs on the side
of leaving text alone, but never swallows the rest of a file because one marker is missing: an unclosed fence ends at the owner's
next section, an unclosed comment at the next blank line. Only an unclosed conflict is believed to the end, since there both halves
may be the owner's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from reverie.text.lines import BOM, LONGEST, SEPARATOR, bare, split_lines
from reverie.text.managed import managed_lines, unbalanced


class Shape(StrEnum):
    HEADING = "heading"
    BULLET = "bullet"
    NUMBERED = "numbered"
    PARAGRAPH = "paragraph"
    ROW = "row"  # one row of a table; its header and ruler are HEADER
    HEADER = "header"
    QUOTE = "quote"
    RULE = "rule"
    CODE = "code"
    FRONT = "front-matter"
    MANAGED = "managed"
    COMMENT = "comment"
    CONFLICT = "conflict"
    RECALLED = "recalled"


_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d{1,9}[.)]\s+|>\s?)*(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_FRONT_KEY = re.compile(r"[\w\"'-]+\s*:")
_OPENS = re.compile(r"`{3}|~{3}|[<>]|BEGIN_")  # what the first line of a region holds
_SECTION = re.compile(r"#{2,6}\s+\S")
_CONFLICT_START, _CONFLICT_END = re.compile(r"<{7}(?:\s|$)"), re.compile(r">{7}(?:\s|$)")
_FAR = 400  # a comment or tag that is not closed within so many lines was never closed
# What a host injects stands in an element whose name has several words (`<relevant-memories>`, `<tool_result id="7">`), which no
# element of HTML has, or between markers in capitals (`BEGIN_QUOTED_NOTES`, `<<<EXTERNAL_CONTENT>>>`).
_ELEMENT = re.compile(
    r"\s*(?:[-*+>]\s+)?(?:\w[\w ]{0,30}:\s*)?<([a-z][a-z0-9]*[-_][a-z0-9_-]*)(?:\s[^<>]{0,200})?>(?P<alone>\s*$)?", re.I
)
_MARKER = re.compile(
    r"\s*(?:<<<(?!END_)(?:BEGIN_)?|BEGIN_)([A-Z][A-Z0-9]*_[A-Z0-9_]*)\b[^>]{0,80}(?P<alone>(?:>>>)?\s*$)"
)


def opaque_lines(lines: Sequence[str]) -> tuple[dict[int, Shape], frozenset[str]]:
    """What each opaque line is, and what about the file gives reason to doubt."""
    regions: dict[int, Shape] = dict.fromkeys(managed_lines(lines), Shape.MANAGED)
    doubts: set[str] = set()
    i = _front_matter(lines, regions)
    while i < len(lines):
        i = _region_at(lines, i, regions, doubts) if i not in regions else i + 1
    return regions, frozenset(doubts)


def _front_matter(lines: Sequence[str], regions: dict[int, Shape]) -> int:
    # A rule, some text and another rule is not front matter: that begins with a key.
    if len(lines) < 2 or lines[0].removeprefix(BOM).rstrip() != "---" or not _FRONT_KEY.match(lines[1]):
        return 0
    for end in range(1, len(lines)):
        if lines[end].rstrip() in ("---", "..."):
            regions.update(dict.fromkeys(range(end + 1), Shape.FRONT))
            return end + 1
    return 0


def _region_at(lines: Sequence[str], i: int, regions: dict[int, Shape], doubts: set[str]) -> int:
    """Mark the region that begins at line i, if one does; return the line to go on with."""
    line = lines[i]
    if not _OPENS.search(line):
        return i + 1  # nearly every line: the patterns below go over its indentation, which a stranger may make long
    if fence := _FENCE.match(line):
        if not (fence["mark"][0] == "`" and "`" in fence["info"]):
            return _mark(regions, i, _fence_end(lines, i, fence["mark"], doubts), Shape.CODE)
    elif line.lstrip().startswith("<!--"):
        return _mark(regions, i, _comment_end(lines, i, doubts), Shape.COMMENT)
    elif _CONFLICT_START.match(line):
        doubts.add("conflict markers")
        end = next((j for j in range(i + 1, len(lines)) if _CONFLICT_END.match(lines[j])), len(lines) - 1)
        return _mark(regions, i, end + 1, Shape.CONFLICT)
    elif _CONFLICT_END.match(line):
        doubts.add("conflict markers")
        return _mark(regions, i, i + 1, Shape.CONFLICT)
    elif tag := _ELEMENT.match(line):
        return _injected(lines, i, tag, f"</{tag[1]}", regions)
    elif marker := _MARKER.match(line):
        return _injected(lines, i, marker, f"END_{marker[1]}", regions)
    return i + 1


def _injected(lines: Sequence[str], i: int, opened: re.Match[str], close: str, regions: dict[int, Shape]) -> int:
    """Mark what a host injected. Unclosed it ends at a blank line, and words behind an unclosed tag are a person's `<my-host>`."""
    end = next((j + 1 for j in range(i, min(i + _FAR, len(lines))) if close in lines[j]), None)
    if end is None and opened["alone"] is None:
        return i + 1
    return _mark(regions, i, end or _blank_after(lines, i), Shape.RECALLED)


def _mark(regions: dict[int, Shape], first: int, end: int, what: Shape) -> int:
    for i in range(first, end):
        regions.setdefault(i, what)  # what a dream wrote stays a dream's, whatever fence it holds
    return end


def _fence_end(lines: Sequence[str], start: int, mark: str, doubts: set[str]) -> int:
    """One past the closing fence; for an unclosed one, the owner's next section or the end."""
    resume: int | None = None
    for j in range(start + 1, len(lines)):
        inner = _FENCE.match(lines[j])
        if inner and inner["mark"][0] == mark[0] and len(inner["mark"]) >= len(mark):
            if not inner["info"].strip():
                return j + 1
            if resume is not None:  # another fence opens after a section began: ours was never closed
                break
        elif resume is None and _SECTION.match(lines[j]) and not lines[j - 1].strip():
            resume = j
    doubts.add("an unclosed code fence")
    return len(lines) if resume is None else resume


def _comment_end(lines: Sequence[str], start: int, doubts: set[str]) -> int:
    for j in range(start, min(start + _FAR, len(lines))):
        if "-->" in lines[j]:
            return j + 1
    doubts.add("an unclosed comment")
    return _blank_after(lines, start)


def _blank_after(lines: Sequence[str], start: int) -> int:
    return next((j for j in range(start + 1, len(lines)) if not lines[j].strip()), len(lines))


MIXED_ENDINGS = "bare carriage returns among other line endings"
# The shapes that state something; all others only surround statements.
STATEMENTS = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH, Shape.ROW, Shape.QUOTE, Shape.CODE})


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that belong together. Indexes count from zero; `end` is one past the last line.

    A list item owns its continuation lines but not its sub-items; `tail` is one past the last of those.
    """

    shape: Shape
    first: int
    end: int
    text: str = ""
    depth: int = 0
    parent: int | None = None  # index of the list item, or of the table header, this one hangs on
    heading: int | None = None  # index of the heading it stands under
    level: int = 0  # of a heading
    checked: bool | None = None  # of a checkbox; None is no checkbox
    key: str = ""  # of `**Key:** …`
    tail: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """The lines of a file with their endings, and the blocks they form."""

    lines: tuple[str, ...]
    blocks: tuple[Block, ...]
    doubts: frozenset[str] = frozenset()

    def headings_of(self, block: Block) -> tuple[str, ...]:
        """The path of headings above a block, outermost first."""
        return tuple(self.blocks[i].text for i in reversed(tuple(self._above(block.heading))))

    def parents_of(self, block: Block) -> tuple[str, ...]:
        """The list items a sub-item hangs on, outermost first; for a table row, its header."""
        found: list[str] = []
        above = block.parent
        while above is not None:
            found.append(self.blocks[above].text)
            above = self.blocks[above].parent
        return tuple(reversed(found))

    def _above(self, heading: int | None) -> Iterator[int]:
        while heading is not None:
            yield heading
            heading = self.blocks[heading].heading


_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<marker>[-*+•]|\d{1,9}[.)])(?P<gap>[ \t]+|$)|(?P<zh_indent>[ \t]*)(?P<zh>\d{1,3}、)[ \t]*"
)
_RULE = re.compile(rf" {{0,3}}(?:([-*_])(?:[ \t]*\1){{2,}}|{SEPARATOR})[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_RULER = re.compile(r"[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$")
_CHECK = re.compile(r"\[([ xX\-~/✓✔])\][ \t]+")
_KEY = re.compile(r"(?:\*\*|__)(?P<key>[^*_\n]{1,80}?)(?:[:：][ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])")
# Who speaks in a conversation that was written down: each turn is a statement of its own, blank line or not.
TURN = re.compile(r"(?:\*\*)?(?P<role>user|human|assistant|ai|system|tool)(?:\*\*)?\s*:(?:\*\*)?(?:\s+|$)", re.I)
_GOES_ON = (",", "，", "、", ";", "；", "(", "（", "—", "–", "\\")  # a line that ends so is not at its end
WRAPPED = 0.7  # share of its lines that end at the edge in prose that was wrapped
_ENDLESS = 1 << 30
NARROW = 72  # columns: hardly anybody wraps prose more narrowly
_FLOWING = frozenset({Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH})  # may run over several lines


DEEPEST = 64  # levels of a list that are told apart
OVERLONG = "a passage too long to be read whole"
TOO_DEEP = "a list nested too deeply to be read whole"


def parse(text: str, *, by_line: bool = False) -> Document:
    """Read any text. Never fails, never loses a byte, and takes time linear in its length.

    `by_line`: the lines of a paragraph that somebody broke on purpose are statements of their own, as people write notes.
    """
    lines = split_lines(text)
    naked = [bare(line) for line in lines]
    if naked:
        naked[0] = naked[0].removeprefix(BOM)
    regions, doubts = opaque_lines(naked)
    if unbalanced(naked):
        doubts |= {"unbalanced dream markers"}
    if _mixes_carriage_returns(lines):
        doubts |= {MIXED_ENDINGS}
    blocks = _Scanner(naked, regions, by_line=by_line).blocks()
    if any(len(block.text) > LONGEST for block in blocks):
        doubts |= {OVERLONG}
    if any(block.depth >= DEEPEST for block in blocks):
        doubts |= {TOO_DEEP}
    return Document(lines, blocks, doubts)


def _mixes_carriage_returns(lines: tuple[str, ...]) -> bool:
    """A bare \\r next to a \\n that was another line's would be read as one ending: such a file cannot be cut safely."""
    return any(line.endswith("\r") for line in lines) and any(line.endswith("\n") for line in lines)


class _Scanner:
    """One pass over the lines. The state is what a person keeps in mind: which list, which section."""

    def __init__(self, lines: list[str], regions: dict[int, Shape], *, by_line: bool) -> None:
        self.lines, self.regions = lines, regions
        self.widths = _widths(lines) if by_line else None
        self.found: list[Block] = []
        self.items: list[tuple[int, int, int]] = []  # open list items: indent, content column, block index
        self.sections: list[int] = []  # open headings: block index
        self.blank = True  # whether the line above was blank
        self.table: int | None = None

    def blocks(self) -> tuple[Block, ...]:
        i = 0
        while i < len(self.lines):
            i = self._take(i)
        return tuple(_finished(self.found, self.lines))

    def _take(self, i: int) -> int:
        line = self.lines[i]
        if i in self.regions:
            return self._opaque(i)
        if not line.strip():
            self.blank, self.table = True, None
            return i + 1
        end = self._starts(i, line) or self._continues(i, line) or self._paragraph(i, line)
        self.blank = False
        return end

    def _opaque(self, i: int) -> int:
        what, end = self.regions[i], i
        while self.regions.get(end) is what:
            end += 1
        text = " ".join(self.lines[i:end]).strip() if what is Shape.CODE else ""
        self._add(what, i, end, text, parent=self._owner(self.lines[i]))
        self.blank = False
        return end

    def _starts(self, i: int, line: str) -> int | None:
        """The line opens a block of its own."""
        if heading := _HEADING.match(line):
            return self._heading(i, i + 1, len(heading[1]), _without_closing_hashes(line[heading.end() :].strip()))
        if _RULE.match(line):
            self._close_list()
            self._add(Shape.RULE, i, i + 1)
            return i + 1
        if line.lstrip().startswith(">"):
            return self._quote(i)
        if item := _ITEM.match(line):
            return self._item(i, line, item)
        if self.table is not None and "|" in line:
            self._add(Shape.ROW, i, i + 1, line.strip(), parent=self.table)
            return i + 1
        below = self.lines[i + 1] if i + 1 < len(self.lines) and i + 1 not in self.regions else ""
        if "|" in line and "|" in below and _RULER.match(below):
            self._close_list()
            self.table = len(self.found)
            self._add(Shape.HEADER, i, i + 2, line.strip())
            return i + 2
        if _UNDERLINE.match(below) and not self.items:
            return self._heading(i, i + 2, 1, line.strip())
        return None

    def _heading(self, i: int, end: int, level: int, text: str) -> int:
        self._close_list()
        while self.sections and self.found[self.sections[-1]].level >= level:
            self.sections.pop()
        self._add(Shape.HEADING, i, end, text, level=level)
        self.sections.append(len(self.found) - 1)
        return end

    def _quote(self, i: int) -> int:
        end = i
        while end < len(self.lines) and end not in self.regions and self.lines[end].lstrip().startswith(">"):
            end += 1
        text = " ".join(line.lstrip().lstrip("> \t") for line in self.lines[i:end])
        self._add(Shape.QUOTE, i, end, text.strip(), parent=self._owner(self.lines[i]))
        return end

    def _item(self, i: int, line: str, match: re.Match[str]) -> int:
        indent = _columns(match["indent"] or match["zh_indent"] or "")
        content = _columns(line[: match.end()])
        # A child is indented past its parent's marker; one stray space does not make a sub-item.
        while self.items and indent < self.items[-1][0] + 2:
            self.items.pop()
        self.table = None
        depth = min(
            len(self.items), DEEPEST
        )  # what stands deeper hangs on the same item: nobody thinks in twenty levels
        parent = self.items[depth - 1][2] if depth else None
        text, checked = line[match.end() :].strip(), None
        if check := _CHECK.match(text + " "):
            checked, text = check[1] not in (" ", "-", "~", "/"), text[check.end() :].strip()
        shape = Shape.BULLET if (match["marker"] or "0") in "-*+•" else Shape.NUMBERED
        key = _KEY.match(text)
        self._add(
            shape, i, i + 1, text,
            depth=depth, parent=parent, checked=checked, key=key["key"].strip() if key else "",
        )  # fmt: skip
        self.items.append((indent, content, len(self.found) - 1))
        return i + 1

    def _continues(self, i: int, line: str) -> int | None:
        """The line belongs to the list item or paragraph above it."""
        last = self.found[-1] if self.found else None
        flows = last is not None and last.shape in _FLOWING
        if last is not None and flows and not self.blank and last.end == i:
            if TURN.match(line):
                return self._paragraph(i, line)
            # `**Key:** value` below `**Other:** value`: each is a statement of its own, whatever a page makes of them.
            if last.shape is Shape.PARAGRAPH and last.key and last.parent is None and _KEY.match(line.strip()):
                return self._paragraph(i, line)
            if last.shape is Shape.PARAGRAPH and last.parent is None and self._is_broken_on_purpose(i):
                return self._paragraph(i, line)
            self.found[-1] = replace(last, end=i + 1)
            return i + 1
        owner = self._owner(line)
        if owner is None:
            return None
        if last is not None and owner == len(self.found) - 1:  # a second paragraph of the newest item
            self.found[owner] = replace(last, end=i + 1)
        else:  # text under an item that already has sub-items or a fence: a statement hanging on it
            self._add(Shape.PARAGRAPH, i, i + 1, line.strip(), depth=len(self.items), parent=owner)
        return i + 1

    def _is_broken_on_purpose(self, i: int) -> bool:
        """Whether the first word of a line would have fitted on the line above: then nobody wrapped it there."""
        if self.widths is None:
            return False
        return not self.lines[i - 1].rstrip().endswith(_GOES_ON) and _fits(
            self.lines[i - 1], self.lines[i], self.widths[i]
        )

    def _owner(self, line: str) -> int | None:
        """The open list item that an indented line hangs on; items it is not indented under are closed."""
        indent = _columns(line[: len(line) - len(line.lstrip())])
        while self.items and indent < min(self.items[-1][1], self.items[-1][0] + 2):
            self.items.pop()
        self.table = None
        return self.items[-1][2] if self.items else None

    def _paragraph(self, i: int, line: str) -> int:
        self._close_list()
        goes_on = bool(self.found) and self.found[-1].shape is Shape.CODE and self.found[-1].end == i
        if (self.blank or goes_on) and _columns(line[: len(line) - len(line.lstrip())]) >= 4:
            self._add(Shape.CODE, i, i + 1, line.strip())
        else:
            key = _KEY.match(line.strip())
            self._add(Shape.PARAGRAPH, i, i + 1, line.strip(), key=key["key"].strip() if key else "")
        return i + 1

    def _close_list(self) -> None:
        self.items.clear()
        self.table = None

    def _add(
        self, shape: Shape, first: int, end: int, text: str = "", *,
        depth: int = 0, parent: int | None = None, level: int = 0, checked: bool | None = None, key: str = "",
    ) -> None:  # fmt: skip
        heading = self.sections[-1] if self.sections else None
        self.found.append(Block(shape, first, end, text, depth, parent, heading, level, checked, key, end))


def _finished(blocks: list[Block], lines: list[str]) -> Iterator[Block]:
    """Join the text of statements over several lines, and give list items the end of their last sub-item.

    Both wait until the end: growing a text line by line would take quadratic time on a long paragraph.
    """
    tails = [block.end for block in blocks]
    for i in range(len(blocks) - 1, -1, -1):  # children come after their parents
        parent = blocks[i].parent
        if parent is not None:
            tails[parent] = max(tails[parent], tails[i])
    for block, tail in zip(blocks, tails, strict=True):
        text = block.text
        if block.shape in _FLOWING and block.end > block.first + 1:
            text = _joined([text, *(line.strip() for line in lines[block.first + 1 : block.end])])
        yield block if tail == block.tail and text is block.text else replace(block, tail=tail, text=text)


def _joined(pieces: list[str]) -> str:
    """The lines of one statement as one; between two characters of a script without spaces none is put."""
    out: list[str] = []
    for piece in filter(None, pieces):
        if out and not (_is_wide(out[-1][-1]) and _is_wide(piece[0])):
            out.append(" ")
        out.append(piece)
    return "".join(out)


def _widths(lines: list[str]) -> list[int]:
    """For each line the width of the paragraph it stands in: that of its longest line, and at least that of a narrow page.

    Where most lines end well before it, nobody wrapped them: then every break was made on purpose.
    """
    out = [0] * len(lines)
    start = 0
    for end in range(len(lines) + 1):
        if end == len(lines) or not lines[end].strip():
            part = lines[start:end]
            width = max([NARROW, *(len(line.rstrip()) for line in part)])
            wrapped = sum(not _fits(above, below, width) for above, below in pairwise(part))
            out[start:end] = [width if wrapped >= WRAPPED * (len(part) - 1) else _ENDLESS] * (end - start)
            start = end + 1
    return out


def _fits(above: str, below: str, width: int) -> bool:
    """Whether the first word of a line would have stood on the line above. Nobody wraps a script without spaces by hand."""
    first = below.split(maxsplit=1)[0]
    return _is_wide(first[0]) or len(above.rstrip()) + 1 + len(first) <= width


def _is_wide(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


def _without_closing_hashes(text: str) -> str:
    inner = text.rstrip("#")
    return inner.rstrip() if inner != text and (not inner or inner[-1] in " \t") else text


def _columns(text: str) -> int:
    """The column a text reaches, with tabs at every fourth."""
    if "\t" not in text:
        return len(text)
    column = 0
    for char in text:
        column = column + 4 - column % 4 if char == "\t" else column + 1
    return column
