"""How promoted lines stand in MEMORY.md in the peer's format, and what leaves when there is no room. Text in, text out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from reverie.openclaw.score import Profile
from reverie.text.lines import count_units
from reverie.workspace.openclaw_format import HEADING as NAME
from reverie.workspace.openclaw_format import TITLE, PeerRecall, Promoted, fixed, mark_of, numbers_of, remarks_of

HEADING = f"## {NAME}"
BUDGET = 10_000
RESERVE = 21
SNIPPET_LIMIT = 640  # UTF-16 units of a promoted line: 160 tokens of 4
MOST_LOSS = 0.25
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？](?=.|$)")
_SECTION = re.compile(rf"^{re.escape(HEADING)} \((\d{{4}}-\d{{2}}-\d{{2}})\)[ \t]*$", re.M)
_MARK = re.compile(r"<!-- openclaw-memory-promotion:(.*?) -->")
_OTHER_HEADING = re.compile(r"^#{1,2}[ \t]", re.M)
_GROUP_HEADING = re.compile(r"### (?:Global|Project: .*)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a promoted line is made of."""

    entry: PeerRecall
    score: float


@dataclass(frozen=True, slots=True)
class Promotion:
    """MEMORY.md after a promotion, and which keys were written and which stood there already."""

    text: str
    appended: tuple[str, ...]
    reconciled: tuple[str, ...]

    @property
    def applied(self) -> int:
        return len(self.appended) + len(self.reconciled)


def truncated(text: str, limit: int) -> str:
    """A text of at most so many UTF-16 units: cut after a sentence, else between words, else hard."""
    text = " ".join(text.split())
    if count_units(text) <= limit:
        return text
    head = text[: max(0, limit - 3)]
    while count_units(head) > limit - 3:
        head = head[:-1]
    ends = [match.end() for match in _SENTENCE_END.finditer(head) if match.end() >= 0.55 * limit]
    space = head.rfind(" ")
    if ends:
        head = head[: ends[-1]]
    elif space >= 0.65 * limit:
        head = head[:space]
    return head.rstrip() + "..."


def promoted_lines(candidate: Candidate, profile: Profile) -> list[str]:
    """The marker and the bullet of one entry."""
    entry, average = candidate.entry, candidate.entry.total_score / max(1, candidate.entry.signals)
    numbers = Promoted(entry.key, candidate.score, entry.signals, entry.recalls, average, entry.tags)
    about = numbers_of(numbers, entry.place, before_2026_8=profile.before_2026_8)
    project = f" <!-- project: {entry.project} -->" if entry.project and not profile.before_2026_8 else ""
    return [mark_of(entry.key), f"- {_shown(entry, profile)} {about}{project}"]


def consolidated_line(candidate: Candidate, profile: Profile) -> str:
    """The bullet of an entry in a section that was consolidated."""
    entry = candidate.entry
    place = f"{entry.path}#L{entry.first}-L{entry.last}"
    return f"- {_shown(entry, profile)} Source: {place} {remarks(candidate)}"


def remarks(candidate: Candidate) -> str:
    """What later recalls read of a consolidated line."""
    return remarks_of(candidate.entry.tags, candidate.score, candidate.entry.project)


def _shown(entry: PeerRecall, profile: Profile) -> str:
    snippet = " ".join(entry.snippet.split()) or "(no snippet captured)"
    return snippet if profile.before_2026_8 else truncated(snippet, SNIPPET_LIMIT)


def section(candidates: Sequence[Candidate], profile: Profile, at: datetime, zone: tzinfo = UTC) -> str:
    """The section of one night, from the blank line before it to its last newline."""
    lines = ["", f"{HEADING} ({at.astimezone(zone).date()})", ""]
    projects = sorted({one.entry.project for one in candidates})
    for project in projects:
        if len(projects) > 1:
            lines += [f"### Project: {project}" if project else "### Global", ""]
        for one in candidates:
            if one.entry.project == project:
                lines += promoted_lines(one, profile)
        if len(projects) > 1 and project != projects[-1]:
            lines.append("")
    return "\n".join(lines) + "\n"


def promote(
    memory: str, candidates: Iterable[Candidate], profile: Profile, at: datetime, zone: tzinfo = UTC
) -> Promotion:
    """The text with a new section at its end. What was promoted stays out; what stands there is only counted."""
    standing = set(_MARK.findall(memory))
    once = {one.entry.key: one for one in candidates if one.entry.promoted is None}
    known = tuple(key for key in once if key in standing)
    fresh = [one for key, one in once.items() if key not in standing]
    if not fresh:
        return Promotion(memory, (), known)
    head = memory if memory.strip() else f"{TITLE}\n"
    text = head + ("" if head.endswith("\n") else "\n") + section(fresh, profile, at, zone)
    return Promotion(text, tuple(one.entry.key for one in fresh), known)


def fitted(
    memory: str, new_units: int, budget: int, *, most_loss: float | None = MOST_LOSS
) -> tuple[str, tuple[str, ...]]:
    """The text without its oldest purely generated sections, as far as needed for the new one, and their days.

    No more than `most_loss` of all promoted entries leave; a budget of nothing is no budget.
    """
    if budget <= 0:
        return memory, ()
    total = len(_MARK.findall(memory))
    lost, dropped = 0, []
    while count_units(memory) + new_units > budget:
        generated = [one for one in _sections(memory) if _is_generated(one.text)]
        if not generated:
            break
        oldest = min(generated, key=lambda one: one.day)
        lost += len(_MARK.findall(oldest.text))
        if most_loss is not None and lost > most_loss * total:
            break
        memory = _without(memory, oldest)
        dropped.append(oldest.day)
    return memory, tuple(dropped)


@dataclass(frozen=True, slots=True)
class _Section:
    day: str
    start: int
    end: int
    text: str


def _sections(memory: str) -> list[_Section]:
    found = []
    for match in _SECTION.finditer(memory):
        following = _OTHER_HEADING.search(memory, match.end())
        end = following.start() if following else len(memory)
        found.append(_Section(match[1], match.start(), end, memory[match.start() : end]))
    return found


def _without(memory: str, gone: _Section) -> str:
    before, after = memory[: gone.start], memory[gone.end :]
    return before + after if after else before.removesuffix("\n")


def _is_generated(text: str) -> bool:
    """Whether a section holds nothing but markers, the bullets below them, and headings of projects."""
    marked = False
    for line in text.split("\n")[1:]:
        if not line.strip() or _GROUP_HEADING.fullmatch(line.strip()):
            continue
        if _MARK.fullmatch(line.strip()):
            marked = True
        elif marked and line.startswith("- "):
            marked = False
        else:
            return False
    return True


def schedule_description(profile: Profile) -> str:
    """How the peer describes its nightly job."""
    gates = (
        f"limit={profile.limit}, minScore={fixed(profile.min_score, 3)}, minRecallCount={profile.min_signals}, "
        f"minUniqueQueries={profile.min_queries}, recencyHalfLifeDays={_short(profile.half_life_days)}, "
        f"maxAgeDays={'none' if profile.max_age_days is None else _short(profile.max_age_days)}"
    )
    return (
        f"[managed-by=memory-core.short-term-promotion] Promote weighted short-term recalls into MEMORY.md ({gates})."
    )


def _short(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)
