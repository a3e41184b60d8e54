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
from reverie.core.layout import LEDGER, SWITCH, holds_memory
from reverie.evidence.attempts import Attempt, Outcome, attempts
from reverie.features import note as noting
from reverie.features.doctor import doctor as clinic
from reverie.features.doctor.signs import Sign
from reverie.features.figures import CountedLine, Quality, quality
from reverie.features.schedule.when import Do, next_night, outlook, switch
from reverie.features.status import Glance, glance, is_on, said_in, warning
from reverie.judge.operation import Question
from reverie.lang.messages import say
from reverie.night.exam import Standing, standing_of
from reverie.night.suggesting import ANSWERS, Card, waiting_cards
from reverie.openclaw.recall_lane import TAKEN_BACK, phase_states
from reverie.plan.asked import open_questions
from reverie.plan.ledger import read_ledger
from reverie.plan.part import is_replacement
from reverie.plan.splices import VIEW
from reverie.plan.timeline import ARCHIVED, CHANGED, ENTERED, moved_by
from reverie.surfaces.cli.care import blocked, night_starter, place_of_switch  # what starts the nights on this machine
from reverie.surfaces.cli.status import phase_line
from reverie.surfaces.web.charts import ENOUGH
from reverie.surfaces.web.files import place_link
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
from reverie.surfaces.web.questions import change_of
from reverie.surfaces.web.state import Form, Site, Visit, given, start
from reverie.text.lines import bare
from reverie.text.sections import OURS
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Edit, Intent, Run

T = TypeVar("T")
DAYS = 90
CHANGES = 5  # of last night that are shown here; all of them stand under Runs
NEEDS = 5  # questions and suggestions that are shown here
LISTED = 200  # lines behind a figure
LATELY = timedelta(hours=30)  # what people still call last night
_QUESTIONS = ("on", "ran", "read", "kept", "next")
_SAID = {"keep-first": "front.first_holds", "keep-second": "front.second_holds", "both": "front.both_hold"}
_LATER = "later"
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
    if first:
        told: list[Inside] = [_first_night(site, visit, here, figures)]
    else:
        sentence, changes = _last_night(visit, known, nights, history, now)
        told = [h("h1", sentence), _failure(known[-1] if known else None), _coming_night(site, visit, here), changes]
    aside = h(
        "aside",
        _health(figures, here),
        _budget(seen),
        _search(),
        _remember(visit),
        _state(site, visit, seen),
        cache.get("phases", lambda: _phases(site), 20, old_will_do=True),
        aria_label=say("front.beside"),
    )
    enough = len({one.at[:10] for one in known}) >= ENOUGH
    charts = h("p", h("a", say("rooms.see_trends"), href="/trends"), class_="see-trends") if enough else None
    return h("div", h("div", h("div", *told, _needs(visit, here)), aside, class_="two"), charts, class_="front")


def _last_night(
    visit: Visit, known: Sequence[Attempt], nights: Sequence[Run], history: Sequence[Run], now: datetime
) -> tuple[str, Html | None]:
    """The last night in one sentence, and what it changed as cards; after a quiet one the changes of the one before, folded."""
    last = known[-1] if known else None
    run, came = next(((one, came) for one in reversed(nights) if (came := list(changes_of(one)))), (None, []))
    is_it = run is not None and (last is None or last.run == run.id)
    sentence = _sentence(run if is_it else None, last, now)
    if run is None:
        return sentence, None
    taken = {edit.id for one in history if not one.undone_by for edit in one.plan.edits if edit.tag == TAKEN_BACK}
    came.sort(key=lambda one: KINDS.index(one.kind))
    cards = [_changed(visit, run, one, gone=one.id in taken) for one in came[:CHANGES]]
    every = h("a", say("front.all_of_it", n=len(came)), href=f"/runs?run={run.id}")
    back = visit.form("/undo", hidden("run", run.id), hidden("back", "/"), button("front.undo_night", "plain"))
    told = h("ol", cards, class_="changes list"), row(every, None if run.undone_by else back)
    return sentence, h("div", told) if is_it else folded(say("front.before", day=run.at[:10]), told)


def _sentence(run: Run | None, last: Attempt | None, now: datetime) -> str:
    at = datetime.fromisoformat(run.at if run else last.at if last else now.isoformat())
    moved = moved_by(run) if run else {}
    parts = [say(f"front.{kind}", n=moved[kind]) for kind in (ENTERED, ARCHIVED, CHANGED) if kind in moved]
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
    return (
        say("front.hours_ago", h=minutes // 60, m=minutes % 60)
        if minutes >= 60
        else say("front.minutes_ago", n=minutes)
    )


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
    return h(
        "li",
        row(
            badge(say(f"front.is_{one.kind}"), one.kind), state, h("span", story, back if can else None, class_="acts")
        ),
        h("p", line, class_=None if one.kind == CHANGED else "diff"),
        because(one.edit.why),
        class_=one.kind,
        tabindex="-1",
    )


def _first_night(site: Site, visit: Visit, here: Desk, figures: Quality) -> Html:
    """Somebody who has just come: what was found, and three steps to a night they trust."""
    found = say(
        "front.found", notes=say("front.notes", n=len(here.pending)), lines=say("front.lines", n=figures.entries)
    )
    steps = [
        h("li", h("h2", say(f"front.step{n}")), h("p", say(f"front.step{n}_hint")), inside)
        for n, inside in ((1, _primary(site, visit, here)), (2, None), (3, h("p", h("code", "dream integrate HOST"))))
    ]
    lead = h("p", found if here.pending or figures.entries else say("front.found_nothing"), class_="lead")
    return h("section", h("h1", say("front.welcome")), lead, h("ol", steps, class_="steps"))


def _primary(site: Site, visit: Visit, here: Desk) -> Html:
    """The one button that leads on: look at what a night would do, then decide."""
    if here.plan or site.preview:
        return h("a", say("front.decide"), href="/plan", class_="button main")
    running = site.dream.progress.running
    return visit.form("/plan/make", button("front.preview", "main", disabled=running))


def _coming_night(site: Site, visit: Visit, here: Desk) -> Html:
    """What comes next: the button, what waits to be read, and when a night comes by itself."""
    waits = (
        h("a", say("front.pending", n=len(here.pending)), href="/lines?of=pending")
        if here.pending
        else say("front.all_read")
    )
    coming = site.cache.get("outlook", lambda: _coming(site), 5)
    at_once = visit.form("/dream", button("dream_now", "plain", disabled=site.dream.progress.running))
    told = h("p", say("front.plan_waits") if here.plan else waits, h("br"), h("small", coming))
    alone = folded(say("front.at_once"), at_once, quiet(say("page.dream_now_hint")))
    return h("section", _primary(site, visit, here), told, alone, class_="coming", aria_label=say("page.tonight"))


def _needs(visit: Visit, here: Desk) -> Html:
    """What waits for the owner's word, the first few with their buttons."""
    title = h("h2", say("front.needs"), " ", badge(str(here.waiting), "count") if here.waiting else None)
    if not here.waiting:
        return h("section", title, quiet(say("front.needs_nothing")), id="needs", class_="needs")
    asked = [_asked(visit, one) for one in here.questions[:NEEDS]]
    likely = [_likely(visit, one) for one in here.cards[: NEEDS - len(asked)]]
    every = h("p", h("a", say("front.all_waiting", n=here.waiting), href="/questions"))
    return h("section", title, h("ol", asked, likely, class_="changes list"), every, id="needs", class_="needs")


def _asked(visit: Visit, one: Question) -> Html:
    def choice(word: str, key: str) -> Html:
        fields = hidden("id", one.id), hidden("choice", word), hidden("back", "/#needs")
        return visit.form("/answer", fields, button(key, "plain" if word == _LATER else ""))

    words = ("keep-first", "keep-second") if not one.second else tuple(_SAID)
    keys = {"keep-first": "keep_it", "keep-second": "leave_out"} if not one.second else _SAID
    choices = [choice(word, keys[word]) for word in words]
    told = [
        h("blockquote", formatted(text), " ", place_link(place))
        for text, place in ((one.first, one.first_source), (one.second, one.second_source))
        if text
    ]
    title = say("page.cannot_both" if one.second else "page.belongs")
    why = h("p", safe(one.why), class_="why") if one.why else None
    return h(
        "li",
        row(badge(say("page.op_ask"), "ask"), h("strong", title)),
        told,
        why,
        row(choices, choice(_LATER, "front.later")),
        tabindex="-1",
    )


def _likely(visit: Visit, one: Card) -> Html:
    def choice(word: str) -> Html:
        fields = hidden("id", one.id), hidden("answer", word), hidden("back", "/#needs")
        return visit.form("/suggestion", fields, button(f"front.say_{word}", "plain" if word == _LATER else ""))

    said = place_link(one.said[0].place) if one.said else None
    kind = badge(say(f"page.op_{one.op}"), str(one.op))
    return h("li", row(kind), change_of(one), because(one.why, " ", said), row(map(choice, ANSWERS)), tabindex="-1")


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
    return say(f"front.of_{name}") if name in ("archive", "pending") else in_words(name)


def dream(site: Site, form: Form) -> None:
    start(site, "review")


def note(site: Site, form: Form) -> str:
    noted = noting.note(site.workspace, site.clock, given(form, "text"), by=Author("owner", "page"))
    return f"{noted.path} · {safe(noted.line or noted.why)}"


def switch_over(site: Site, form: Form) -> None:
    switch(site.workspace, on=not is_on(site.workspace.root, site.workspace.settings))


def _glance(site: Site) -> Glance:
    workspace = site.workspace
    seen = glance(workspace.root, workspace.vault, workspace.settings, site.clock.now(), workspace.home)
    return replace(seen, blocked=blocked(workspace, seen, site.clock))


def _phases(site: Site) -> Html:
    """Light, REM and deep: when each last ran and what it did, and when all of them come again."""
    coming = site.cache.get("outlook", lambda: _coming(site), 5)
    told = [h("li", phase_line(one)) for one in phase_states(site.workspace)]
    return card(h("ul", told), quiet(coming), title=say("claws.phases"))


def _state(site: Site, visit: Visit, seen: Glance) -> Html:
    dot = h("span", class_=f"dot {'good' if seen.on and not seen.blocked else 'bad'}", aria_hidden="true")
    host, switched = site.workspace.host, said_in(site.workspace.root / SWITCH)
    off_by = say("claws.off_by", where=place_of_switch(site.workspace.folder)) if not seen.on and not switched else ""
    both = say("doctor.both_dream", where=host.where) if host and host.on and seen.on else ""
    pairs = [
        (say("page.state"), say("claws.blocked", why=seen.blocked) if seen.blocked else in_words(seen.state)),
        (say("page.last_dream"), seen.last_review or say("page.never")),
        *site.cache.get("model", lambda: _model(site), 30),
    ]
    return card(
        h("p", dot, say("page.is_on" if seen.on else "page.is_off")),
        [h("p", safe(told), class_="warn") for told in (off_by, both) if told],
        h("dl", [(h("dt", name), h("dd", words)) for name, words in pairs]),
        visit.form("/switch", button("switch_off" if seen.on else "switch_on", "plain")),
        title=say("page.state"),
    )


def _model(site: Site) -> list[tuple[str, str]]:
    """Who leads besides the built-in judge, and by which result of its exam; nothing without a model."""
    standing, result = standing_of(site.workspace)
    if standing is Standing.NO_MODEL:
        return []
    figures = f" ({result.score:.2f} / {result.built_in_score:.2f})" if result and result.passed is not None else ""
    told = say(f"page.model_{standing.name.lower()}")
    return [(say("page.model"), f"{result.model}: {told}{figures}" if result else told)]


def _coming(site: Site) -> str:
    try:
        decision, now = outlook(site.workspace, site.clock)[1], site.clock.now()
        if decision.do is Do.WAIT and decision.until:
            return say("front.next", until=f"{decision.until.astimezone(now.tzinfo):%Y-%m-%d %H:%M}")
        return next_night(decision, now)
    except ValueError as error:  # a schedule that nobody can read
        return str(error)


def _budget(seen: Glance) -> Html:
    key = "page.characters" if seen.exact else "page.about_characters"
    told, over = say(key, size=seen.characters, limit=seen.limit), warning(seen)
    return card(
        h(
            "p",
            h(
                "a",
                h("span", seen.share, class_="big"),
                h("span", " %", class_="unit"),
                href="/memory",
                class_="figure",
            ),
        ),
        bar(seen.characters, seen.limit, told, "warn" if seen.characters >= seen.warn_at else ""),
        quiet(told),
        h("p", over, class_="warn") if over else None,
        title=say("page.budget"),
    )


def _health(figures: Quality, here: Desk) -> Html:
    """The score and its parts, and two figures beside them: each leads to the lines that it counts."""
    more = [("archive", len(here.archive)), ("pending", len(here.pending))]
    beside = [h("li", h("a", h("span", _figure(name)), h("b", f"{n:,}"), href=f"/lines?of={name}")) for name, n in more]
    if figures.score is None:
        return card(quiet(say("page.no_health")), h("ul", beside, class_="parts"), title=say("page.health"))
    parts = [
        h(
            "li",
            h("a", h("span", in_words(part.name)), h("b", f"{part.count:,}"), href=f"/lines?of={part.name}"),
            bar(part.points, part.of, f"{in_words(part.name)}: {part.points} / {part.of}") if part.count else None,
        )
        for part in figures.parts
        if part.name != "room"  # the budget has a card of its own
    ]
    kept = h("li", h("a", h("span", say("front.of_memory")), h("b", f"{figures.entries:,}"), href="/memory"))
    score = h("p", h("span", figures.score, class_="big"), h("span", " / 100", class_="unit"))
    return card(score, h("ul", parts, kept, beside, class_="parts"), title=say("page.health"))


def _search() -> Html:
    words = h("input", type="search", name="q", id="ask", maxlength=500, required=True, autocomplete="off")
    label = h("label", say("front.search"), for_="ask")
    return card(h("form", label, row(words, button("search")), method="get", action="/search", role="search"))


def _remember(visit: Visit) -> Html:
    words = h("input", type="text", name="text", id="note", maxlength=2000, required=True, autocomplete="off")
    return card(visit.form("/note", h("label", say("page.note"), for_="note"), row(words, button("note_it"))))


def doctor(site: Site, visit: Visit) -> Html:
    """The five questions, whatever else is wrong, and a button that mends what can be mended safely."""
    _, signs = site.cache.get(
        "doctor", lambda: clinic.examine(site.workspace, site.clock, night_starter(site.workspace, site.clock)), 20
    )
    asked = [
        card([_sign(sign) for sign in signs if sign.about == about], title=say(f"page.q_{about}"), wide=True)
        for about in _QUESTIONS
    ]
    others = [_sign(sign) for sign in signs if sign.about not in _QUESTIONS]
    rest = card(others or h("p", say("page.well")), title=say("page.q_else"), wide=True)
    return h("div", asked, rest, visit.form("/doctor/mend", button("mend")))


def mend(site: Site, form: Form) -> str:
    chart, _ = clinic.examine(site.workspace, site.clock, night_starter(site.workspace, site.clock))
    return "; ".join(clinic.mend(site.workspace, chart, site.clock))


def _sign(sign: Sign) -> Html:
    kind = sign.level.name.lower()
    cure = h("span", " → ", h("code", safe(sign.mend))) if sign.mend else None
    return h("p", badge(say(f"page.level_{kind}"), kind), " ", safe(sign.says), cure)
