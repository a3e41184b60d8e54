"""Trends: health, size, what came and went, and what was recalled, over ninety days; from five nights on.

Charts are pictures that the server draws: they need no script, each says its sense in words, and has its numbers in a table beside
it. Colours and strokes are classes of the style sheet, because the page allows no style in its markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from reverie.evidence.attempts import Attempt, Outcome, attempts
from reverie.features.figures import growth_of, questions_by_day
from reverie.features.trial import last_trial, share, verdict_of
from reverie.lang.messages import say
from reverie.night import commands
from reverie.plan.timeline import ARCHIVED, ENTERED, moved_by
from reverie.surfaces.web.html import Attribute, Html, card, folded, h, quiet, table
from reverie.surfaces.web.state import Site, Visit
from reverie.workspace.values import Run

DAYS = 90
ENOUGH = 5  # nights; before that a chart shows nothing
WEEK = 7
_WIDE, _HIGH, _LEFT, _TOP, _BOTTOM = 640, 150, 48, 8, 22
_RIGHT, _FLOOR = _WIDE - 8, _HIGH - _BOTTOM
_OUTCOMES = {
    Outcome.CHANGED: "changed",
    Outcome.PROPOSED: "proposed",
    Outcome.FAILED: "failed",
    Outcome.REPEATED: "failed",
}
Point = tuple[date, int]


@dataclass(frozen=True, slots=True)
class Trends:
    """Ninety days in numbers. Days without a figure have none."""

    nights: int
    came_to: Mapping[str, str]  # by day, what the last dream of that day came to
    health: tuple[Point, ...]
    size: tuple[Point, ...]
    moved: tuple[tuple[date, int, int], ...]  # lines that entered, lines that left
    recalled: tuple[tuple[date, int, int], ...]  # questions by the week they were asked in: all, and those answered
    limit: int


def trends_of(known: Sequence[Attempt], history: Sequence[Run], size: Sequence[Point], asked: Sequence[tuple[date, int, int]], limit: int, today: date) -> Trends:  # fmt: skip
    since = today - timedelta(days=DAYS)
    lately = [one for one in known if _day(one.at) > since]
    health = {_day(one.at): one.health for one in lately if one.health >= 0}
    moved: dict[date, tuple[int, int]] = {}
    for run in history:
        did = {} if run.undone_by or run.plan.undoes or _day(run.at) <= since else moved_by(run)
        if did:
            came, went = moved.get(_day(run.at), (0, 0))
            moved[_day(run.at)] = came + did.get(ENTERED, 0), went + did.get(ARCHIVED, 0)
    weeks: dict[date, tuple[int, int]] = {}
    for day, all_, answered in asked:
        first = today - timedelta(days=((today - day).days // WEEK) * WEEK + WEEK - 1)
        before = weeks.get(first, (0, 0))
        weeks[first] = before[0] + all_, before[1] + answered
    return Trends(
        len({_day(one.at) for one in lately}),
        {one.at[:10]: _OUTCOMES.get(one.outcome, "quiet") for one in lately},
        tuple(sorted(health.items())),
        tuple(size),
        tuple((day, *counts) for day, counts in sorted(moved.items())),
        tuple((day, *counts) for day, counts in sorted(weeks.items())),
        limit,
    )


def _day(moment: str) -> date:
    return date.fromisoformat(moment[:10])


def trends(site: Site, visit: Visit) -> Html:
    found, today = site.cache.get("trends", lambda: _look(site), 30, old_will_do=True), site.clock.now().date()
    if found.nights < ENOUGH:
        few = card(h("p", say("rooms.too_few_nights", n=found.nights, enough=ENOUGH)))
        return h("div", few, _trial(site), class_="trends")
    return h("div", drawn(found, today), _trial(site), class_="trends")


def _trial(site: Site) -> Html:
    """The last table of `dream trial`."""
    made = last_trial(site.workspace)
    if made is None or not made.rows:
        return card(quiet(say("trial.none_yet")), title=say("trial.title"), wide=True)
    heads = [say(f"trial.{name}") for name in ("memory", "injected", "recalled", "outdated")]
    rows = [
        (
            say(f"trial.{row.name}", n=made.nights),
            share(made, row.injected),
            share(made, row.recalled),
            str(row.outdated),
        )
        for row in made.rows
    ]
    about = f"{say('trial.columns')} {say('trial.probes', n=made.probes, questions=made.questions, notes=made.notes)}"
    day = say("trial.asked_on", day=made.made[:10])
    return card(
        h("p", verdict_of(made)), table(heads, rows), quiet(f"{about} {day}"), title=say("trial.title"), wide=True
    )


def _look(site: Site) -> Trends:
    workspace, today = site.workspace, site.clock.now().date()
    known, history = attempts(workspace.root), commands.list_runs(workspace)
    asked = questions_by_day(workspace, today, DAYS)
    return trends_of(known, history, growth_of(workspace, today), asked, workspace.settings.memory.hard_limit, today)


def drawn(found: Trends, today: date) -> list[Html]:
    """The four charts, each on a card of its own."""
    charts = {
        "nights": _strip(found.came_to, today),
        "health": _line(found.health, 100, today, "health", limit=False),
        "size": _line(found.size, found.limit, today, "size", limit=True),
        "moved": _moved(found.moved, today),
        "recalled": _recalled(found.recalled, today),
    }
    return [card(chart, title=say(f"rooms.chart_{name}"), wide=True) for name, chart in charts.items()]


def _strip(came_to: Mapping[str, str], today: date) -> Html:
    """One cell for each day: what its dream came to."""
    words = {kind: say(f"page.outcome_{kind}") for kind in ("changed", "quiet", "proposed", "failed", "none")}
    cells = []
    for n in range(DAYS):
        day = (today - timedelta(days=DAYS - 1 - n)).isoformat()
        kind = came_to.get(day, "none")
        cells.append(_rect(f"cell {kind}", f"{day} · {words[kind]}", n * 7, 0, 24, 5))
    kinds = Counter(came_to.values())
    about = say("count.between").join(f"{words[kind]}: {kinds[kind]}" for kind in words if kinds[kind])
    strip = h("svg", cells, class_="strip", role="img", aria_label=about, viewBox=f"0 0 {DAYS * 7} 24")
    legend = [h("li", h("span", class_=f"key {kind}"), name) for kind, name in words.items()]
    return h("div", h("p", about), strip, h("ul", legend, class_="keys"))


def _line(points: Sequence[Point], most: int, today: date, name: str, *, limit: bool) -> Html:
    """A figure of each night as a line; with `limit` below the height that it must not cross."""
    if not points:
        return quiet(say(f"rooms.no_{name}_yet"))
    top = max([most, *(value for _, value in points)]) * (1.08 if limit else 1)

    def y(value: float) -> float:
        return _TOP + (_FLOOR - _TOP) * (1 - value / top)

    places = [(_x(day, today), y(value)) for day, value in points]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    floor = f"{places[-1][0]:.1f},{y(0):.1f} {places[0][0]:.1f},{y(0):.1f}"
    dots = [
        h("circle", h("title", f"{day}: {value:,}"), class_="dot", cx=f"{a:.1f}", cy=f"{b:.1f}", r="3.5")
        for (day, value), (a, b) in zip(points, places, strict=True)
    ]
    (_, first), (day, last) = points[0], points[-1]
    about = say(f"rooms.{name}_in_words", first=first, last=last, day=day.isoformat(), most=most, n=len(points))
    picture = _chart(
        about,
        [_across("grid", y(0)), _across("grid", y(most / 2)), _across("limit" if limit else "grid", y(most))],
        h("polygon", class_="area", points=f"{line} {floor}") if len(places) > 1 else None,
        h("polyline", class_="line", points=line) if len(places) > 1 else None,
        dots,
        _label(f"{most:,}", _LEFT - 6, y(most) + 4, end=True),
        _label("0", _LEFT - 6, y(0) + 4, end=True),
        _days(today),
    )
    rows = [(one.isoformat(), f"{value:,}") for one, value in reversed(points)]
    return _told(about, picture, (say("page.day"), say(f"rooms.chart_{name}")), rows)


def _moved(points: Sequence[tuple[date, int, int]], today: date) -> Html:
    """What entered above the line and what left below it, both by the same measure."""
    if not points:
        return quiet(say("rooms.no_moved_yet"))
    most = max(max(came, went) for _, came, went in points) or 1
    half, middle = (_FLOOR - _TOP) / 2, (_FLOOR + _TOP) / 2
    bars = []
    for day, came, went in points:
        x, up, down = _x(day, today) - 3, half * came / most, half * went / most
        bars.append(_rect("up", f"{day} · {say('rooms.moved_entered', n=came)}", x, middle - up, up))
        bars.append(_rect("down", f"{day} · {say('rooms.moved_archived', n=went)}", x, middle, down))
    about = say("rooms.moved_in_words", came=sum(one[1] for one in points), went=sum(one[2] for one in points))
    picture = _chart(
        about, bars, [_across("axis", middle)],
        _label(f"+{most}", _LEFT - 6, _TOP + 8, end=True), _label(f"−{most}", _LEFT - 6, _FLOOR, end=True), _days(today),
    )  # fmt: skip
    rows = [(day.isoformat(), str(came), str(went)) for day, came, went in reversed(points)]
    return _told(about, picture, (say("page.day"), say("rooms.entered"), say("rooms.left")), rows)


def _recalled(points: Sequence[tuple[date, int, int]], today: date) -> Html:
    """Questions of each week, and how many of them memory had an answer for."""
    if not points:
        return quiet(say("rooms.no_recalled_yet"))
    most, tall = max(asked for _, asked, _ in points), _FLOOR - _TOP
    width = (_RIGHT - _LEFT) * WEEK / DAYS * 0.7
    bars = []
    for day, asked, answered in points:
        x, name = _x(day, today), f"{day} · {answered} / {asked}"
        bars.append(_rect("track", name, x, _FLOOR - tall * asked / most, tall * asked / most, width))
        bars.append(_rect("up", name, x, _FLOOR - tall * answered / most, tall * answered / most, width))
    about = say("rooms.recalled_in_words", asked=sum(one[1] for one in points), answered=sum(one[2] for one in points))
    picture = _chart(
        about, bars, [_across("axis", _FLOOR)], _label(f"{most}", _LEFT - 6, _TOP + 8, end=True), _days(today)
    )
    rows = [(day.isoformat(), str(asked), str(answered)) for day, asked, answered in reversed(points)]
    return _told(about, picture, (say("rooms.week_from"), say("rooms.asked"), say("rooms.answered")), rows)


def _x(day: date, today: date) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (DAYS - (today - day).days) / DAYS


def _told(about: str, picture: Html, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    return h("div", h("p", about), picture, folded(say("page.as_table"), table(heads, rows)))


def _chart(about: str, *inside: Html | list[Html] | None) -> Html:
    return h("svg", *inside, class_="chart", role="img", aria_label=about, viewBox=f"0 0 {_WIDE} {_HIGH}")


def _days(today: date) -> list[Html]:
    first = (today - timedelta(days=DAYS)).isoformat()
    return [_label(first, _LEFT, _HIGH - 4), _label(today.isoformat(), _RIGHT, _HIGH - 4, end=True)]


def _across(kind: str, y: float) -> Html:
    return h("line", class_=kind, x1=_LEFT, x2=_RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}")


def _label(words: str, x: int, y: float, *, end: bool = False) -> Html:
    return h("text", words, class_="label end" if end else "label", x=x, y=f"{y:.1f}")


def _rect(kind: str, about: str, x: float, y: float, height: float, width: float = 6) -> Html:
    box: dict[str, Attribute] = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return h("rect", h("title", about), class_=kind, **box, rx="1")
