"""What the memory said on a day of the past: MEMORY.md as the runs since then found it, and the notes up to that day.

Every run says which lines it took out and which it put in, and by a hash which bytes it found and left. So the present text is
walked back, run by run. Where the hashes meet, the text of that day is known to the byte; where the owner typed between two runs,
only when they did is not known, and `known` says so. What was forgotten for ever stays so; what left a note is not brought back.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from itertools import accumulate

from reverie.apply.runs import runs
from reverie.core.errors import BadInput, RefusedFile, StalePlan
from reverie.core.layout import holds_memory
from reverie.core.ports import Clock
from reverie.evidence.search import Scanned
from reverie.features.status import unread_memory
from reverie.judge.forgotten import Forgotten
from reverie.lang.messages import say
from reverie.night.live_lines import claims_in, forgotten_of
from reverie.plan.splices import found_again, spliced, turned_round
from reverie.text.lines import bare, split_lines
from reverie.workspace.reader import read_workspace, real_path, reread
from reverie.workspace.values import ABSENT, Edit, Intent, Run, Snapshot, Workspace, hash_text

NIGHT = timedelta(hours=12)  # a night before noon has read the notes of the day before


@dataclass(frozen=True, slots=True)
class Past:
    """A memory as it was at the end of a day."""

    day: date
    snapshot: Snapshot  # the files that memory stands in as they were, all others as they are
    memories: frozenset[str]  # which files these are
    known: str  # what is not certain about it, in a sentence; empty where it is known to the byte
    since: str  # the day whose notes its last night had read

    @property
    def text(self) -> str:
        """MEMORY.md of that day."""
        return self.snapshot.text_of(self.snapshot.memory_path)


def as_of(workspace: Workspace, day: date, zone: tzinfo | None, today: date) -> Past:
    """The memory at the end of this day. Writes nothing."""
    if unread := unread_memory(workspace.folder):
        raise RefusedFile(unread)
    snapshot, history, gone = read_workspace(workspace), runs(workspace), forgotten_of(workspace)
    end = datetime.combine(day + timedelta(days=1), datetime.min.time(), zone)
    written = (path for run in history for path in run.plan.paths if holds_memory(path))
    paths = {*(file.path for file in snapshot.memories), *written}
    walked = {path: _walk(snapshot, path, history, end, is_today=day == today) for path in sorted(paths)}
    texts = {path: _without_gone(text, gone) for path, (text, _) in walked.items()}
    before = reread(snapshot, texts, {path: hash_text(text) for path, text in texts.items()})
    known = next((why for _, why in walked.values() if why), "")
    nights = [run for run in history if run.plan.intent is Intent.DREAM and _at(run) < end]
    since = (_at(nights[-1]).astimezone(zone) - NIGHT).date().isoformat() if nights else ""
    return Past(day, before, frozenset(texts), known, since)


def view_of(past: Past) -> Scanned:
    """Everything that was written down by then, to be asked: that memory, and whatever is of that day or an earlier one."""
    workspace, last = past.snapshot.workspace, past.day.isoformat()
    gone, kinds = forgotten_of(workspace), workspace.settings.privacy.kinds
    claims = [
        claim
        for path, file in past.snapshot.files.items()
        for claim in claims_in(file, kinds, gone)
        if path in past.memories or "" < claim.day <= last
    ]
    return Scanned(claims, " ".join(filter(None, (say("time.as_of", day=last), past.known))))


def past_of(workspace: Workspace, clock: Clock, said: str | None) -> Past | None:
    """The memory of the day that somebody wrote down; None where nobody asked for one."""
    if not said:
        return None
    now = clock.now()
    return as_of(workspace, past_day(said, now.date()), now.tzinfo, now.date())


def past_day(said: str, today: date) -> date:
    """The day that somebody wrote down, which must have come."""
    day = day_of(said)
    if day > today:
        raise BadInput(say("time.to_come", day=day))
    return day


def _without_gone(text: str, gone: Forgotten) -> str:
    """A text without the lines that say what was forgotten for ever."""
    return "".join(line for line in split_lines(text) if not gone.is_gone(line))


def day_of(said: str) -> date:
    """The day that somebody wrote as YYYY-MM-DD."""
    try:
        return date.fromisoformat(said.strip())
    except ValueError:
        raise BadInput(say("time.no_day", day=said)) from None


def _at(run: Run) -> datetime:
    at = datetime.fromisoformat(run.at)
    return at if at.tzinfo else at.astimezone()


def _walk(snapshot: Snapshot, path: str, history: Sequence[Run], end: datetime, *, is_today: bool) -> tuple[str, str]:
    """The text of a file at a moment, and what is not certain about it."""
    mine = [run for run in history if path in run.plan.paths]
    earlier, later = _parted(mine, end)
    text = snapshot.text_of(path)
    for run in reversed(later):
        text = without_run(run, path, text)
    found = later[0].plan.base.get(path, ABSENT) if later else snapshot.hash_of(path)
    if found == ABSENT:
        return "", ""
    if found != hash_text(text):  # the owner typed after a later run, and those words stand among the others
        return text, say("time.typed_since", path=path, day=later[0].at[:10])
    if earlier and earlier[-1].after.get(path) == found:
        return text, ""
    if not later and (is_today or _untouched_since(snapshot, path, end)):
        return text, ""
    seen = later[0].at[:10] if later else say("time.as_now")
    if not earlier:
        return text, say("time.oldest", path=path, seen=seen)
    return text, say("time.typed_between", path=path, day=earlier[-1].at[:10], seen=seen)


def _parted(mine: Sequence[Run], end: datetime) -> tuple[Sequence[Run], Sequence[Run]]:
    """The runs before a moment, and those since, in their order. Clocks may have gone wrong: as few as can be are on the wrong side."""
    right = list(accumulate((1 if _at(run) < end else -1 for run in mine), initial=0))
    cut = max(range(len(right)), key=lambda at: (right[at], at))
    return mine[:cut], mine[cut:]


def without_run(run: Run, path: str, text: str) -> str:
    """A text without what a run did to it, as far as that still stands there."""
    its = [edit for edit in run.plan.edits if edit.path == path]
    back = turned_round(its)
    try:
        return spliced(text, back)
    except StalePlan:  # somebody typed meanwhile, or a scrub went over the record
        leaving, lines = frozenset(bare(line) for edit in its for line in edit.new), split_lines(text)
        return spliced(text, [one for edit in back if (one := _placed(edit, lines, leaving))])


def _placed(edit: Edit, lines: Sequence[str], leaving: Set[str]) -> Edit | None:
    """Where an edit belongs now. Nothing is written here, so words that stand once are enough without their neighbours."""
    again = found_again(edit, lines, leaving)
    if again or not edit.old:
        return again
    said, wanted = [bare(line) for line in lines], [bare(line) for line in edit.old]
    places = [at for at in range(len(said)) if said[at : at + len(wanted)] == wanted]
    if len(places) != 1:
        return None
    return replace(edit, at=places[0], old=tuple(lines[places[0] : places[0] + len(wanted)]))


def _untouched_since(snapshot: Snapshot, path: str, end: datetime) -> bool:
    try:
        return real_path(snapshot.workspace, path).stat().st_mtime < end.timestamp()
    except OSError:
        return False
