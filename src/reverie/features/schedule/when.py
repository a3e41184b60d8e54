"""When to dream: the decision with its reason, the small state it rests on, the switch, and the call that a cron job makes.

Two questions, in the order of their cost. `whether_due` needs only small state: is there a night that nobody has
settled? `whether_now` is asked for such a night: is the agent at work, and is there anything new? Most calls read four small
files and end; nothing of the night is loaded for them. One that hibernates also lists the names and times of notes and
conversations, and writes nothing at all.

**A night** is a moment of the schedule. A dream belongs to the night whose hour came last before it, so a dream at 03:04
does not make tonight's 03:00 too early, which a plain "24 hours since the last dream" would do, and every night a little
more. From night to night the gap of `dream.min_hours_between_dreams` must lie, less two hours for summer time; and a night
that is looked at sooner than half the gap after a dream (somebody called `dream review` at bedtime, or flew west) has been
served by that dream. A machine that is only on in the evening dreams every evening, once, for the night it missed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from reverie.apply.files import Disk
from reverie.apply.state import put_state
from reverie.core.cron import last_fire, moment_of, next_fire, parse_cron
from reverie.core.layout import DREAM_STATE, LAST_DREAM, SWITCH, VAULT, WATCHED
from reverie.core.ports import Clock, Idle, MachineZone
from reverie.core.settings import Settings, wall_time
from reverie.features.status import is_on, said_in
from reverie.lang.messages import say
from reverie.workspace.values import Run, Workspace

HALF = 0.5  # of the gap: what lies nearer to a dream than this is the same night for people
SLACK = timedelta(hours=2)  # no zone moves its clocks by more
TRIES = 3  # a night that fails so often is given up until the next one
DEFERRED = 75  # what sysexits calls a temporary failure: call again
_MOMENTS = ("settled", "asleep_since", "tried", "tried_at")


class State(StrEnum):
    """What `dream-state.txt` says (seed 000)."""

    ACTIVE = "active"
    PENDING = "pending"
    HIBERNATING = "hibernating"


class Do(StrEnum):
    """What is to be done now."""

    DREAM = "dream"
    DUE = "due"  # a night is due; only `whether_now` can say more
    TOO_SOON = "too soon"  # the night's hour came just after a dream, which has served it: the night is settled
    WAIT = "wait"  # no night is due before `until`
    DEFER = "defer"  # due, but not now: look again at `until`
    NOTHING_NEW = "nothing new"  # due, and there is nothing to dream about: the night is settled
    HIBERNATE = "hibernate"  # the same, for so long that nobody looks any more
    SLEEP = "sleep"  # hibernating: touch nothing
    WAKE = "wake"  # somebody spoke again


@dataclass(frozen=True, slots=True)
class NightDecision:
    """What to do, why, and when to ask again. `night` is the moment of the schedule that it is about."""

    do: Do
    why: str
    until: datetime | None = None
    night: datetime | None = None
    forced: bool = False  # the agent is at work, and the night waits no longer


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleState:
    """What the decision rests on. All moments know their zone; `zone` is where the owner lives now."""

    now: datetime
    zone: tzinfo
    last_dream: datetime | None = None  # `.last_dream`, whoever asked for it
    settled: datetime | None = None  # when a scheduled look last found that a night needs no dream
    state: State = State.ACTIVE
    asleep_since: datetime | None = None
    heard: datetime | None = None  # when somebody last wrote a note or spoke; asked only of the hibernating
    tries: int = 0  # how often the night `tried` has failed
    tried: datetime | None = None
    tried_at: datetime | None = None
    quiet_since: date | None = None  # when a look last found a sign of life; at first, when it was first looked at


def whether_due(seen: ScheduleState, settings: Settings) -> NightDecision:
    """WAIT, TOO_SOON, SLEEP, WAKE, DEFER (after a failure) or DUE."""
    seen = _in_utc(seen)
    if seen.state is State.HIBERNATING:
        return _asleep(seen)
    cron = parse_cron(settings.schedule.cron)
    night = last_fire(cron, seen.now, seen.zone)
    coming = next_fire(cron, seen.now, seen.zone)
    if night is None:
        return NightDecision(Do.WAIT, say("when.not_begun"), coming)
    since = _since_served(seen, cron, night)
    gap = timedelta(hours=settings.dream.min_hours_between_dreams)
    if since is not None and since <= timedelta(0):
        return NightDecision(Do.WAIT, say("when.settled", night=_shown(night)), coming, night)
    if since is not None and since < gap - min(SLACK, gap * HALF):
        return NightDecision(Do.WAIT, say("when.gap", hours=gap / timedelta(hours=1)), coming, night)
    if seen.last_dream is not None and _is_sane(seen, seen.last_dream) and seen.now - seen.last_dream < gap * HALF:
        ago = max(0, int((seen.now - seen.last_dream) / timedelta(hours=1)))
        return NightDecision(Do.TOO_SOON, say("when.served", n=ago), coming, night)
    return _after_failures(seen, settings, night, coming) or NightDecision(
        Do.DUE, _why_due(seen, night, since), None, night
    )


def whether_now(
    seen: ScheduleState, settings: Settings, due: NightDecision, *, fresh: int, busy: str = ""
) -> NightDecision:
    """For a night that is due: DREAM, DEFER, NOTHING_NEW or HIBERNATE. `busy` says what the agent is at, or nothing."""
    assert due.do is Do.DUE and due.night is not None
    now = seen.now.astimezone(UTC)
    coming = next_fire(parse_cron(settings.schedule.cron), now, seen.zone)
    latest = deadline(due.night, settings.schedule.defer_until, seen.zone)
    if busy and now < latest.astimezone(UTC):
        again = min(now + _pause(settings), latest.astimezone(UTC)).astimezone(seen.zone)
        return NightDecision(Do.DEFER, busy, again, due.night)
    new = say("when.new", n=fresh)
    if fresh >= max(1, settings.schedule.min_new_entries):
        why = say("when.with_new", why=due.why, new=new)
        if busy:
            why = say("when.forced", why=due.why, new=new, busy=busy, time=f"{latest:%H:%M}")
        return NightDecision(Do.DREAM, why, None, due.night, bool(busy))
    if fresh:
        why = say("when.too_few", new=new, least=settings.schedule.min_new_entries)
        return NightDecision(Do.NOTHING_NEW, why, coming, due.night)
    quiet = quiet_days(seen)
    if settings.schedule.hibernate_days and quiet >= settings.schedule.hibernate_days:
        return NightDecision(Do.HIBERNATE, say("when.nothing_for", n=quiet), None, due.night)
    return NightDecision(Do.NOTHING_NEW, say("when.nothing"), coming, due.night)


def quiet_days(seen: ScheduleState) -> int:
    """How many whole calendar days have brought nothing: a dream at night is about the day before it."""
    seen = _in_utc(seen)
    dreamt = seen.last_dream if seen.last_dream is not None and _is_sane(seen, seen.last_dream) else None
    days = [seen.quiet_since] if seen.quiet_since else []
    days += [dreamt.astimezone(seen.zone).date()] if dreamt else []
    return max(0, (seen.now.astimezone(seen.zone).date() - max(days)).days) if days else 0


def deadline(night: datetime, until: str, zone: tzinfo) -> datetime:
    """When a night waits no longer for the agent: the first time the wall clock shows `until` at or after it."""
    wall = datetime.combine(night.astimezone(zone).date(), wall_time(until))
    moment = moment_of(wall, zone)
    if moment < night.astimezone(UTC):
        moment = moment_of(wall + timedelta(days=1), zone)
    return moment.astimezone(zone)


def _asleep(seen: ScheduleState) -> NightDecision:
    since = seen.asleep_since
    if seen.heard is not None and (since is None or seen.heard > since or since > seen.now):
        return NightDecision(Do.WAKE, say("when.heard", moment=_shown(seen.heard.astimezone(seen.zone))))
    return NightDecision(Do.SLEEP, say("when.hibernating"))


def _since_served(seen: ScheduleState, cron: str, night: datetime) -> timedelta | None:
    """How long before this night the latest one lies that needs no dream any more; None when there is none."""
    marks = [mark for mark in (seen.last_dream, seen.settled) if mark is not None and _is_sane(seen, mark)]
    served = last_fire(cron, max(marks), seen.zone) if marks else None
    return night.astimezone(UTC) - served.astimezone(UTC) if served is not None else None


def _after_failures(
    seen: ScheduleState, settings: Settings, night: datetime, coming: datetime | None
) -> NightDecision | None:
    """What a night has to wait for that failed before; nothing, if it did not or has waited."""
    if seen.tried != night.astimezone(UTC) or not seen.tries or seen.tried_at is None or seen.tried_at > seen.now:
        return None
    if seen.tries >= TRIES:
        return NightDecision(Do.WAIT, say("when.given_up", night=_shown(night), tries=seen.tries), coming, night)
    again = seen.tried_at + _pause(settings)
    return NightDecision(Do.DEFER, say("when.failed"), again.astimezone(seen.zone), night) if seen.now < again else None


def _in_utc(seen: ScheduleState) -> ScheduleState:
    """The same moments where they can be compared: Python compares wall clocks within a zone, and an hour may come twice."""
    moments = {
        name: moment.astimezone(UTC)
        for name in ("now", "last_dream", "settled", "asleep_since", "heard", "tried", "tried_at")
        if (moment := getattr(seen, name)) is not None
    }
    return replace(seen, **moments)


def _is_sane(seen: ScheduleState, moment: datetime) -> bool:
    """Whether a mark can be believed. One further ahead than a day was written by a clock that was wrong.

    One that lies a little ahead is kept: the clock was set back, and what was dreamt was dreamt. Time will pass it.
    """
    return moment <= seen.now + timedelta(days=1)


def _pause(settings: Settings) -> timedelta:
    return timedelta(minutes=settings.schedule.defer_minutes)


def _why_due(seen: ScheduleState, night: datetime, since: timedelta | None) -> str:
    if seen.last_dream is None and since is None:
        return say("when.first")
    late = seen.now - night.astimezone(UTC) > timedelta(hours=12)
    return say("when.due_late" if late else "when.due", night=_shown(night))


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class ScheduledCall:
    """What a scheduled call came to: the decision, and the run if it dreamt something."""

    decision: NightDecision
    run: Run | None = None
    proposed: str = ""

    @property
    def exit_code(self) -> int:
        return DEFERRED if self.decision.do is Do.DEFER else 0


def scheduled_night(workspace: Workspace, clock: Clock, idle: Idle) -> ScheduledCall:
    """Dream if it is time. What goes wrong is kept in mind, so that the night is tried again, and raised."""
    seen, decision = outlook(workspace, clock)
    if decision.do in (Do.SLEEP, Do.DEFER) or (decision.do is Do.WAIT and seen.state is State.ACTIVE):
        return ScheduledCall(decision)
    from reverie.features.schedule import nightshift  # the whole night, only when there is something to do

    return nightshift.act(workspace, clock, idle, seen, decision)


def outlook(workspace: Workspace, clock: Clock) -> tuple[ScheduleState, NightDecision]:
    """What the schedule says at this moment, from small state files only."""
    seen = look(workspace, clock.now())
    if not is_on(workspace.root, workspace.settings):
        return seen, NightDecision(Do.WAIT, say("schedule.off"))
    return seen, whether_due(seen, workspace.settings)


def next_night(decision: NightDecision, zone_now: datetime) -> str:
    """What the schedule says, in a sentence for people."""
    if decision.do in (Do.DUE, Do.SLEEP, Do.WAKE):
        return say(f"schedule.{decision.do}", why=decision.why)
    if decision.until is None:
        return say("schedule.nothing", why=decision.why)
    until = f"{decision.until.astimezone(zone_now.tzinfo):%Y-%m-%d %H:%M}"
    return say("schedule.nothing_until", until=until, why=decision.why)


def look(workspace: Workspace, now: datetime) -> ScheduleState:
    """What a decision rests on."""
    state = state_of(workspace)
    seen = ScheduleState(now=now, zone=zone_of(workspace.settings), last_dream=_last_dream(workspace.root), state=state)
    seen = with_watched(seen, said_in(workspace.root / WATCHED))
    if state is not State.HIBERNATING:
        return seen
    from reverie.workspace.news import last_word  # lists files, only for those asleep

    return replace(seen, heard=last_word(workspace.root, transcripts_of(workspace.settings), seen.asleep_since))


def state_of(workspace: Workspace) -> State:
    """What the state file says; without one, or with an unknown word, the workspace is active."""
    said = said_in(workspace.vault / DREAM_STATE.removeprefix(VAULT)).lower()
    return State(said) if said in set(State) else State.ACTIVE


def switch(workspace: Workspace, *, on: bool, disk: Disk | None = None) -> bool:
    """Switch on or off what happens by itself. False when it was so already; then nothing is written."""
    # Where OpenClaw dreams too, an owner's word is kept even if nothing changes by it: its switch may be turned tomorrow.
    if is_on(workspace.root, workspace.settings) == on and workspace.host is None:
        return False
    return put_state(workspace, SWITCH, "on" if on else "off", disk)


def with_watched(seen: ScheduleState, text: str) -> ScheduleState:
    """What `watched.json` remembers, laid over what was seen. A damaged file only means that nothing is remembered."""
    try:
        kept = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        kept = {}
    if not isinstance(kept, dict):
        return seen
    tries = kept.get("tries")
    moments: dict[str, Any] = {name: _moment(kept.get(name)) for name in _MOMENTS}
    tries = tries if type(tries) is int and tries >= 0 else 0
    return replace(seen, **moments, tries=tries, quiet_since=_day(kept.get("quiet_since")))


def watched_text(seen: ScheduleState) -> str:
    """The same, as it is kept: moments with their offset, so that a move to another zone changes nothing."""
    moments: dict[str, datetime | None] = {name: getattr(seen, name) for name in _MOMENTS}
    kept = {name: moment.isoformat(timespec="seconds") if moment else None for name, moment in moments.items()}
    quiet = seen.quiet_since.isoformat() if seen.quiet_since else None
    return json.dumps({"version": 1, **kept, "tries": seen.tries, "quiet_since": quiet}, indent=1) + "\n"


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _last_dream(root: Path) -> datetime | None:
    try:
        moment = datetime.fromisoformat(said_in(root / LAST_DREAM))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def zone_of(settings: Settings) -> tzinfo:
    return ZoneInfo(settings.timezone) if settings.timezone else MachineZone()


def transcripts_of(settings: Settings) -> tuple[Path, ...]:
    return tuple(Path(folder).expanduser() for folder in settings.transcripts)


def idle_of(settings: Settings, clock: Clock, environ: Mapping[str, str]) -> Idle:
    """How this machine can tell whether its agent is at work, the cheap way first."""
    from reverie.workspace.sessions import AgentStatus, AnyOf, RecentWrites  # processes, only for those who ask

    ways: list[Idle] = []
    if settings.schedule.quiet_minutes and settings.transcripts:
        ways.append(RecentWrites(transcripts_of(settings), settings.schedule.quiet_minutes, clock))
    if settings.schedule.ask_agent:
        ways.append(AgentStatus(environ=environ))
    return AnyOf(tuple(ways))
