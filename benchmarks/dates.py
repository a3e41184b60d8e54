"""How many relative dates are resolved, how many of them rightly, and how many phrases are touched that should not be?

    REVERIE_JUDGEMENT=… REVERIE_GOLD=… REVERIE_BENCH=… python benchmarks/dates.py [--show]

The sets are for measuring and are not part of the project; what is missing is said. Values are compared at our grain: a set
that gives "three months ago" a day is met by the month that holds it. `--show` prints what was wrong, touched or missed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from reverie.dates.relative import Dated, find_dates


class Wanted(NamedTuple):
    """A labelled phrase; no days means: leave it alone."""

    start: int
    end: int
    days: tuple[tuple[date, date], ...]


class Line(NamedTuple):
    lang: str
    text: str
    day: date
    time: time | None
    wanted: tuple[Wanted, ...]
    whole: bool  # every relative date of the line is labelled, so that anything else we find is wrong


def rows(path: Path) -> Iterator[dict[str, Any]]:
    yield from (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())


def days_of(value: object) -> tuple[tuple[date, date], ...]:
    """2026-03-14, 2026-03, 2026-W12 or {from, to} as the days they cover."""
    if value is None:
        return ()
    if isinstance(value, dict):
        return ((date.fromisoformat(value["from"]), date.fromisoformat(value["to"])),)
    said = str(value)
    if match := re.fullmatch(r"(\d{4})-W(\d\d)", said):
        monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
        return ((monday, monday + timedelta(days=6)),)
    if re.fullmatch(r"\d{4}-\d\d", said):
        first = date.fromisoformat(said + "-01")
        return ((first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)),)
    return ((date.fromisoformat(said), date.fromisoformat(said)),)


def judgement(folder: Path) -> Iterator[Line]:
    for row in rows(folder / "dates.jsonl"):
        wanted = tuple(Wanted(s["start"], s["start"] + len(s["phrase"]), days_of(s["value"])) for s in row["spans"])
        at = time.fromisoformat(row["time"]) if row["time"] else None
        yield Line(row["lang"], row["text"], date.fromisoformat(row["note"]), at, wanted, whole=True)


def gold(folder: Path) -> Iterator[Line]:
    for path in sorted(folder.glob("*/gold.json")):
        lang = {"zh": "zh", "de": "de"}.get(path.parent.name.split("-")[-1], "en")
        labelled: defaultdict[tuple[str, int], list[Any]] = defaultdict(list)
        for row in json.loads(path.read_text("utf-8"))["dates"]:
            labelled[row["file"], row["line"]].append(row)
        for (file, number), phrases in labelled.items():
            text = (path.parent / "workspace" / file).read_text("utf-8").split("\n")[number - 1]
            day = re.search(r"\d{4}-\d\d-\d\d", file)
            wanted = [Wanted(i := text.index(p["phrase"]), i + len(p["phrase"]), days_of(p["value"])) for p in phrases]
            on = date.fromisoformat(day[0]) if day else date(2026, 3, 1)
            yield Line(lang, text, on, None, tuple(wanted), whole=False)


def _days(first: str, last: str) -> tuple[date, date]:
    """The ends of an interval as these sets write them: with hours, and with the last day left out."""
    a, b = date.fromisoformat(first[:10]), date.fromisoformat(last[:10])
    return (a, b - timedelta(days=1)) if b > a and last[11:] in ("", "00:00:00") else (a, b)


def recognizers(path: Path) -> Iterator[Line]:
    for row in rows(path):
        wanted = []
        for span in row["expected"]:
            found = []
            for value in span["values"]:
                if re.match(r"\d{4}-\d\d-\d\d", value.get("value") or ""):
                    found.append((date.fromisoformat(value["value"][:10]),) * 2)
                elif value.get("start") and value.get("end") and "-" in value["start"]:
                    found.append(_days(value["start"], value["end"]))
                elif "-" in (end := value.get("start") or value.get("end") or ""):
                    found.append((date.fromisoformat(end[:10]) - timedelta(days=not value.get("start")),) * 2)
            wanted.append(Wanted(span["start"], span["end"] + 1, tuple(found)))
        yield Line(row["lang"], row["text"], date.fromisoformat(row["ref"][:10]), None, tuple(wanted), whole=False)


def duckling(path: Path) -> Iterator[Line]:
    """Every phrase is alone in its line. Weekdays without a direction mean the future there; we leave them."""
    for row in rows(path):
        values = [value for value in row["values"] if value]
        try:
            day = date.fromisoformat(values[0][:10])
        except (ValueError, IndexError):  # the set holds a 30th of February
            continue
        days = _days(values[0], values[1]) if "Interval" in row["kind"] and len(values) > 1 else (day, day)
        if row["kind"] == "datetimeOpenInterval":
            days = (day - timedelta(days=1), day)
        if row["kind"] == "datetime" and row["grain"] in ("Week", "Month", "Quarter", "Year"):
            length = {"Week": 6, "Month": 27, "Quarter": 88, "Year": 363}[row["grain"]]
            days = (day, day + timedelta(days=length))
        wanted = (Wanted(0, len(row["text"]), (days,)),)
        yield Line(row["lang"], row["text"], date.fromisoformat(row["ref"][:10]), None, wanted, whole=False)


def agrees(ours: Dated, days: tuple[tuple[date, date], ...]) -> bool:
    """The same days; or, where ours is a month or more, the days lie in it; or a day stands for hours of it."""
    for first, last in days:
        if (ours.first, ours.last) == (first, last):
            return True
        # "till tomorrow 16:30" is labelled as one interval; the day we name is one of its ends.
        if ours.grain == "day" and ours.first in (first, last, last + timedelta(days=1)):
            return True
        if (
            ours.grain in ("week", "month", "quarter", "year", "weekend", "part")
            and ours.first <= first <= last <= ours.last
        ):
            return True
    return False


RELATIVE = re.compile(
    r"(?i)\b(?:today|yesterday|tomorrow|tonight|last|next|this|ago|in \w+ (?:days?|weeks?|months?|years?))\b"
    r"|[今昨明前后][天日晚早年儿]|[上下本这][个個]?[周週月]|[天周月年]前|[天周月年]后|月[底初末]|年[底初]"
    r"|gestern|heute|morgen|letzte|nächste|ayer|hoy|mañana|pasad|próxim|hier|demain|derni|prochain|ontem|hoje|amanhã|passad"
    r"|вчера|сегодня|завтра|прошл|следующ|назад|через|昨日|今日|明日|[先来]週|어제|오늘|내일|지난|다음"
)

# Hours, feasts, and phrases that hold a date already are no relative days.
NOT_A_DAY = re.compile(
    r"(?i)se[cgkc]\w*nd|minut|hour|hora|heure|stund|час|мину|секу|easter|thanksgiving|halloween|new year|mlk|luther|boss|\d[./]\d|\d年|\d月|since \d|since the"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ago-|februar|febrero|février|october)"
)


def measure(name: str, lines: Iterator[Line], *, show: bool) -> None:
    right, wrong, touched, missed, day_right, day_all = (Counter[str]() for _ in range(6))
    nulls = Counter[str]()
    for line in lines:
        found = find_dates(line.text, line.day, time=line.time)
        used = set()
        for phrase in line.wanted:
            hits = [d for d in found if d.start < phrase.end and phrase.start < d.end]
            used |= set(hits)
            said = line.text[phrase.start : phrase.end]
            if not phrase.days:
                nulls[line.lang] += 1
                touched[line.lang] += bool(hits)
                if show and hits:
                    print(
                        f"  touched {name} {line.lang} {line.day}: {hits[0].phrase} = {hits[0].value} | {line.text[:110]}"
                    )
                continue
            is_day = phrase.days[0][0] == phrase.days[0][1] and (
                line.whole or (RELATIVE.search(said) is not None and not NOT_A_DAY.search(said))
            )
            day_all[line.lang] += is_day
            if not hits:
                missed[line.lang] += 1
                if show and (is_day or line.whole):
                    print(f"  missed {name} {line.lang} {line.day}: {said} | {line.text[:110]}")
                continue
            good = any(agrees(hit, phrase.days) for hit in hits)
            (right if good else wrong)[line.lang] += 1
            day_right[line.lang] += is_day and good
            if show and not good:
                print(
                    f"  wrong {name} {line.lang} {line.day}: {[(h.phrase, h.value) for h in hits]} wanted {phrase.days[0]} | {line.text[:110]}"
                )
        for extra in set(found) - used:
            touched[line.lang] += line.whole or not line.wanted
            if show and (line.whole or not line.wanted):
                print(f"  touched {name} {line.lang} {line.day}: {extra.phrase} = {extra.value} | {line.text[:110]}")
    print(f"{name}\n  lang  resolved   right        left-alone touched   day phrases resolved")
    for lang in sorted(set(right) | set(missed) | set(wrong) | set(nulls)):
        share(lang, right[lang], wrong[lang], nulls[lang], touched[lang], day_right[lang], day_all[lang])
    share("all", right.total(), wrong.total(), nulls.total(), touched.total(), day_right.total(), day_all.total())


def share(lang: str, right: int, wrong: int, nulls: int, touched: int, day_right: int, day_all: int) -> None:
    given = right + wrong
    print(
        f"  {lang:4} {given:5}   {right:5} {right / max(given, 1):6.1%}   {nulls:5} {touched:8}"
        f"   {day_right:5} of {day_all:5} {day_right / max(day_all, 1):6.1%}"
    )


def main() -> None:
    show = "--show" in sys.argv
    only = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    bench = os.environ.get("REVERIE_BENCH", "")
    sets = (
        ("judgement", os.environ.get("REVERIE_JUDGEMENT", ""), "dates.jsonl", lambda p: judgement(p.parent)),
        ("gold", os.environ.get("REVERIE_GOLD", ""), "", gold),
        ("relative", bench, "dates_relative_en_zh.jsonl", recognizers),
        ("recognizers", bench, "dates_recognizers.jsonl", recognizers),
        ("duckling", bench, "dates_duckling.jsonl", duckling),
    )
    for name, folder, file, read in sets:
        if only and name not in only:
            continue
        if not folder or not (Path(folder) / file).exists():
            print(
                f"{name}: no data. It is not part of the project; name its folder in the environment (see the top of this file)."
            )
            continue
        measure(name, read(Path(folder) / file), show=show)


if __name__ == "__main__":
    main()
