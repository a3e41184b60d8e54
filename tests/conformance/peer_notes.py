"""How the peer reads a daily note and a conversation: chunks, lookback, rendered lines. Pure; files are read elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from reverie.openclaw.rehydrate import LIST_ITEM, heading_of, without_mark
from reverie.openclaw.score import Profile
from reverie.text.managed import managed_lines
from reverie.workspace.openclaw_format import collapsed

LONGEST_CHUNK = 280
SHORTEST_CHUNK = 8
MOST_LINES = 4
LONGEST_RENDERED = 344
_NAMES_NOTHING = re.compile(
    r"(?:\d{4}-\d{2}-\d{2}.*|[\w.-]+\.md|today|yesterday|tomorrow|morning|afternoon|evening|night|daily notes?|notes?)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a note (from 1) as one statement."""

    first: int
    last: int
    text: str
    item: bool = False


def without_blocks(lines: Sequence[str]) -> list[str]:
    """The lines with every managed block blanked, so that the numbers of the others hold."""
    managed = managed_lines(lines)
    return ["" if i in managed else line for i, line in enumerate(lines)]


def in_lookback(day: date, now: datetime, lookback_days: float) -> bool:
    """Whether the end of a day (UTC) is not before now minus the lookback."""
    end = datetime.combine(day, time.min, UTC) + timedelta(days=1, milliseconds=-1)
    return end >= now - timedelta(days=lookback_days)


def rendered(agent: str, session: str, line: int, snippet: str) -> str:
    """A message as one line of the session corpus."""
    return f"[{agent}/{session}#L{line}] {snippet}"[:LONGEST_RENDERED]


def daily_chunks(lines: Sequence[str], profile: Profile, limit: int) -> tuple[Chunk, ...]:
    """The statements of a daily note. Since 2026.9 every list item is its own, under its parents."""
    found = _grouped(lines) if profile.before_2026_8 else _single(lines)
    return tuple(chunk for chunk in found if len(chunk.text) >= SHORTEST_CHUNK)[:limit]


@dataclass(slots=True)
class _Gathering:
    """Lines of one kind on their way into a chunk."""

    heading: str = ""
    item: bool = False
    first: int = 0
    last: int = 0
    texts: tuple[str, ...] = ()

    def takes(self, text: str, *, item: bool) -> bool:
        if not self.texts:
            return True
        joined = self._worded((*self.texts, text))
        return item is self.item and len(self.texts) < MOST_LINES and len(joined) <= LONGEST_CHUNK

    def add(self, number: int, text: str, *, item: bool) -> None:
        if not self.texts:
            self.first, self.item = number, item
        self.last = number
        self.texts = (*self.texts, text)

    def closed(self) -> Iterator[Chunk]:
        if self.texts:
            yield Chunk(self.first, self.last, self._worded(self.texts)[:LONGEST_CHUNK])
        self.texts = ()

    def _worded(self, texts: Sequence[str]) -> str:
        body = ("; " if self.item else " ").join(texts)
        return f"{self.heading}: {body}" if self.heading else body


def _grouped(lines: Sequence[str]) -> Iterator[Chunk]:
    """The older way: up to four lines of one kind together."""
    open_one = _Gathering()
    for number, line in enumerate(lines, 1):
        _, heading = heading_of(line)
        if heading:
            yield from open_one.closed()
            open_one.heading = heading if not _NAMES_NOTHING.fullmatch(heading) else open_one.heading
            continue
        if _is_break(line):
            yield from open_one.closed()
            continue
        match = LIST_ITEM.match(line)
        text = without_mark(line)
        if len(text) < SHORTEST_CHUNK:
            continue
        if not open_one.takes(text, item=bool(match)):
            yield from open_one.closed()
        open_one.add(number, text, item=bool(match))
    yield from open_one.closed()


@dataclass(frozen=True, slots=True)
class _Item:
    """A list item with its continuation lines and its depth."""

    first: int
    last: int
    indent: int
    text: str


def _single(lines: Sequence[str]) -> Iterator[Chunk]:
    """The newer way: list items one by one, paragraphs still up to four lines together."""
    paragraph = _Gathering()
    items: list[_Item] = []
    for number, line in enumerate(lines, 1):
        match = LIST_ITEM.match(line)
        _, heading = heading_of(line)
        continues = bool(items) and not match and not heading and line[:1].isspace() and bool(line.strip())
        if match:
            yield from paragraph.closed()
            items.append(_Item(number, number, len(match[1].expandtabs(4)), collapsed(match[2])))
        elif continues:
            last = items.pop()
            items.append(_Item(last.first, number, last.indent, f"{last.text} {collapsed(line)}"))
        else:
            yield from _items(items, paragraph.heading)
            items = []
            if heading or _is_break(line):
                yield from paragraph.closed()
                paragraph.heading = heading if heading and not _NAMES_NOTHING.fullmatch(heading) else paragraph.heading
            elif len(text := collapsed(line)) >= SHORTEST_CHUNK:
                if not paragraph.takes(text, item=False):
                    yield from paragraph.closed()
                paragraph.add(number, text, item=False)
    yield from _items(items, paragraph.heading)
    yield from paragraph.closed()


def _items(items: Sequence[_Item], heading: str) -> Iterator[Chunk]:
    """Each item under its ancestors; one that ends in a colon only introduces its children."""
    parents: list[_Item] = []
    for nth, item in enumerate(items):
        parents = [one for one in parents if one.indent < item.indent]
        introduces = item.text.endswith((":", "：")) and nth + 1 < len(items) and items[nth + 1].indent > item.indent
        if not introduces:
            text = "".join(f"{one.text} " if one.text.endswith((":", "：")) else f"{one.text} > " for one in parents)
            text = f"{heading}: {text}{item.text}" if heading else text + item.text
            yield Chunk(item.first, item.last, text[:LONGEST_CHUNK], item=True)
        parents.append(item)


def _is_break(line: str) -> bool:
    return not line.strip() or line.strip().startswith("<!--")
