"""One frozen object that says how the owner wants to be treated. Pure: reads no file and no environment.

Surfaces collect tables (dicts) from files and hand them to `merged`. A table from a workspace may come from a
stranger, so it may set only what is marked `anyone`: thresholds and tastes, never paths, endpoints or commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from zoneinfo import ZoneInfo

from reverie.errors import BadSettings
from reverie.setting_groups import (
    OWNER_ONLY,
    Active,
    Diary,
    Dream,
    Dreaming,
    Memory,
    Mind,
    Palace,
    Privacy,
    Project,
    Refine,
    Review,
    Schedule,
    Search,
    Storage,
)

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


def _moment(name: str, value: str, where: str) -> None:
    from reverie.cron import parse_cron  # only for those who set it
    from reverie.when import wall_time

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
