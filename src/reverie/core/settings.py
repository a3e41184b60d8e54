"""The tables of the settings, each a frozen value: what can be set, its default, and the reason for it.

Metadata says who may decide: a workspace may come from a stranger, so paths, endpoints and commands are the owner's.

One frozen object that says how the owner wants to be treated. Pure: reads no file and no environment.

Surfaces collect tables (dicts) from files and hand them to `merged`. A table from a workspace may come from a
stranger, so it may set only what is marked `anyone`: thresholds and tastes, never paths, endpoints or commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from zoneinfo import ZoneInfo

from reverie.core.errors import BadSettings

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


Where = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set, with the reason for its default."""

    memory: Memory = field(default_factory=Memory)
    dream: Dream = field(default_factory=Dream)
    dreaming: Dreaming = field(default_factory=Dreaming)
    review: Review = field(default_factory=Review)
    search: Search = field(default_factory=Search)
    privacy: Privacy = field(default_factory=Privacy)
    diary: Diary = field(default_factory=Diary)
    storage: Storage = field(default_factory=Storage)
    active: Active = field(default_factory=Active)
    schedule: Schedule = field(default_factory=Schedule)
    palace: Palace = field(default_factory=Palace)
    refine: Refine = field(default_factory=Refine)
    model: Mind = field(default_factory=Mind)
    protected_sections: tuple[str, ...] = ()  # headings whose text is never cut
    custom_rules: tuple[str, ...] = ()  # free text of DREAM.md, kept for the phases that can obey it
    timezone: str = ""  # empty: the machine's own
    language: str = ""  # in which the owner is spoken to; empty: the one MEMORY.md is written in
    lock_wait: float = field(default=10.0, metadata=OWNER_ONLY)  # seconds to wait for another dream
    vault: str = field(default="", metadata=OWNER_ONLY)  # empty: `dream-vault` inside the workspace
    workspace: str = field(default="", metadata=OWNER_ONLY)  # empty: see `dream --help`
    workspaces: tuple[str, ...] = field(
        default=(), metadata=OWNER_ONLY
    )  # more folders, for `dream workspaces` and --all
    transcripts: tuple[str, ...] = field(default=(), metadata=OWNER_ONLY)  # folders of conversations to learn from
    project: tuple[Project, ...] = field(default=(), metadata=OWNER_ONLY)  # other hosts that get this memory


def merged(base: Settings, table: Mapping[str, Any], where: Where, *, trusted: bool) -> Settings:
    """Settings with a table laid over them. `where` names file and line of a key; unknown keys are refused."""
    result = _over(base, table, where, "", trusted=trusted)
    assert isinstance(result, Settings)
    return result


def known_keys(of: type = Settings, prefix: str = "") -> tuple[str, ...]:
    """Every key that can be set, dotted."""
    keys: list[str] = []
    for item in fields(of):
        inner = _GROUPS.get(item.name) if of is Settings else None
        keys += known_keys(inner, f"{item.name}.") if inner else [prefix + item.name]
    return tuple(keys)


_GROUPS: dict[str, type] = {
    "memory": Memory,
    "dream": Dream,
    "dreaming": Dreaming,
    "review": Review,
    "search": Search,
    "privacy": Privacy,
    "diary": Diary,
    "storage": Storage,
    "active": Active,
    "schedule": Schedule,
    "palace": Palace,
    "refine": Refine,
    "model": Mind,
}


def _over(base: Any, table: Mapping[str, Any], where: Where, prefix: str, *, trusted: bool) -> Any:
    known = {item.name: item for item in fields(base)}
    changes: dict[str, Any] = {}
    for key, value in table.items():
        name = prefix + key
        if key not in known:
            raise BadSettings(f"{where(name)} sets `{name}`, which is not a setting{_nearest(name)}")
        if known[key].metadata.get("owner_only") and not trusted:
            raise BadSettings(
                f"{where(name)} sets `{name}`, which a workspace may not decide. Move it to your own reverie.toml."
            )
        current = getattr(base, key)
        if known[key].metadata.get("only_on") and current and value is False and not trusted:
            raise BadSettings(
                f"{where(name)} switches `{name}` off; a workspace may only switch it on. Your own reverie.toml may."
            )
        if is_dataclass(current):
            if not isinstance(value, Mapping):
                raise BadSettings(f"{where(name)}: `{name}` must be a table, such as [{name}].")
            changes[key] = _over(current, value, where, f"{name}.", trusted=trusted)
        elif name == "project":
            changes[key] = (*current, *_projects(value, where))
        else:
            changes[key] = _checked(name, value, current, where(name))
    return replace(base, **changes)


def _projects(value: Any, where: Where) -> tuple[Project, ...]:
    """The `[[project]]` tables, each checked like every other table."""
    if not isinstance(value, list) or not all(isinstance(table, Mapping) for table in value):
        raise BadSettings(f"{where('project')}: `project` must be tables, each under its own [[project]].")
    found: list[Project] = []
    for table in value:
        one = _over(Project(), table, where, "project.", trusted=True)
        if not one.path or not one.host:
            missing = "path" if not one.path else "host"
            raise BadSettings(f"{where('project')}: a [[project]] has no `{missing}`. It needs a path and a host.")
        for name, path in (("path", one.path), ("workspace", one.workspace)):
            if path and not _is_placed(path):
                raise BadSettings(
                    f"{where(f'project.{name}')}: `project.{name}` is {path!r}; write the whole path, or one below ~."
                )
        found.append(one)
    return tuple(found)


def _is_placed(path: str) -> bool:
    """Whether a path means the same file wherever the night is started."""
    return path.startswith(("~/", "~\\")) or PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _checked(name: str, value: Any, current: Any, where: str) -> Any:
    """The value in the type of the default, within the range that makes sense."""
    if isinstance(current, tuple) and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
        if name == "palace.views":
            _views(value, where)
        if name == "model.command":
            return tuple(value)  # words of a command: none may be missing and none added
        return tuple(dict.fromkeys((*current, *value)))  # lists add up: nobody takes another's protection away
    if isinstance(current, bool) or isinstance(value, bool):
        fits = type(current) is type(value)
    elif isinstance(current, float):
        fits = isinstance(value, (int, float))
    else:
        fits = isinstance(value, type(current)) and not isinstance(current, tuple)
    if not fits:
        raise BadSettings(f"{where}: `{name}` is {value!r}; expected something like {_example(current)}.")
    low, high = _RANGES.get(name, (None, None))
    if low is not None and high is not None and not low <= value <= high:
        raise BadSettings(f"{where}: `{name}` is {value}; it must lie between {low:g} and {high:g}.")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise BadSettings(f"{where}: `{name}` is {value!r}; it can be {', '.join(_CHOICES[name])}.")
    if name == "timezone" and value:
        _zone(value, where)
    if name == "language" and value and value not in _languages():
        raise BadSettings(f"{where}: `language` is {value!r}; it can be {', '.join(_languages())}.")
    if name in ("schedule.cron", "schedule.defer_until"):
        _moment(name, value, where)
    return float(value) if isinstance(current, float) else value


_CHOICES: dict[str, tuple[str, ...]] = {
    "project.host": ("openclaw", "claude-code", "hermes", "agents-md"),
    "memory.shape": ("sections", "append", "index"),
    "review.mode": ("apply", "propose"),
    "storage.mode": ("separate", "inline", "both"),
    "dreaming.profile": ("default", "openclaw-2026.4", "openclaw-2026.9"),
    "model.kind": (
        "off",
        "openai",
        "anthropic",
        "ollama",
        "llamacpp",
        "command",
        "claude",
        "codex",
        "gemini",
        "opencode",
        "openclaw",
        "agent",
    ),
    "active.mode": ("escalate", "always", "off"),
    "active.query_mode": ("message", "recent", "full"),
    "active.prompt_style": (
        "",
        "balanced",
        "strict",
        "contextual",
        "recall-heavy",
        "precision-heavy",
        "preference-only",
    ),
}
_RANGES: dict[str, tuple[float, float]] = {
    "memory.truncation": (1_000, 10_000_000), "memory.hard": (0.1, 1.0), "memory.capture": (0.1, 1.0),
    "memory.target": (0.1, 1.0), "memory.warn": (0.1, 1.0), "memory.max_lines": (10, 100_000), "memory.new_lines": (0, 1_000), "memory.leaving": (0.0, 1.0),
    "dream.lookback_days": (1, 36_500), "dream.min_hours_between_dreams": (0, 24 * 365), "lock_wait": (0, 3_600),
    "dreaming.min_score": (-1, 1), "dreaming.min_recall_count": (-1, 1_000), "dreaming.min_unique_queries": (-1, 1_000),
    "dreaming.half_life_days": (-1, 36_500), "dreaming.max_age_days": (-1, 36_500), "dreaming.limit": (-1, 1_000),
    "dreaming.light_lookback_days": (1, 365), "dreaming.light_limit": (1, 1_000), "dreaming.light_ttl_days": (1, 365),
    "dreaming.rem_lookback_days": (1, 365),
    "review.flag_above": (0, 1), "review.propose_above": (0, 1),
    "schedule.min_new_entries": (1, 10_000), "schedule.defer_minutes": (1, 1_440), "schedule.hibernate_days": (0, 3_650),
    "schedule.quiet_minutes": (0, 1_440), "schedule.timeout_minutes": (1, 1_440), "schedule.at_once": (1, 64),
    "project.chars": (500, 10_000_000), "project.lines": (10, 100_000),
    "diary.most_entries": (1, 10_000), "search.max_results": (1, 1_000), "search.timeout": (0.1, 600),
    "model.timeout": (0.1, 3_600), "model.brief_tokens": (2_000, 1_000_000), "model.max_calls": (0, 10_000), "model.max_tokens": (0, 100_000_000),
    "model.max_seconds": (0, 86_400), "model.max_cost": (0, 100_000), "model.price_in": (0, 100_000), "model.price_out": (0, 100_000),
    "active.timeout_ms": (250, 120_000), "active.setup_grace_timeout_ms": (0, 30_000), "active.max_summary_chars": (40, 1_000),
    "active.recent_user_turns": (0, 4), "active.recent_assistant_turns": (0, 3), "active.recent_user_chars": (40, 1_000),
    "active.recent_assistant_chars": (40, 1_000), "active.cache_ttl_ms": (1_000, 120_000),
    "active.circuit_breaker_max_timeouts": (1, 20), "active.circuit_breaker_cooldown_ms": (5_000, 600_000),
}  # fmt: skip


def _zone(name: str, where: str) -> None:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise BadSettings(f"{where}: `timezone` is {name!r}, which is not a zone such as Europe/Berlin.") from None


def _languages() -> list[str]:
    """The codes of the languages that have a file (core may not import the reader of these files)."""
    from importlib.resources import files  # only for those who set a language

    names = [file.name for file in files("reverie.lang").iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def _moment(name: str, value: str, where: str) -> None:
    from reverie.core.cron import parse_cron  # only for those who set it
    from reverie.core.when import wall_time

    try:
        parse_cron(value) if name == "schedule.cron" else wall_time(value)
    except ValueError as error:
        raise BadSettings(f"{where}: `{name}` is {value!r}: {error}.") from None


def _views(value: Any, where: str) -> None:
    for view in value:
        title, _, words = view.partition(":")
        if not title.strip() or not words.strip(" ,，"):
            raise BadSettings(f'{where}: `palace.views` holds {view!r}; a view is "Name: word, other word, #heading".')


def _nearest(name: str) -> str:
    import difflib  # only for the error: difflib is slow to load

    known = (*known_keys(), *known_keys(Project, "project."))
    near = [key for key in known if key.startswith(name)][:1] or difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    if not near:  # a forgotten table name is the commonest slip
        near = [key for key in known if key.rpartition(".")[2] == name.rpartition(".")[2]][:1]
    return f"; did you mean `{near[0]}`?" if near else "."


def _example(current: Any) -> str:
    return '["a heading"]' if isinstance(current, tuple) else repr(current)
