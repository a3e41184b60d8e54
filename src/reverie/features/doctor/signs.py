"""What `dream doctor` looked at, and what it can say about it, as values.

The five questions of `dream doctor`: is it on, did it run, what is there to read, why was nothing kept, what happens next.

Pure. Only a night that changed MEMORY.md is ever told as a success.

What `dream doctor` can tell: small checks, each a function of the chart, each trouble with a word of its own.

Pure. A sign is one plain sentence and, where something is wrong, what mends it. The five questions come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from reverie.core.layout import PEER_RECALLS, PEER_SESSIONS, PEER_SIGNALS
from reverie.evidence.attempts import Attempt, Outcome, in_a_row


class Level(IntEnum):
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
    level: Level = Level.GOOD


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
    damaged: tuple[str, ...] = ()  # state files that cannot be understood
    unfinished: tuple[str, ...] = ()  # runs that a crash left
    broken_runs: tuple[str, ...] = ()
    index: str = "good"  # good, missing, stale, damaged, off
    behind: int = 0  # files that changed since they were indexed
    holder: str = ""  # who holds the workspace now
    killed: str = ""  # a command that died while it held it
    free: int = 1 << 40  # bytes on the disk
    size: int = 0  # characters of MEMORY.md
    limit: int = 18_000
    truncation: int = 20_000
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


def counted(number: int, what: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {what}{'s' if number != 1 else ''}"


LATE = timedelta(hours=50)  # two nights, and an hour for the clocks of spring
AHEAD = timedelta(minutes=10)
ALIKE = 3  # nights in a row without anything new, from which on somebody should ask why


def is_it_on(chart: Chart) -> Iterator[Sign]:
    if not chart.on:
        yield Sign("on", "off", "No. Nothing happens by itself until it is switched on.", "dream on", Level.BAD)
    elif chart.state == "hibernating":
        yield Sign(
            "on", "hibernating", "Yes, and it hibernates until somebody writes again.", "dream wakeup", Level.NOTE
        )
    elif chart.dead_daemon:
        said = f"Yes, but the daemon has given no sign of life since {chart.dead_daemon}."
        yield Sign("on", "daemon dead", said, "dream daemon", Level.BAD)
    elif chart.scheduled is None and _is_called(chart):
        yield Sign("on", "on", "Yes; something on this machine calls the scheduled night.")
    elif chart.scheduled is None:  # no harm yet: a note that waits too long is told as late
        said = "Yes, but nothing on this machine starts it."
        yield Sign("on", "not scheduled", said, "dream schedule install", Level.NOTE)
    else:
        by = f", started by {chart.scheduled}" if chart.scheduled else ""
        yield Sign("on", "on", f"Yes{by}.")


def _is_called(chart: Chart) -> bool:
    """A host's own cron cannot be seen from here, but its calls leave their trace."""
    calls = [one.at for one in chart.attempts if one.by == "schedule"]
    try:
        return bool(calls) and chart.now - datetime.fromisoformat(calls[-1]) < LATE
    except (ValueError, TypeError):
        return False


def did_it_run(chart: Chart) -> Iterator[Sign]:
    last = chart.attempts[-1] if chart.attempts else None
    if chart.last_dream and chart.last_dream > chart.now + AHEAD:
        said = f"The last dream is dated {chart.last_dream:%Y-%m-%d %H:%M}, which is still to come: a clock is or was wrong."
        yield Sign("ran", "clock", said, "set the clock of this machine, then dream review", Level.BAD)
    elif last is not None and last.outcome is Outcome.FAILED:  # the reason why nothing else is told
        yield _proof(chart, last)
    elif last is None and chart.last_dream is None:
        yield Sign("ran", "never ran", "There was no dream here yet.", "dream review", Level.BAD)
    elif chart.fresh and _ago(chart) > LATE:
        said = (
            f"Not lately: the last dream was {_days(_ago(chart))} ago, with {counted(chart.fresh, 'new file')} waiting."
        )
        yield Sign("ran", "late", said, "dream review, then dream schedule show", Level.BAD)
    elif last is None:
        yield Sign("ran", "ran", f"Yes, {_hours(_ago(chart))} ago.")
    else:
        yield _proof(chart, last)


def _proof(chart: Chart, last: Attempt) -> Sign:
    """What the last try came to. Only a change is called a success."""
    when = f"{last.at[:16].replace('T', ' ')}, {'by the schedule' if last.by == 'schedule' else 'by hand'}"
    if last.outcome is Outcome.FAILED:
        said = f"It tried ({when}) and failed: {last.message or last.error}"
        return Sign("ran", f"failed: {last.error}", said, "dream review", Level.BAD)
    if last.outcome is Outcome.CHANGED:
        did = ", ".join(f"{number} {tag}" for tag, number in sorted(last.counts.items()))
        return Sign("ran", "changed", f"Yes ({when}): {did}.")
    if last.outcome is Outcome.READ_NOTHING:
        said = f"It ran ({when}) and found nothing at all to read. Is this the right folder?"
        return Sign("ran", "read nothing", said, "dream workspaces", Level.BAD)
    if last.outcome is Outcome.REPEATED:
        said = f"It ran ({when}) and did once more what it had done before. Something puts the old MEMORY.md back."
        return Sign("ran", "repeated", said, "dream runs", Level.BAD)
    if last.outcome is Outcome.PROPOSED:
        return Sign(
            "ran", "proposed", f"It ran ({when}); what it wants waits for your word.", "dream apply", Level.NOTE
        )
    if last.outcome is Outcome.KEPT_NOTHING:
        return Sign(
            "ran",
            "kept nothing",
            f"It ran ({when}), read {counted(last.fresh, 'new file')} and kept nothing.",
            "",
            Level.NOTE,
        )
    rows = in_a_row(chart.attempts, Outcome.NOTHING_NEW)
    if rows >= ALIKE:
        ever = any(
            one.fresh or one.counts for one in chart.attempts
        )  # where nothing ever came, the folder is the wrong one
        said = f"The last {rows} nights found nothing new. Does anything write into memory/?"
        mend = "dream note TEXT, or set `transcripts`"
        return Sign("ran", "nothing new for long", said, mend, Level.NOTE if ever else Level.BAD)
    return Sign("ran", "nothing new", f"It ran ({when}); nothing was new, so nothing was done.", "", Level.NOTE)


def what_it_read(chart: Chart) -> Iterator[Sign]:
    if not chart.read:
        yield Sign("read", "no files", "There is nothing to read here.", "dream init, or --workspace PATH", Level.BAD)
    else:
        said = f"{counted(chart.read, 'file')}, {chart.notes} of them notes of a day or conversations; to be judged: {chart.fresh}."
        yield Sign("read", "read", said)


def why_nothing_was_kept(chart: Chart) -> Iterator[Sign]:
    """The reasons of the last night that had something new; only numbers, the story is told by `dream why-not`."""
    last = next((one for one in reversed(chart.attempts) if one.refused or one.counts), None)
    if last is None:
        yield Sign("kept", "nothing judged", "No candidate has been judged yet.", "", Level.NOTE)
        return
    added = sum(last.counts.values())
    why = ", ".join(
        f"{reason} {number}" for reason, number in sorted(last.refused.items(), key=lambda p: (-p[1], p[0]))[:5]
    )
    left = f"left out, by reason: {why}. `dream why-not TEXT` tells about one" if why else "nothing was left out"
    yield Sign("kept", "judged", f"{counted(added, 'change')} of MEMORY.md on {last.at[:10]}; {left}.")


def what_happens_next(chart: Chart) -> Iterator[Sign]:
    if not chart.on:
        yield Sign(
            "next", "nothing", "Nothing, until you say `dream on`. `dream review` works at any time.", "", Level.NOTE
        )
    elif chart.waiting:
        yield Sign(
            "next", "waiting", "A proposal waits for your word.", "dream apply, or dream apply --none", Level.NOTE
        )
    else:
        yield Sign("next", "next", chart.next_time or f"The next dream judges {counted(chart.fresh, 'new file')}.")


def _ago(chart: Chart) -> timedelta:
    return chart.now - chart.last_dream if chart.last_dream else timedelta.max


def _hours(ago: timedelta) -> str:
    return counted(int(ago / timedelta(hours=1)), "hour")


def _days(ago: timedelta) -> str:
    return counted(ago.days, "day") if ago < timedelta(days=36_500) else "ages"


SCARCE = 64 * 1024 * 1024
Check = Callable[[Chart], Iterator[Sign]]


def examined(chart: Chart) -> tuple[Sign, ...]:
    """Every sign, the five questions first."""
    return tuple(sign for check in CHECKS for sign in check(chart))


def files(chart: Chart) -> Iterator[Sign]:
    for path, why in chart.refused:
        memory = path.lower() in ("memory.md", "memory")
        mend = f"put a real file in the place of {path}"
        yield Sign("files", "memory refused" if memory else "file refused", f"{path} {why}.", mend, Level.BAD)
    for path, doubt in chart.doubts:
        memory = path.lower() == "memory.md"  # people's notes are never tidy; the memory is read in every conversation
        said = f"{path} has {doubt}; what is covered by that is left alone."
        yield Sign("files", doubt, said, f"mend {path} in an editor", Level.BAD if memory else Level.NOTE)
    if chart.size > chart.limit:
        cut = (
            f", and {chart.size - chart.truncation:,} are cut in every conversation"
            if chart.size > chart.truncation
            else ""
        )
        said = f"MEMORY.md has {chart.size:,} characters; the limit is {chart.limit:,}{cut}."
        yield Sign("files", "over budget", said, "dream review", Level.BAD)


def state(chart: Chart) -> Iterator[Sign]:
    for path in chart.damaged:
        if path in (PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS):  # a host's: named, and left to the host
            said = f"{path} cannot be understood; it is the host's and was left alone."
            yield Sign("state", "host state damaged", said, "let the host mend it, or move it away", Level.NOTE)
        else:
            yield Sign("state", "state damaged", f"{path} cannot be understood.", "dream doctor --fix", Level.BAD)
    for run in chart.unfinished:
        yield Sign(
            "state", "unfinished run", f"A crash left the run {run} unfinished.", "dream doctor --fix", Level.BAD
        )
    for run in chart.broken_runs:
        said = f"The record of the run {run} is damaged; `dream runs` and `dream undo` cannot read it."
        yield Sign("state", "run damaged", said, f"move memory/.dreams/runs/{run} away", Level.BAD)
    if chart.holder:
        yield Sign("state", "busy", f"The workspace is held by {chart.holder}.", "wait until it is done", Level.NOTE)
    if chart.killed:
        said = f"{chart.killed} was killed in the middle; the lock it left is open and harms nobody."
        yield Sign("state", "killed", said, "dream doctor --fix", Level.NOTE)
    if chart.kept:
        said = f"Beside a run stands {counted(chart.kept, 'other version')} of your files."
        yield Sign("state", "kept version", said, "dream status", Level.NOTE)
    if chart.questions:
        yield Sign(
            "state",
            "questions",
            f"Waiting for you: {counted(chart.questions, 'question')}.",
            "dream questions",
            Level.NOTE,
        )


def hosts(chart: Chart) -> Iterator[Sign]:
    for why in chart.refused_hosts:
        yield Sign("hosts", "projection refused", why, "then dream project", Level.BAD)
    for path in chart.stale_hosts:
        said = f"{path} is not what MEMORY.md says now; the next night brings it up to date."
        yield Sign("hosts", "projection stale", said, "dream project", Level.NOTE)


def index(chart: Chart) -> Iterator[Sign]:
    if chart.index == "damaged":
        yield Sign(
            "index",
            "index damaged",
            "The search index is damaged; it can be built again.",
            "dream doctor --fix",
            Level.BAD,
        )
    elif chart.index == "missing" and chart.read:
        yield Sign(
            "index", "no index", "There is no search index yet; a search makes it.", "dream doctor --fix", Level.NOTE
        )
    elif chart.index == "stale":
        said = (
            f"{counted(chart.behind, 'file')} changed since the search index was made; a search brings it up to date."
        )
        yield Sign("index", "index stale", said, "dream doctor --fix", Level.NOTE)
    if chart.embedder:
        said = f"The embedder does not answer ({chart.embedder}); searches go by words alone."
        yield Sign("index", "no embedder", said, "look at [search] in your reverie.toml", Level.BAD)


def machine(chart: Chart) -> Iterator[Sign]:
    if chart.free < SCARCE:
        said = f"Only {chart.free // 1024 // 1024} MB are free on the disk."
        yield Sign("machine", "disk full", said, "make room on the disk", Level.BAD)


def model(chart: Chart) -> Iterator[Sign]:
    if chart.model and not chart.model_leads:
        yield Sign("model", "model does not lead", f"{chart.model}.", "dream model", Level.NOTE)
    elif chart.model:
        yield Sign("model", "model", f"{chart.model}.")


CHECKS: tuple[Check, ...] = (
    is_it_on, did_it_run, what_it_read, why_nothing_was_kept, what_happens_next, files, state, hosts, model, index, machine,
)  # fmt: skip


def worst(signs: tuple[Sign, ...]) -> Sign:
    """The first of the gravest: the one word for the whole."""
    return max(signs, key=lambda sign: sign.level)


__all__ = ["CHECKS", "Chart", "Level", "Sign", "examined", "worst"]
