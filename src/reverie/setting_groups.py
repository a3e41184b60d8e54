"""The tables of the settings, each a frozen value: what can be set, its default, and the reason for it.

Metadata says who may decide: a workspace may come from a stranger, so paths, endpoints and commands are the owner's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

OWNER_ONLY = {"owner_only": True}  # metadata of what a workspace may not set
ONLY_ON = {"only_on": True}  # metadata of a protection that a workspace may add and never take away


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Limits of MEMORY.md, in the characters of the host that injects it."""

    truncation: int = 20_000  # the host cuts here, in silence; openclaw.json may say otherwise
    hard: float = 0.9  # of the truncation limit: a run that would end above it writes nothing
    capture: float = 0.8  # of the truncation limit: real-time capture compresses first above it
    target: float = 0.75  # of the truncation limit: where a night wants to end
    max_lines: int = 250  # seed 001; DREAM.md may change it
    warn: float = 0.85  # of the hard limit: from here on status warns
    new_lines: int = 12  # a night adds without a model: the best, also when months of notes are new
    leaving: float = 0.15  # share of the lines that may leave in one night because the file is over its limit
    shape: str = "sections"  # append: new lines enter as OpenClaw writes them, under a heading for each night

    @property
    def hard_limit(self) -> int:
        return int(self.truncation * self.hard)

    @property
    def capture_limit(self) -> int:
        return int(self.truncation * self.capture)

    @property
    def target_size(self) -> int:
        return int(self.truncation * min(self.target, self.hard))  # a target above the limit would never end well

    @property
    def entering(self) -> tuple[int, int]:
        """Characters and lines, at most, that a new line needs in this shape besides its words."""
        return (320, 2) if self.shape == "append" else (40, 1)

    @property
    def warn_lines(self) -> int:
        return int(self.max_lines * 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dream:
    """When and how far back to look (the settings of DREAM.md)."""

    lookback_days: int = 14
    min_hours_between_dreams: int = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreaming:
    """The recall lane: by whose rules it counts, its gates, and how long light keeps what nobody asks for.

    A gate of -1 is the profile's own.
    """

    enabled: bool = True
    profile: str = "default"  # the peer's own numbers for those who move from it: openclaw-2026.4, openclaw-2026.9
    min_score: float = -1.0
    min_recall_count: int = -1
    min_unique_queries: int = -1
    half_life_days: float = -1.0
    max_age_days: float = -1.0
    limit: int = -1
    light_lookback_days: int = 2
    light_limit: int = 100
    light_ttl_days: int = 14  # what was written once and never asked for has had two weeks to matter
    rem_lookback_days: int = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Whether a night applies what it decided, and how large a change must ask first."""

    mode: str = "apply"  # propose: MEMORY.md.proposed is written, and the owner decides by item
    flag_above: float = 0.3  # of the entries of MEMORY.md: the receipt says that this was a large change
    propose_above: float = 0.5  # of the entries: nothing is applied without --force


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How many results, and which embedder. Where texts are sent is the owner's decision alone."""

    max_results: int = 6  # as OpenClaw's memory search
    embedder: str = field(default="embedded", metadata=OWNER_ONLY)  # embedded, openai, ollama or off
    url: str = field(default="", metadata=OWNER_ONLY)  # empty: the kind's usual address on this machine
    model: str = field(default="", metadata=OWNER_ONLY)
    key_variable: str = field(default="OPENAI_API_KEY", metadata=OWNER_ONLY)  # the environment variable with the key
    timeout: float = field(default=10.0, metadata=OWNER_ONLY)  # seconds for one call of a remote embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """Which personal data is masked in what Reverie keeps of its own. Secrets always are; your files never change."""

    card: bool = field(default=True, metadata=ONLY_ON)
    iban: bool = field(default=True, metadata=ONLY_ON)
    national_id: bool = field(default=True, metadata=ONLY_ON)
    chat_id: bool = field(default=True, metadata=ONLY_ON)  # envelopes of messengers repeat them; nobody asks for them
    # How to reach somebody is what people look up in their notes; a mask in its place would make them useless.
    email: bool = field(default=False, metadata=ONLY_ON)
    phone: bool = field(default=False, metadata=ONLY_ON)
    ip: bool = field(default=False, metadata=ONLY_ON)  # rarely a person's, and notes about machines need theirs

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that are masked, by the names their masks bear."""
        return frozenset(item.name.replace("_", "-") for item in fields(self) if getattr(self, item.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Diary:
    """The diary in DREAMS.md."""

    enabled: bool = True
    most_entries: int = 90  # a season; older entries move to a file for each year


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Where the phases report, besides the diary: nowhere, in files of their own, or in the day's note."""

    mode: str = "separate"  # inline: a block in the day's note; both: there and in files of its own
    reports: bool = False  # a file for each phase and night under memory/dreaming
    dream_log: bool = True  # memory/dream-log-DAY.md: small, and only on days that changed something

    @property
    def inline(self) -> bool:
        return self.mode in ("inline", "both")

    @property
    def in_files(self) -> bool:
        return self.reports or self.mode == "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When the scheduled night comes, how long it waits for a busy agent, and when it stops looking."""

    cron: str = "0 3 * * *"  # seeds 001 and 002; seed 000 takes 30 3 * * *. Told in `timezone`
    min_new_entries: int = 1  # fewer wait for the next night
    defer_minutes: int = 15
    defer_until: str = "06:00"  # by the wall clock: from then on a night waits no longer
    hibernate_days: int = 7  # calendar days without anything new; 0: never
    quiet_minutes: int = 10  # an agent that wrote to a transcript so lately is at work; 0: do not look
    ask_agent: bool = field(default=True, metadata=OWNER_ONLY)  # run `openclaw agent status` where there is one
    timeout_minutes: int = field(default=30, metadata=OWNER_ONLY)  # of one workspace's dream under the daemon
    at_once: int = field(default=2, metadata=OWNER_ONLY)  # workspaces that dream at the same time under the daemon


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """What is recalled before a reply: names, defaults and ranges are the peer's (OpenClaw's Active Memory)."""

    enabled: bool = True
    mode: str = "escalate"  # always: a weak match is enough for every message; escalate: only when memory is asked for
    agents: tuple[str, ...] = ()  # empty: every agent
    # Who may overhear what is remembered is the owner's decision alone.
    allowed_chat_types: tuple[str, ...] = field(default=(), metadata=OWNER_ONLY)  # empty: direct ones only
    allowed_chat_ids: tuple[str, ...] = field(default=(), metadata=OWNER_ONLY)  # empty: every chat of those types
    denied_chat_ids: tuple[str, ...] = ()
    query_mode: str = "recent"  # message, recent (with the turns before it) or full
    prompt_style: str = ""  # empty: by query mode strict, balanced, contextual
    timeout_ms: int = 15_000
    setup_grace_timeout_ms: int = 0  # more time for the first answer of a process
    max_summary_chars: int = 220
    recent_user_turns: int = 2
    recent_assistant_turns: int = 1
    recent_user_chars: int = 220
    recent_assistant_chars: int = 180
    cache_ttl_ms: int = 15_000
    circuit_breaker_max_timeouts: int = 3  # after so many in a row nobody is kept waiting …
    circuit_breaker_cooldown_ms: int = 60_000  # … for so long


@dataclass(frozen=True, slots=True, kw_only=True)
class Refine:
    """The second look at what the last dreams wrote."""

    after_night: bool = False  # a report every night is for those who want to read one; `dream refine` at any time


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One `[[project]]`: this memory, written for another host. Where it goes is the owner's decision alone."""

    path: str = ""  # absolute, or below ~
    host: str = ""
    chars: int = 0  # as the host counts: UTF-16 units, bytes for claude-code; 0: the host's own limit
    lines: int = 0  # 0: the host's own limit
    workspace: str = ""  # the folder whose memory it is; empty: the setting `workspace`, else whichever wrote first


@dataclass(frozen=True, slots=True, kw_only=True)
class Palace:
    """The views in memory/palace."""

    views: tuple[str, ...] = ()  # the owner's own: "Name: word, other word, #heading"
    nightly: bool = False  # a page that nobody opens is not worth a diff every night; `dream palace` shows it fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """The table `[model]`: a language model, if the owner has one. A workspace may set none of it."""

    # openai, anthropic, ollama, llamacpp, command, a host's own program (claude, codex, gemini, opencode, openclaw), agent or off
    kind: str = field(default="off", metadata=OWNER_ONLY)
    url: str = field(default="", metadata=OWNER_ONLY)  # empty: the kind's usual address
    model: str = field(default="", metadata=OWNER_ONLY)  # for llamacpp the path of the weights
    key_variable: str = field(default="", metadata=OWNER_ONLY)  # empty: the kind's usual environment variable
    command: tuple[str, ...] = field(default=(), metadata=OWNER_ONLY)  # such as ["claude", "-p"]; asked on its input
    timeout: float = field(default=240.0, metadata=OWNER_ONLY)  # seconds for one answer: a whole night is one
    leads: bool = field(default=True, metadata=OWNER_ONLY)  # does it lead the night; otherwise the built-in judge does
    exam: bool = field(default=True, metadata=OWNER_ONLY)  # must it pass the exam before it leads
    brief_tokens: int = field(default=24_000, metadata=OWNER_ONLY)  # a night with more to read comes in windows of days
    write: bool = field(default=True, metadata=OWNER_ONLY)  # may it write the diary, reflections and summaries
    recall: bool = field(default=False, metadata=OWNER_ONLY)  # may it word what is recalled: every message then costs
    max_calls: int = field(default=40, metadata=OWNER_ONLY)  # each of the four caps ends the asking, not the night
    max_tokens: int = field(default=200_000, metadata=OWNER_ONLY)  # in and out together
    max_seconds: float = field(default=1_200.0, metadata=OWNER_ONLY)
    max_cost: float = field(default=1.0, metadata=OWNER_ONLY)  # counts only with prices
    price_in: float = field(default=0.0, metadata=OWNER_ONLY)  # of a million tokens sent
    price_out: float = field(default=0.0, metadata=OWNER_ONLY)  # of a million tokens received
