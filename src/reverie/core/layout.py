"""What every path of a workspace means, and which of them a dream may ever write.

Paths are posix and relative to the workspace; those of the vault begin with `vault:`. Where a host keeps the memory in a folder of
its own (Claude Code), its topic files begin with `topic:` and what its owner wrote for it in the project with `project:`; the rest
is as everywhere, in a folder of ours. What a team shares begins with `team:`. Anything that is not named here is FOREIGN: never read, never written.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import date, time
from enum import StrEnum
from functools import lru_cache

VAULT = "vault:"
TOPICS = "topic:"
PROJECT = "project:"
TEAM = "team:"
SHARED = "team:shared.md"  # what `dream share` wrote into the folder of the team; the rest there is other people's
SHARE_LOCK = ".dream-lock"  # in that folder
LEDGER = "vault:ledger.md"
LEDGER_INDEX = "vault:ledger-index.json"
REMOVED = "vault:meta/removed-entries.json"
TOMBSTONES = "vault:meta/tombstones.json"
QUESTIONS = "vault:meta/questions.json"
SUGGESTIONS = "vault:meta/suggestions.json"
ACTIVE_DAYS = "vault:meta/active-days.json"
LAST_REVIEW = "vault:meta/last-review.txt"
DREAM_STATE = "vault:meta/dream-state.txt"
CONTENT_INDEX = "vault:obsidian-index/_index.md"
LAST_DREAM = "memory/.last_dream"
LAST_DISTILL = "memory/self-improving/.last_distill"  # when the logs were last read for lessons (seed 001)
STATE_DIR = "memory/.dreams"
REVIEWED = "memory/.dreams/reviewed.json"
DIARY = "DREAMS.md"
TYPES = "memory/memory-types.md"  # what the four kinds of classified memories are (seed 003)
USER_PAGE = "USER.md"  # the owner's; `dream classify --user` may append what memory says of them
TODOS = "todos.md"  # the owner's; `dream classify` may append tasks that stood in memory
TRACKER = "knowledge/project-tracker.md"
STYLE_GUIDE = "knowledge/work-style-guide.md"
PLAYBOOK = "knowledge/playbook.md"
JUDGED = "memory/.dreams/judged.txt"  # the notes that a night has judged, a line each: hash and path
REJECTED = "memory/.dreams/rejected.txt"  # items of proposals that the owner declined, a line each: id and day
OWN_CURSORS = (REVIEWED, JUDGED, REJECTED)
PROPOSAL = "memory/.dreams/proposal.json"  # the plan that waits for the owner's word
SWITCH = "memory/.dreams/switch.txt"  # on or off; without it, on
WATCHED = "memory/.dreams/watched.json"  # which night the schedule settled last, and how often one failed
TRIAL = "memory/.dreams/trial.json"  # the last table of `dream trial`: counts, no words
ATTEMPTS = "memory/.dreams/attempts.jsonl"  # what every try to dream came to, a line each
MODEL_ANSWERS = "memory/.dreams/model-answers.jsonl"  # what a model answered, by its question: never evidence
MODEL_LOG = "memory/.dreams/model-log.jsonl"  # what a model was asked and what it cost, a line each: never evidence
CORPUS = "memory/.dreams/session-corpus"  # what OpenClaw heard, a file a day; only read
OWN_CORPUS = "memory/.dreams/session-corpus/reverie"  # what we heard, in the same form
INDEX_DB = "memory/.dreams/index.db"
# Ours, in the formats of OpenClaw, beside its own files: they hold what we saw besides, and reading adds both up.
JOURNAL = "memory/.dreams/reverie-events.jsonl"
RECALLS = "memory/.dreams/reverie-recall.json"
SIGNALS = "memory/.dreams/reverie-signals.json"
SESSION_CURSOR = "memory/.dreams/reverie-sessions.json"
# What OpenClaw wrote. Read, and never written: not shrunk, not marked, not put in another order.
PEER_JOURNAL = "memory/.dreams/events.jsonl"
PEER_RECALLS = "memory/.dreams/short-term-recall.json"
PEER_SIGNALS = "memory/.dreams/phase-signals.json"
PEER_SESSIONS = "memory/.dreams/session-ingestion.json"
PEER_LOCK = "memory/.dreams/short-term-promotion.lock"
RUNS = "memory/.dreams/runs"
SET_ASIDE = "memory/.dreams/set-aside"  # records of runs that nobody can read any more
REMINDED = "memory/.dreams/reminded"  # which reminders were given, an empty file each
SNAPSHOTS = "memory/.dreams/snapshots"  # whole memories that the owner kept, a file each
SPOOL = "memory/.dreams/spool"  # what was said while another command held the workspace, a file each
LOCK = "memory/.dreams/lock"
SEED_LOCK = "memory/.dream_lock"  # of seed 001's tools
TEMPORARY = ".dream-tmp"  # how our half-written files end; never read, swept at the next start

OWN_FILES = (
    LEDGER, LEDGER_INDEX, REMOVED, TOMBSTONES, QUESTIONS, SUGGESTIONS, ACTIVE_DAYS, LAST_REVIEW, DREAM_STATE, CONTENT_INDEX,
    LAST_DREAM, LAST_DISTILL, TYPES, TRACKER, STYLE_GUIDE, PLAYBOOK, *OWN_CURSORS, PROPOSAL, MODEL_ANSWERS, MODEL_LOG, JOURNAL,
    RECALLS, SIGNALS, SESSION_CURSOR, PEER_JOURNAL, PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS, PEER_LOCK,
)  # fmt: skip


class Kind(StrEnum):
    MEMORY = "memory"
    MEMORY_TOPIC = "memory-topic"  # a file of a host's memory folder beside its MEMORY.md: memory itself
    CONTEXT = "context"  # what the owner wrote for a host in the project (CLAUDE.md, rules): read, never written
    TEAM = "team"  # what other people wrote for all of them: found, never dreamt over
    PROFILE = "profile"  # USER.md, SOUL.md, HEARTBEAT.md, todos.md: the owner's, read only
    CONFIG = "config"  # DREAM.md, reverie.toml, openclaw.json
    DIARY = "diary"
    DAILY = "daily"
    SESSION = "session"  # a dated file that holds a dumped conversation; the content decides
    CLASSIFIED = "classified"
    TOPIC = "topic"  # undated notes beside the dated ones
    LOG = "log"  # self-improving/*.jsonl, .learnings/*.md
    CORPUS = "corpus"  # redacted turns of transcripts, one file a day
    REPORT = "report"
    PALACE = "palace"
    KNOWLEDGE = "knowledge"
    PROPOSED = "proposed"
    PROJECTION = "projection"  # a memory written for another host; its first line says so
    STATE = "state"
    LEDGER = "ledger"
    CURSOR = "cursor"  # small values that say how far we came
    INDEX = "index"  # derived lists
    REVIEW_LOG = "review-log"
    FOREIGN = "foreign"


OWN_OUTPUT = frozenset({
    Kind.DIARY, Kind.REPORT, Kind.PALACE, Kind.STATE, Kind.LEDGER, Kind.CURSOR, Kind.INDEX, Kind.REVIEW_LOG,
    Kind.PROPOSED, Kind.PROJECTION,
})  # fmt: skip
HOLDS_MEMORY = frozenset({Kind.MEMORY, Kind.MEMORY_TOPIC})
GROWS = frozenset({Kind.LEDGER, Kind.REVIEW_LOG})  # may be appended to, never cut


@dataclass(frozen=True, slots=True)
class Place:
    """What a path means: its kind and, for a dated file, its day and what the name adds to it."""

    kind: Kind
    day: date | None = None
    time: time | None = None
    slug: str = ""


_DATED = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})(?:[-_](?P<hhmm>\d{4}))?(?:[-_ ](?P<slug>[^/]+))?\.md$", re.I)
_FIXED = {
    "memory.md": Kind.MEMORY, "memory.md.proposed": Kind.PROPOSED, "user.md": Kind.PROFILE, "soul.md": Kind.PROFILE,
    "heartbeat.md": Kind.PROFILE, "todos.md": Kind.PROFILE, "dream.md": Kind.CONFIG, "reverie.toml": Kind.CONFIG,
    "openclaw.json": Kind.CONFIG, "dreams.md": Kind.DIARY,
}  # fmt: skip
_PATTERNS = tuple(
    (re.compile(pattern, re.I), kind)
    for pattern, kind in (
        (r"memory/\.dreams/session-corpus/(?:reverie/)?\d{4}-\d{2}-\d{2}\.(?:txt|md)$", Kind.CORPUS),
        (r"memory/\.", Kind.STATE),
        (r"memory/dreaming/", Kind.REPORT),
        (r"memory/dream-log-\d{4}-\d{2}-\d{2}\.md$", Kind.REVIEW_LOG),
        (r"memory/dream-log-[^/]+\.md$", Kind.REPORT),
        (r"memory/memory-types\.md$", Kind.REPORT),
        (r"memory/palace/[^/]+\.md$", Kind.PALACE),
        (r"memory/(user|feedback|project|reference)/.+\.md$", Kind.CLASSIFIED),
        (r"memory/self-improving/[^/]+\.jsonl$", Kind.LOG),
        (r"\.learnings/[^/]+\.md$", Kind.LOG),
        (r"knowledge/.+\.md$", Kind.KNOWLEDGE),
    )
)
_VAULT = tuple(
    (re.compile(re.escape(VAULT) + pattern.replace("$", r"\Z"), re.A), kind)
    for pattern, kind in (
        (r"ledger\.md$", Kind.LEDGER),
        (r"ledger-index\.json$", Kind.INDEX),
        (r"meta/review-\d{4}-\d{2}\.md$", Kind.REVIEW_LOG),
        (r"meta/(removed-entries|tombstones|questions|suggestions)\.json$", Kind.INDEX),
        (r"meta/(active-days\.json|last-review\.txt|dream-state\.txt)$", Kind.CURSOR),
        (r"obsidian-index/(_index|topics/[^/]+)\.md$", Kind.INDEX),
    )
)
# What a dream may write, whoever proposed it. Everything else is the owner's.
_WRITABLE = HOLDS_MEMORY | frozenset({Kind.LEDGER, Kind.INDEX, Kind.CURSOR, Kind.REVIEW_LOG, Kind.DIARY, Kind.REPORT})
# Of some kinds only these very names are ours; others beside them were written by somebody else.
_NAMED = {
    Kind.MEMORY: re.compile(r"(?:MEMORY|memory)\.md\Z"),
    Kind.DIARY: re.compile(r"(?:DREAMS|dreams)\.md\Z"),
    Kind.REVIEW_LOG: re.compile(r"memory/dream-log-\d{4}-\d{2}-\d{2}\.md\Z|vault:meta/review-\d{4}-\d{2}\.md\Z", re.A),
    Kind.REPORT: re.compile(
        r"memory/dreaming/(?:(?:light|rem|deep|verify)/\d{4}-\d{2}-\d{2}|diary-(?:\d{4}|undated))\.md\Z|memory/memory-types\.md\Z",
        re.A,
    ),
}


# What `classify`, `palace` and `sublimate` compose. A night may not touch these; the promises ask which command it is.
_COMPOSED = re.compile(
    r"memory/(?:user|feedback|project|reference)/[^/]+\.md\Z|memory/palace/(?:timeline|projects|technology|custom)\.md\Z"
    r"|knowledge/(?:project-tracker|work-style-guide|playbook|postmortems/[^/]+)\.md\Z"
)
_OUR_FOLDERS = ("memory", "dream-vault")  # what versions before 1.0 left in a host's memory folder
_CORPUS_DAY = re.compile(r".*/(\d{4}-\d{2}-\d{2})\.\w+$")


@lru_cache(maxsize=100_000)
def place_of(path: str) -> Place:
    """What a path means. Never fails: what we do not know is FOREIGN."""
    if path.startswith(VAULT):
        return Place(next((kind for rule, kind in _VAULT if rule.match(path)), Kind.FOREIGN))
    if path.startswith((TOPICS, PROJECT, TEAM)):
        return Place(_beside_ours(path))
    if path in (LAST_DREAM, LAST_DISTILL) or path in OWN_CURSORS:
        return Place(Kind.CURSOR)
    if path.lower() in _FIXED:
        return Place(_FIXED[path.lower()])
    for rule, kind in _PATTERNS:
        if rule.match(path):
            return Place(kind, _corpus_day(path)) if kind is Kind.CORPUS else Place(kind)
    name = path.rpartition("/")[2]
    in_memory = path.lower().startswith("memory/")
    dated = _DATED.match(name)
    if dated and (in_memory or "/" not in path):
        return _dated(dated)
    return Place(Kind.TOPIC if in_memory and name.lower().endswith(".md") else Kind.FOREIGN)


def _beside_ours(path: str) -> Kind:
    """What a file of a host's memory folder or of its project is; names with a dot are the host's own."""
    prefix, _, inner = path.partition(":")
    if f"{prefix}:" == TEAM:  # a hidden folder there is a program's, and not even looked into
        hidden = any(part.startswith(".") for part in inner.split("/"))
        return Kind.STATE if hidden else Kind.TEAM if inner.endswith(".md") else Kind.FOREIGN
    if not inner.endswith(".md"):
        return Kind.FOREIGN
    if f"{prefix}:" == PROJECT:
        return Kind.CONTEXT
    first, *rest = inner.split("/")
    hidden = any(part.startswith(".") for part in (first, *rest))
    ours = first.lower() in ("memory.md", "dreams.md") or (rest and first in _OUR_FOLDERS)
    return Kind.FOREIGN if hidden or ours else Kind.MEMORY_TOPIC


def holds_memory(path: str) -> bool:
    """Whether what stands in this file is memory: MEMORY.md, or a topic file of a host's memory folder."""
    return place_of(path).kind in HOLDS_MEMORY


def _corpus_day(path: str) -> date | None:
    found = _CORPUS_DAY.match(path)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def _dated(found: re.Match[str]) -> Place:
    try:
        day = date.fromisoformat(found["day"])
    except ValueError:  # 2026-13-45.md is somebody's name for a topic
        return Place(Kind.TOPIC)
    slug, hhmm = found["slug"] or "", found["hhmm"] or ""
    if hhmm and not (int(hhmm[:2]) < 24 and int(hhmm[2:]) < 60):
        return Place(Kind.DAILY, day, None, f"{hhmm}-{slug}".rstrip("-"))
    return Place(Kind.DAILY, day, time(int(hhmm[:2]), int(hhmm[2:])) if hhmm else None, slug)


def may_write(path: str) -> bool:
    """Whether a dream may write here: a plain path of a kind that is ours to keep."""
    kind = place_of(path).kind
    return _is_plain(path) and kind in _WRITABLE and (kind not in _NAMED or bool(_NAMED[kind].match(path)))


def may_compose(path: str) -> bool:
    """Whether a command that composes pages of memory and knowledge may write here."""
    return _is_plain(path) and bool(_COMPOSED.match(path))


def _is_plain(path: str) -> bool:
    inner = path.removeprefix(VAULT).removeprefix(TOPICS).removeprefix(TEAM)
    parts = inner.split("/")
    if not inner or "\\" in inner or "\0" in inner or any(part in ("", ".", "..") for part in parts):
        return False
    return path.isprintable() and (path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path))


def review_log(day: date) -> str:
    return f"{VAULT}meta/review-{day:%Y-%m}.md"


def dream_log(day: date) -> str:
    """What a night changed, for people (seed 001); append-only."""
    return f"memory/dream-log-{day:%Y-%m-%d}.md"


def report(phase: str, day: date) -> str:
    """What a phase told about one night, in a file of its own."""
    return f"memory/dreaming/{phase}/{day:%Y-%m-%d}.md"


def diary_of(year: int | None) -> str:
    """Where the diary's old entries go; one whose date nobody can read goes to a file of its own."""
    return f"memory/dreaming/diary-{year if year else 'undated'}.md"


def diary_path(there: Container[str]) -> str:
    """The diary's file; an old lower-case name is honoured."""
    return DIARY.lower() if DIARY.lower() in there and DIARY not in there else DIARY


def classified(kind: str, slug: str) -> str:
    """Where a memory of one of the four kinds has its file."""
    return f"memory/{kind}/{slug}.md"


VIEWS = ("timeline", "projects", "technology", "custom")  # of the palace


def palace(view: str) -> str:
    return f"memory/palace/{view}.md"


def postmortem(slug: str) -> str:
    return f"knowledge/postmortems/{slug}.md"


def day_note(day: date) -> str:
    return f"memory/{day:%Y-%m-%d}.md"


_IMPORTED = re.compile(r"memory/\d{4}-\d{2}-\d{2}-import-([a-z0-9-]{1,40})\.md\Z", re.A)


def imported_note(day: date, kind: str) -> str:
    """Where what another system kept of a day stands: never in a note of the owner's."""
    return f"memory/{day:%Y-%m-%d}-import-{kind}.md"


def imports_of(path: str) -> str:
    """From which system the lines of this note were imported; empty for any other file."""
    found = _IMPORTED.match(path)
    return found[1] if found else ""
