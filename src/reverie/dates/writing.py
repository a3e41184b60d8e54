"""How a resolved date is written into its sentence, language by language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from reverie.dates.fences import CAPITALISED, opens
from reverie.dates.languages import MANNERS
from reverie.dates.rules import Span

_POSSESSIVE = re.compile(r"['’]s\b ?")
_PART_OF = re.compile(r"the (\w+) of ")
_LONG = ("week", "weekend", "quarter", "part")
FROM = frozenset({"from", "starting", "beginning", "ab", "desde", "dès", "с"})
_ONWARDS = re.compile(r"[从從自]\0|\0(?:起|开始|開始|以来|から|부터)")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)?)[ \t*_]+$")


@dataclass(frozen=True, slots=True)
class Dated:
    """A phrase of a text and the days it means, both ends included."""

    start: int
    end: int
    phrase: str
    first: date
    last: date
    grain: str  # day, weekend, week, part, month, quarter, year
    lang: str
    bare: str  # how its language writes these days …
    led: str  # … and how with the preposition a sentence wants before them

    @property
    def value(self) -> str:
        """2026-03-14, 2026-03, 2026 or 2026-03-09 to 2026-03-15."""
        return _written(Span(self.first, self.last, self.grain), "{} to {}", "{}")


def last_word(before: str) -> str:
    """The word a text ends with, folded; empty where it ends with anything else."""
    word = _LAST_WORD.search(before[-40:])
    return word[1].casefold() if word else ""


def spoken(span: Span, lang: str) -> tuple[str, str]:
    """The days as their language writes them: bare, and led by the preposition a sentence wants."""
    manner = MANNERS[lang]
    bare = span.form.replace("{}", _written(span, manner.bare_span, manner.bare_year))
    if span.led:
        led = span.led.replace("{}", _written(span, manner.bare_span, manner.bare_year))
    elif span.form != "{}":
        led = bare
    else:
        lead = {"day": manner.day, "month": manner.month, "year": manner.year}.get(span.grain)
        led = lead.format(_written(span, "", "{}")) if lead else manner.span.format(span.first, span.last)
    return bare, led


def _written(span: Span, between: str, of_year: str) -> str:
    match span.grain:
        case "day":
            return span.first.isoformat()
        case "month":
            return span.first.isoformat()[:7]
        case "year":
            return of_year.format(span.first.isoformat()[:4])
        case _:
            return between.format(span.first, span.last)


def _stands_alone(before: str, after: str) -> bool:
    """A date that is a heading, a label, a cell or a value of its own is written without a preposition."""
    line = before[before.rfind("\n") + 1 :].rstrip(" *_~")
    rest = after.split("\n", 1)[0].lstrip(" *_~")
    begins = not line.strip("-*+• 0123456789.)") or line[-1] in "|:：(（["
    return line.startswith("#") or (begins and (not rest or rest[0] in "|:：)）]"))


def replaced(text: str, dated: Dated) -> str:
    before, after = text[: dated.start], text[dated.end :]
    last = last_word(before)
    if dated.grain in _LONG and (last in FROM or _ONWARDS.search(before[-2:] + "\0" + after[:8])):
        written = dated.first.isoformat()  # from next week on: from its first day on
    elif owned := _POSSESSIVE.match(after):
        part = _PART_OF.match(dated.bare)
        written, after = f"the {dated.value}" + (f" {part[1]}" if part else ""), " " + after[owned.end() :]
    else:
        # The "on" of "the light came on yesterday" belongs to the verb.
        leads = last in MANNERS[dated.lang].behind and (last != "on" or CAPITALISED.search(dated.phrase) is not None)
        written = dated.bare if leads or _stands_alone(before, after) else dated.led
    if last == "de" and written.startswith("le "):  # French does not say "de le"
        before, written = before[: -len("de ")] + "du ", written[len("le ") :]
    if dated.phrase[0].isupper() and opens(text, dated.start):
        written = written[0].upper() + written[1:]
    if before[-1:].isalnum() and before[-1:].isascii():
        written = " " + written
    if after and after[0].isascii() and (after[0].isalnum() or after[0] in "+-"):
        written += " "
    return before + written + after
