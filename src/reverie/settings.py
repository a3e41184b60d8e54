"""One frozen object that says how the owner wants to be treated. Pure: reads no file and no environment.

Surfaces collect tables (dicts) from files and hand them to `merged`. A table from a workspace may come from a
stranger, so it may set only what is marked `anyone`: thresholds and tastes, never paths, endpoints or commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from reverie.errors import BadSettings

Where = Callable[[str], str]
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
    protected_sections: tuple[str, ...] = ()  # headings whose text is never cut
    custom_rules: tuple[str, ...] = ()  # free text of DREAM.md, kept for the phases that can obey it
    timezone: str = ""  # empty: the machine's own
    lock_wait: float = field(default=10.0, metadata=OWNER_ONLY)  # seconds to wait for another dream
    vault: str = field(default="", metadata=OWNER_ONLY)  # empty: `dream-vault` inside the workspace
    workspace: str = field(default="", metadata=OWNER_ONLY)  # empty: see `dream --help`
    transcripts: tuple[str, ...] = field(default=(), metadata=OWNER_ONLY)  # folders of conversations to learn from


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
        else:
            changes[key] = _checked(name, value, current, where(name))
    return replace(base, **changes)


def _checked(name: str, value: Any, current: Any, where: str) -> Any:
    """The value in the type of the default, within the range that makes sense."""
    if isinstance(current, tuple) and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
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
    return float(value) if isinstance(current, float) else value


_CHOICES: dict[str, tuple[str, ...]] = {
    "review.mode": ("apply", "propose"),
    "storage.mode": ("separate", "inline", "both"),
    "dreaming.profile": ("default", "openclaw-2026.4", "openclaw-2026.9"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "memory.truncation": (1_000, 10_000_000), "memory.hard": (0.1, 1.0), "memory.capture": (0.1, 1.0),
    "memory.target": (0.1, 1.0), "memory.warn": (0.1, 1.0), "memory.max_lines": (10, 100_000),
    "dream.lookback_days": (1, 36_500), "dream.min_hours_between_dreams": (0, 24 * 365), "lock_wait": (0, 3_600),
    "dreaming.min_score": (-1, 1), "dreaming.min_recall_count": (-1, 1_000), "dreaming.min_unique_queries": (-1, 1_000),
    "dreaming.half_life_days": (-1, 36_500), "dreaming.max_age_days": (-1, 36_500), "dreaming.limit": (-1, 1_000),
    "dreaming.light_lookback_days": (1, 365), "dreaming.light_limit": (1, 1_000), "dreaming.light_ttl_days": (1, 365),
    "dreaming.rem_lookback_days": (1, 365),
    "review.flag_above": (0, 1), "review.propose_above": (0, 1),
    "diary.most_entries": (1, 10_000), "search.max_results": (1, 1_000), "search.timeout": (0.1, 600),
}  # fmt: skip


def _zone(name: str, where: str) -> None:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise BadSettings(f"{where}: `timezone` is {name!r}, which is not a zone such as Europe/Berlin.") from None


def _nearest(name: str) -> str:
    import difflib  # only for the error: difflib is slow to load

    near = difflib.get_close_matches(name, known_keys(), n=1, cutoff=0.4)
    if not near:  # a forgotten table name is the commonest slip
        near = [key for key in known_keys() if key.rpartition(".")[2] == name.rpartition(".")[2]][:1]
    return f"; did you mean `{near[0]}`?" if near else "."


def _example(current: Any) -> str:
    return '["a heading"]' if isinstance(current, tuple) else repr(current)
