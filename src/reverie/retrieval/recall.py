"""Recall before a reply: at most three lines that answer a message, or nothing. It reads, and writes nothing (seed 003)."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from threading import Thread
from typing import Any, NamedTuple

from reverie.retrieval.search import Answer, Hit, Searcher, asked_words, is_telling, size_of
from reverie.text.lines import clipped, fenced, utf16_len
from reverie.text.terms import stems
from reverie.workspace.layout import Layout

MOST, LONGEST_QUERY = 3, 480  # lines; characters
_KEPT, _MOST_KEPT = 15.0, 1_000  # seconds that an answer is given again, and how many are kept
_BARS = {  # the share of a message's telling words that a line must say: with several of them, with one alone
    "balanced": (0.2, 0.29), "strict": (0.3, 0.45), "contextual": (0.17, 0.27), "recall-heavy": (0.12, 0.2),
    "precision-heavy": (0.35, 0.5), "preference-only": (0.2, 0.29),
}  # fmt: skip
_LONG = 6  # bytes of the only word of a question: shorter ones are in every memory, two Han signs are a name
_STATED = 0.5  # of a message that asks nothing a line must say so much, and three of its words
_LOOKED_AT = 9  # of the best lines
_NAME = re.compile(
    r"(?<=[\s(“\"])[A-Z][^\W_]+|(?<![^\W_])(?=[^\W_]*\d)[^\W_]+"
)  # behind the first word, or with a figure
_SEAM = 0.3  # what two Han signs count that nowhere stand side by side
_MODES = {"message", "recent", "full"}
_ASKS = re.compile(
    r"[?？]\W*$|\b(?:remember|recall|remind me)\b|\A\W*(?:who|whom|whose|what|when|where|which|how|wer|was|wann|wo|wie)\b"
    r"|记得|什么|哪|谁|几|多少|吗|怎么", re.I,
)  # fmt: skip
_PATH = re.compile(r"(?<![\w:/])(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)+")
_PREFERENCES = re.compile(r"(?:^|/)(?:user|feedback)/|prefer|feedback|about me|偏好|反馈", re.I)
_kept: dict[tuple[object, ...], tuple[float, Recalled]] = {}


class Active(NamedTuple):
    """How recall is wanted; the names are those of `plugins.entries.active-memory.config` in openclaw.json."""

    enabled: bool = True
    query_mode: str = "recent"
    prompt_style: str = "balanced"
    max_summary_chars: int = 220
    recent_user_turns: int = 2
    recent_assistant_turns: int = 1
    timeout_ms: int = 15_000
    cache_ttl_ms: int = 15_000


_USUAL = Active()


class Recalled(NamedTuple):
    status: str  # ok, silent, off, late or failed
    text: str  # for the agent's prompt, fenced as data; empty: say nothing
    lines: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    elapsed_ms: int = 0


def active_of(config: Mapping[str, Any]) -> Active:
    """The settings of a host; what makes no sense there stays as it is here."""
    found: dict[str, Any] = {}
    for name, usual in Active()._asdict().items():
        value = config.get(re.sub(r"_(\w)", lambda mark: mark[1].upper(), name))
        if type(value) is type(usual) and (not isinstance(value, int) or value >= 0):
            found[name] = value
    active = Active(**found)
    mode = active.query_mode if active.query_mode in _MODES else "recent"
    return active._replace(
        query_mode=mode, prompt_style=active.prompt_style if active.prompt_style in _BARS else "balanced"
    )


def active_config(root: Path) -> dict[str, Any]:
    """What the host's openclaw.json beside or above the workspace says about recall; a broken one says nothing."""
    if not any((folder / "openclaw.json").is_file() for folder in (root, root.parent)):
        return {}
    from reverie.settings import openclaw_config  # only where the file is

    try:
        entry = openclaw_config(root, root.parent)["plugins"]["entries"]["active-memory"]
        config = entry.get("config", {}) | ({"enabled": False} if entry.get("enabled") is False else {})
        return config if isinstance(config, dict) else {}
    except (KeyError, TypeError, AttributeError):
        return {}


def recall(
    layout: Layout,
    now: datetime,
    message: str,
    *,
    turns: Sequence[tuple[str, str]] = (),
    injected: str = "",
    active: Active = _USUAL,
    searcher: Searcher | None = None,
) -> Recalled:
    """What memory, notes and archive say about a message. `turns` are (role, words) before it, the newest last;
    `injected` is what the agent has before its eyes anyway. It never raises and answers in time."""
    started, query = time.monotonic(), _query(message, turns, active)
    if not active.enabled or not any(map(is_telling, asked_words(query))):
        return Recalled("off" if not active.enabled else "silent", "")
    name = (str(layout.root), query, active, hash(injected), now.date())
    at, known = _kept.get(name, (0.0, Recalled("", "")))
    if known.text and started - at <= min(_KEPT, active.cache_ttl_ms / 1000):
        return known
    answers: list[Recalled] = []

    def work() -> None:
        try:
            answers.append(_answer(layout, now, _plain(message), query, injected, active, searcher))
        except Exception:  # noqa: BLE001  a late answer may find that its workspace is gone
            answers.append(Recalled("failed", ""))

    worker = Thread(target=work, daemon=True)  # one that is late holds up nobody
    worker.start()
    worker.join(active.timeout_ms / 1000)
    answer = next(iter(answers), Recalled("late", ""))
    answer = answer._replace(elapsed_ms=int(1000 * (time.monotonic() - started)))
    if answer.text:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[name] = started, answer
    return answer


def _plain(message: str) -> str:
    """The words of a message, without code and elements."""
    return " ".join(re.sub(r"```.*?(?:```|\Z)|<[^<>]{1,200}>", " ", message, flags=re.S).split())[:LONGEST_QUERY]


def _query(message: str, turns: Sequence[tuple[str, str]], active: Active) -> str:
    """What is looked for: the message, with turns before it where it says little or the mode asks for them."""
    words = _plain(message)
    if active.query_mode == "message" or (
        active.query_mode == "recent" and sum(map(is_telling, asked_words(words))) > 2
    ):
        return words
    limits = {"user": active.recent_user_turns, "assistant": active.recent_assistant_turns}
    kept: list[str] = []
    for role, said in reversed(turns):
        if active.query_mode == "full" or limits.get(role, 0) > 0:
            limits[role] = limits.get(role, 0) - 1
            kept.insert(0, said[-120:])
    return " ".join((*kept, words))[-LONGEST_QUERY:] if words else ""


def _answer(
    layout: Layout, now: datetime, message: str, query: str, injected: str, active: Active, searcher: Searcher | None
) -> Recalled:
    asked = searcher or Searcher(layout)
    try:
        answer = asked.search(query, now.date(), limit=_LOOKED_AT)
        found = asked.read(lambda db: _shares(db, answer, loose=query != message))
    finally:
        if searcher is None:
            asked.close()
    several, alone = _BARS[active.prompt_style]
    words, kept = asked_words(query), list[Hit]()
    for hit, share, said in found:
        if _ASKS.search(query):
            fits = share >= (several if said > 1 else alone) and (len(words) > 1 or len(words[0].encode()) >= _LONG)
        else:
            fits = said > 2 and _STATED <= share <= 1
        if fits and _may_be_told(hit, injected, active):
            kept.append(hit)
    return _told(layout, kept[:MOST], active.max_summary_chars)


def _shares(db: Connection, answer: Answer, *, loose: bool) -> list[tuple[Hit, float, int]]:
    """The hits, each with the share of the question's words that it or its heading says, by their rarity, and how many.

    A note of a day that is asked about says more than all. Who asks for a name that stands nowhere means another memory;
    in a question put together of several turns (`loose`) unknown words say nothing against a line.
    """
    often = {word: _often(db, word) for word in asked_words(answer.question)}
    often = {word: count for word, count in often.items() if count or not loose}
    rarity, names = _rarity(db, often), {word.casefold() for word in _NAME.findall(answer.question)}
    is_elsewhere = not answer.days[0] and any(not count and word in names for word, count in often.items())
    found: list[tuple[Hit, float, int]] = []
    for hit in answer.hits:
        said = list(_said(db, hit, often))
        share = sum(rarity[word] for word in said) / max(sum(rarity.values()), 1e-6)
        telling = sum(not word.isdigit() or len(word) > 2 for word in said)
        is_of_day = hit.kind == "notes" and answer.days[0] and answer.days[0] <= hit.day <= answer.days[1]
        found.append((hit, *((2.0, len(often)) if is_of_day else (0.0, 0) if is_elsewhere else (share, telling))))
    return found


def _often(db: Connection, word: str) -> int:
    """In how many lines a word stands; more than so many count alike."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT 3000)"
    return int(db.execute(sql, (f'"{word}"',)).fetchone()[0])


def _rarity(db: Connection, often: Mapping[str, int]) -> dict[str, float]:
    """Two Han signs that nowhere stand side by side are more often the seam of two words than a word."""
    _, total = size_of(db)
    seams = {word for word, count in often.items() if not count and word >= "\u2e80"}
    plain = {word: max(math.log((total + 1) / (count + 0.5)), 0.1) for word, count in often.items()}
    return {word: rarity * (_SEAM if word in seams else 1) for word, rarity in plain.items()}


def _said(db: Connection, hit: Hit, words: Iterable[str]) -> Iterator[str]:
    """The words that a line itself has, or its heading in any form."""
    headed = stems(hit.heading)
    rows = db.execute("SELECT id FROM lines WHERE path = ? AND line = ?", (hit.path, hit.line)).fetchone() or (-1,)
    has = "SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?"
    for word in words:
        if stems(word) & headed or db.execute(has, (f'said : "{word}"', rows[0])).fetchone():
            yield word


def _may_be_told(hit: Hit, injected: str, active: Active) -> bool:
    """Whether a line is the owner's, still true, and not before the agent's eyes."""
    is_owner = not any(mark.endswith(" words") for mark in hit.marks)
    is_current = not any(mark.startswith(("superseded", "expired", "ended")) for mark in hit.marks)
    is_wanted = active.prompt_style != "preference-only" or _PREFERENCES.search(f"{hit.path} {hit.heading}")
    return is_owner and is_current and bool(is_wanted) and hit.kind != "archive" and hit.text not in injected


def _told(layout: Layout, hits: Sequence[Hit], most: int) -> Recalled:
    """The lines within their room: only the first may be cut, a note's line comes behind its day."""
    lines: list[str] = []
    for hit in hits:
        gone = any(not os.path.exists(layout.root / Path(path).expanduser()) for path in _PATH.findall(hit.text))
        line = f"{f'{hit.day}: ' if hit.kind == 'notes' and hit.day else ''}{hit.text}{' (path missing)' * gone}"
        room = most - sum(utf16_len(line) + 1 for line in lines)
        if not lines or utf16_len(line) <= room:
            lines.append(clipped(line, max(room, 1)))
    text = f"Context:\n{fenced('active_memory_plugin', chr(10).join(lines))}" if lines else ""
    return Recalled("ok" if lines else "silent", text, tuple(lines), tuple(hit.place for hit in hits[: len(lines)]))
