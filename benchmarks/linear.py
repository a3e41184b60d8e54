"""How the time of each stage grows with one long line: the ratio of a line of twice the length to one of the length.

`python benchmarks/linear.py [stage …]`: two is linear, four is quadratic. Lines are made of what a stranger could send: letters,
brackets, quotes, digits, scripts without spaces, emoji, days. Only the worst shape of each stage is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import date
from time import process_time

from reverie.core.layout import place_of
from reverie.dates.relative import find_dates
from reverie.features.diary.themes import ThemeLine, find_themes
from reverie.judge.relation import relation
from reverie.judge.specifics import specifics_of
from reverie.lang.detect import language_of
from reverie.privacy.access import access_spans
from reverie.privacy.redact import findings
from reverie.text.lines import clipped
from reverie.text.markdown import parse
from reverie.text.terms import denials, terms, values_in
from reverie.workspace.statements import statements_of

DAY = date(2026, 11, 13)
NOTE = "memory/2026-11-13.md"
SHAPES: Mapping[str, str] = {
    "a": "a", "brackets": "[", "stars": "*", "ticks": "`", "pipes": "|", "quotes": '"', "colons": ":", "dashes": "-",
    "digits": "7", "cjk": "记", "kana": "カ", "hangul": "한", "cyrillic": "ж", "emoji": "🙂", "marks": "e\u0301",
    "spaces": " ", "words": "word ", "names": "Word ", "days": "2026-11-12 ", "tomorrow": "tomorrow ", "keys": "x: ",
    "items": "- a\n", "addresses": "a@", "dots": "a.", "paths": "a/", "html": "<!-- ", "json": '{"a":',
}  # fmt: skip
FLOOR = 0.004  # seconds; below it the clock's own grain decides


def _statements(text: str) -> object:
    return statements_of(NOTE, place_of(NOTE), parse(text, by_line=True), ())


def _judged(text: str) -> object:
    """What a judge asks of a line that came through the reader, which cuts it."""
    line = clipped(text)
    return (relation.__wrapped__(line, f"{line} 7"), specifics_of.__wrapped__(line, "en"), denials.__wrapped__(line))


STAGES: Mapping[str, Callable[[str], object]] = {
    "parse": parse,
    "statements": _statements,
    "redaction": findings,
    "access": lambda text: list(access_spans(text)),
    "dates": lambda text: find_dates(text, DAY),
    "terms": terms,
    "values": values_in.__wrapped__,
    "denials": denials.__wrapped__,
    "language": lambda text: language_of((text,)),
    "judge": _judged,
    "themes": lambda text: find_themes([ThemeLine(text, NOTE, DAY)]),
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """The best of three, in time of the processor."""
    best = float("inf")
    for _ in range(3):
        start = process_time()
        work(text)
        best = min(best, process_time() - start)
        if best > 1:
            break
    return best


def growth(stage: str, shape: str, length: int) -> tuple[float, float]:
    """(the ratio of a line of twice this length, the seconds it took)."""
    work, piece = STAGES[stage], SHAPES[shape]
    one, two = ((piece * (size // len(piece) + 1))[:size] for size in (length, 2 * length))
    longer = seconds(work, two)
    return longer / max(seconds(work, one), FLOOR), longer


def main(stages: list[str]) -> None:
    print(f"{'stage':<12} {'worst shape':<12} {'ratio':>6} {'s':>8}")
    for stage in stages or STAGES:
        ratio, took, shape = max((*growth(stage, shape, 10_000), shape) for shape in SHAPES)
        print(f"{stage:<12} {shape:<12} {ratio:>6.1f} {took:>8.3f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
