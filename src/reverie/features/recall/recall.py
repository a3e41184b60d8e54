"""Active Memory: what the memory knows about a message, before the reply to it. Reads only; leaves one line in the journal.

The answer comes within its time, whatever hangs: work runs in threads that nobody has to wait for. A thread that is late goes on
alone, is told that nobody listens any more, and leaves no trace; meanwhile words alone are searched. After several late answers
in a row nobody is kept waiting for a while. Nothing is better than something wrong: most messages call nothing to mind.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Generic, TypeVar

from reverie.core.errors import RefusedFile, ReverieError
from reverie.core.layout import SUGGESTIONS, TOMBSTONES
from reverie.core.ports import Clock, Model
from reverie.core.settings import Active
from reverie.evidence.journal import record_search
from reverie.evidence.relevance import asked_day
from reverie.evidence.search import Indexed, Scanned
from reverie.features.as_of import Past, view_of
from reverie.features.recall.facts import (
    ChatTurn,
    Fact,
    FoundFacts,
    Query,
    facts_for,
    fenced,
    query_of,
    status_line,
    style_of,
    summary_of,
)
from reverie.features.reminders import give
from reverie.features.search import doubted_lines, every_claim, fresh_index, last_night, remove_if_damaged
from reverie.features.wakeup import roused
from reverie.lang.messages import say
from reverie.privacy.redact import shown
from reverie.workspace.named_paths import missing_paths
from reverie.workspace.origins import opened
from reverie.workspace.reader import real_path
from reverie.workspace.values import Workspace

T = TypeVar("T")
Work = Callable[[threading.Event], T]  # the event is set when nobody waits any more
OK, EMPTY, TIMEOUT, PARTIAL, FAILED, UNAVAILABLE = (
    "ok", "empty", "timeout", "timeout_partial", "failed", "unavailable",
)  # fmt: skip
RESERVE = 0.15  # seconds of the time that a model never gets: the facts must still be told,
SPARED = 0.1  # nor this share of what is left
LEAST_SECONDS = 0.1  # less than this is not worth asking
SLOW = 2  # answers too late in a row, and the model is left alone for a while
SECOND = 0.6  # of the time: when the first way has not answered by then, the other one starts too


@dataclass(frozen=True, slots=True)
class InTime(Generic[T]):
    """What came in time: a value, an error, or nothing. `partial`: only the second way answered."""

    value: T | None = None
    error: BaseException | None = None
    late: bool = False
    partial: bool = False


def within(seconds: float, first: Work[T], second: Work[T] | None = None) -> InTime[T]:
    """What the first way answers in time; else what the second one has; else nothing, on time."""
    end = monotonic() + seconds
    answers: SimpleQueue[tuple[bool, T | None, BaseException | None]] = SimpleQueue()
    over = threading.Event()
    _start(first, answers, over, second=False)
    kept: InTime[T] | None = None
    started = second is None
    try:
        while (left := end - monotonic()) > 0:
            alone = max(0.001, left - (1 - SECOND) * seconds)  # how long the first way is waited for by itself
            try:
                was_second, value, error = answers.get(timeout=left if started else alone)
            except Empty:
                if not started and second is not None:
                    started = True
                    _start(second, answers, over, second=True)
                continue
            if not was_second:
                return InTime(value, error)
            kept = InTime(value, error, late=True, partial=error is None)
        return kept if kept and kept.partial else InTime(late=True)
    finally:
        over.set()


def _start(
    work: Work[T], answers: SimpleQueue[tuple[bool, T | None, BaseException | None]], over: threading.Event, *, second: bool
) -> None:  # fmt: skip
    def run() -> None:
        try:
            answers.put((second, work(over), None))
        except BaseException as error:  # noqa: BLE001  whatever it is, the one who waits must hear of it
            answers.put((second, None, error))

    # In the context of whoever asks: the language that is spoken there is spoken here.
    threading.Thread(target=copy_context().run, args=(run,), daemon=True, name="reverie-recall").start()


@dataclass(slots=True)
class Breaker:
    """Counts late answers in a row for each key, and says when to try again."""

    _late: dict[object, tuple[int, float]] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def is_open(self, key: object, most: int, cooldown: float) -> bool:
        """Whether to answer nothing at once. When the time is over one try is allowed, and decides anew."""
        with self._guard:
            count, last = self._late.get(key, (0, 0.0))
            return count >= most and monotonic() - last < cooldown

    def tell(self, key: object, *, late: bool) -> None:
        with self._guard:
            if not late:
                self._late.pop(key, None)
                return
            self._late[key] = self._late.get(key, (0, 0.0))[0] + 1, monotonic()


@dataclass(slots=True)
class ShortMemory(Generic[T]):
    """Values for a short time, at most so many: the oldest go first."""

    most: int = 1_000
    _values: dict[object, tuple[float, T]] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: object) -> T | None:
        with self._guard:
            until, value = self._values.get(key, (0.0, None))
            return value if monotonic() < until else None

    def put(self, key: object, value: T, seconds: float) -> None:
        with self._guard:
            self._values.pop(key, None)
            while len(self._values) >= self.most:
                del self._values[next(iter(self._values))]
            self._values[key] = monotonic() + seconds, value


_KEPT: ShortMemory[Recalled] = ShortMemory()
_BREAKER = Breaker()
_BEGUN = threading.Event()  # set when this process has answered once


@dataclass(frozen=True, slots=True)
class Chat:
    """Where a message was said, as far as the host knows."""

    agent: str = ""
    kind: str = "direct"  # direct, group, channel or explicit
    id: str = ""
    sender: str = ""  # who says it, in a room with others; empty: the owner


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was recalled, how, and how long it took."""

    status: str
    summary: str = ""
    facts: tuple[Fact, ...] = ()
    elapsed: float = 0.0  # seconds
    query: str = ""
    mode: str = "recent"
    style: str = "balanced"
    why: str = ""  # why there is nothing, or less than could be
    cached: bool = False
    reminders: tuple[str, ...] = ()  # that were due now
    awake: str = ""  # that the memory was hibernating and this message woke it

    @property
    def text(self) -> str:
        """What stands before the reply: fenced as data and escaped; empty when nothing was recalled."""
        asked = (say("time.reminder", text=text) for text in self.reminders)
        return fenced("\n".join(filter(None, (self.awake, *asked, self.summary))))

    @property
    def line(self) -> str:
        return status_line(self.status, self.elapsed, self.mode, self.summary)


def recall(
    workspace: Workspace,
    clock: Clock,
    message: str,
    *,
    turns: Sequence[ChatTurn] = (),
    settings: Active | None = None,
    chat: Chat = Chat(),  # noqa: B008  a frozen value
    record: bool = True,
    past: Past | None = None,
) -> Recalled:
    """What the memory knows about a message, in time. Never raises for what the workspace or an embedder does.

    With `past`, what the memory of another day knew; that leaves no trace.
    """
    begun = monotonic()
    active = settings or workspace.settings.active
    style = style_of(active)
    if why := _refused(active, chat):
        return Recalled(UNAVAILABLE, mode=active.query_mode, style=style, why=why)
    if past is not None:
        return _recalled_then(past, message, turns, active, chat, begun)
    key = workspace.root, chat.agent
    if _BREAKER.is_open(key, active.circuit_breaker_max_timeouts, active.circuit_breaker_cooldown_ms / 1000):
        return Recalled(UNAVAILABLE, mode=active.query_mode, style=style, why=say("recall.too_late"))
    grace = 0 if _BEGUN.is_set() else active.setup_grace_timeout_ms
    words = replace(workspace, embedder=None, model=None)
    allowed = (active.timeout_ms + grace) / 1000
    outcome = within(
        allowed,
        lambda over: _answer(workspace, clock, message, turns, active, chat, over, record=record, ends=begun + allowed),
        (lambda over: _answer(words, clock, message, turns, active, chat, over, record=False))
        if workspace.embedder else None,
    )  # fmt: skip
    _BEGUN.set()
    _BREAKER.tell(key, late=outcome.late)
    found = outcome.value or Recalled(
        FAILED if outcome.error else TIMEOUT,
        why=_told_error(outcome.error) if outcome.error else say("recall.no_answer"),
    )
    if outcome.partial:
        found = replace(found, status=PARTIAL, why=say("recall.words_only"))
    awake = roused(workspace) if record else ""
    return replace(found, elapsed=monotonic() - begun, mode=active.query_mode, style=style, awake=awake)


def _recalled_then(
    past: Past, message: str, turns: Sequence[ChatTurn], active: Active, chat: Chat, begun: float
) -> Recalled:
    query, style = replace(query_of(message, turns, active), sender=chat.sender), style_of(active)
    day = asked_day(query.message, past.day)
    found = facts_for(view_of(past), query, day, style, active.mode, past.since, past.day)
    facts = [replace(fact, text=shown(fact.text)) for fact in found.facts]
    summary, count = summary_of([fact.text for fact in facts], active.max_summary_chars)
    return Recalled(
        OK if summary else EMPTY, summary, tuple(facts[:count]), monotonic() - begun, query.message, active.query_mode, style,
        past.known or found.why,
    )  # fmt: skip


def _refused(active: Active, chat: Chat) -> str:
    """Why nothing is recalled here at all; empty when something may be."""
    if not active.enabled or active.mode == "off":
        return say("recall.off")
    if active.agents and chat.agent and chat.agent not in active.agents:
        return say("recall.other_agent", agent=chat.agent)
    if chat.id and chat.id in active.denied_chat_ids:
        return say("recall.denied")
    if chat.kind not in (active.allowed_chat_types or ("direct",)):
        return say("recall.wrong_kind", kind=chat.kind)
    if active.allowed_chat_ids and chat.id not in active.allowed_chat_ids:
        return say("recall.other_chat")
    return ""


def _told_error(error: BaseException) -> str:
    """What we foresaw is told in its own sentence, anything else by its name."""
    return str(error) if isinstance(error, ReverieError) else type(error).__name__


def _answer(
    workspace: Workspace,
    clock: Clock,
    message: str,
    turns: Sequence[ChatTurn],
    active: Active,
    chat: Chat,
    over: threading.Event,
    *,
    record: bool,
    ends: float = 0.0,
) -> Recalled:
    """What is remembered, and the reminders that are due: given here and nowhere else, and never to somebody who is gone."""
    answer = _remembered(workspace, clock, message, turns, active, chat, over, record=record, ends=ends)
    if not record or over.is_set() or chat.sender:  # the owner's reminders are no guest's
        return answer
    due = give(workspace, answer.query, clock.now().date())
    return replace(answer, reminders=due, status=OK, why="") if due else answer


def _remembered(
    workspace: Workspace,
    clock: Clock,
    message: str,
    turns: Sequence[ChatTurn],
    active: Active,
    chat: Chat,
    over: threading.Event,
    *,
    record: bool,
    ends: float,
) -> Recalled:
    unwrapped = [ChatTurn(turn.role, opened(turn.text, inbound=turn.role == "user").text) for turn in turns]
    query = replace(query_of(opened(message, inbound=True).text, unwrapped, active), sender=chat.sender)
    now = clock.now()
    model = workspace.model if workspace.settings.model.recall else None
    speaker = model.identity if model else ""
    key = (workspace.root, workspace.embedder is None, query, active, now.date(), _stamp(workspace), speaker)
    if kept := _KEPT.get(key):
        return replace(kept, cached=True)
    found = _found(workspace, query, now, active) if query.message else FoundFacts((), say("recall.no_message"))
    facts, why = [replace(fact, text=shown(fact.text)) for fact in found.facts], found.why
    if model and facts:
        facts, why = _worded(workspace, clock, model, query, facts, active, ends)
    # A memory can outlive the file it names: what is recalled says so.
    gone = (" (path missing)" if missing_paths(workspace.root, fact.text) else "" for fact in facts)
    facts = [replace(fact, text=fact.text + end) for fact, end in zip(facts, gone, strict=True)]
    summary, count = summary_of([fact.text for fact in facts], active.max_summary_chars)
    told = tuple(facts[:count])
    answer = Recalled(OK if summary else EMPTY, summary, told, query=query.message, why=why)
    if over.is_set():
        return answer  # nobody listens any more: what was not told was not recalled
    if record and query.message and not chat.sender:  # what a guest asks is no interest of the owner's
        hits = [fact.hit for fact in told]
        record_search(workspace.root, query.message, hits, now, workspace.settings.privacy.kinds)
    if summary:
        _KEPT.put(key, answer, active.cache_ttl_ms / 1000)
    return answer


def _worded(
    workspace: Workspace, clock: Clock, model: Model, query: Query, facts: list[Fact], active: Active, ends: float
) -> tuple[list[Fact], str]:
    """The facts that a model finds helpful, in its words; in time, or as they stand, with the reason."""
    from reverie.features.recall.wording import worded

    left = ends - monotonic()
    left -= max(RESERVE, left * SPARED)
    key = workspace.root, "model"
    if left < LEAST_SECONDS or _BREAKER.is_open(key, SLOW, active.circuit_breaker_cooldown_ms / 1000):
        return facts, say("recall.no_time")
    texts, most = [fact.text for fact in facts], active.max_summary_chars
    outcome = within(left, lambda _: worded(workspace, clock, model, query.message, texts, most, left))
    _BREAKER.tell(key, late=outcome.late)
    if outcome.value is None:
        slow = say("recall.slow_model")
        return facts, slow if outcome.late else say("recall.model_failed", error=type(outcome.error).__name__)
    found, status, why = outcome.value
    if not found:
        return facts, say("recall.without_model", why=why or status)
    return [replace(facts[place], text=text) for place, text in found], ""


def _found(workspace: Workspace, query: Query, now: datetime, active: Active) -> FoundFacts:
    """The facts, through the index or without it."""
    style, day = style_of(active), asked_day(query.message, now.date())
    if day and not day.whole:
        query = replace(query, message=day.rest)
        # "The boiler is loud today": the day is when somebody speaks, not what is asked for.
        day = day if day.last < now.date() else None
    since, doubts = last_night(workspace, now), doubted_lines(workspace)
    try:
        with fresh_index(workspace, workspace.embedder) as (index, _):
            return facts_for(Indexed(index), query, day, style, active.mode, since, now.date(), doubts)
    except (sqlite3.Error, RefusedFile, OSError) as error:
        remove_if_damaged(workspace, error)
        view = Scanned(list(every_claim(workspace)), say("search.scanned"))
        return facts_for(view, query, day, style, active.mode, since, now.date(), doubts)


def _stamp(workspace: Workspace) -> tuple[int, ...]:
    """Changes with MEMORY.md, what was forgotten and what was taken back, so that none of it is told from the cache."""
    stamps: list[int] = []
    for path in (workspace.folder / "MEMORY.md", *(real_path(workspace, name) for name in (TOMBSTONES, SUGGESTIONS))):
        try:
            about = os.stat(path)
            stamps += (about.st_mtime_ns, about.st_size)
        except OSError:
            stamps += (0, 0)
    return tuple(stamps)


__all__ = ["ChatTurn"]
