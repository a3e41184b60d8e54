"""Session dumps: conversations that OpenClaw's hook wrote into `memory/` as Markdown. Transcripts, not notes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import date
from types import MappingProxyType

from reverie.core.layout import Place
from reverie.text.lines import bare, split_lines
from reverie.text.markdown import Block, Opaque, Shape, opaque_lines
from reverie.workspace.noise import heard, is_group_key, judged, session_reason
from reverie.workspace.transcripts import Transcript, Turn
from reverie.workspace.values import Source, Statement

_SUMMARY = re.compile(r"##\s+conversation summary\s*$", re.I)
_KEY = re.compile(r"\s*[-*]?\s*\**session key\**\s*:\**\s*(?P<key>\S.*?)\s*$", re.I)
_SPOKEN = re.compile(r"(?:\*\*)?(?P<role>user|assistant|system|tool|toolresult)(?:\*\*)?:(?:\*\*)?(?:\s|$)", re.I)


def turns_of_dump(text: str, path: str, day: date | None) -> Transcript:
    """The turns of a dumped conversation, filed under the day of its file. The lines about it are only counted."""
    lines = [bare(line) for line in split_lines(text)]
    begins = next((i + 1 for i, line in enumerate(lines) if _SUMMARY.match(line)), None)
    if begins is None:
        begins = next((i for i, line in enumerate(lines) if _SPOKEN.match(line)), len(lines))
    key = next((found["key"] for line in lines[:begins] if (found := _KEY.match(line))), "")
    left_out = Counter({"metadata": sum(1 for line in lines[:begins] if line.strip())})
    agent = key.split(":")[1] if key.startswith("agent:") and key.count(":") > 1 else "main"
    turns, after = [], ""
    excluded, group = session_reason(key), is_group_key(key)
    for number, role, words in _spoken(lines, begins):
        said = heard(role, words)
        why = said.why if role in ("user", "assistant") else "tool" if "tool" in role else "system"
        why, after, origin = judged(role, why, after, trusted=not (group or said.group))
        if why or excluded:
            left_out[excluded or why] += 1
            continue
        turns.append(Turn(agent, path, number, role, said.text, None, said.sender, origin))
    counts = MappingProxyType({why: count for why, count in sorted(left_out.items()) if count})
    return Transcript(path, agent, path, tuple(turns), counts, day=day)


def is_session_dump(text: str) -> bool:
    """A dated file that OpenClaw's session hook wrote: it says so in its first lines."""
    start = text[:4_000].lower()
    if "# session:" not in start and "**session key**" not in start:
        return False  # nearly every note
    head = [line.strip() for line in start.splitlines()[:12]]
    return any(line.startswith("# session:") or "**session key**" in line for line in head)


def spoken_in(path: str, place: Place, text: str) -> tuple[Statement, ...]:
    """What was said in a dump, turn by turn, as the statements of its file. Lines about the session are none."""
    lines = [bare(line) for line in split_lines(text)]
    starts = [*sorted(_turns_begin(lines)), len(lines)]
    found = []
    for turn in turns_of_dump(text, path, place.day).turns:
        first = turn.line - 1
        end = starts[bisect_right(starts, first)]
        while end > first + 1 and not lines[end - 1].strip():
            end -= 1
        block = Block(Shape.PARAGRAPH, first, end, " ".join(turn.text.split()), tail=end)
        found.append(
            Statement(block.text, Source(path, first + 1, end), turn.origin, day=str(place.day or ""), block=block)
        )
    return tuple(found)


def _spoken(lines: list[str], begins: int) -> Iterator[tuple[int, str, str]]:
    """(line from one, role, words) of each turn; a turn goes on until the next one begins."""
    number, role, words = 0, "", [""]
    turns = _turns_begin(lines)
    for i in range(begins, len(lines)):
        if i in turns and (found := _SPOKEN.match(lines[i])):
            if role:
                yield number, role, "\n".join(words)
            number, role, words = i + 1, found["role"].lower(), [lines[i][found.end() :]]
        else:
            words.append(lines[i])
    if role:
        yield number, role, "\n".join(words)


def _turns_begin(lines: list[str]) -> frozenset[int]:
    """Where turns begin. A note that a host injected may hold a conversation too; that one is over."""
    injected = {i for i, what in opaque_lines(lines)[0].items() if what is Opaque.RECALLED}
    return frozenset(
        i for i, line in enumerate(lines) if _SPOKEN.match(line) and not (i in injected and i - 1 in injected)
    )
