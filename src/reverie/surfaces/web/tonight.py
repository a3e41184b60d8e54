"""Tonight and Doctor: what last night did, what needs its owner, one button for tonight; how the memory is, and what is wrong.

Every figure leads to the very lines that it counts. Charts are pictures that the server draws: they need no script, and each has
its numbers in a table beside it. Colours and strokes are classes of the style sheet, because the page allows no style in its markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar
from urllib.parse import urlencode

from reverie.apply.runs import runs
from reverie.apply.state import read_proposal
from reverie.core.errors import ReverieError
from reverie.core.layout import LEDGER, holds_memory
from reverie.evidence.attempts import Attempt, Outcome, attempts
from reverie.features import note as noting
from reverie.features.doctor import doctor as clinic
from reverie.features.doctor.signs import Chart, Sign, is_it_on
from reverie.features.figures import CountedLine, Quality, quality
from reverie.features.schedule.when import Do, State, next_night, outlook, switch
from reverie.features.status import Glance, glance, is_on, warning
from reverie.judge.operation import Question
from reverie.lang.messages import say
from reverie.night.suggesting import Card, waiting_cards
from reverie.openclaw.recall_lane import TAKEN_BACK, phase_states
from reverie.plan.asked import open_questions
from reverie.plan.ledger import read_ledger
from reverie.plan.part import is_replacement
from reverie.plan.splices import VIEW
from reverie.plan.timeline import ARCHIVED, CHANGED, ENTERED, moved_by
from reverie.surfaces.cli.hosts import HOSTS
from reverie.surfaces.cli.status import phase_line
from reverie.surfaces.starters import blocked, night_starter  # what starts the nights on this machine
from reverie.surfaces.web.charts import ENOUGH
from reverie.surfaces.web.files import place_link, wrote_it
from reverie.surfaces.web.html import (
    Html,
    Inside,
    as_read,
    badge,
    bar,
    because,
    button,
    card,
    folded,
    formatted,
    h,
    hidden,
    in_words,
    quiet,
    row,
    safe,
    swapped,
)
from reverie.surfaces.web.memory import memory_view
from reverie.surfaces.web.questions import asked, suggested
from reverie.surfaces.web.runs import declined_in
from reverie.surfaces.web.state import Done, Form, Site, Visit, given, start
from reverie.text.lines import bare
from reverie.text.sections import OURS
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Edit, Intent, Run

T = TypeVar("T")
DAYS = 90
CHANGES = 5  # of last night that are shown here; all of them stand under Runs
NEEDS = 3  # questions and suggestions that are shown here
LISTED = 200  # lines behind a figure
LATELY = timedelta(hours=30)  # what people still call last night
_QUESTIONS = ("on", "ran", "read", "kept", "next")
_ROOMS = {  # where the page does what a command would
    "dream questions": "/questions", "dream suggestions": "/questions", "dream apply": "/plan", "dream runs": "/runs",
    "dream review": "/", "dream on": "/", "dream note": "/", "dream doctor --fix": "#mend",
}  # fmt: skip
KINDS = (CHANGED, ENTERED, ARCHIVED)  # the order of the cards: what is most worth a look first


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """What a night did to one line of MEMORY.md."""

    kind: str  # entered, changed or archived
    old: str
    new: str
    id: str  # by which it is taken back, and its story told
    edit: Edit


@dataclass(frozen=True, slots=True)
class Desk:
    """What lies on the owner's desk, of one reading of the workspace."""

    plan: bool  # a plan waits for a decision
    questions: tuple[Question, ...]
    cards: tuple[Card, ...]
    archive: tuple[CountedLine, ...]
    pending: tuple[CountedLine, ...]  # notes that no night has judged

    @property
    def waiting(self) -> int:
        return len(self.questions) + len(self.cards)


def desk(site: Site, fresh_for: float = 5.0) -> Desk:
    return site.cache.get("desk", lambda: _desk(site), fresh_for, old_will_do=True)


def _desk(site: Site) -> Desk:
    snapshot, today = read_workspace(site.workspace), site.clock.now().date()
    blocks = read_ledger(snapshot.text_of(LEDGER))
    return Desk(
        read_proposal(site.workspace) is not None,
        _unless_damaged(lambda: open_questions(snapshot, today)),
        _unless_damaged(lambda: waiting_cards(snapshot, today)),
        tuple(CountedLine(block.id, block.content[0], f"{block.archived} · {block.note}") for block in blocks),
        tuple(
            CountedLine(f"{file.path}:1", say("front.note_lines", n=len(file.entries))) for file in unjudged(snapshot)
        ),
    )


def _unless_damaged(look: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
    try:
        return look()
    except ReverieError:  # a damaged list is told by the doctor
        return ()


def tonight(site: Site, visit: Visit) -> Html:
    workspace, clock, cache = site.workspace, site.clock, site.cache
    now, known = clock.now(), cache.get("nights", lambda: attempts(workspace.root))
    history = cache.get("runs", lambda: runs(workspace), 5)
    nights = [run for run in history if run.plan.intent is Intent.DREAM and not run.plan.undoes]
    seen = cache.get("glance", lambda: _glance(site))
    figures = cache.get("quality", lambda: quality(workspace, clock), 30, old_will_do=True)
    here, first = desk(site), not nights and not known
    empty = first and not here.pending and not figures.entries
    status = _status(site, visit, seen, figures, known)
    if first:
        head: list[Inside] = [h("h1", say("front.welcome"))]
        told: list[Inside] = [_first_night(site, visit, here, figures, empty=empty), status]
    else:
        sentence, changes = _last_night(visit, known, nights, history, now)
        head = [h("h1", sentence), status, _failure(known[-1] if known else None)]
        told = [_coming_night(site, visit, here, seen), changes]
    remember = None if empty else _remember(visit)  # there it is the first step
    aside = h("aside", card(_search(), remember), _health(figures, here, seen), aria_label=say("front.beside"))
    enough = len({one.at[:10] for one in known}) >= ENOUGH
    charts = h("p", h("a", say("rooms.see_trends"), href="/trends"), class_="see-trends") if enough else None
    needs = None if first and not here.waiting else _needs(visit, here)
    return h("div", head, h("div", h("div", *told, needs), aside, class_="two"), charts, class_="front")


def _last_night(
    visit: Visit, known: Sequence[Attempt], nights: Sequence[Run], history: Sequence[Run], now: datetime
) -> tuple[str, Html | None]:
    """The last night in one sentence, and what it changed as cards; after a quiet one the changes of the one before, folded."""
    last = known[-1] if known else None
    run, came = next(((one, came) for one in reversed(nights) if (came := list(changes_of(one)))), (None, []))
    is_it = run is not None and (last is None or last.run == run.id)
    quiet_one = next((one for one in reversed(nights) if last and one.id == last.run), None)
    sentence = _sentence(run if is_it else quiet_one, last, now)
    if run is None:
        return sentence, None
    taken = {edit.id for one in history if not one.undone_by for edit in one.plan.edits if edit.tag == TAKEN_BACK}
    came.sort(key=lambda one: KINDS.index(one.kind))
    cards = [_changed(visit, run, one, gone=one.id in taken) for one in came[:CHANGES]]
    every = h("a", say("front.all_of_it", n=len(came)), href=f"/runs?run={run.id}#R{run.id}")
    back = visit.form("/undo", hidden("run", run.id), hidden("back", "/"), button("front.undo_night", "plain"))
    told = h("ol", cards, class_="changes list"), row(every, None if run.undone_by else back)
    return sentence, h("div", told) if is_it else folded(say("front.before", day=run.at[:10]), told)


def _sentence(run: Run | None, last: Attempt | None, now: datetime) -> str:
    at = datetime.fromisoformat(run.at if run else last.at if last else now.isoformat())
    moved = moved_by(run) if run else {}
    parts = [say(f"front.{kind}", n=moved[kind]) for kind in (ENTERED, ARCHIVED, CHANGED) if kind in moved]
    parts += [say("front.declined", n=n)] if run and (n := declined_in(run)) else []
    what = say("attempt.comma").join(parts)
    if run and run.undone_by:
        what = say("front.undone", what=what or say("front.nothing"))
    elif last and last.outcome in (Outcome.FAILED, Outcome.PROPOSED):
        what = say(f"front.{last.outcome}")
    elif not what:
        what = say("front.nothing_read", n=last.fresh) if last and last.fresh else say("front.nothing")
    night = "front.last_night" if now - at < LATELY else "front.a_night"
    return say(night, day=f"{at:%Y-%m-%d}", what=what, ago=_ago(now - at))


def _ago(passed: timedelta) -> str:
    minutes = max(0, int(passed.total_seconds()) // 60)
    if minutes >= 48 * 60:
        return say("front.days_ago", n=minutes // (24 * 60))
    if minutes >= 60:
        return say("front.hours_ago", h=minutes // 60, m=minutes % 60)
    return say("front.minutes_ago", n=minutes) if minutes else say("front.just_now")


def _status(site: Site, visit: Visit, seen: Glance, figures: Quality, known: Sequence[Attempt]) -> Html:
    """Whether nights come by themselves, as the doctor answers it: when the next one is, or what is in its way."""
    starter = site.cache.get("starter", lambda: night_starter(site.workspace, site.clock), 20)
    chart = Chart(
        now=site.clock.now(), on=seen.on, state=State(seen.state) if seen.state in set(State) else State.ACTIVE, attempts=tuple(known),
        scheduled=starter.by, dead_daemon=starter.dead, blocked=seen.blocked, off_by=starter.off_by,
    )  # fmt: skip
    sign = next(is_it_on(chart))
    words = {
        "off": say("claws.off_by", where=starter.off_by) if starter.off_by else say("page.is_off"),
        "blocked": say("claws.blocked", why=seen.blocked),
        "daemon dead": say("claws.blocked", why=say("claws.daemon_dead", since=starter.dead)),
        "not scheduled": say("front.nothing_starts"),
        "hibernating": say("front.hibernates"),
    }
    host = site.workspace.host
    both = say("doctor.both_dream", where=host.where) if host and host.on and seen.on else ""
    told = words.get(sign.status) or site.cache.get("outlook", lambda: _coming(site), 5)
    more = h("a", say("front.set_up"), href="/doctor#on") if sign.status in words and seen.on else None
    score = "" if figures.score is None else f"{say('page.health')} {figures.score}"
    down = h("a", " · ".join(filter(None, (score, f"MEMORY.md {seen.share} %"))), href="#health")
    dot = h("span", class_=f"dot {'good' if sign.status not in words else 'bad'}", aria_hidden="true")
    on = None if seen.on else visit.form("/switch", button("switch_on", "plain"))
    line = h("div", h("p", dot, safe(told), " ", more), on, down, class_="status")
    return h("div", line, h("p", safe(both), class_="warn") if both else None)


def _failure(last: Attempt | None) -> Html | None:
    if last is None or last.outcome is not Outcome.FAILED:
        return None
    link = h("a", say("front.ask_doctor"), href="/doctor")
    return h("p", safe(last.message or last.error), " ", link, class_="told trouble")


def changes_of(run: Run) -> Iterator[ChangedLine]:
    """What a run did to MEMORY.md, line by line."""
    for edit in run.plan.edits:
        if not holds_memory(edit.path) or edit.tag == VIEW:
            continue
        old, new = ("\n".join(bare(line) for line in lines if line.strip()) for lines in (edit.old, edit.new))
        if not edit.new:
            yield ChangedLine(ARCHIVED, old, "", edit.id, edit)
        elif is_replacement(edit):
            yield ChangedLine(CHANGED, old, new, edit.id, edit)
        else:
            there = set(map(bare, edit.old))
            for line in map(bare, edit.new):
                if line.strip() and line not in there and not line.startswith("#"):
                    mark = OURS.search(line)
                    yield ChangedLine(ENTERED, "", line, mark[1] if mark else "", edit)


def _changed(visit: Visit, run: Run, one: ChangedLine, *, gone: bool) -> Html:
    words = swapped(one.old, one.new) if one.old and one.new else formatted(as_read(one.new or one.old))
    line = words if one.kind == CHANGED else h("del" if one.kind == ARCHIVED else "ins", words)
    story = h("a", say("page.why"), href=f"/memory/why?{urlencode({'line': one.id})}") if one.id else None
    back = visit.form(
        "/undo", hidden("run", run.id), hidden("item", one.id), hidden("back", "/"), button("undo_one", "plain")
    )
    can = one.id and not gone and not run.undone_by
    state = badge(say("front.taken_back"), "cut") if gone or run.undone_by else None
    acts = h("span", story, back if can else None, class_="acts")
    return h(
        "li",
        row(badge(say(f"front.is_{one.kind}"), one.kind), state, wrote_it(list(map(str, one.edit.sources))), acts),
        h("p", line, class_=None if one.kind == CHANGED else "diff"),
        because(one.edit.why),
        class_=one.kind,
        tabindex="-1",
    )


def _first_night(site: Site, visit: Visit, here: Desk, figures: Quality, *, empty: bool) -> Html:
    """Somebody who has just come: what was found, and three steps to a night they trust. Where nothing is, a first note."""
    lines = say("front.lines", n=figures.entries)
    found = say("front.found", notes=say("front.notes", n=len(here.pending)), lines=lines)
    come = h("p", h("code", "dream schedule install"), " ", say("front.or_else"), " ", h("code", "dream integrate"))
    hosts = quiet(say("front.hosts", names=say("count.between").join(HOSTS)))
    inside = (_remember(visit, "main") if empty else _primary(site, visit, here)), None, (come, hosts)
    steps = [
        h("li", h("h2", say(f"front.step{n}")), h("p", say(f"front.step{n}_hint")), more)
        for n, more in zip((0 if empty else 1, 2, 3), inside, strict=True)
    ]
    lead = h("p", say("front.found_nothing") if empty else found, class_="lead")
    return h("section", lead, h("ol", steps, class_="steps"))


def _primary(site: Site, visit: Visit, here: Desk) -> Html:
    """The one button that leads on: look at what a night would do, then decide."""
    if here.plan or site.preview:
        return h("a", say("front.decide"), href="/plan", class_="button main")
    return visit.form("/plan/make", button("front.preview", "main", disabled=site.dream.seen().running))


def _coming_night(site: Site, visit: Visit, here: Desk, seen: Glance) -> Html:
    """What comes next: the button, what waits to be read, and behind one word a night at once and the switch."""
    waits = (
        h("a", say("front.pending", n=len(here.pending)), href="/lines?of=pending")
        if here.pending
        else say("front.all_read")
    )
    at_once = visit.form("/dream", button("dream_now", disabled=site.dream.seen().running))
    off = visit.form("/switch", button("switch_off", "plain")) if seen.on else None
    hint = "front.proposes" if site.workspace.settings.review.mode == "propose" else "page.dream_now_hint"
    told = h("p", say("front.plan_waits") if here.plan else waits)
    alone = folded(say("front.at_once"), row(at_once, off), quiet(say(hint)))
    return h("section", _primary(site, visit, here), told, alone, class_="coming", aria_label=say("page.tonight"))


def _needs(visit: Visit, here: Desk) -> Html:
    """What waits for the owner's word, the first few with their buttons."""
    title = h("h2", say("front.needs"), " ", badge(str(here.waiting), "count") if here.waiting else None)
    if not here.waiting:
        return h("section", title, quiet(say("front.needs_nothing")), id="needs", class_="needs")
    told = [asked(visit, one, "/#needs", brief=True) for one in here.questions[:NEEDS]]
    told += [suggested(visit, one, "/#needs", brief=True) for one in here.cards[: NEEDS - len(told)]]
    every = h("p", h("a", say("front.all_waiting", n=here.waiting), href="/questions"))
    return h("section", title, h("div", told, class_="list"), every, id="needs", class_="needs")


def lines(site: Site, visit: Visit) -> Html:
    """The very lines that a figure counts."""
    here = desk(site)
    figures = site.cache.get("quality", lambda: quality(site.workspace, site.clock), 30, old_will_do=True)
    listed = {part.name: part.lines for part in figures.parts} | {
        "archive": here.archive[::-1],
        "pending": here.pending,
    }
    asked = visit.asked("of")
    name = asked if asked in listed else next(iter(listed), "")
    doors = [
        h(
            "li",
            h(
                "a",
                _figure(one),
                " ",
                h("small", len(found)),
                href=f"/lines?of={one}",
                aria_current="true" if one == name else None,
            ),
        )
        for one, found in listed.items()
        if one != "room"
    ]
    found = listed.get(name, ())
    told = [
        h(
            "li",
            h("p", formatted(as_read(one.text))),
            row(place_link(one.place), h("span", safe(one.against), class_="quiet")),
            tabindex="-1",
        )
        for one in found[:LISTED]
    ]
    rest = quiet(say("page.more_wait", n=len(found) - LISTED)) if len(found) > LISTED else None
    nav = h("nav", h("ul", doors, class_="months"), aria_label=say("front.figures"))
    nothing = card(quiet(say("front.no_lines")))
    return h(
        "div",
        h("h1", f"{_figure(name)} ({len(found)})"),
        nav,
        h("ul", told, class_="hits list") if told else nothing,
        rest,
    )


def _figure(name: str) -> str:
    return say(f"front.of_{name}") if name in ("archive", "pending", "memory") else in_words(name)


def dream(site: Site, form: Form) -> None:
    start(site, "review")


def note(site: Site, form: Form) -> Done:
    noted = noting.note(site.workspace, site.clock, given(form, "text"), by=Author("owner", "page"))
    return Done(say("front.noted", path=noted.path, line=safe(noted.line or noted.why)))


def switch_over(site: Site, form: Form) -> None:
    switch(site.workspace, on=not is_on(site.workspace.root, site.workspace.settings))


def _glance(site: Site) -> Glance:
    """What `dream status` sees, with the size counted: the page reads MEMORY.md anyway."""
    workspace = site.workspace
    seen = glance(workspace.root, workspace.vault, workspace.settings, site.clock.now(), workspace.home)
    size = seen.characters if seen.exact else memory_view(workspace).characters
    return replace(seen, characters=size, exact=True, blocked=blocked(workspace, seen, site.clock))


def _phases(site: Site) -> Html:
    """Light, REM and deep: when each last ran and what it did."""
    return card(h("ul", [h("li", phase_line(one)) for one in phase_states(site.workspace)]), title=say("claws.phases"))


def _coming(site: Site) -> str:
    try:
        decision, now = outlook(site.workspace, site.clock)[1], site.clock.now()
        if decision.do is Do.WAIT and decision.until:
            return say("front.next", until=f"{decision.until.astimezone(now.tzinfo):%Y-%m-%d %H:%M}")
        return next_night(decision, now)
    except ValueError as error:  # a schedule that nobody can read
        return str(error)


def _budget(seen: Glance) -> Html:
    """How full MEMORY.md is, in one line and a thin bar."""
    told, over = say("page.characters", size=seen.characters, limit=seen.limit), warning(seen)
    line = h("a", h("span", say("page.budget")), h("b", f"{seen.share} %"), href="/memory", title=told)
    full = bar(seen.characters, seen.limit, told, "warn" if seen.characters >= seen.warn_at else "")
    return h("div", line, full, h("p", over, class_="warn") if over else None, class_="parts")


def _health(figures: Quality, here: Desk, seen: Glance) -> Html:
    """The score in a ring and in a sentence, what is not well, the budget, and behind one word every other figure. Each leads
    to the lines that it counts."""

    def figure(name: str, count: int, href: str = "") -> Html:
        return h("li", h("a", h("span", _figure(name)), h("b", f"{count:,}"), href=href or f"/lines?of={name}"))

    parts = [part for part in figures.parts if part.name != "room"]  # the budget has a line of its own
    wrong = [figure(part.name, part.count) for part in parts if part.count]
    others = [figure(part.name, part.count) for part in parts if not part.count]
    others += [figure("memory", figures.entries, "/memory")] if figures.entries else []
    others += [figure("archive", len(here.archive)), figure("pending", len(here.pending))]
    ring = None
    if figures.score is not None:
        told = say("front.well") if not wrong else say("front.not_well", n=sum(part.count for part in parts))
        circle = {"cx": 18, "cy": 18, "r": 15, "pathLength": 100}
        drawn = (
            h("circle", class_="track", **circle),
            h("circle", class_="fill", stroke_dasharray=f"{figures.score} 100", **circle),
        )
        ring = h("div", h("svg", drawn, viewBox="0 0 36 36", class_="ring", aria_hidden="true"), h("p", h("span", figures.score, class_="big"), h("span", " / 100", class_="unit"), h("br"), told), class_="score")  # fmt: skip
    return card(
        ring or quiet(say("page.no_health")),
        h("ul", wrong, class_="parts") if wrong else None,
        _budget(seen),
        folded(say("front.all_figures"), h("ul", others, class_="parts")),
        title=say("page.health"),
        id="health",
    )


def _search() -> Html:
    words = h("input", type="search", name="q", id="ask", maxlength=500, required=True, autocomplete="off")
    label = h("label", say("front.search"), for_="ask")
    return h("form", label, row(words, button("search")), method="get", action="/search", role="search")


def _remember(visit: Visit, kind: str = "") -> Html:
    words = h("input", type="text", name="text", id="note", maxlength=2000, required=True, autocomplete="off")
    return visit.form("/note", h("label", say("page.note"), for_="note"), row(words, button("note_it", kind)))


def doctor(site: Site, visit: Visit) -> Html:
    """The five questions, whatever else is wrong, a button that mends what can be mended safely, and how the phases stand."""
    _, signs = site.cache.get(
        "doctor", lambda: clinic.examine(site.workspace, site.clock, night_starter(site.workspace, site.clock)), 20
    )
    told = [
        card([_sign(sign) for sign in signs if sign.about == about], title=say(f"page.q_{about}"), wide=True, id=about)
        for about in _QUESTIONS
    ]
    others = [_sign(sign) for sign in signs if sign.about not in _QUESTIONS]
    rest = card(others or h("p", say("page.well")), title=say("page.q_else"), wide=True)
    phases = site.cache.get("phases", lambda: _phases(site), 20, old_will_do=True)
    return h("div", told, rest, visit.form("/doctor/mend", button("mend"), id="mend"), h("div", phases, class_="apart"))


def mend(site: Site, form: Form) -> Done:
    chart, _ = clinic.examine(site.workspace, site.clock, night_starter(site.workspace, site.clock))
    return Done("; ".join(clinic.mend(site.workspace, chart, site.clock)))


def _sign(sign: Sign) -> Html:
    kind = sign.level.name.lower()
    room = next((address for words, address in _ROOMS.items() if sign.mend.startswith(words)), "")
    name = say("page.mend") if room == "#mend" else say(f"page.{room.strip('/') or 'tonight'}")
    cure = h("span", " → ", h("a", name, href=room) if room else h("code", safe(sign.mend))) if sign.mend else None
    return h("p", badge(say(f"page.level_{kind}"), kind), " ", safe(sign.says), cure)
