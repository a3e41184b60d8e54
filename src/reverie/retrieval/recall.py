"""Recall before a reply: at most three lines that answer a message, or nothing. It reads, and writes nothing (seed 003)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from reverie.retrieval.search import Hit, Searcher, asked_words, is_telling
from reverie.text.lines import clipped, fenced, utf16_len
from reverie.workspace.layout import Layout

MOST, LONGEST_QUERY = 3, 480  # lines; characters
_KEPT, _MOST_KEPT = 15.0, 1_000  # seconds that an answer is given again, and how many are kept
_BARS = {  # the share of a message's telling words that a line must say: with several of them, with one alone
    "balanced": (0.2, 0.29), "strict": (0.3, 0.45), "contextual": (0.17, 0.27), "recall-heavy": (0.12, 0.2),
    "precision-heavy": (0.35, 0.5), "preference-only": (0.2, 0.29),
}  # fmt: skip
_LONG = 6  # bytes of the only word of a question: shorter ones are in every memory, two Han signs are a name
_STATED = 0.5  # of a message that asks nothing a line must say so much, and three of its words
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

    @property
    def status_line(self) -> str:
        return f"🧩 Active Memory: status={self.status} elapsed={self.elapsed_ms}ms summary={sum(map(utf16_len, self.lines))} chars"


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
    path = next((path for folder in (root, root.parent) if (path := folder / "openclaw.json").is_file()), None)
    if not path:
        return {}
    import pyjson5  # only where the file is

    try:
        entry = pyjson5.decode(path.read_text("utf-8-sig"))["plugins"]["entries"]["active-memory"]
        config = entry.get("config", {}) | ({"enabled": False} if entry.get("enabled") is False else {})
        return config if isinstance(config, dict) else {}
    except (OSError, KeyError, TypeError, AttributeError, ValueError, pyjson5.Json5Exception):
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
        found = asked.telling(query, now.date(), limit=9, loose=query != message)
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
        room = most - sum(utf16_len(told) + 1 for told in lines)
        if not lines or utf16_len(line) <= room:
            lines.append(clipped(line, max(room, 1)))
    text = f"Context:\n{fenced('active_memory_plugin', chr(10).join(lines))}" if lines else ""
    return Recalled("ok" if lines else "silent", text, tuple(lines), tuple(hit.place for hit in hits[: len(lines)]))
