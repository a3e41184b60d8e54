"""The settings: one frozen object that says how the owner wants to be treated. Pure: reads no file and no environment.

Each table is a value: what can be set, its default and the reason for it. Surfaces collect tables from files and hand them to
`merged`. A table from a workspace may come from a stranger, so what is the owner's (paths, endpoints, commands) it may not set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from datetime import time
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from reverie.core import errors
from reverie.core.errors import BadSettings

HOST_PROGRAMS = ("claude", "codex", "gemini", "opencode", "openclaw")  # models with a login of their own


def owners(default: Any) -> Any:
    """What a workspace may not set."""
    return field(default=default, metadata={"owner_only": True})


def protection(default: bool) -> Any:  # noqa: FBT001
    """What a workspace may switch on and never off."""
    return field(default=default, metadata={"only_on": True})


def within(default: float, low: float, high: float, *, owner: bool = False) -> Any:
    """A number, and the range that makes sense for it."""
    return field(default=default, metadata={"range": (low, high), "owner_only": owner})


def one_of(*choices: str, owner: bool = False) -> Any:
    """One of these words; the first is the default."""
    return field(default=choices[0], metadata={"choices": choices, "owner_only": owner})


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Limits of MEMORY.md, in the characters of the host that injects it."""

    # The host cuts here, in silence; openclaw.json may say otherwise
    truncation: int = within(20_000, 1_000, 10_000_000)
    hard: float = within(0.9, 0.1, 1.0)  # of the truncation limit: a run that would end above it writes nothing
    capture: float = within(0.8, 0.1, 1.0)  # of the truncation limit: real-time capture compresses first above it
    target: float = within(0.75, 0.1, 1.0)  # of the truncation limit: where a night wants to end
    max_lines: int = within(250, 10, 100_000)  # seed 001; DREAM.md may change it
    warn: float = within(0.85, 0.1, 1.0)  # of the hard limit: from here on status warns
    new_lines: int = within(12, 0, 1_000)  # a night adds without a model: the best, also when months of notes are new
    # Share of the lines that may leave in one night because the file is over its limit
    leaving: float = within(0.15, 0.0, 1.0)
    # Append: new lines enter as OpenClaw writes them, under a heading for each night; entries: as Hermes does, apart by §
    shape: str = one_of("sections", "append", "index", "entries")

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
        return {"append": (320, 2), "entries": (40, 2)}.get(self.shape, (40, 1))

    @property
    def warn_lines(self) -> int:
        return int(self.max_lines * 0.9)


@dataclass(frozen=True, kw_only=True)
class Dream:
    """How often to dream, and over how many days (the settings of DREAM.md)."""

    lookback_days: int = within(0, 0, 36_500)  # 0: every note that is new, however old, as on a first night over months
    min_hours_between_dreams: int = within(24, 0, 24 * 365)


@dataclass(frozen=True, kw_only=True)
class Dreaming:
    """The recall lane: by whose rules it counts, its gates, and how long light keeps what nobody asks for.

    A gate of -1 is the profile's own.
    """

    enabled: bool = True  # without it no night comes by itself, unless somebody says `dream on`
    skip: tuple[str, ...] = ()  # phases that stand still: light, rem, deep
    # The peer's own numbers are for those who move from it.
    profile: str = one_of("default", "openclaw-2026.4", "openclaw-2026.9")
    min_score: float = within(-1.0, -1, 1)
    min_recall_count: int = within(-1, -1, 1_000)
    min_unique_queries: int = within(-1, -1, 1_000)
    half_life_days: float = within(-1.0, -1, 36_500)
    max_age_days: float = within(-1.0, -1, 36_500)
    limit: int = within(-1, -1, 1_000)
    light_lookback_days: int = within(2, 1, 365)
    light_limit: int = within(100, 1, 1_000)
    light_ttl_days: int = within(14, 1, 365)  # what was written once and never asked for has had two weeks to matter
    rem_lookback_days: int = within(7, 1, 365)


@dataclass(frozen=True, kw_only=True)
class Review:
    """Whether a night applies what it decided, and how large a change must ask first."""

    mode: str = one_of("apply", "propose")  # propose: MEMORY.md.proposed is written, and the owner decides by item
    flag_above: float = within(0.3, 0, 1)  # of the entries of MEMORY.md: the receipt says that this was a large change
    propose_above: float = within(0.5, 0, 1)  # of the entries: nothing is applied without --force


@dataclass(frozen=True, kw_only=True)
class Search:
    """How many results, and which embedder. Where texts are sent is the owner's decision alone."""

    max_results: int = within(6, 1, 1_000)  # as OpenClaw's memory search
    embedder: str = owners("embedded")  # embedded, openai, ollama or off
    url: str = owners("")  # empty: the kind's usual address on this machine
    model: str = owners("")
    key_variable: str = owners("OPENAI_API_KEY")  # the environment variable with the key
    timeout: float = within(10.0, 0.1, 600, owner=True)  # seconds for one call of a remote embedder


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """Which personal data is masked in what Reverie keeps of its own. Secrets always are; your files never change."""

    card: bool = protection(True)
    iban: bool = protection(True)
    national_id: bool = protection(True)
    chat_id: bool = protection(True)  # envelopes of messengers repeat them; nobody asks for them
    # How to reach somebody is what people look up in their notes; a mask in its place would make them useless.
    email: bool = protection(False)
    phone: bool = protection(False)
    ip: bool = protection(False)  # rarely a person's, and notes about machines need theirs

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that are masked, by the names their masks bear."""
        return frozenset(item.name.replace("_", "-") for item in fields(self) if getattr(self, item.name))


STYLES = ("warm", "plain", "terse")  # of the diary


@dataclass(frozen=True, kw_only=True)
class Diary:
    """The diary in DREAMS.md."""

    enabled: bool = True
    most_entries: int = within(90, 1, 10_000)  # a season; older entries move to a file for each year
    language: str = ""  # of the diary and of reflections in reports; empty: `language`, else the one that is written
    style: str = owners(
        "warm"
    )  # one of STYLES, or a sentence that a model is told; a stranger's workspace tells it nothing


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Where the phases report, besides the diary: nowhere, in files of their own, or in the day's note."""

    # Inline: a block in the day's note; both: there and in files of its own
    mode: str = one_of("separate", "inline", "both")
    reports: bool = False  # a file for each phase and night under memory/dreaming
    dream_log: bool = True  # memory/dream-log-DAY.md: small, and only on days that changed something

    @property
    def inline(self) -> bool:
        return self.mode in ("inline", "both")

    @property
    def in_files(self) -> bool:
        return self.reports or self.mode == "both"


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """When the scheduled night comes, how long it waits for a busy agent, and when it stops looking."""

    cron: str = "0 3 * * *"  # seeds 001 and 002; seed 000 takes 30 3 * * *. Told in `timezone`
    min_new_entries: int = within(1, 1, 10_000)  # fewer wait for the next night
    defer_minutes: int = within(15, 1, 1_440)
    defer_until: str = "06:00"  # by the wall clock: from then on a night waits no longer
    hibernate_days: int = within(7, 0, 3_650)  # calendar days without anything new; 0: never
    # An agent that wrote to a transcript so lately is at work; 0: do not look
    quiet_minutes: int = within(10, 0, 1_440)
    ask_agent: bool = owners(True)  # run `openclaw agent status` where there is one
    timeout_minutes: int = within(30, 1, 1_440, owner=True)  # of one workspace's dream under the daemon
    at_once: int = within(2, 1, 64, owner=True)  # workspaces that dream at the same time under the daemon


@dataclass(frozen=True, kw_only=True)
class Active:
    """What is recalled before a reply: names, defaults and ranges are the peer's (OpenClaw's Active Memory)."""

    enabled: bool = True
    # Always: a weak match is enough for every message; escalate: only when memory is asked for
    mode: str = one_of("escalate", "always", "off")
    agents: tuple[str, ...] = ()  # empty: every agent
    # Who may overhear what is remembered is the owner's decision alone.
    allowed_chat_types: tuple[str, ...] = owners(())  # empty: direct ones only
    allowed_chat_ids: tuple[str, ...] = owners(())  # empty: every chat of those types
    denied_chat_ids: tuple[str, ...] = ()
    query_mode: str = one_of("recent", "message", "full")  # message, recent (with the turns before it) or full
    prompt_style: str = one_of(  # empty: by query mode strict, balanced, contextual
        "", "balanced", "strict", "contextual", "recall-heavy", "precision-heavy", "preference-only"
    )
    timeout_ms: int = within(15_000, 250, 120_000)
    setup_grace_timeout_ms: int = within(0, 0, 30_000)  # more time for the first answer of a process
    max_summary_chars: int = within(220, 40, 1_000)
    recent_user_turns: int = within(2, 0, 4)
    recent_assistant_turns: int = within(1, 0, 3)
    recent_user_chars: int = within(220, 40, 1_000)
    recent_assistant_chars: int = within(180, 40, 1_000)
    cache_ttl_ms: int = within(15_000, 1_000, 120_000)
    circuit_breaker_max_timeouts: int = within(3, 1, 20)  # after so many in a row nobody is kept waiting …
    circuit_breaker_cooldown_ms: int = within(60_000, 5_000, 600_000)  # … for so long


@dataclass(frozen=True, kw_only=True)
class Refine:
    """The second look at what the last dreams wrote."""

    after_night: bool = False  # a report every night is for those who want to read one; `dream refine` at any time


@dataclass(frozen=True, kw_only=True)
class OtherHost:
    """One `[[project]]`: this memory, written for another host. Where it goes is the owner's decision alone."""

    path: str = ""  # absolute, or below ~
    host: str = one_of("", "openclaw", "claude-code", "hermes", "hermes-user", "agents-md", "gemini-md", "cursor")
    # As the host counts: UTF-16 units, bytes for claude-code; 0: the host's own limit
    chars: int = within(0, 500, 10_000_000)
    lines: int = within(0, 10, 100_000)  # 0: the host's own limit
    workspace: str = ""  # the folder whose memory it is; empty: the setting `workspace`, else whichever wrote first


@dataclass(frozen=True, kw_only=True)
class Palace:
    """The views in memory/palace."""

    views: tuple[str, ...] = ()  # the owner's own: "Name: word, other word, #heading"
    nightly: bool = False  # a page that nobody opens is not worth a diff every night; `dream palace` shows it fresh


@dataclass(frozen=True, kw_only=True)
class Mind:
    """The table `[model]`: a language model, if the owner has one. A workspace may set none of it."""

    # An endpoint, a command, a host's own program, or an agent that asks us.
    kind: str = one_of("off", "agent", "openai", "anthropic", "ollama", "llamacpp", "command", *HOST_PROGRAMS)
    url: str = ""  # empty: the kind's usual address
    model: str = ""  # for llamacpp the path of the weights
    key_variable: str = ""  # empty: the kind's usual environment variable
    command: tuple[str, ...] = ()  # such as ["claude", "-p"]; asked on its input
    timeout: float = within(240.0, 0.1, 3_600)  # seconds for one answer: a whole night is one
    leads: bool = True  # does it lead the night; otherwise the built-in judge does
    exam: bool = True  # must it pass the exam before it leads
    brief_tokens: int = within(24_000, 2_000, 1_000_000)  # a night with more to read comes in windows of days
    write: bool = True  # may it write the diary, reflections and summaries
    recall: bool = False  # may it word what is recalled: every message then costs
    max_calls: int = within(40, 0, 10_000)  # each of the four caps ends the asking, not the night
    max_tokens: int = within(200_000, 0, 100_000_000)  # in and out together
    max_seconds: float = within(1_200.0, 0, 86_400)
    max_cost: float = within(1.0, 0, 100_000)  # counts only with prices
    price_in: float = within(0.0, 0, 100_000)  # of a million tokens sent
    price_out: float = within(0.0, 0, 100_000)  # of a million tokens received


@dataclass(frozen=True, kw_only=True)
class Share:
    """A memory that a team has together."""

    folder: str = owners("")  # read by search and recall, written by `dream share` alone; empty: none


Where = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
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
    share: Share = field(default_factory=Share)
    model: Mind = field(default_factory=Mind, metadata={"owner_only": True})
    protected_sections: tuple[str, ...] = ()  # headings whose text is never cut
    custom_rules: tuple[str, ...] = ()  # free text of DREAM.md, kept for the phases that can obey it
    timezone: str = ""  # empty: the machine's own
    language: str = ""  # in which the owner is spoken to; empty: the one MEMORY.md is written in
    lock_wait: float = within(10.0, 0, 3_600, owner=True)  # seconds to wait for another dream
    vault: str = owners("")  # empty: `dream-vault` inside the workspace
    workspace: str = owners("")  # empty: see `dream --help`
    workspaces: tuple[str, ...] = owners(())  # more folders, for `dream workspaces` and --all
    transcripts: tuple[str, ...] = owners(())  # folders of conversations to learn from
    project: tuple[OtherHost, ...] = owners(())  # other hosts that get this memory


def merged(base: Settings, table: Mapping[str, Any], where: Where, *, trusted: bool) -> Settings:
    """Settings with a table laid over them. `where` names file and line of a key; unknown keys are refused."""
    result = _over(base, table, where, "", trusted=trusted)
    assert isinstance(result, Settings)
    return result


def known_keys(of: type = Settings, prefix: str = "") -> tuple[str, ...]:
    """Every key that can be set, dotted."""
    keys: list[str] = []
    for item in fields(of):
        inner: Any = item.default_factory  # of a table: its class
        keys += (
            known_keys(inner, f"{item.name}.")
            if isinstance(inner, type) and is_dataclass(inner)
            else [prefix + item.name]
        )
    return tuple(keys)


def _bad(name: str, where: str, **values: Any) -> BadSettings:
    return BadSettings(errors.sentence(f"settings.{name}", where=where, **values))


def _over(
    base: Any, table: Mapping[str, Any], where: Where, prefix: str, *, trusted: bool, owner_only: bool = False
) -> Any:
    known = {item.name: item for item in fields(base)}
    changes: dict[str, Any] = {}
    for key, value in table.items():
        name = prefix + key
        if key not in known:
            near = _nearest(name)
            raise _bad("misspelt" if near else "unknown", where(name), key=name, near=near)
        item, current = known[key], getattr(base, key)
        owners_alone = owner_only or item.metadata.get("owner_only", False)
        if is_dataclass(current):
            if not isinstance(value, Mapping):
                raise _bad("not_a_table", where(name), key=name)
            changes[key] = _over(current, value, where, f"{name}.", trusted=trusted, owner_only=owners_alone)
            continue
        if owners_alone and not trusted:
            raise _bad("owner_only", where(name), key=name)
        if item.metadata.get("only_on") and current and value is False and not trusted:
            raise _bad("only_on", where(name), key=name)
        if name == "project":
            changes[key] = (*current, *_projects(value, where))
        else:
            changes[key] = _checked(item, name, value, current, where(name))
    return replace(base, **changes)


def _projects(value: Any, where: Where) -> Iterator[OtherHost]:
    """The `[[project]]` tables, each checked like every other table."""
    if not isinstance(value, list) or not all(isinstance(table, Mapping) for table in value):
        raise _bad("not_tables", where("project"))
    for table in value:
        one: OtherHost = _over(OtherHost(), table, where, "project.", trusted=True)
        for name in ("path", "host"):
            if not getattr(one, name):
                raise _bad("project_lacks", where("project"), key=name)
        for name in ("path", "workspace"):
            path = getattr(one, name)
            if path and not _is_placed(path):
                raise _bad("project_path", where(f"project.{name}"), key=name, value=path)
        yield one


def _is_placed(path: str) -> bool:
    """Whether a path means the same file wherever the night is started."""
    return path.startswith(("~/", "~\\")) or PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _checked(item: Field[Any], name: str, value: Any, current: Any, where: str) -> Any:
    """The value in the type of the default, within the range that makes sense."""
    if isinstance(current, tuple) and isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        if name == "palace.views":
            _check_views(value, where)
        if name == "model.command":
            return tuple(value)  # words of a command: none may be missing and none added
        return tuple(dict.fromkeys((*current, *value)))  # lists add up: nobody takes another's protection away
    if not _fits(value, current):
        example = '["a heading"]' if isinstance(current, tuple) else repr(current)
        raise _bad("wrong_type", where, key=name, value=value, example=example)
    low, high = item.metadata.get("range", (None, None))
    if low is not None and not low <= value <= high:
        raise _bad("out_of_range", where, key=name, value=value, low=low, high=high)
    choices = item.metadata.get("choices") or (value and name in ("language", "diary.language") and _languages())
    if name == "diary.style" and " " not in value.strip() and value.isascii():  # a sentence may say anything
        choices = STYLES
    if choices and value not in choices:
        raise _bad("no_choice", where, key=name, value=value, choices=", ".join(filter(None, choices)))
    if name == "timezone" and value:
        _check_zone(value, where)
    if name in ("schedule.cron", "schedule.defer_until"):
        _check_moment(name, value, where)
    return float(value) if isinstance(current, float) else value


def _fits(value: Any, current: Any) -> bool:
    if isinstance(current, bool) or isinstance(value, bool):
        return type(current) is type(value)
    if isinstance(current, float):
        return isinstance(value, (int, float))
    return isinstance(value, type(current)) and not isinstance(current, tuple)


def _check_zone(name: str, where: str) -> None:
    from zoneinfo import ZoneInfo  # only for those who set one

    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise _bad("no_zone", where, value=name) from None


def _check_moment(name: str, value: str, where: str) -> None:
    from reverie.core.cron import parse_cron  # only for those who set it

    try:
        parse_cron(value) if name == "schedule.cron" else wall_time(value)
    except ValueError as error:
        raise _bad("no_moment", where, key=name, value=value, why=error) from None


def wall_time(text: str) -> time:
    """`06:00` as a time of day. Raises ValueError with a sentence."""
    hour, colon, minute = text.strip().partition(":")
    if not (colon and hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60):
        raise ValueError(errors.sentence("settings.wall_time"))
    return time(int(hour), int(minute))


def _check_views(views: Sequence[str], where: str) -> None:
    for view in views:
        title, _, words = view.partition(":")
        if not title.strip() or not words.strip(" ,\uff0c"):
            raise _bad("no_view", where, value=view)


def _nearest(name: str) -> str:
    """The known key that was probably meant; empty when none is like it."""
    import difflib  # only for the error: difflib is slow to load

    known = (*known_keys(), *known_keys(OtherHost, "project."))
    near = [key for key in known if key.startswith(name)][:1] or difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    if not near:  # a forgotten table name is the commonest slip
        near = [key for key in known if key.rpartition(".")[2] == name.rpartition(".")[2]]
    return near[0] if near else ""


def _languages() -> list[str]:
    """The codes of the languages that have a file (core may not import the reader of these files)."""
    from importlib.resources import files  # only for those who set a language

    names = [file.name for file in files("reverie.lang").iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
