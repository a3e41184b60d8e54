"""What the page shows: each view is a template and values that the features return; nothing is decided or written here."""

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any

import reverie
from reverie.errors import NotAWorkspace, NotFound
from reverie.features import backfill, edit, promote, schedule
from reverie.features.decisions import decision_of
from reverie.features.doctor import doctor
from reverie.features.document import document, sources_of
from reverie.features.drawer import drawer
from reverie.features.excerpt import excerpt
from reverie.features.inbox import inbox
from reverie.features.nights import NIGHTLY, diary_of, night, nights, records
from reverie.features.palace import views as palace_views
from reverie.features.status import Status
from reverie.features.timers import Timer
from reverie.features.timers import found as timers_of
from reverie.retrieval.search import Searcher
from reverie.store.runs import COMMITTED, run_files
from reverie.text.clock import moment
from reverie.workspace.layout import NOTES, Layout
from reverie.workspace.read import read

Value = dict[str, Any]
Fields = Mapping[str, str]
_CALLERS_SECONDS = 60.0  # what calls the nights is asked for so rarely: it may start programs
_FOUND = 30  # hits of a search
_KINDS = {"memory": "what the agent reads", "notes": "what you wrote, never changed", "index": "what was read elsewhere",
          "archive": "what left memory"}  # fmt: skip


@dataclass
class Job:
    """A night that was begun on the page."""

    step: str = ""
    is_running: bool = False


@dataclass(frozen=True)
class Said:
    """What an act did, told once on the next view."""

    text: str
    run: str = ""  # that takes it back
    is_wrong: bool = False


@dataclass
class Site:
    layout: Layout
    fixed: str = ""  # the time it is, for tests
    model: str = ""
    job: Job = field(default_factory=Job)
    said: list[Said] = field(default_factory=list)
    callers: tuple[float, list[Timer]] = (0.0, [])

    @property
    def now(self) -> datetime:
        return moment(self.fixed)

    def frame(self) -> Value:
        """What every view shows around itself; also where there is no memory yet."""
        job = replace(self.job)  # looked at before what was said: a night that ends meanwhile is told by the next view
        said, known = self.said[:], records(self.layout)
        self.said.clear()
        try:
            status, left = reverie.status(self.layout, self.now), drawer(self.layout, read(self.layout), known)
        except NotAWorkspace:
            status, left = Status(self.now, 0, 18_000, 0, 250, 0, None, "not begun", 0, 0, 0, {}, ""), []
        last = next((run for run in reversed(known) if run.command in NIGHTLY), None)
        days = nights(known, self.now.date())
        picked = max((index for index, day in enumerate(days) if day.runs), default=len(days) - 1)
        unfinished = [path.stem for path in run_files(self.layout, COMMITTED)]
        return {
            "status": status, "name": self.layout.root.name, "said": said, "unfinished": unfinished, "job": job,
            "days": days, "known": known, "last": last, "picked": picked, "archive": left,
        }  # fmt: skip

    def memory(self, asked: Fields) -> tuple[str, Value]:
        about = self.frame()
        number, days, newest = _number(asked.get("night", "")), about["days"], about["picked"]
        is_past = number is not None and number < newest
        try:
            shown = document(self.layout, self.now, days[number].day if number is not None and is_past else None)
        except NotAWorkspace:
            shown = None
        says = shown and (shown.unread or any(s.parts for chapter in shown.chapters for s in chapter.sections))
        if not is_past and not says:
            beside = {"notes": shown.notes if shown else 0, "topics": shown.topics if shown else 0}
            return "first.html", about | beside | {"callers": self._callers(), "root": self.layout.root}
        return "memory.html", about | {"document": shown, "picked": number if is_past else newest}

    def line(self, asked: Fields) -> tuple[str, Value]:
        """The story of one line, and what can be done to it."""
        about, snapshot = self.frame(), read(self.layout)
        found = edit.line_seen(snapshot, asked.get("at", ""), asked.get("mark", ""))
        story = reverie.why(self.layout, found.text, self.now)
        runs = {run.id: run for run in about["known"]}
        cites = [
            ref for event in story.events if event.run in runs for wish in runs[event.run].operations
            if wish.id == event.id for ref in wish.cites
        ]  # fmt: skip
        sources = sources_of(snapshot, dict.fromkeys(cites))
        return "line.html", about | {"line": found, "mark": found.ref.mark, "story": story, "sources": sources}

    def inbox(self, _: Fields) -> tuple[str, Value]:
        """What is asked, each between the lines beside which it stands or would stand."""
        about, shown, places = self.frame(), document(self.layout, self.now), dict[str, Value]()
        parts = (part for chapter in shown.chapters for section in chapter.sections for part in section.parts)
        lines = [line for part in parts for line in part.lines if line.sign != "gone"]
        for number, line in enumerate(lines):
            if line.sign == "ask" and line.decision:
                near = [lines[n].words if 0 <= n < len(lines) else "" for n in (number - 1, number + 1)]
                places[line.decision.id] = {"line": line, "near": near}
        nowhere: Value = {"line": None, "near": ["", ""]}
        asked = [{"card": card, **places.get(card.id, nowhere)} for card in inbox(self.layout, self.now)]
        return "inbox.html", about | {"asked": asked}

    def night(self, asked: Fields) -> tuple[str, Value]:
        about, preview = self.frame(), None
        try:
            story = night(self.layout, asked.get("run", ""))
        except NotFound:
            if asked.get("run"):
                raise
            story = None
        if "preview" in asked:
            report = reverie.review(self.layout, self.now, dry_run=True)
            preview = {"done": [*map(decision_of, report.done)], "waiting": [*map(decision_of, report.waiting)],
                       "report": report, "seal": seal_of(report)}  # fmt: skip
        entries, years = diary_of(self.layout, _number(asked.get("year", "")) or 0)
        return "night.html", about | {
            "story": story, "preview": preview, "entries": entries, "years": years, "year": asked.get("year", ""),
            "recalls": promote.memory_status(self.layout, self.now), "due": schedule.due(self.layout, self.now),
            "signs": [sign for sign in doctor(self.layout, self.now) if sign.word != "ok"], "callers": self._callers(),
            "is_off": schedule.is_off(self.layout), "leader": self.leader(),
            "backfill": self._backfill() if "backfill" in asked else None, "missed": _missed(about["days"]),
        }  # fmt: skip

    def _backfill(self) -> Value:
        return backfill.rehearse(self.layout, self.now, str(self.layout.root / NOTES), with_grounded=True)

    def leader(self) -> str:
        from reverie.models.ask import chosen

        model = chosen(self.model)
        return "" if model.kind in ("none", "agent") else model.shown

    def search(self, asked: Fields) -> tuple[str, Value]:
        """Search without a trace: what is looked up on the page is no recall of the agent's."""
        about, question, view = self.frame(), asked.get("q", "").strip()[:1_000], asked.get("view", "")
        groups: list[Value] = []
        note = ""
        if question:
            with closing(Searcher(self.layout)) as searcher:
                answer = searcher.search(question, self.now.date(), limit=_FOUND)
            note = answer.note
            for kind, sentence in _KINDS.items():
                hits = [hit for hit in answer.hits if hit.kind == kind]
                groups += [{"kind": kind, "about": sentence, "hits": hits}] * bool(hits)
        pages = palace_views(read(self.layout)) if view else {}
        return "search.html", about | {
            "question": question, "groups": groups, "note": note, "view": view if view in pages else "", "pages": pages,
        }  # fmt: skip

    def file(self, asked: Fields) -> tuple[str, Value]:
        """Some lines of a file that the reader reads, and of no other."""
        line = _number(asked.get("line", "")) or 1
        shown = excerpt(self.layout, asked.get("path", ""), max(1, line - 8))
        return "file.html", self.frame() | {"shown": shown, "line": line}

    def _callers(self) -> list[Timer]:
        asked, found = self.callers
        if not asked or time.monotonic() - asked > _CALLERS_SECONDS:
            self.callers = time.monotonic(), (found := timers_of(str(self.layout.root)))
        return found


def _missed(days: list[Any]) -> list[date]:
    """The days since the last night on which none came."""
    ran = [day.day for day in days if day.runs]
    today = days[-1].day
    return [ran[-1] + timedelta(days=n) for n in range(1, (today - ran[-1]).days + 1)] if ran else []


def seal_of(report: Any) -> str:
    """A hash of all that a night would do."""
    said = "\n".join(wish.id for wish in (*report.done, *report.waiting))
    return blake2b(said.encode(), digest_size=8).hexdigest()


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 8 else None
