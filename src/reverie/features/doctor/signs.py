"""What `dream doctor` can tell: small checks, each a function of the chart, each trouble with a status of its own.

Pure. The five questions come first: is it on, did it run, what is there to read, why was nothing kept, what happens next. Only
a night that changed MEMORY.md is ever told as a success. A sign is one sentence and, where something is wrong, what mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from reverie.core.layout import PEER_RECALLS, PEER_SESSIONS, PEER_SIGNALS, REMOVED, TEAM, TOMBSTONES
from reverie.evidence.attempts import Attempt, Outcome, in_a_row
from reverie.features.status import LATE
from reverie.lang import ENGLISH, table
from reverie.lang.messages import said_with, say


class Severity(IntEnum):
    GOOD = 0
    NOTE = 1  # worth knowing; nothing is broken
    BAD = 2  # somebody should do something


@dataclass(frozen=True, slots=True)
class Sign:
    """One answer: a short status that no other trouble shares, a sentence, and the command that mends it."""

    about: str
    status: str
    says: str
    mend: str = ""
    level: Severity = Severity.GOOD


@dataclass(frozen=True, slots=True)
class NightStarter:
    """What the surface knows about the machine: what starts the nights (None: nothing does), a daemon that died, why no night
    comes, which setting switches dreaming off, and what a host's file sets."""

    by: str | None = ""
    dead: str = ""
    blocked: str = ""
    off_by: str = ""
    host_sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Everything the doctor looked at, as values."""

    now: datetime
    on: bool = True
    state: str = "active"
    attempts: tuple[Attempt, ...] = ()
    last_dream: datetime | None = None
    read: int = 0  # files of the workspace that can be read
    notes: int = 0  # dated notes and conversations among them
    fresh: int = 0  # those that no night has judged
    refused: tuple[tuple[str, str], ...] = ()  # path and why
    doubts: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()  # what the last night had to tell besides, a sentence each
    damaged: tuple[str, ...] = ()  # state files that cannot be understood
    unfinished: tuple[str, ...] = ()  # runs that a crash left
    broken_runs: tuple[str, ...] = ()
    queued: int = 0  # notes that were said while somebody else held the workspace
    index: str = "good"  # good, missing, stale, damaged, off
    behind: int = 0  # files that changed since they were indexed
    holder: str = ""  # who holds the workspace now
    killed: str = ""  # a command that died while it held it
    free: int = 1 << 40  # bytes on the disk
    size: int = 0  # characters of MEMORY.md
    limit: int = 18_000
    truncation: int = 20_000
    lines: int = 0  # of MEMORY.md
    max_lines: int = 250
    warn_lines: int = 225
    embedder: str = ""  # what is wrong with it
    waiting: bool = False  # a proposal waits for the owner's word
    questions: int = 0  # open ones
    kept: int = 0  # other versions of files that lie beside a run
    scheduled: str | None = ""  # what starts the nights; None when nothing does, empty when nobody could look
    dead_daemon: str = ""  # since when a daemon that should run gives no sign of life
    refused_hosts: tuple[str, ...] = ()  # projections that may not be written, each with why
    stale_hosts: tuple[str, ...] = ()  # projections that MEMORY.md has left behind
    model: str = ""  # who leads besides the built-in judge, or why nobody does, in a sentence
    model_leads: bool = True
    next_time: str = ""  # what the schedule says about the next night
    sealed: str = ""  # where the key of archive and runs lies, if they are sealed
    key_open: str = ""  # the file of that key, where others may read it
    off_by: str = ""  # the setting that switches dreaming off, and its place; empty where the owner's own word did
    blocked: str = ""  # why no night comes although notes wait
    host: bool | None = None  # whether OpenClaw dreams here itself; None: it says nothing
    host_where: str = ""  # and what says so
    host_sets: tuple[str, ...] = ()  # settings of ours that OpenClaw's file decides, each with its place


AHEAD = timedelta(minutes=10)
ALIKE = 3  # nights in a row without anything new, from which on somebody should ask why
SCARCE = 64 * 1024 * 1024  # bytes


def _sign(about: str, status: str, level: Severity = Severity.GOOD, key: str = "", **values: object) -> Sign:
    """The sentence of a status (table `say.doctor`), with what mends it where there is something (table `say.mend`)."""
    key = key or status.replace(" ", "_")
    mend = say(f"mend.{key}", **values) if key in table(ENGLISH, "say.mend") else ""
    return Sign(about, status, say(f"doctor.{key}", **values), mend, level)


def is_it_on(chart: Chart) -> Iterator[Sign]:
    if not chart.on and chart.off_by:
        yield _sign("on", "off", Severity.BAD, "off_by", where=chart.off_by)
    elif not chart.on:
        yield _sign("on", "off", Severity.BAD)
    elif chart.blocked and not chart.dead_daemon:
        yield Sign("on", "blocked", say("claws.blocked_on", why=chart.blocked), say("mend.not_scheduled"), Severity.BAD)
    elif chart.host is False and not chart.dead_daemon:  # nobody who switched it off there is told a plain yes
        yield _sign("on", "on", key="on_alone", where=chart.host_where)
    elif chart.state == "hibernating":
        yield _sign("on", "hibernating", Severity.NOTE)
    elif chart.dead_daemon:
        yield _sign("on", "daemon dead", Severity.BAD, since=chart.dead_daemon)
    elif chart.scheduled is None and _is_called(chart):
        yield _sign("on", "on", key="called")
    elif chart.scheduled is None:  # no harm yet: a note that waits too long is told as late
        yield _sign("on", "not scheduled", Severity.NOTE)
    elif chart.scheduled:
        yield _sign("on", "on", key="on_by", by=chart.scheduled)
    else:
        yield _sign("on", "on")


def _is_called(chart: Chart) -> bool:
    """A host's own cron cannot be seen from here, but its calls leave their trace."""
    calls = [one.moment for one in chart.attempts if one.by == "schedule" and one.moment]
    return bool(calls) and chart.now - calls[-1] < LATE


def did_it_run(chart: Chart) -> Iterator[Sign]:
    last = chart.attempts[-1] if chart.attempts else None
    ago = chart.now - chart.last_dream if chart.last_dream else None
    if chart.last_dream and chart.last_dream > chart.now + AHEAD:
        yield _sign("ran", "clock", Severity.BAD, at=f"{chart.last_dream.astimezone(chart.now.tzinfo):%Y-%m-%d %H:%M}")
    elif last is not None and last.outcome is Outcome.FAILED:  # the reason why nothing else is told
        yield _what_it_came_to(chart, last)
    elif last is None and ago is None:
        yield _sign("ran", "never ran", Severity.BAD)
    elif chart.fresh and (ago is None or ago > LATE):
        days = say("count.day", n=ago.days) if ago else ""
        key = "late" if ago else "late_never"
        yield _sign("ran", "late", Severity.BAD, key, days=days, files=say("count.new_file", n=chart.fresh))
    elif last is None and ago is not None:
        yield _sign("ran", "ran", hours=say("count.hour", n=int(ago / timedelta(hours=1))))
    elif last is not None:
        yield _what_it_came_to(chart, last)


def _what_it_came_to(chart: Chart, last: Attempt) -> Sign:
    """What the last try came to. Only a change is called a success."""
    by = say("doctor.by_schedule" if last.by == "schedule" else "doctor.by_hand")
    when = f"{last.at[:16].replace('T', ' ')}, {by}"
    if last.outcome is Outcome.FAILED:
        return _sign(
            "ran", f"failed: {last.error}", Severity.BAD, "failed", when=when, error=last.message or last.error
        )
    if last.outcome is Outcome.CHANGED:
        did = say("count.between").join(
            f"{number} {said_with('tags', tag)}" for tag, number in sorted(last.counts.items())
        )
        return _sign("ran", "changed", when=when, did=did)
    if last.outcome in (Outcome.READ_NOTHING, Outcome.REPEATED):
        return _sign("ran", last.outcome.value, Severity.BAD, when=when)
    if last.outcome is Outcome.PROPOSED:
        return _sign("ran", "proposed", Severity.NOTE, when=when)
    if last.outcome is Outcome.KEPT_NOTHING:
        return _sign("ran", "kept nothing", Severity.NOTE, when=when, files=say("count.new_file", n=last.fresh))
    nights = in_a_row(chart.attempts, Outcome.NOTHING_NEW)
    if nights < ALIKE:
        return _sign("ran", "nothing new", Severity.NOTE, when=when)
    ever = any(
        one.fresh or one.counts for one in chart.attempts
    )  # where nothing ever came, the folder is the wrong one
    return _sign("ran", "nothing new for long", Severity.NOTE if ever else Severity.BAD, n=nights)


def what_it_read(chart: Chart) -> Iterator[Sign]:
    if not chart.read:
        yield _sign("read", "no files", Severity.BAD)
    else:
        yield _sign("read", "read", files=say("count.file", n=chart.read), notes=chart.notes, fresh=chart.fresh)


def why_nothing_was_kept(chart: Chart) -> Iterator[Sign]:
    """The reasons of the last night that had something new; only numbers, the story is told by `dream why-not`."""
    last = next((one for one in reversed(chart.attempts) if one.refused or one.counts), None)
    if last is None:
        yield _sign("kept", "nothing judged", Severity.NOTE)
        return
    most = sorted(last.refused.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    why = say("count.between").join(f"{said_with('codes', reason)} {number}" for reason, number in most)
    changes = say("count.change", n=sum(last.counts.values()))
    yield _sign("kept", "judged", key="judged" if why else "all_kept", changes=changes, day=last.at[:10], why=why)


def what_happens_next(chart: Chart) -> Iterator[Sign]:
    if not chart.on:
        yield _sign("next", "nothing", Severity.NOTE)
    elif chart.waiting:
        yield _sign("next", "waiting", Severity.NOTE)
    elif chart.next_time:
        yield Sign("next", "next", chart.next_time)
    else:
        yield _sign("next", "next", files=say("count.new_file", n=chart.fresh))


def files(chart: Chart) -> Iterator[Sign]:
    for path, why in chart.refused:
        status = "memory refused" if path.lower() in ("memory.md", "memory") else "file refused"
        key = "team_away" if path == TEAM and why == say("share.away") else "file_refused"
        yield _sign("files", status, Severity.BAD, key, path=path, why=why)
    for path, doubt in chart.doubts:
        memory = path.lower() == "memory.md"  # people's notes are never tidy; the memory is read in every conversation
        level = Severity.BAD if memory else Severity.NOTE
        yield _sign("files", doubt, level, "doubt", path=path, doubt=said_with("doubts", doubt))
    for notice in chart.notices:
        yield Sign("files", "notice", notice, level=Severity.NOTE)
    if chart.size > chart.limit:
        key = "cut_off" if chart.size > chart.truncation else "over_budget"
        cut = chart.size - chart.truncation
        yield _sign("files", "over budget", Severity.BAD, key, size=chart.size, limit=chart.limit, cut=cut)
    if chart.lines >= chart.warn_lines:
        level = Severity.BAD if chart.lines > chart.max_lines else Severity.NOTE
        yield _sign("files", "many lines", level, lines=chart.lines, limit=chart.max_lines)


def state(chart: Chart) -> Iterator[Sign]:
    for path in chart.damaged:
        if path in (PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS):  # a host's: named, and left to the host
            yield _sign("state", "host state damaged", Severity.NOTE, path=path)
        else:
            key = "forgotten_damaged" if path in (REMOVED, TOMBSTONES) else ""
            yield _sign("state", "state damaged", Severity.BAD, key, path=path)
    for run in chart.unfinished:
        yield _sign("state", "unfinished run", Severity.BAD, run=run)
    for run in chart.broken_runs:
        yield _sign("state", "run damaged", Severity.BAD, run=run)
    if chart.holder:
        yield _sign("state", "busy", Severity.NOTE, holder=chart.holder)
    if chart.killed:
        yield _sign("state", "killed", Severity.NOTE, command=chart.killed)
    if chart.queued:
        yield _sign("state", "notes queued", Severity.NOTE, n=chart.queued)
    if chart.kept:
        yield _sign("state", "kept version", Severity.NOTE, n=chart.kept)
    if chart.questions:
        yield _sign("state", "questions", Severity.NOTE, n=chart.questions)


def hosts(chart: Chart) -> Iterator[Sign]:
    if chart.host and chart.on:
        yield _sign("hosts", "both dream", Severity.NOTE, where=chart.host_where)
    if chart.host_sets:
        yield _sign("hosts", "host settings", settings="; ".join(chart.host_sets))
    for why in chart.refused_hosts:
        yield Sign("hosts", "projection refused", why, say("mend.projection_refused"), Severity.BAD)
    for path in chart.stale_hosts:
        yield _sign("hosts", "projection stale", Severity.NOTE, path=path)


def model(chart: Chart) -> Iterator[Sign]:
    if chart.model and not chart.model_leads:
        yield Sign("model", "model does not lead", f"{chart.model}.", "dream model", Severity.NOTE)
    elif chart.model:
        yield Sign("model", "model", f"{chart.model}.")


def index(chart: Chart) -> Iterator[Sign]:
    if chart.index == "damaged":
        yield _sign("index", "index damaged", Severity.BAD)
    elif chart.index == "missing" and chart.read:
        yield _sign("index", "no index", Severity.NOTE)
    elif chart.index == "stale":
        yield _sign("index", "index stale", Severity.NOTE, n=chart.behind)
    if chart.embedder:
        yield _sign("index", "no embedder", Severity.BAD, error=chart.embedder)


def machine(chart: Chart) -> Iterator[Sign]:
    if chart.free < SCARCE:
        yield _sign("machine", "disk full", Severity.BAD, megabytes=chart.free // 1024 // 1024)
    if chart.sealed:
        yield Sign("machine", "sealed", say("seal.state", place=chart.sealed))
    if chart.key_open:
        yield _sign("machine", "key open", Severity.BAD, path=chart.key_open)


CHECKS: tuple[Callable[[Chart], Iterator[Sign]], ...] = (
    is_it_on, did_it_run, what_it_read, why_nothing_was_kept, what_happens_next, files, state, hosts, model, index, machine,
)  # fmt: skip


def examined(chart: Chart) -> tuple[Sign, ...]:
    """Every sign, the five questions first."""
    return tuple(sign for check in CHECKS for sign in check(chart))


def worst(signs: tuple[Sign, ...]) -> Sign:
    """The first of the gravest: the one word for the whole."""
    return max(signs, key=lambda sign: sign.level)
