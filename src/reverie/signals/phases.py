"""Light stages what is new, REM reflects on a week: values in, lines of a report out. Neither lets anything into memory."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta

from reverie.privacy.secrets import masked, private_number
from reverie.signals.journal import is_short_term
from reverie.signals.score import Entry, Profile, Signal, is_blocked
from reverie.text.lines import clipped
from reverie.text.terms import key

_STRONG, _SURE = 0.75, 0.45  # themes, and what may be a lasting truth
_STAGED, _THEMES, _TRUTHS, _LONGEST = 100, 10, 3, 400
_COMMENT = re.compile(r"<!--|-->")
Signals = Mapping[str, Signal]
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def staged(entries: Iterable[Entry], signals: Signals, profile: Profile, now: datetime) -> list[Entry]:
    """What light stages: the last two days, newest first, each thing once, and only what came up since light met it."""
    recent = [e for e in entries if in_lookback(e, profile, now, 2) and not is_blocked(e) and is_short_term(e.path)]
    since = {name: signal.last_light for name, signal in signals.items()}
    recent = [e for e in recent if (last := since.get(e.key)) is None or (e.last_recalled or _NEVER) > last]
    recent.sort(key=lambda entry: (entry.last_recalled or _NEVER, entry.recalls), reverse=True)
    return each_once(recent)[:_STAGED]


def considered(entries: Iterable[Entry], signals: Signals, profile: Profile, now: datetime) -> list[Entry]:
    """What REM looks at: the last week; if light staged some of it that REM has not met, only that."""
    recent = [entry for entry in entries if in_lookback(entry, profile, now, 7)]
    waiting = [e for e in recent if (s := signals.get(e.key)) and s.light and (s.last_rem or _NEVER) < (s.last_light or _NEVER)]  # fmt: skip
    return recent if profile.before_2026_8 else waiting or recent


def in_lookback(entry: Entry, profile: Profile, now: datetime, days: float) -> bool:
    since = now - timedelta(days=days)
    if any(datetime.combine(day, time.max, UTC) >= since for day in entry.days):
        return True
    is_read_again = not profile.before_2026_8 and not entry.recalls and not entry.grounded  # of an old note: no news
    return not is_read_again and (entry.last_recalled or _NEVER) >= since


def each_once(entries: Iterable[Entry]) -> list[Entry]:
    """Of those that say the same words the first."""
    kept: dict[str, Entry] = {}
    for entry in entries:
        kept.setdefault(key(entry.snippet), entry)
    return list(kept.values())


def confidence(entry: Entry) -> float:
    """How likely an entry is to be a lasting truth."""
    recalled, days = min(1.0, math.log1p(entry.recalls) / math.log(7)), min(1.0, len(entry.days) / 3)
    return 0.45 * entry.average + 0.25 * recalled + 0.20 * days + 0.10 * min(1.0, len(entry.tags) / 6)


def truths(entries: Iterable[Entry]) -> list[tuple[float, Entry]]:
    """What may last, with how sure that is, the surest first."""
    open_entries = (e for e in entries if e.promoted is None and not is_blocked(e))
    rated = sorted(((confidence(e), e) for e in each_once(open_entries)), key=lambda r: (-r[0], -r[1].recalls))
    return [(sure, entry) for sure, entry in rated if sure >= _SURE][:_TRUTHS]


def theme_lines(entries: Sequence[Entry]) -> list[str]:
    """Tags that at least three of eight memories share, with where they came up."""
    places, lines = dict[str, list[str]](), list[str]()
    for entry in entries:
        for tag in dict.fromkeys(entry.tags):
            places.setdefault(tag, []).append(entry.place)
    strengths = sorted((-min(1.0, 2 * len(at) / len(entries)), -len(at), tag) for tag, at in places.items())
    for strength, count, tag in [theme for theme in strengths if -theme[0] >= _STRONG][:_THEMES]:
        lines += [f"- Theme: `{reportable(tag)}` kept surfacing across {-count} memories.", f"  - confidence: {-strength:.2f}"]  # fmt: skip
        lines += [f"  - evidence: {', '.join(places[tag][:3])}", "  - note: reflection"]
    return lines


def light_lines(entries: Iterable[Entry]) -> list[str]:
    lines: list[str] = []
    for entry in entries:
        lines += [f"- Candidate: {reportable(entry.snippet)}", f"  - confidence: {entry.average:.2f}"]
        lines += [f"  - evidence: {entry.place}", f"  - recalls: {entry.recalls}", "  - status: staged"]
    return lines or ["- No notable updates."]


def rem_lines(entries: Sequence[Entry], found: Sequence[tuple[float, Entry]]) -> list[str]:
    lines = [f"- {reportable(entry.snippet)} [confidence={sure:.2f} evidence={entry.place}]" for sure, entry in found]
    themes, lasting = theme_lines(entries), lines or ["- No strong candidate truths surfaced."]
    return [
        "### Reflections",
        *(themes or ["- No strong patterns surfaced."]),
        "",
        "### Possible Lasting Truths",
        *lasting,
    ]


def reportable(text: str) -> str:
    """Words as a report may hold them: one line, no comment, no secret, nobody's number."""
    words = " ".join(_COMMENT.sub(" ", text).split()) or "(no snippet captured)"
    return "(not shown)" if private_number(words) else clipped(masked(words), _LONGEST)
