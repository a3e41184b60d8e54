"""Which moment and which day it is: --now, REVERIE_NOW, the machine's zone, the owner's zone, both DST nights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terminal import call, dream

MEMORY = "# Me\n- likes tea\n- likes tea\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    return tmp_path


def told(root: Path) -> tuple[str, ...]:
    """What the night wrote down about its time: ledger, last review, active day, `.last_dream`."""
    vault = root / "dream-vault"
    (record,) = json.loads((vault / "ledger-index.json").read_text())
    (day,) = json.loads((vault / "meta/active-days.json").read_text())
    last = (vault / "meta/last-review.txt").read_text().strip()
    return record["first_archived"], last, day, (root / "memory/.last_dream").read_text().strip()


@pytest.mark.parametrize(
    ("now", "zone", "local", "utc"),
    [
        ("2026-11-15T00:30:00+08:00", "", "2026-11-15 00:30", "2026-11-14T16:30:00Z"),
        ("2026-11-15T00:30:00-08:00", "", "2026-11-15 00:30", "2026-11-15T08:30:00Z"),
        ("2026-11-15T00:30:00", "Asia/Shanghai", "2026-11-15 00:30", "2026-11-14T16:30:00Z"),
        ("2026-11-15T00:30:00", "America/Los_Angeles", "2026-11-15 00:30", "2026-11-15T08:30:00Z"),
        ("2026-11-14T16:30:00Z", "Asia/Shanghai", "2026-11-15 00:30", "2026-11-14T16:30:00Z"),
        ("2026-11-15T08:30:00Z", "America/Los_Angeles", "2026-11-15 00:30", "2026-11-15T08:30:00Z"),
        ("2026-10-25T00:30:00+00:00", "Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00Z"),
        ("2026-10-25T01:30:00+00:00", "Europe/Berlin", "2026-10-25 02:30", "2026-10-25T01:30:00Z"),
        ("2026-03-29T00:59:00+00:00", "Europe/Berlin", "2026-03-29 01:59", "2026-03-29T00:59:00Z"),
        ("2026-03-29T01:00:00+00:00", "Europe/Berlin", "2026-03-29 03:00", "2026-03-29T01:00:00Z"),
        ("2026-10-24T22:30:00+00:00", "Europe/Berlin", "2026-10-25 00:30", "2026-10-24T22:30:00Z"),
        ("2026-03-29T00:30:00", "Europe/Berlin", "2026-03-29 00:30", "2026-03-28T23:30:00Z"),
        ("2026-10-25T03:30:00", "Europe/Berlin", "2026-10-25 03:30", "2026-10-25T02:30:00Z"),
    ],
)  # fmt: skip
def test_the_day_is_the_owners_and_last_dream_is_utc(root: Path, now: str, zone: str, local: str, utc: str) -> None:
    if zone:
        (root / "reverie.toml").write_text(f'timezone = "{zone}"\n')

    assert call("review", "--workspace", root, "--now", now).code == 0

    assert told(root) == (local, local, local[:10], utc)
    assert (root / f"dream-vault/meta/review-{local[:7]}.md").read_text().startswith(f"### {local}\n")


@pytest.mark.parametrize(
    ("zone", "utc"), [("Asia/Shanghai", "2026-11-14T16:30:00Z"), ("America/Los_Angeles", "2026-11-15T08:30:00Z")]
)
def test_without_offset_and_setting_the_machines_zone_counts(root: Path, zone: str, utc: str) -> None:
    assert dream("review", "--workspace", root, "--now", "2026-11-15T00:30", TZ=zone).code == 0

    assert told(root) == ("2026-11-15 00:30", "2026-11-15 00:30", "2026-11-15", utc)


def test_reverie_now_is_the_moment_unless_a_flag_names_another(root: Path) -> None:
    env = {"REVERIE_NOW": "2026-11-15T03:00:00+01:00"}

    assert call("status", "--workspace", root, **env).out.startswith("🌙 Dream Status — 2026-11-15 03:00\n")
    assert call("status", "--workspace", root, "--now", "2020-01-01T00:00Z", **env).out.startswith(
        "🌙 Dream Status — 2020-01-01 00:00"
    )


def test_without_either_it_is_now(root: Path) -> None:
    from datetime import UTC, datetime, timedelta

    said = json.loads(dream("status", "--workspace", root, "--json").out)["now"]

    assert datetime.now(UTC) - datetime.fromisoformat(said) < timedelta(minutes=5)


def test_dream_md_may_name_the_zone(root: Path) -> None:
    (root / "DREAM.md").write_text("## Settings\n- timezone: Asia/Shanghai\n")

    call("review", "--workspace", root, "--now", "2026-11-15T00:30")

    assert told(root)[3] == "2026-11-14T16:30:00Z"


def test_hours_since_the_last_night_are_real_hours_over_a_dst_change(root: Path) -> None:
    (root / "reverie.toml").write_text('timezone = "Europe/Berlin"\n')
    call("review", "--workspace", root, "--now", "2026-03-29T00:30")

    lines = call("status", "--workspace", root, "--now", "2026-03-29T04:30").out.split("\n")

    assert lines[3] == "Last distillation: 2026-03-29 00:30 (3 hours ago)"


def test_the_first_night_of_a_month_begins_a_new_log(root: Path) -> None:
    call("review", "--workspace", root, "--now", "2026-11-30T23:59")
    (root / "MEMORY.md").write_text(MEMORY)
    call("review", "--workspace", root, "--now", "2026-12-01T00:01")

    assert sorted(path.name for path in (root / "dream-vault/meta").glob("review-*")) == [
        "review-2026-11.md",
        "review-2026-12.md",
    ]
