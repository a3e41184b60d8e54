"""Tonight and Doctor: how the memory is, when it dreamt and will dream, what waits, three charts, and what is wrong.

Charts are pictures that the server draws: they need no script, and each has its numbers in a table beside it. Colours and strokes
are classes of the style sheet, because the page allows no style in its markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from reverie.apply.state import read_proposal
from reverie.core.errors import Busy, ReverieError
from reverie.evidence.attempts import Attempt, Outcome, attempts
from reverie.features import note as noting
from reverie.features.doctor import doctor as clinic
from reverie.features.doctor.signs import Sign
from reverie.features.figures import Quality, quality
from reverie.features.schedule.when import next_night, outlook, switch
from reverie.features.status import Glance, glance, is_on, warning
from reverie.lang.messages import say
from reverie.night import commands, suggesting
from reverie.night.exam import Standing, standing_of
from reverie.openclaw.recall_lane import DeepStatus, deep_status
from reverie.surfaces.cli.care import night_starter  # what starts the nights on this machine
from reverie.surfaces.web.html import (
    Attribute,
    Html,
    badge,
    bar,
    button,
    card,
    folded,
    h,
    in_words,
    quiet,
    row,
    safe,
    table,
)
from reverie.surfaces.web.state import Form, Site, Visit, given
from reverie.workspace.values import Author

DAYS = 90
NIGHTS = 24  # in the chart of what each night let in
_WIDE, _HIGH, _LEFT, _BOTTOM = 640, 160, 48, 22
_RIGHT = _WIDE - 8
_OUTCOMES = {
    Outcome.CHANGED: "changed",
    Outcome.PROPOSED: "proposed",
    Outcome.FAILED: "failed",
    Outcome.REPEATED: "failed",
}
_QUESTIONS = ("on", "ran", "read", "kept", "next")


def tonight(site: Site, visit: Visit) -> Html:
    workspace, clock, cache = site.workspace, site.clock, site.cache
    now = clock.now()
    seen = cache.get("glance", lambda: glance(workspace.root, workspace.vault, workspace.settings, now, workspace.home))
    figures = cache.get("quality", lambda: quality(workspace, clock), 30, old_will_do=True)
    deep = cache.get("deep", lambda: deep_status(workspace), 10)
    nights = cache.get("nights", lambda: attempts(workspace.root))
    today = now.date()
    entered = sum(sum(one.counts.values()) for one in nights if one.run and one.at[:10] == today.isoformat())
    return h(
        "div",
        _waiting(site),
        h("div", _state(site, visit, seen), _budget(seen), _health(figures), class_="cards"),
        _numbers(seen, deep, entered),
        _actions(site, visit),
        card(_growth_chart(figures.growth, seen.limit, today), title=say("page.chart_size"), wide=True),
        card(_nights_chart(nights), title=say("page.chart_nights"), wide=True),
        card(_health_strip(nights, today), title=say("page.chart_health"), wide=True),
    )


def dream(site: Site, form: Form) -> None:
    start(site, "review")


def start(site: Site, kind: str) -> None:
    if not site.dream.start(kind):
        raise Busy(say("page.started_here"))


def note(site: Site, form: Form) -> str:
    noted = noting.note(site.workspace, site.clock, given(form, "text"), by=Author("owner", "page"))
    return f"{noted.path} · {safe(noted.line or noted.why)}"


def switch_over(site: Site, form: Form) -> None:
    switch(site.workspace, on=not is_on(site.workspace.root))


def _waiting(site: Site) -> list[Html]:
    """What needs the owner's word: a plan, questions and suggestions."""
    workspace, cache = site.workspace, site.cache
    plan = cache.get("waiting", lambda: read_proposal(workspace))
    asked = cache.get("open questions", lambda: _count(lambda: commands.questions(workspace)), 5)
    likely = cache.get("open suggestions", lambda: _count(lambda: suggesting.suggestions(workspace, site.clock)), 5)
    told = [
        (plan is not None, say("page.plan_waiting"), "/plan"),
        (asked, say("page.questions_waiting", n=asked), "/questions"),
        (likely, say("page.suggestions_waiting", n=likely), "/questions#suggestions"),
    ]
    link = say("page.look_at_it")
    return [h("p", words, " ", h("a", link, href=room), class_="told proposed") for any_, words, room in told if any_]


def _count(look: Callable[[], Sequence[object]]) -> int:
    try:
        return len(look())
    except ReverieError:  # a damaged list is told by the doctor
        return 0


def _state(site: Site, visit: Visit, seen: Glance) -> Html:
    dot = h("span", class_=f"dot {'good' if seen.on else 'bad'}", aria_hidden="true")
    pairs = [
        (say("page.state"), in_words(seen.state)),
        (say("page.last_dream"), seen.last_review or say("page.never")),
        (say("page.next_dream"), site.cache.get("outlook", lambda: _coming(site), 5)),
        *site.cache.get("model", lambda: _model(site), 30),
    ]
    return card(
        h("p", dot, say("page.is_on" if seen.on else "page.is_off")),
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
        return next_night(outlook(site.workspace, site.clock)[1], site.clock.now())
    except ValueError as error:  # a schedule that nobody can read
        return str(error)


def _budget(seen: Glance) -> Html:
    key = "page.characters" if seen.exact else "page.about_characters"
    told, over = say(key, size=seen.characters, limit=seen.limit), warning(seen)
    return card(
        h("p", h("span", seen.share, class_="big"), h("span", " %", class_="unit")),
        bar(seen.characters, seen.limit, told, "warn" if seen.characters >= seen.warn_at else ""),
        quiet(told),
        h("p", over, class_="warn") if over else None,
        title=say("page.budget"),
    )


def _health(figures: Quality) -> Html:
    if figures.score is None:
        return card(quiet(say("page.no_health")), title=say("page.health"))
    parts = []
    for part in figures.parts:
        name = in_words(part.name)
        about = f"{name}: {part.points} / {part.of}"
        parts.append(h("li", h("span", name), bar(part.points, part.of, about), h("small", part.why)))
    score = h("p", h("span", figures.score, class_="big"), h("span", " / 100", class_="unit"))
    return card(score, h("ul", parts, class_="parts"), title=say("page.health"))


def _numbers(seen: Glance, deep: DeepStatus, entered: int) -> Html:
    audit = deep.audit
    counts = {
        "short_term": audit.entries,
        "grounded": audit.grounded,
        "signals": audit.light + audit.rem,
        "promoted_today": entered,
        "archived": seen.archive,
        "pending": seen.pending,
    }
    items = [h("li", h("b", f"{n:,}"), h("span", say(f"page.{key}"))) for key, n in counts.items()]
    return h("ul", items, class_="numbers")


def _actions(site: Site, visit: Visit) -> Html:
    start = button("dream_now", "main", disabled=site.dream.progress.running)
    words = h("input", type="text", name="text", id="note", maxlength=2000, required=True, autocomplete="off")
    label = h("label", say("page.note"), for_="note")
    return h(
        "div",
        card(visit.form("/dream", start, quiet(say("page.dream_now_hint")))),
        card(visit.form("/note", label, row(words, button("note_it")))),
        class_="cards",
    )


def _growth_chart(points: Sequence[tuple[date, int]], limit: int, today: date) -> Html:
    """The size of MEMORY.md after each night, below the line it must not cross."""
    if not points:
        return quiet(say("page.no_nights"))
    top = max([limit, *(size for _, size in points)]) * 1.08
    first = today - timedelta(days=DAYS)

    def y(size: float) -> float:
        return (_HIGH - _BOTTOM) * (1 - size / top) + 4

    places = [(_LEFT + (_RIGHT - _LEFT) * ((day - first).days / DAYS), y(size)) for day, size in points]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    floor = f"{places[-1][0]:.1f},{y(0):.1f} {places[0][0]:.1f},{y(0):.1f}"
    dots = [
        h("circle", h("title", f"{day}: {size:,}"), class_="dot", cx=f"{a:.1f}", cy=f"{b:.1f}", r="3.5")
        for (day, size), (a, b) in zip(points, places, strict=True)
    ]
    picture = _chart(
        f"{say('page.chart_size')}: {points[-1][1]:,} / {limit:,}",
        [_across("grid", y(0)), _across("grid", y(limit / 2)), _across("limit", y(limit))],
        h("polygon", class_="area", points=f"{line} {floor}") if len(places) > 1 else None,
        h("polyline", class_="line", points=line) if len(places) > 1 else None,
        dots,
        _label(f"{limit:,}", _LEFT - 6, y(limit) + 4, end=True),
        _label("0", _LEFT - 6, y(0) + 4, end=True),
        _label(first.isoformat(), _LEFT, _HIGH - 2),
        _label(today.isoformat(), _RIGHT, _HIGH - 2, end=True),
    )
    rows = [(day.isoformat(), f"{size:,}", f"{limit:,}") for day, size in points]
    return _with_table(picture, ("day", "size", "limit"), rows)


def _nights_chart(nights: Sequence[Attempt]) -> Html:
    """For each of the last nights, what it let in above the line and what it refused below, by reason."""
    nights = [one for one in nights if one.counts or one.refused][-NIGHTS:]
    if not nights:
        return quiet(say("page.no_nights"))
    ups = [sum(one.counts.values()) if one.run else 0 for one in nights]  # what was only proposed has not entered
    downs = [sum(one.refused.values()) for one in nights]
    # Refusals are many; each half has its own scale, so that what was let in can be seen beside them.
    half, step = (_HIGH - _BOTTOM) / 2, (_RIGHT - _LEFT) / len(nights)
    total: Counter[str] = sum((Counter(one.refused) for one in nights), Counter())
    reasons = [reason for reason, _ in total.most_common(5)]
    bars = []
    for n, night in enumerate(nights):
        left, width, day = _LEFT + n * step + step * 0.15, min(step * 0.7, 34), night.at[:10]
        up = half * ups[n] / max(*ups, 1)
        bars.append(_rect("up", f"{day} · {counted(night.counts)}", left, half - up, width, up))
        top = half
        for reason, count in Counter(night.refused).most_common():
            tall = half * count / max(downs)
            kind = f"r{reasons.index(reason)}" if reason in reasons else "rest"
            bars.append(_rect(kind, f"{day} · {count} {in_words(reason)}", left, top, width, tall))
            top += tall
    picture = _chart(
        say("page.chart_nights"),
        bars,
        _across("axis", half),
        _label(f"+{max(ups)}", _LEFT - 6, 12, end=True),
        _label(f"−{max(downs)}", _LEFT - 6, 2 * half, end=True),
        _label(nights[0].at[:10], _LEFT, _HIGH - 2),
        _label(nights[-1].at[:10], _RIGHT, _HIGH - 2, end=True) if len(nights) > 1 else None,
    )
    kinds = [("up", say("page.entered")), *((f"r{i}", in_words(reason)) for i, reason in enumerate(reasons))]
    rows = [(one.at[:10], counted(one.counts) or "–", counted(one.refused) or "–") for one in reversed(nights)]
    return _with_table(h("div", picture, _keys(kinds)), ("day", "entered", "refused"), rows)


def _health_strip(nights: Sequence[Attempt], today: date) -> Html:
    """One cell for each of ninety days: what the last dream of that day came to."""
    by_day = {one.at[:10]: _OUTCOMES.get(one.outcome, "quiet") for one in nights}
    words = {kind: say(f"page.outcome_{kind}") for kind in ("changed", "quiet", "proposed", "failed", "none")}
    cells = []
    for n in range(DAYS):
        day = (today - timedelta(days=DAYS - 1 - n)).isoformat()
        kind = by_day.get(day, "none")
        cells.append(_rect(f"cell {kind}", f"{day} · {words[kind]}", n * 7, 0, 5, 24, rx="1.5"))
    box = {"viewBox": f"0 0 {DAYS * 7} 24"}
    strip = h("svg", cells, class_="strip", role="img", aria_label=say("page.chart_health"), **box)
    return h("div", strip, _keys(list(words.items())))


def _chart(about: str, *inside: Html | list[Html] | None) -> Html:
    return h("svg", *inside, class_="chart", role="img", aria_label=about, viewBox=f"0 0 {_WIDE} {_HIGH}")


def _across(kind: str, y: float) -> Html:
    return h("line", class_=kind, x1=_LEFT, x2=_RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}")


def _label(words: str, x: int, y: float, *, end: bool = False) -> Html:
    return h("text", words, class_="label end" if end else "label", x=x, y=f"{y:.1f}")


def _rect(kind: str, about: str, x: float, y: float, width: float, height: float, **more: Attribute) -> Html:
    box: dict[str, Attribute] = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return h("rect", h("title", about), class_=kind, **box, **more)


def _keys(kinds: Sequence[tuple[str, str]]) -> Html:
    return h("ul", [h("li", h("span", class_=f"key {kind}"), words) for kind, words in kinds], class_="keys")


def counted(counts: Mapping[str, int]) -> str:
    """What was counted, most first: `3 superseded, 1 stale`."""
    return ", ".join(f"{count} {in_words(name)}" for name, count in Counter(counts).most_common())


def _with_table(picture: Html, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    return h("div", picture, folded(say("page.as_table"), table([say(f"page.{head}") for head in heads], rows)))


def doctor(site: Site, visit: Visit) -> Html:
    """The five questions, whatever else is wrong, and a button that mends what can be mended safely."""
    _, signs = site.cache.get(
        "doctor", lambda: clinic.examine(site.workspace, site.clock, night_starter(site.clock)), 20
    )
    asked = [
        card([_sign(sign) for sign in signs if sign.about == about], title=say(f"page.q_{about}"), wide=True)
        for about in _QUESTIONS
    ]
    others = [_sign(sign) for sign in signs if sign.about not in _QUESTIONS]
    rest = card(others or h("p", say("page.well")), title=say("page.q_else"), wide=True)
    return h("div", asked, rest, visit.form("/doctor/mend", button("mend")))


def mend(site: Site, form: Form) -> str:
    chart, _ = clinic.examine(site.workspace, site.clock, night_starter(site.clock))
    return "; ".join(clinic.mend(site.workspace, chart, site.clock))


def _sign(sign: Sign) -> Html:
    kind = sign.level.name.lower()
    cure = h("span", " → ", h("code", safe(sign.mend))) if sign.mend else None
    return h("p", badge(say(f"page.level_{kind}"), kind), " ", safe(sign.says), cure)
