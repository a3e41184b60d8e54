"""Diary, Search and Scene: what was dreamt by month and what old notes would add, one box over everything, and what is on its way
into memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from reverie.core.errors import BadInput
from reverie.core.layout import LEDGER, Kind
from reverie.features import search as searching
from reverie.lang import ENGLISH, LANGUAGES, words_in
from reverie.lang.messages import said_with, say, spoken
from reverie.openclaw import backfill as looking_back
from reverie.openclaw import harness, phases, promotions
from reverie.openclaw.deep import Weighed
from reverie.openclaw.promotions import Gates
from reverie.plan.ledger import read_ledger
from reverie.plan.reports import END, START
from reverie.surfaces.web.files import place_link
from reverie.surfaces.web.html import (
    Html,
    badge,
    bar,
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
    table,
    tag,
)
from reverie.surfaces.web.state import Done, Form, Site, Visit, given
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

LONGEST = 500  # characters of a question
LATEST = 8  # of the archive
CANDIDATES = 24  # of a lane
FRESH = 60.0  # seconds: ranking weighs every candidate anew, and only a night changes much
_OLD_DIARIES = "memory/dreaming/diary-"
_ENTRY = re.compile(r"^---[ \t]*\r?\n(?:[ \t]*\r?\n)*\*([^*\r\n]+)\*[ \t]*\r?$", re.M)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_YEAR_AND_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)\D{1,2}(1[0-2]|0?[1-9])(?!\d)")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}),? \d{4}\D+(\d{1,2}):(\d\d)(?:\s?([AaPp])\.?[Mm])?")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    month: str  # 2026-11, or empty when its date cannot be read
    stamp: str
    words: str


def diary_entries(workspace: Workspace) -> tuple[DiaryEntry, ...]:
    """Every entry of the diary and of the years it has laid away, newest last."""
    found: list[DiaryEntry] = []
    for path, file in sorted(read_workspace(workspace).files.items()):
        if file.place.kind is Kind.DIARY or path.startswith(_OLD_DIARIES):
            found += _entries(file.text)
    return tuple(sorted(found, key=lambda entry: entry.month))  # within a month, as they stand


def _entries(text: str) -> Iterator[DiaryEntry]:
    inside = text.partition(START)[2].partition(END)[0]
    marks = list(_ENTRY.finditer(inside))
    ends = [*(mark.start() for mark in marks[1:]), len(inside)]
    for mark, end in zip(marks, ends, strict=False):
        yield DiaryEntry(month_of(mark[1]), mark[1].strip(), _COMMENT.sub("", inside[mark.end() : end]).strip())


def month_of(stamp: str) -> str:
    """The month of a date line, in words of any language or in figures: 2026-11. Empty when it cannot be read."""
    year = _YEAR.search(stamp)
    for word in _WORD.findall(stamp.casefold()):
        if year and word in _months():
            return f"{year[0]}-{_months()[word]:02}"
    figures = _YEAR_AND_MONTH.search(stamp)
    return f"{figures[1]}-{int(figures[2]):02}" if figures else ""


def told_time(stamp: str) -> str:
    """A date line of the diary, which is written in English: in figures for those who read another language."""
    found, month = _CLOCK.search(stamp), month_of(stamp)
    if spoken() == ENGLISH or not found or not month:
        return stamp
    hour = int(found[2]) % 12 + 12 * (found[4] in "Pp") if found[4] else int(found[2])
    return f"{month}-{int(found[1]):02} {hour:02}:{found[3]}"


@cache
def _months() -> dict[str, int]:
    lists = [words_in("specifics.months", language) for language in LANGUAGES]
    return {word: n for months in lists for n, names in enumerate(months, 1) for word in names.split()}


def diary(site: Site, visit: Visit) -> Html:
    """The entries of one month, and the months there are."""
    entries = site.cache.get("diary", lambda: diary_entries(site.workspace), 5)
    door = h("p", h("a", say("claws.look_back"), href="/diary/backfill"))
    if not entries:
        return card(h("p", say("page.no_diary")), door)
    months = sorted({entry.month for entry in entries})
    here = visit.asked("month") if visit.asked("month") in months else months[-1]
    place = months.index(here)

    def link(month: str, words: str, **attributes: str | None) -> Html:
        return h("a", words, href=f"/diary?month={month}", **attributes)

    every = [
        h("li", link(month, month or say("page.undated"), aria_current="true" if month == here else None))
        for month in reversed(months)
    ]
    told = [
        h(
            "article",
            h("h2", told_time(entry.stamp)),
            [h("p", safe(words)) for words in entry.words.split("\n\n") if words.strip()],
        )
        for entry in entries
        if entry.month == here
    ]
    turn = h(
        "p",
        link(months[place - 1], f"← {say('page.earlier')}", rel="prev") if place else None,
        link(months[place + 1], f"{say('page.later')} →", rel="next") if place + 1 < len(months) else None,
        class_="row",
    )
    nav = h("nav", h("ul", every, class_="months"), aria_label=say("page.months"))
    return h("div", nav, h("div", told, class_="paper diary"), turn, door)


def backfill(site: Site, visit: Visit) -> Html:
    """What a look back over this workspace's own notes would write, and what earlier ones left, before anybody says yes."""
    workspace = site.workspace
    seen = site.cache.get("look back", lambda: looking_back.look_over(workspace, _notes_of(workspace)), FRESH)
    there, staged = looking_back.backfilled_entries(workspace), looking_back.staged_lines(workspace)
    told = [folded(path, _findings(found)) for path, found in seen.found.items()]
    stage = h("label", h("input", type="checkbox", name="stage", value="1"), say("claws.stage", n=len(seen.staged)))
    count = hidden("seen", str(len(seen.entries)))
    write = visit.form(
        "/diary/backfill", count, row(stage if seen.staged else None), row(button("claws.write", "main"))
    )
    would = card(
        h("p", say("claws.would_write", n=len(seen.entries), notes=seen.notes)),
        quiet(say("claws.replaces", n=there)) if there else None,
        told,
        write if told else None,
        quiet(seen.unstaged) if seen.unstaged else None,
        title=say("claws.look_back"),
        wide=True,
    )
    reset = visit.form("/diary/reset", hidden("seen", str(there)), row(button("claws.reset", "danger")))
    sure = h("label", h("input", type="checkbox", name="sure", value="1", required=True), say("claws.sure"))
    clear = visit.form("/scene/clear", hidden("seen", str(staged)), row(sure), row(button("claws.clear", "danger")))
    back = card(
        h("p", say("claws.would_leave", n=there)),
        reset if there else None,
        h("p", say("claws.would_clear", n=staged)),
        clear if staged else None,
        quiet(say("claws.others_stay")),
        title=say("claws.take_back"),
        wide=True,
    )
    return h("div", would, back, h("p", h("a", say("page.back"), href="/diary")))


def _notes_of(workspace: Workspace) -> Path:
    """The workspace's own dated notes: no path ever comes from a request."""
    return workspace.root / "memory" if (workspace.root / "memory").is_dir() else workspace.root


def _findings(found: looking_back.Grounded) -> Html:
    """What an entry would tell of a note: what happened, and which of it may last."""
    lasting = {line.text for line in found.lasting}
    lines = {line.text: line.refs[0] for line in (*found.facts, *found.candidates, *found.lasting)}
    mark = badge(say("page.lane_truths"), "add")
    told = [(formatted(text), row(mark if text in lasting else None, place_link(at))) for text, at in lines.items()]
    return h("ul", [h("li", h("p", words), about) for words, about in told])


def backfill_now(site: Site, form: Form) -> Done:
    """Write it, if it is still as much as was shown."""
    there = _notes_of(site.workspace)
    _still(len(looking_back.look_over(site.workspace, there).entries), form)
    done = looking_back.backfill(site.workspace, site.clock, there, stage="stage" in form)
    words = (
        say("claws.written", n=done.written or 0),
        say("claws.staged", n=done.staged) if done.staged else done.unstaged,
    )
    return Done(" · ".join(filter(None, words)), done.run.id if done.run else "")


def reset(site: Site, form: Form) -> Done:
    _still(looking_back.backfilled_entries(site.workspace), form)
    done = looking_back.roll_back(site.workspace, site.clock, diary=True, short_term=False)
    return Done(say("claws.removed", n=done.removed or 0), done.run.id if done.run else "")


def clear(site: Site, form: Form) -> Done:
    """What a look back staged is no file of the owner's and no run: it is cleared for good, so it wants a second word."""
    if "sure" not in form:
        raise BadInput(say("claws.unsure"))
    _still(looking_back.staged_lines(site.workspace), form)
    done = looking_back.roll_back(site.workspace, site.clock, diary=False, short_term=True)
    return Done(say("claws.cleared", n=done.removed_lines or 0))


def _still(count: int, form: Form) -> None:
    """Whether what would happen is still what was shown."""
    if str(count) != given(form, "seen"):
        raise BadInput(say("claws.moved"))


def search(site: Site, visit: Visit) -> Html:
    """One box over memory, archive and content index."""
    question = visit.asked("q").strip()[:LONGEST]
    labels = {"aria_label": say("page.search"), "placeholder": say("page.search_hint")}
    words = h(
        "input", type="search", name="q", id="q", value=question, maxlength=LONGEST, autofocus=not question, **labels
    )
    box = h("form", row(words, button("search", "main")), method="get", action="/search", role="search")
    if not question:
        return h("div", box, _latest(site))
    workspace = site.workspace
    most = 3 * workspace.settings.search.max_results

    def ask() -> searching.Answer:
        return searching.ask(workspace, workspace.embedder, site.clock, question, limit=most, record=False)

    found = site.cache.get(f"search {question}", ask)
    groups = []
    for group in ("memory", "team", "archive", "content"):
        hits = [_hit(hit) for hit in found.hits if hit.claim.group == group]
        if hits:
            groups.append(h("section", h("h2", say(f"page.group_{group}")), h("ul", hits, class_="hits list")))
    lacking = h("p", safe(found.degraded), class_="told trouble") if found.degraded else None
    return h("div", box, lacking, groups or quiet(say("page.found_nothing")))


def _hit(hit: searching.Hit) -> Html:
    claim = hit.claim
    state = None
    if hit.current is not None:
        words = say("page.current") if hit.current else say("page.superseded", by=hit.superseded_by)
        state = badge(words, "add" if hit.current else "cut")
    others = [day for day in hit.days if day != claim.day]
    also = f" · {say('page.also_on', days=', '.join(others[-3:]))}" if others else ""
    head = claim.heading
    if claim.group == "archive":  # its headings are an id and a code
        head = " ".join(map(in_words, head.split(" ", 1)))
    about = row(
        bar(hit.likelihood, 1, say("page.scored", score=hit.likelihood)),
        place_link(f"{claim.path}:{claim.first}"),
        h("span", safe(" › ".join(filter(None, (head, claim.lead)))), class_="quiet"),
        h("span", f"{safe(hit.why)}{also}", class_="quiet"),
    )
    return h(
        "li",
        h("p", formatted(claim.text), " ", state, class_="old" if hit.current is False else None),
        about,
        tabindex="-1",
    )


def _latest(site: Site) -> Html | None:
    kept = site.cache.get("archive", lambda: tuple(read_ledger(read_workspace(site.workspace).text_of(LEDGER))), 5)
    told = [
        h(
            "li",
            h("p", formatted(block.content[0])),
            row(
                h("code", block.id),
                h("span", block.archived, class_="quiet"),
                tag(block.category),
                h("span", safe(block.note), class_="quiet"),
            ),
        )
        for block in reversed(kept[-LATEST:])
    ]
    return h("section", h("h2", say("page.latest_archive")), h("ul", told, class_="hits")) if told else None


@dataclass(frozen=True, slots=True)
class Lanes:
    """The best of every lane, and how many candidates there are."""

    count: int
    live: tuple[Weighed, ...]
    grounded: tuple[Weighed, ...]
    led: tuple[Weighed, ...]  # what old notes led into MEMORY.md
    themes: tuple[str, ...]
    truths: tuple[phases.Truth, ...]


def _lanes(site: Site) -> Lanes:
    found = promotions.ranking(site.workspace, site.clock, Gates(), include_promoted=True).everything
    heard = harness.rehearse(site.workspace, site.clock)
    live = [one for one in found if not one.scored.grounded]
    led = [one for one in found if one.scored.grounded and one.scored.entry.promoted]
    grounded = [one for one in found if one.scored.grounded and not one.scored.entry.promoted]
    lines = [line for line in heard.reflections if line.startswith("- ") and line != phases.NO_THEMES]
    themes = [line.partition(": ")[2] or line for line in lines]  # a report names the kind before it
    most = slice(CANDIDATES)
    lanes = tuple(live[most]), tuple(grounded[most]), tuple(led[most])
    return Lanes(len(found), *lanes, tuple(themes[most]), heard.truths[most])


def scene(site: Site, visit: Visit) -> Html:
    """What is on its way into memory, in lanes, with scores as bars."""
    found = site.cache.get("lanes", lambda: _lanes(site), FRESH, old_will_do=True)
    truths = [
        h(
            "li",
            bar(one.confidence, 1, f"{one.confidence:.2f}"),
            h("p", formatted(one.text)),
            place_link(_place(one.place)),
        )
        for one in found.truths
    ]
    lanes = {
        "live": [_candidate(one) for one in found.live],
        "grounded": [_candidate(one) for one in found.grounded],
        "led": [_candidate(one) for one in found.led],
        "themes": [h("li", h("p", safe(theme))) for theme in found.themes],
        "truths": truths,
    }
    nothing = quiet(say("page.lane_empty"))
    titles = {name: say(f"page.lane_{name}" if name != "led" else "claws.lane_led") for name in lanes}
    take_back = {"grounded": h("p", h("a", say("claws.take_back"), href="/diary/backfill"))} if found.grounded else {}
    sections = [
        h(
            "section",
            h("h2", titles[name]),
            h("ul", items, class_="list") if items else nothing,
            take_back.get(name),
            class_="lane",
        )
        for name, items in lanes.items()
    ]
    return h("div", h("p", say("page.scene_count", n=found.count), class_="lead"), h("div", sections, class_="lanes"))


def _candidate(one: Weighed) -> Html:
    entry, score = one.scored.entry, one.scored.score
    verdict = badge(_verdict(one)) if one.reason else badge(say("page.enters"), "add")
    if entry.promoted:
        verdict = badge(say("claws.in_memory", day=f"{entry.promoted:%Y-%m-%d}"), "add")
    explained = hidden("key", entry.key), button("explain", "plain")
    return h(
        "li",
        h("div", bar(score, 1, say("page.scored", score=score)), h("b", f"{score:.2f}"), class_="scored"),
        h("p", formatted(one.text or entry.snippet)),
        row(verdict, place_link(_place(entry.place)), h("form", explained, method="get", action="/scene/explain")),
        tabindex="-1",
    )


def _verdict(one: Weighed) -> str:
    return say("page.stays_out", why=said_with("reasons", one.reason))


def explain(site: Site, visit: Visit) -> Html:
    """One candidate to the last number: every component, weight, gate and margin."""
    key = visit.asked("key")
    _, one, judged, *_ = site.cache.get(
        f"explain {key}", lambda: promotions.explain(site.workspace, site.clock, key), FRESH
    )
    scored = one.scored
    components = []
    for name, value in asdict(scored.components).items():
        weight = getattr(scored.weights, name)
        picture = bar(value, 1, f"{value:.2f}")
        components.append(
            (say(f"page.component_{name}"), picture, f"{value:.3f}", f"× {weight:.2f}", f"{value * weight:.3f}")
        )
    gates = []
    for gate in scored.gates:
        passed = (
            h("span", say("page.passed"), class_="good")
            if gate.passed
            else h("span", say("page.not_passed"), class_="bad")
        )
        figures = f"{gate.value:.3g}", f"{gate.threshold:.3g}", f"{gate.margin:+.3g}"
        gates.append((say(f"page.gate_{gate.name}"), *figures, passed))
    left_out = h("p", _verdict(one), " · ", safe(one.detail), class_="why")
    return card(
        h("blockquote", formatted(one.text or scored.entry.snippet)),
        h("p", place_link(_place(scored.entry.place))),
        left_out if one.reason else h("p", say("page.enters"), class_="good"),
        table((say("page.component"), "", say("page.value"), say("page.weight"), say("page.score")), components),
        table((say("page.gate"), say("page.value"), say("page.needs"), "±", ""), gates),
        quiet(say("page.judged", keep=judged.keep, kind=said_with("kinds", judged.kind))),
        h("p", h("a", say("page.back"), href="/scene")),
        wide=True,
    )


def _place(text: str) -> str:
    """`note.md:8-8` is line 8."""
    path, _, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    return f"{path}:{first}" if first == last else text
