"""Looking back: what old notes say that may still matter, note by note, with any headings or none, in any language.

The judge weighs each line by its own words and what it stands under, and a line that was said on two days weighs more.
What something certain speaks against (`judge/vetoes.py`) is not retold. The peer's own English rules are in `grounded`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from reverie.claim import Claim
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, Embed, Worth, worth_of
from reverie.judge.worth import Line as Asked
from reverie.language import language_of
from reverie.model import Origin
from reverie.pages import one_line
from reverie.phases.diary_format import long_day
from reverie.phases.grounded import MOST, MOST_LASTING, Grounded, Line, rendered
from reverie.phases.themes import Seen, Theme, find_themes, reflect

KEPT = ("decision", "correction", "preference", "rule", "lesson", "project", "person", "fact", "schedule", "update")
SURE, LIKELY = THRESHOLDS["sure"], THRESHOLDS["likely"]
_HAPPENED = frozenset({*KEPT, "event", "plan", "task"})  # kinds that tell the day's story; the rest is noise
_TOLD = 0.1  # below it a line is chatter even of its day
OFTEN = 3  # days on which the same was written down: life has judged, and a doubtful judge gives way
MOST_REFLECTIONS = 2


def look_back(notes: Mapping[str, Sequence[Claim]], kinds: frozenset[str], embed: Embed | None) -> dict[str, Grounded]:
    """What each note gives: what happened, what may last, which themes it takes part in."""
    open_ones = [claim for claims in notes.values() for claim in claims if _may_be_told(claim)]
    judged = worth_of([Asked(claim.text, claim.context) for claim in open_ones], embed)
    days: dict[str, set[str]] = defaultdict(set)
    for claim in open_ones:
        days[claim.key].add(claim.day)
    weighed: dict[str, list[tuple[Claim, Worth, str]]] = {path: [] for path in notes}
    for claim, its in zip(open_ones, judged, strict=True):
        weighed[claim.path].append((claim, its, _lean(its, len(days[claim.key]))))
    themes = _themes_by_path(open_ones)
    language = language_of(claim.text for claim in open_ones)
    return {
        path: _of_note(found, tuple(_reflection(theme, path, language) for theme in themes.get(path, ())), kinds)
        for path, found in weighed.items()
    }


def backfill_entry(path: str, day: date, found: Grounded) -> str:
    """An entry of the diary about a day long past, marked so that it can be taken back; empty for a note without news."""
    if not (found.facts or found.candidates or found.lasting):
        return ""
    body = rendered(found).replace("\n## ", "\n").removeprefix("## ")
    mark = f"<!-- openclaw:dreaming:backfill-entry day={day} source={path.replace('>', '')} -->"
    return "\n".join(("---", "", f"*{long_day(day)}*", "", mark, "", body, "", ""))


def _may_be_told(claim: Claim) -> bool:
    return claim.origin == Origin.OWNER.value and not unfit(claim.text, claim.context, claim.origin)


def _lean(its: Worth, days: int) -> str:
    often = days >= OFTEN and its.kind in KEPT and its.keep >= _TOLD
    if often or its.keep >= SURE or (its.keep >= LIKELY and days > 1):
        return "likely_durable"
    return "unclear" if its.keep >= LIKELY else "likely_situational"


def _of_note(
    weighed: Sequence[tuple[Claim, Worth, str]], reflections: Sequence[Line], kinds: frozenset[str]
) -> Grounded:
    lines = {claim.key: (_line(claim, its, lean, kinds), its) for claim, its, lean in weighed}
    best = sorted(lines.values(), key=lambda pair: -pair[0].score)
    facts = [line for line, its in best if its.keep >= LIKELY or (its.kind in _HAPPENED and its.keep >= _TOLD)][:MOST]
    candidates = [line for line, _ in best if line.lean != "likely_situational"]
    lasting = [line for line in candidates if line.lean == "likely_durable"]
    in_order = [line for line, _ in lines.values() if line in facts]
    return Grounded(
        tuple(in_order), tuple(reflections[:MOST_REFLECTIONS]), tuple(candidates[:MOST]), tuple(lasting[:MOST_LASTING])
    )


def _line(claim: Claim, its: Worth, lean: str, kinds: frozenset[str]) -> Line:
    said = f"{claim.parents} > {claim.text}" if claim.parents else claim.text
    return Line(one_line(said, kinds), (f"{claim.path}:{claim.first}",), round(its.keep, 3), lean)


def _themes_by_path(claims: Sequence[Claim]) -> dict[str, list[Theme]]:
    seen = [Seen(one.text, one.path, date.fromisoformat(one.day) if one.day else None, one.context) for one in claims]
    found: dict[str, list[Theme]] = defaultdict(list)
    for theme in find_themes(seen):
        for path in dict.fromkeys(path for path, _ in theme.sources):
            found[path].append(theme)
    return found


def _reflection(theme: Theme, path: str, language: str) -> Line:
    return Line(" ".join(reflect((theme,), (), language=language)), (path,))
