"""Charts as pictures that the server draws: they need no script, and each has its numbers in a table beside it.

Colours and strokes are classes of the style sheet, because the page allows no style in its markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from reverie.evidence.attempts import Attempt, Outcome
from reverie.surfaces.web.house import Visit
from reverie.surfaces.web.tags import Html, h

DAYS = 90
WIDE, HIGH = 640, 160
_LEFT, _BOTTOM = 48, 22
OUTCOMES = {
    Outcome.CHANGED: "changed",
    Outcome.KEPT_NOTHING: "quiet",
    Outcome.NOTHING_NEW: "quiet",
    Outcome.READ_NOTHING: "quiet",
    Outcome.REPEATED: "failed",
    Outcome.PROPOSED: "proposed",
    Outcome.FAILED: "failed",
}


def bar(value: float, whole: float, about: str, kind: str = "") -> Html:
    """A bar that is full at `whole`; a value beyond it is told by its colour."""
    share = max(0.0, min(1.0, value / whole)) if whole else 0.0
    over = " over" if whole and value > whole else ""
    return h(
        "svg",
        h("rect", class_="track", width="100", height="8"),
        h("rect", class_=f"fill{over} {kind}".strip(), width=f"{share * 100:.1f}", height="8"),
        class_="bar", viewBox="0 0 100 8", preserveAspectRatio="none", role="img", aria_label=about,
    )  # fmt: skip


def growth_chart(visit: Visit, points: Sequence[tuple[date, int]], limit: int, today: date) -> Html:
    """The size of MEMORY.md after each night, below the line it must not cross."""
    title = visit.say("chart_size")
    if not points:
        return h("p", visit.say("no_nights"), class_="quiet")
    top = max([limit, *(size for _, size in points)]) * 1.08
    first = today - timedelta(days=DAYS)

    def x(day: date) -> float:
        return _LEFT + (WIDE - _LEFT - 8) * ((day - first).days / DAYS)

    def y(size: float) -> float:
        return (HIGH - _BOTTOM) * (1 - size / top) + 4

    places = [(x(day), y(size)) for day, size in points]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    floor = f"{places[-1][0]:.1f},{y(0):.1f} {places[0][0]:.1f},{y(0):.1f}"
    picture = h(
        "svg",
        [h("line", class_="grid", x1=_LEFT, x2=WIDE - 8, y1=f"{y(step):.1f}", y2=f"{y(step):.1f}") for step in (0, limit / 2)],
        h("line", class_="limit", x1=_LEFT, x2=WIDE - 8, y1=f"{y(limit):.1f}", y2=f"{y(limit):.1f}"),
        h("polygon", class_="area", points=f"{line} {floor}") if len(places) > 1 else None,
        h("polyline", class_="line", points=line) if len(places) > 1 else None,
        [h("circle", h("title", f"{day}: {size:,}"), class_="dot", cx=f"{a:.1f}", cy=f"{b:.1f}", r="3.5")
         for (day, size), (a, b) in zip(points, places, strict=True)],
        h("text", f"{limit:,}", class_="label end", x=_LEFT - 6, y=f"{y(limit) + 4:.1f}"),
        h("text", "0", class_="label end", x=_LEFT - 6, y=f"{y(0) + 4:.1f}"),
        h("text", first.isoformat(), class_="label", x=_LEFT, y=HIGH - 2),
        h("text", today.isoformat(), class_="label end", x=WIDE - 8, y=HIGH - 2),
        class_="chart", viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=f"{title}: {points[-1][1]:,} / {limit:,}",
    )  # fmt: skip
    rows = [(day.isoformat(), f"{size:,}", f"{limit:,}") for day, size in points]
    return _with_table(visit, picture, ("day", "characters", "limit"), rows)


def nights_chart(visit: Visit, nights: Sequence[Attempt]) -> Html:
    """For each of the last nights, what it let in above the line and what it refused below, by reason."""
    nights = [one for one in nights if one.counts or one.refused][-24:]
    if not nights:
        return h("p", visit.say("no_nights"), class_="quiet")
    ups = [sum(one.counts.values()) if one.run else 0 for one in nights]  # what was only proposed has not entered
    downs = [sum(one.refused.values()) for one in nights]
    # Refusals are many; each half has its own scale, so that what was let in can be seen beside them.
    half, step = (HIGH - _BOTTOM) / 2, (WIDE - _LEFT - 8) / len(nights)
    reasons = _commonest(nights)
    bars = []
    for n, one in enumerate(nights):
        left, width = _LEFT + n * step + step * 0.15, min(step * 0.7, 34)
        up = half * ups[n] / max(ups) if max(ups) else 0
        told = ", ".join(f"{count} {tag}" for tag, count in one.counts.items())
        bars.append(
            h("rect", h("title", f"{one.at[:10]} · {told}"), class_="up", x=f"{left:.1f}", y=f"{half - up:.1f}",
              width=f"{width:.1f}", height=f"{up:.1f}")
        )  # fmt: skip
        bars += _refusals(one, reasons, left, width, half, max(downs))
    picture = h(
        "svg", bars, h("line", class_="axis", x1=_LEFT, x2=WIDE - 8, y1=f"{half:.1f}", y2=f"{half:.1f}"),
        h("text", f"+{max(ups)}", class_="label end", x=_LEFT - 6, y="12"),
        h("text", f"−{max(downs)}", class_="label end", x=_LEFT - 6, y=f"{2 * half:.1f}"),
        h("text", nights[0].at[:10], class_="label", x=_LEFT, y=HIGH - 2),
        h("text", nights[-1].at[:10], class_="label end", x=WIDE - 8, y=HIGH - 2) if len(nights) > 1 else None,
        class_="chart", viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=visit.say("chart_nights"),
    )  # fmt: skip
    rows = [
        (one.at[:10], _told(one.counts), _told(one.refused))
        for one in reversed(nights)
    ]  # fmt: skip
    keys = h(
        "ul",
        h("li", h("span", class_="key up"), visit.say("entered")),
        [h("li", h("span", class_=f"key r{i}"), reason) for i, reason in enumerate(reasons)],
        class_="keys",
    )
    return _with_table(visit, h("div", picture, keys), ("day", "entered", "refused"), rows)


def health_strip(visit: Visit, nights: Sequence[Attempt], today: date) -> Html:
    """One cell for each of ninety days: what the last dream of that day came to."""
    by_day = {one.at[:10]: OUTCOMES[one.outcome] for one in nights}
    days = [today - timedelta(days=DAYS - 1 - n) for n in range(DAYS)]
    cells = [
        h("rect", h("title", f"{day} · {visit.say('outcome_' + word)}"), class_=f"cell {word}", x=f"{n * 7:.0f}", y="0",
          width="5", height="24", rx="1.5")
        for n, day in enumerate(days)
        for word in [by_day.get(day.isoformat(), "none")]
    ]  # fmt: skip
    strip = h(
        "svg", cells, class_="strip", viewBox=f"0 0 {DAYS * 7} 24", role="img", aria_label=visit.say("chart_health")
    )
    words = ("changed", "quiet", "proposed", "failed", "none")
    keys = [h("li", h("span", class_=f"key {word}"), visit.say(f"outcome_{word}")) for word in words]
    return h("div", strip, h("ul", keys, class_="keys"))


def _refusals(one: Attempt, reasons: Sequence[str], left: float, width: float, half: float, most: int) -> list[Html]:
    top, bars = half, []
    for reason, count in sorted(one.refused.items(), key=lambda pair: -pair[1]):
        tall = half * count / most if most else 0
        kind = f"r{reasons.index(reason)}" if reason in reasons else "rest"
        bars.append(
            h("rect", h("title", f"{one.at[:10]} · {count} {reason}"), class_=kind, x=f"{left:.1f}", y=f"{top:.1f}",
              width=f"{width:.1f}", height=f"{tall:.1f}")
        )  # fmt: skip
        top += tall
    return bars


def _commonest(nights: Sequence[Attempt], most: int = 5) -> list[str]:
    total: dict[str, int] = {}
    for one in nights:
        for reason, count in one.refused.items():
            total[reason] = total.get(reason, 0) + count
    return sorted(total, key=lambda reason: -total[reason])[:most]


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1])) or "–"


def _with_table(visit: Visit, picture: Html, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    table = h(
        "table",
        h("thead", h("tr", [h("th", visit.say(head), scope="col") for head in heads])),
        h("tbody", [h("tr", [h("td", cell) for cell in row]) for row in rows]),
    )
    return h("div", picture, h("details", h("summary", visit.say("as_table")), h("div", table, class_="scroll")))


__all__ = ["bar", "growth_chart", "health_strip", "nights_chart"]
