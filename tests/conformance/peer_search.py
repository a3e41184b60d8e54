"""The arithmetic of the peer's memory search: ranks to scores, merging, decay, variety, chunks, trimming."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from reverie.openclaw.phases import similarity
from reverie.openclaw.score import OPENCLAW_2026_9, Profile, recency

_TOKEN = re.compile(r"\w+")
_WIDE = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_DATED = re.compile(r"(?:^|/)memory/(\d{4}-\d{2}-\d{2})\.md$")
_DATED_ANYWHERE = re.compile(r"(?:^|/)memory/(?:.*/)?(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md$")


def bm25_score(rank: float) -> float:
    """SQLite's rank as a score from 0 to 1; the better a hit, the more negative its rank."""
    if not math.isfinite(rank):
        return 0.001
    return abs(rank) / (1 + abs(rank)) if rank < 0 else 1 / (1 + rank)


def fts_query(raw: str) -> str:
    """All words of a question, each quoted, all of them wanted."""
    return " AND ".join(f'"{token}"' for token in _TOKEN.findall(raw))


def merged(
    vector: Mapping[str, float], keyword: Mapping[str, float], *, vector_weight: float = 0.7, text_weight: float = 0.3
) -> dict[str, float]:
    """Both legs by chunk, best first."""
    keys = dict.fromkeys((*vector, *keyword))
    scores = {key: vector_weight * vector.get(key, 0.0) + text_weight * keyword.get(key, 0.0) for key in keys}
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def importance_factor(importance: int | None) -> float:
    return 1.0 if importance is None else 0.75 + 0.05 * importance


def project_factor(projects: Sequence[str], active: Iterable[str]) -> float:
    """More for what belongs to the projects at hand, less for those of others, nothing for what belongs to none."""
    if not projects:
        return 1.0
    return 1.15 if set(projects) <= set(active) else 0.9


def exact_path_score(content: float) -> float:
    """Of several exact paths, the one whose content fits better comes first."""
    return 0.5 + 0.5 * min(1.0, max(0.0, content))


def decay(age_days: float, half_life_days: float) -> float:
    return recency(age_days, half_life_days)


def dated(path: str, profile: Profile) -> tuple[date | None, bool]:
    """The day a path is of, and whether it never ages. A day that does not exist is no day, but no evergreen either."""
    match = (_DATED if profile.before_2026_8 else _DATED_ANYWHERE).search(path)
    if match is None:
        return None, path in ("MEMORY.md", "memory.md", "USER.md") or path.startswith("memory/")
    try:
        return date.fromisoformat(match[1]), False
    except ValueError:
        return None, False


def varied(items: Sequence[tuple[str, str, float]], weight: float = 0.7) -> list[str]:
    """Ids of (id, text, score) in an order that avoids saying the same twice: 1 is relevance only, 0 variety only."""
    scores = [score for _, _, score in items]
    low, span = (min(scores), max(scores) - min(scores)) if scores else (0.0, 0.0)
    left = sorted(items, key=lambda item: -item[2])
    chosen: list[tuple[str, str, float]] = []
    while left:
        best = max(left, key=lambda item: _worth(item, chosen, weight, low, span))
        left.remove(best)
        chosen.append(best)
    return [item[0] for item in chosen]


def _worth(
    item: tuple[str, str, float], chosen: Sequence[tuple[str, str, float]], weight: float, low: float, span: float
) -> float:
    relevance = (item[2] - low) / span if span else 1.0
    repeated = max((similarity(item[1], one[1], OPENCLAW_2026_9) for one in chosen), default=0.0)
    return weight * relevance - (1 - weight) * repeated


def keyword_only_score(query: str, path: str, text: str, score: float) -> float:
    """A keyword hit when there is no vector: how much of the question it holds, and where."""
    tokens = [token.lower() for token in _TOKEN.findall(query)]
    words = [word.lower() for word in _TOKEN.findall(text)]
    if not tokens:
        return min(1.0, score)
    found = sum(token in text.lower() for token in tokens) / len(tokens)
    density = min(1.0, sum(word in tokens for word in words) / max(1, len(words)))
    in_path = sum(token in path.lower() for token in tokens)
    return min(1.0, score + 0.45 * found + 0.2 * density + 0.18 * in_path + min(len(text) / 160, 0.18))


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a file; `entry` when it is one list item of a curated file."""

    first: int
    last: int
    text: str
    entry: bool = False


def chunks(text: str, tokens: int = 400, overlap: int = 80) -> list[Piece]:
    """Lines together up to a size, each chunk beginning with the last lines of the one before."""
    most, carried = max(32, tokens * 4), overlap * 4
    lines = text.split("\n")
    found: list[Piece] = []
    held: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if held and sum(_weight(one) for _, one in held) + _weight(line) > most:
            found.append(_piece(held))
            held = _tail(held, carried)
        held.append((number, line))
    return [*found, _piece(held)]


def _tail(held: Sequence[tuple[int, str]], most: int) -> list[tuple[int, str]]:
    kept: list[tuple[int, str]] = []
    for one in reversed(held):
        if sum(_weight(line) for _, line in kept) + _weight(one[1]) > most:
            break
        kept.insert(0, one)
    return kept


def _weight(line: str) -> int:
    """Characters and the line's end; one that is a word by itself counts as four."""
    return len(line) + 3 * len(_WIDE.findall(line)) + 1


def _piece(held: Sequence[tuple[int, str]]) -> Piece:
    return Piece(held[0][0], held[-1][0], "\n".join(line for _, line in held))


def entry_chunks(text: str) -> list[Piece]:
    """A curated file by its entries: each top-level bullet and each heading begins a chunk."""
    found: list[Piece] = []
    held: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if held and (line.startswith("- ") or re.match(r"#{1,6}\s", line)):
            found.append(_entry_piece(held))
            held = []
        held.append((number, line))
    return [*found, _entry_piece(held)] if held else found


def _entry_piece(held: Sequence[tuple[int, str]]) -> Piece:
    piece = _piece(held)
    return Piece(piece.first, piece.last, piece.text, piece.text.startswith("- "))


def bootstrap(text: str, most: int, name: str = "MEMORY.md") -> tuple[str, str]:
    """What of a file reaches the start of a session, and the words that say what is missing: 75 % head, 25 % tail."""
    if len(text) <= most:
        return text, ""
    head = tail = most
    marker = ""
    for _ in range(8):  # the marker names what is kept, and its own length depends on those digits
        marker = _marker(name, head, tail, len(text), most)
        room = max(0, most - len(_around(marker)))
        sizes = (math.floor(room * 0.75), math.floor(room * 0.25))
        if sizes == (head, tail):
            break
        head, tail = sizes
    return text[:head] + _around(marker) + (text[-tail:] if tail else ""), marker


def _marker(name: str, head: int, tail: int, total: int, most: int) -> str:
    told = f"[...truncated, read {name} for full content...]\n…(truncated {name}: kept {head}+{tail} chars of {total})…"
    return told if len(told) + 4 < most else f"[…truncated {head}+{tail}/{total}]"


def _around(marker: str) -> str:
    return f"\n\n{marker}\n\n" if "\n" in marker else marker
