"""What words say about whether a line of an old note will matter: groups and what each is worth. Data, not logic.

The groups and their worth are the peer's; the words are our own, English as there. The peer's profile only.

The grounded preview: what an old daily note says that may still matter, each line with its place. The peer's rules.

English only, as there; our own reading of old notes does not use it. Reflections are worded by us.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.openclaw.rehydrate import heading_of, without_mark


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.I)


PREFERS = _any("prefers?", "preferred", "likes?", "loves?", "hates?", "dislikes?", "favou?rites?")
MEMORY = _any(
    "remember", "memor(?:y|ies|ise|ize)", "preferences?", "prefers?", "preferred", "habits?", "convention", "standing"
)
PERSON = _any("usually", "tends? to", "every (?:day|week|morning|evening|year)", "birthday", "allerg(?:y|ic|ies)")
STABLE_PERSON = _any(
    "relationship", "partner", "wife", "husband", "spouse", "mother", "father", "daughter", "son", "sister", "brother",
    "lives? in", "works? (?:at|for)", "born",
)  # fmt: skip
PERSISTENCE = _any(
    "always", "never", "prefers?", "preferred", "partner", "rule", "default", "permanent(?:ly)?", "long-?term", "must",
    "from now on", "policy",
)  # fmt: skip
OPERATOR_RULE = _any("do not", "don't", "must not", "make sure", "ask before", "only when")
PERSISTENT_TITLE = _any(
    "preferences?", "relationships?", "people", "rules?", "conventions?", "principles?", "family", "about"
)
MONITORING = _any("heartbeat", "health ?checks?", "uptime", "monitoring", "restarted", "polling")
SITUATIONAL_WORDS = _any("right now", "at the moment", "this (?:morning|afternoon|evening)", "tonight", "currently")
TRAVEL = _any("flights?", "boarding", "layover", "check-?in", "itinerary")
METADATA = _any("session key", "session id", "message id", "timestamp")
PROCESS = _any("in progress", "working on", "started", "finished", "done", "completed")
PROJECT_META = _any("milestone", "sprint", "roadmap", "backlog")
TOOLING = _any(r"\w+\.md", "plugin", "script", "cli", "config")
TRANSIENT = _any("today", "yesterday", "tomorrow", "next (?:week|month|\\w+day)", "last (?:night|week)")
INCIDENT = _any("failed", "error", "outage", "crash(?:ed)?", "broken")
LOGISTICS = _any("call", "appointment", "meeting", "pick ?up", "deliver(?:y|ed)")
TASK = _any("todo", "to do", "next steps?", "follow up", "need to")
TRANSIENT_TITLE = _any("setup", "next steps?", "todo", "tasks?", "log", "status", "today")
BUILD = _any("installed", "build", "built", "compiled", "deployed", "upgraded")
PATH_OR_URL = re.compile(r"https?://|(?:^|\s)[~.]?/[\w.-]+/")
SPECIFIC = re.compile(r"\b\d{1,2}:\d{2}\b|\b[0-9a-f]{7,}\b")


MOST = 4
MOST_LASTING = 3
MOST_CLAIMS = 3
PER_SECTION = 2
SHORTEST = 10
FACT, CANDIDATE, DURABLE, SITUATIONAL = 1.4, 1.8, 4.0, 0.25
RULE_STATED = "A lasting rule or preference was put into words here, so it need not be guessed later."
NO_FACTS = "No grounded facts were extracted."
NO_REFLECTIONS = "No grounded reflections emerged from this note yet."
_FENCE = re.compile(r"\s*(?:```|~~~)")
_GENERIC_TITLE = re.compile(
    r"(?:notes?|misc|general|summary|overview|preferences?(?: learned)?|today|log|facts?)", re.I
)
_SUBJECT = re.compile(r"(.{1,60}?)\s+[—–]\s+(.+)", re.S)


@dataclass(frozen=True, slots=True)
class Line:
    """A statement, where it stands, and what its words are worth."""

    text: str
    refs: tuple[str, ...]
    score: float = 0.0
    lean: str = "unclear"


@dataclass(frozen=True, slots=True)
class Grounded:
    """What one note gives."""

    facts: tuple[Line, ...]
    reflections: tuple[Line, ...]
    candidates: tuple[Line, ...]
    lasting: tuple[Line, ...]


def durability(text: str, title: str = "") -> tuple[float, str]:
    """How much the words speak for lasting, and which way that leans."""
    both = f"{title} {text}"
    transient = bool(TRANSIENT.search(text))
    situational = bool(SITUATIONAL_WORDS.search(text))
    worth = (
        (PERSISTENCE, text, 3.2), (MEMORY, both, 2.4), (PERSON, text, 2.3),
        (PREFERS, text, 1.8), (OPERATOR_RULE, text, 1.6), (STABLE_PERSON, both, 1.5),
        (PERSISTENT_TITLE, title, 1.2), (MONITORING, both, -4.2), (SITUATIONAL_WORDS, text, -2.8),
        (TRAVEL, title, -2.6), (METADATA, text, -2.4), (PROCESS, text, -2.4),
        (PROJECT_META, text, -2.2), (TOOLING, text, -2.1), (TRANSIENT, text, -2.0),
        (INCIDENT, text, -1.6), (LOGISTICS, text, -1.4), (TASK, both, -1.2),
        (SPECIFIC, text, -1.2), (TRANSIENT_TITLE, title, -1.2), (BUILD, text, -0.8),
        (PATH_OR_URL, text, -0.8),
    )  # fmt: skip
    score = round(sum(points for pattern, where, points in worth if pattern.search(where)), 6)
    if score >= DURABLE:
        return score, "likely_durable"
    if score <= SITUATIONAL or situational or transient:
        return score, "likely_situational"
    return score, "unclear"


def atomised(text: str) -> tuple[str, ...]:
    """One line as its claims: split at semicolons outside brackets, and at commas after `subject — `."""
    claims: list[str] = []
    for part in _split(text, ";"):
        match = _SUBJECT.fullmatch(part)
        if match:
            claims += [f"{match[1]} — {said}" for said in _split(match[2], ",")]
        else:
            claims.append(part)
    return tuple(claims[:MOST_CLAIMS])


def _split(text: str, at: str) -> list[str]:
    depth, parts, current = 0, [], ""
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == at and depth <= 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [part for part in (*parts, current.strip()) if part]


def grounded(note: str, path: str) -> Grounded:
    """The facts, candidates and lasting updates of a note, strongest first."""
    facts: list[Line] = []
    candidates: list[Line] = []
    for title, snippets in _sections(note.split("\n")):
        scored = [_scored(title, text, f"{path}:{number}") for number, text in snippets]
        remembered = [(0.6 if MEMORY.search(f"{title} {one.text}") else 0.0) for one in scored]
        strong = [one for one, more in zip(scored, remembered, strict=True) if one.score + more >= FACT]
        strong.sort(key=lambda one: -one.score)
        facts += strong[:PER_SECTION]
        claims = [
            _scored(title, claim, *one.refs, bare=True) for one in strong[:PER_SECTION] for claim in atomised(one.text)
        ]
        candidates += [claim for claim in claims if claim.score >= CANDIDATE]
    facts.sort(key=lambda one: -one.score)
    candidates.sort(key=lambda one: -one.score)
    lasting = [one for one in candidates if one.lean == "likely_durable"][:MOST_LASTING]
    refs = tuple(dict.fromkeys(ref for one in lasting for ref in one.refs))
    reflections = (Line(RULE_STATED, refs),) if lasting else ()
    return Grounded(tuple(facts[:MOST]), reflections, tuple(candidates[:MOST]), tuple(lasting))


def _scored(title: str, text: str, *refs: str, bare: bool = False) -> Line:
    shown = text if bare or _GENERIC_TITLE.fullmatch(title) else f"{title}: {text}"
    said = text.removeprefix(f"{title}: ")
    score, lean = durability(said, title)
    return Line(shown, refs, score, lean)


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """The titles below the first level and their snippets with line numbers; no code, no tables."""
    title, snippets, fenced = "", list[tuple[int, str]](), False
    for number, line in enumerate(lines, 1):
        fenced ^= bool(_FENCE.match(line))
        level, heading = (0, "") if fenced else heading_of(line)
        if level:
            if title and snippets:
                yield title, snippets
            title, snippets = (heading if level > 1 else ""), []
        elif title and not fenced and not _FENCE.match(line) and not line.lstrip().startswith(("|", "<!--")):
            text = without_mark(line)
            if len(text) >= SHORTEST:
                snippets.append((number, text))
    if title and snippets:
        yield title, snippets


def rendered(found: Grounded) -> str:
    """The preview in the peer's layout."""
    lines = ["## What Happened", *_numbered(found.facts, NO_FACTS), ""]
    lines += ["## Reflections", *_numbered(found.reflections, NO_REFLECTIONS)]
    if found.candidates:
        lines += ["", "## Candidates", *(f"- [{one.lean}] {_with_refs(one)}" for one in found.candidates)]
    if found.lasting:
        lines += ["", "## Possible Lasting Updates", *(f"- {_with_refs(one)}" for one in found.lasting)]
    return "\n".join(lines)


def _numbered(found: Sequence[Line], empty: str) -> list[str]:
    return [f"{nth}. {_with_refs(one)}" for nth, one in enumerate(found, 1)] or [f"1. {empty}"]


def _with_refs(line: Line) -> str:
    return f"{line.text} [{', '.join(line.refs)}]"
