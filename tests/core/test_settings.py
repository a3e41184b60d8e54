"""Settings: one frozen object; every key has a default, a type and a range, and unknown ones are refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from reverie.core.errors import BadSettings
from reverie.core.settings import Dream, Memory, Settings, known_keys, merged

DEFAULTS: dict[str, Any] = {
    "memory.truncation": 20_000, "memory.hard": 0.9, "memory.capture": 0.8, "memory.target": 0.75, "memory.max_lines": 250,
    "memory.warn": 0.85, "memory.new_lines": 12, "memory.leaving": 0.15, "memory.shape": "sections", "dream.lookback_days": 0, "dream.min_hours_between_dreams": 24, "protected_sections": (),
    "custom_rules": (), "timezone": "", "language": "", "lock_wait": 10.0, "vault": "", "workspace": "",
}  # fmt: skip
OTHER: dict[str, Any] = {
    "memory.truncation": 10_000, "memory.hard": 0.5, "memory.capture": 0.4, "memory.target": 0.3, "memory.max_lines": 100,
    "memory.warn": 1, "memory.new_lines": 3, "memory.leaving": 0.5, "memory.shape": "append", "dream.lookback_days": 14, "dream.min_hours_between_dreams": 0, "protected_sections": ["Rules"],
    "custom_rules": ["keep prices"], "timezone": "Asia/Shanghai", "language": "zh", "lock_wait": 3, "vault": "/v", "workspace": "/w",
}  # fmt: skip
LATER = (
    "search.",
    "privacy.",
    "diary.",
    "storage.",
    "dreaming.",
    "review.",
    "schedule.",
    "palace.",
    "active.",
    "transcripts",
    "project",
    "workspaces",
    "refine.",
    "share.",
    "model.",
)  # rooms that have tests of their own
OWNER_ONLY = {"lock_wait", "vault", "workspace"}


def table(key: str, value: Any) -> dict[str, Any]:
    group, _, name = key.rpartition(".")
    return {group: {name: value}} if group else {key: value}


def lay(key: str, value: Any, *, trusted: bool = True) -> Settings:
    return merged(Settings(), table(key, value), lambda name: f"reverie.toml:7 ({name})", trusted=trusted)


def value_of(settings: Settings, key: str) -> Any:
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def test_every_key_has_this_default() -> None:
    assert {key: value_of(Settings(), key) for key in known_keys() if not key.startswith(LATER)} == DEFAULTS


def test_the_limits_follow_from_the_truncation_limit() -> None:
    memory = Memory()

    assert (memory.hard_limit, memory.capture_limit, memory.target_size, memory.warn_lines) == (
        18_000,
        16_000,
        15_000,
        225,
    )


@pytest.mark.parametrize("key", DEFAULTS)
def test_every_key_can_be_set_by_the_owner_and_changes_nothing_else(key: str) -> None:
    settings = lay(key, OTHER[key])

    wanted = tuple(OTHER[key]) if isinstance(OTHER[key], list) else OTHER[key]
    assert {k: value_of(settings, k) for k in known_keys()} == {
        **{k: value_of(Settings(), k) for k in known_keys()},
        key: wanted,
    }
    assert type(value_of(settings, key)) is type(DEFAULTS[key])


@pytest.mark.parametrize("key", sorted(DEFAULTS))
def test_a_workspace_may_set_thresholds_and_tastes_only(key: str) -> None:
    if key not in OWNER_ONLY:
        assert value_of(lay(key, OTHER[key], trusted=False), key) is not None
        return
    with pytest.raises(BadSettings, match=rf"^reverie.toml:7 \({key}\) sets `{key}`, which a workspace may not decide"):
        lay(key, OTHER[key], trusted=False)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("memory.truncation", (999, 10_000_001, -1)), ("memory.hard", (0.09, 1.01, float("nan"), float("inf"))),
        ("memory.capture", (0, 2)), ("memory.target", (0, 2)), ("memory.warn", (0, 2)), ("memory.max_lines", (9, 100_001)), ("memory.new_lines", (-1, 1_001)), ("memory.leaving", (-0.1, 1.1)),
        ("dream.min_hours_between_dreams", (-1, 8761)), ("dream.lookback_days", (-1, 36_501)), ("lock_wait", (-1, 3601)),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_refused_with_the_range(key: str, values: tuple[float, ...]) -> None:
    for value in values:
        with pytest.raises(BadSettings, match=rf"^reverie.toml:7 .*`{key}` is {value}; it must lie between"):
            lay(key, value)


@pytest.mark.parametrize(
    ("key", "low", "high"), [("memory.truncation", 1000, 10_000_000), ("memory.hard", 0.1, 1.0), ("lock_wait", 0, 3600)]
)
def test_the_ends_of_a_range_belong_to_it(key: str, low: float, high: float) -> None:
    assert [value_of(lay(key, value), key) for value in (low, high)] == [low, high]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("memory.truncation", "20000"), ("memory.truncation", 1.5), ("memory.truncation", True), ("memory.hard", "0.9"),
        ("memory.hard", True), ("memory", 5), ("dream", []), ("protected_sections", "Rules"), ("protected_sections", [1]),
        ("custom_rules", {}), ("timezone", 3), ("vault", ["x"]), ("lock_wait", None),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused_with_its_place(key: str, value: Any) -> None:
    with pytest.raises(BadSettings, match=r"^reverie.toml:7 "):
        lay(key, value)


@pytest.mark.parametrize("zone", ["Berlin", "../../etc/passwd", "Europe/Nowhere", "\0"])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(BadSettings, match="is not a zone such as Europe/Berlin"):
        lay("timezone", zone)


@pytest.mark.parametrize("language", ["english", "xx", "zh-CN", "../en"])
def test_a_language_without_a_file_is_refused_with_those_that_have_one(language: str) -> None:
    with pytest.raises(BadSettings, match=r"`language` is .*; it can be de, en, es"):
        lay("language", language)


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("memory.truncaton", "memory.truncation"), ("memory.max_line", "memory.max_lines"), ("time_zone", "timezone"),
        ("min_hours_between_dreams", "dream.min_hours_between_dreams"), ("protected", "protected_sections"),
        ("hard", "memory.hard"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_refused_with_the_nearest_known_one(key: str, nearest: str) -> None:
    with pytest.raises(BadSettings, match=rf"is not a setting; did you mean `{nearest}`\?\.?$"):
        lay(key, 1)


def test_a_key_like_no_other_is_refused_without_a_guess() -> None:
    with pytest.raises(BadSettings, match=r"sets `zzz`, which is not a setting\.$") as bad:
        lay("zzz", 1)

    assert bad.value.exit_code == 7


def test_settings_cannot_be_changed() -> None:
    for value, name in ((Settings(), "timezone"), (Memory(), "hard"), (Dream(), "min_hours_between_dreams")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, "x")


@pytest.mark.parametrize("key", [key for key in known_keys() if key.startswith("model.")])
def test_no_workspace_says_which_model_reads_it(key: str) -> None:
    value = value_of(Settings(), key)

    with pytest.raises(BadSettings, match="a workspace may not decide"):
        lay(key, list(value) if isinstance(value, tuple) else value, trusted=False)


def test_the_words_of_a_command_stay_as_they_are() -> None:
    words = ["model", "-v", "one", "-v", "two"]

    assert lay("model.command", words).model.command == tuple(words)
