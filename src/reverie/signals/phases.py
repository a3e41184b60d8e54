"""Light stages what is new, REM reflects on a week: values in, lines of a report out. Neither lets anything into memory."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from reverie.privacy.secrets import masked, private_number
from reverie.signals.entries import Entry, Signal, is_blocked
from reverie.signals.score import Profile
from reverie.signals.tags import CJK_RUN, is_short_term
from reverie.text.lines import clipped

_STRONG, _SURE, _SAME, _ALIKE = 0.75, 0.45, 0.9, 0.88  # themes, truths; what light and REM take for one thing
_STAGED, _THEMES, _TRUTHS, _LONGEST = 100, 10, 3, 400
_COMMENT = re.compile(r"<!--|-->")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Truth(NamedTuple):
    key: str
    snippet: str
    confidence: float
    evidence: str


def fixed(number: float, places: int) -> str:
    """A figure as OpenClaw prints it: half up on the exact binary value."""
    return str(Decimal(number).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def staged(entries: Iterable[Entry], signals: Mapping[str, Signal], profile: Profile, now: datetime) -> list[Entry]:
    """What light stages: the last two days, newest first, each thing once, and only what came up since light met it."""
    recent = [entry for entry in entries if in_lookback(entry, profile, now, 2)]
    if profile.filters:
        recent = [e for e in recent if not is_blocked(e) and is_short_term(e.path) and _is_news(e, signals.get(e.key))]
    recent.sort(key=lambda entry: (entry.last_recalled or _NEVER, entry.recalls), reverse=True)
    return deduped(recent[: _STAGED * (1 if profile.before_2026_8 else 4)], profile, _SAME)[:_STAGED]


def considered(entries: Iterable[Entry], signals: Mapping[str, Signal], profile: Profile, now: datetime) -> list[Entry]:
    """What REM looks at: the last week; if light staged some of it that REM has not met, only that."""
    recent = [entry for entry in entries if in_lookback(entry, profile, now, 7)]
    waiting = [
        e for e in recent if (s := signals.get(e.key)) and s.light and (s.last_rem or _NEVER) < (s.last_light or _NEVER)
    ]
    return recent if profile.before_2026_8 else waiting or recent


def in_lookback(entry: Entry, profile: Profile, now: datetime, days: float) -> bool:
    since = now - timedelta(days=days)
    if any(_day_end(day) >= since for day in entry.days):
        return True
    is_read_again = not profile.before_2026_8 and not entry.recalls and not entry.grounded  # of an old note: no news
    return not is_read_again and (entry.last_recalled or _NEVER) >= since


def similarity(text: str, other: str, profile: Profile) -> float:
    """The share of words that two texts have in common."""

    def words(text: str) -> set[str]:
        runs = [] if profile.before_2026_8 else CJK_RUN.findall(text)
        pairs = ([*run, *(run[at : at + 2] for at in range(len(run) - 1))] for run in runs)
        return set(re.findall(r"[a-z0-9_]+", text)).union(*pairs)

    text, other = (words_of[: 2 * _LONGEST].strip().lower() for words_of in (text, other))
    ours, theirs = words(text), words(other)
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else float(text == other)


def deduped(entries: Iterable[Entry], profile: Profile, alike: float) -> list[Entry]:
    """Each thing once: of those alike in one file the first."""
    kept: list[Entry] = []
    for entry in entries:
        others = (other.snippet for other in kept if other.path == entry.path)
        if not any(similarity(other, entry.snippet, profile) >= alike for other in others):
            kept.append(entry)
    return kept


def confidence(entry: Entry) -> float:
    """How likely an entry is to be a lasting truth."""
    recalled, days = min(1.0, math.log1p(entry.recalls) / math.log(7)), min(1.0, len(entry.days) / 3)
    return 0.45 * entry.average + 0.25 * recalled + 0.20 * days + 0.10 * min(1.0, len(entry.tags) / 6)


def truths(entries: Iterable[Entry], profile: Profile) -> list[Truth]:
    open_entries = (e for e in entries if e.promoted is None and not (profile.filters and is_blocked(e)))
    found = deduped(open_entries, profile, _ALIKE)
    found.sort(key=lambda entry: (-confidence(entry), -entry.recalls))
    return [Truth(e.key, e.snippet, confidence(e), e.place) for e in found if confidence(e) >= _SURE][:_TRUTHS]


def theme_lines(entries: Sequence[Entry]) -> list[str]:
    """Tags that at least three of eight memories share, with where they came up."""
    places, lines = dict[str, list[str]](), list[str]()
    for entry in entries:
        for tag in dict.fromkeys(entry.tags):
            places.setdefault(tag, []).append(entry.place)
    strengths = sorted((-min(1.0, 2 * len(at) / len(entries)), -len(at), tag) for tag, at in places.items())
    for strength, count, tag in [theme for theme in strengths if -theme[0] >= _STRONG][:_THEMES]:
        lines += [
            f"- Theme: `{told(tag)}` kept surfacing across {-count} memories.",
            f"  - confidence: {fixed(-strength, 2)}",
        ]
        lines += [f"  - evidence: {', '.join(places[tag][:3])}", "  - note: reflection"]
    return lines


def light_lines(entries: Iterable[Entry]) -> list[str]:
    lines: list[str] = []
    for entry in entries:
        lines += [f"- Candidate: {told(entry.snippet)}", f"  - confidence: {fixed(entry.average, 2)}"]
        lines += [f"  - evidence: {entry.place}", f"  - recalls: {entry.recalls}", "  - status: staged"]
    return lines or ["- No notable updates."]


def rem_lines(entries: Sequence[Entry], found: Sequence[Truth]) -> list[str]:
    lines = [f"- {told(t.snippet)} [confidence={fixed(t.confidence, 2)} evidence={t.evidence}]" for t in found]
    themes = theme_lines(entries) or ["- No strong patterns surfaced."]
    lasting = lines or ["- No strong candidate truths surfaced."]
    return ["### Reflections", *themes, "", "### Possible Lasting Truths", *lasting]


def told(text: str) -> str:
    """Words as a report may hold them: one line, no comment, no secret, nobody's number."""
    words = " ".join(_COMMENT.sub(" ", text).split()) or "(no snippet captured)"
    return "(not shown)" if private_number(words) else clipped(masked(words), _LONGEST)


def _is_news(entry: Entry, signal: Signal | None) -> bool:
    last = signal.last_light if signal else None
    return last is None or (entry.last_recalled or _NEVER) > last


def _day_end(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1, milliseconds=-1)
