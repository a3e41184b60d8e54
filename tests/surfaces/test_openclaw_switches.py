"""OpenClaw's own switches: what its file sets here, that it is told with its source, and that two dreams never meet."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reverie.core.errors import Busy
from reverie.core.layout import PEER_JOURNAL, PEER_LOCK, PEER_RECALLS
from reverie.core.ports import ScriptedIdle, fixed
from reverie.evidence.attempts import Attempt, Outcome, record
from reverie.features.schedule import recorded
from reverie.features.schedule.when import Do, scheduled_night, switch
from reverie.openclaw.deep import weigh_tonight
from reverie.openclaw.promotions import Gates, ranking
from reverie.surfaces.configure import configured
from reverie.workspace.openclaw_state import workspace_key
from reverie.workspace.openclaw_switches import HostDreaming
from reverie.workspace.values import Workspace
from terminal import call

MORNING = "2026-11-15T09:00:00+01:00"
WHERE = "plugins.entries.memory-core.config.dreaming"
Says = Callable[..., Workspace]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Says:
    """says(dreaming={…}, active={…}) → the workspace of an OpenClaw whose file says so."""
    home = tmp_path / "home"
    root = home / ".openclaw/workspace"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\n- likes tea\n")
    (root / "memory/2026-11-14.md").write_text("- bought bread\n")
    settings = home / ".config/reverie/reverie.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[search]\nembedder = "off"\n')
    monkeypatch.setenv("HOME", str(home))

    def say(dreaming: Any = None, active: Any = None, **more: Any) -> Workspace:
        entries = {"memory-core": {"config": {"dreaming": dreaming}}, "active-memory": {"config": active}}
        table = {"plugins": {"entries": entries | more.pop("entries", {})}, **more}
        (home / ".openclaw/openclaw.json").write_text(f"// mine\n{json.dumps(table)}")
        return configured(root, {"HOME": str(home)})

    return say


def test_who_switched_dreaming_off_there_is_told_no_and_where(says: Says) -> None:
    root = says({"enabled": False}).root

    doctor, status = call("doctor", "--workspace", root), call("status", "--json", "--workspace", root)

    assert f"No. {root.parent}/openclaw.json: {WHERE}.enabled switches dreaming off" in doctor.out
    assert "Yes" not in doctor.out.partition("Did it run?")[0]
    seen = json.loads(status.out)
    assert (seen["on"], seen["host"]["dreaming"]) == (False, False)
    assert seen["off_by"] == f"{root.parent}/openclaw.json: {WHERE}.enabled"
    assert [one["key"] for one in seen["host"]["settings"]] == ["dreaming.enabled"]
    told = call("status", "--workspace", root).out
    assert f"Switched off by {root.parent}/openclaw.json" in told and told.count("dreaming.enabled") == 1


def test_a_phase_that_is_switched_off_there_shows_no_time_at_which_it_did_not_run(says: Says) -> None:
    workspace = says({"phases": {"rem": {"enabled": False}}})
    record(workspace.root, Attempt("2026-11-02T03:00:00+01:00", "schedule", Outcome.CHANGED))

    told = call("status", "--deep", "--workspace", workspace.root).out
    value = json.loads(call("status", "--deep", "--json", "--workspace", workspace.root).out)

    assert "REM: stands still by `dreaming.skip`" in told and "Light: 2026-11-02 03:00" in told
    assert [one["last"] is None for one in value["deep"]["phases"]] == [False, True, False]


def test_the_owners_own_word_wins_over_it(says: Says) -> None:
    workspace = says({"enabled": False})
    assert switch(workspace, on=True)

    assert configured(workspace.root, {"HOME": str(workspace.root.parents[1])}).settings.dreaming.enabled
    told = call("doctor", "--workspace", workspace.root, "--now", MORNING).out
    assert f"Reverie's nights are on. OpenClaw's own dreaming is off ({workspace.root.parent}/openclaw.json" in told


def test_who_let_our_plugin_dream_in_its_place_is_on(says: Says) -> None:
    workspace = says({"enabled": False}, {"enabled": False}, entries={"reverie": {"enabled": True}})

    assert workspace.settings.dreaming.enabled and workspace.settings.active.enabled
    assert workspace.host is not None and not workspace.host.on


def test_every_key_that_means_something_here_counts_and_the_rest_is_passed_over(says: Says) -> None:
    phases = {
        "light": {"lookbackDays": 3, "limit": 40, "enabled": False},
        "rem": {"lookbackDays": 9, "minPatternStrength": 0.2},
        "deep": {
            "minScore": 0.9,
            "minRecallCount": 5,
            "minUniqueQueries": 4,
            "recencyHalfLifeDays": 7,
            "maxAgeDays": -5,
        },
    }
    storage = {"mode": "both", "separateReports": True}
    zone = "America/Los_Angeles"

    one = says(
        {"frequency": "0 */6 * * *", "timezone": zone, "storage": storage, "phases": phases, "model": "a/b"}
    ).settings

    assert (one.schedule.cron, one.dream.min_hours_between_dreams, one.timezone) == ("0 */6 * * *", 6, zone)
    assert (one.storage.mode, one.storage.reports, one.dreaming.skip) == ("both", True, ("light",))
    its = one.dreaming
    assert (its.light_lookback_days, its.light_limit, its.rem_lookback_days) == (3, 40, 9)
    assert (its.min_score, its.min_recall_count, its.min_unique_queries, its.half_life_days) == (0.9, 5, 4, 7)
    assert (its.max_age_days, one.model.model) == (-1, "")  # no age, and nobody asks OpenClaw's own program
    nonsense = says({"frequency": "at night", "timezone": 5, "enabled": "yes", "phases": [], "storage": {"mode": "x"}})
    assert nonsense.settings == replace(nonsense.settings, dreaming=type(its)(), timezone="")


def test_status_tells_a_few_of_many_settings_and_names_what_makes_no_sense(says: Says) -> None:
    phases = {"light": {"limit": 9, "lookbackDays": 4}, "deep": {"limit": 7, "minScore": 0.4, "maxAgeDays": 40}}
    root = says({"timezone": "Moon/Sea", "frequency": "seldom", "phases": phases}).root

    status, doctor = (call(name, "--workspace", root).out for name in ("status", "doctor"))

    (told,) = [line for line in status.splitlines() if "dreaming.light_limit" in line]
    assert told.count(" = ") == 4 and "1 more" in told
    assert "dreaming.max_age_days = 40" in doctor
    for out in (status, doctor):
        assert 'timezone = "Moon/Sea"' in out and 'schedule.cron = "seldom"' in out and "no sense" in out


def test_active_memory_is_set_there_too(says: Says) -> None:
    config = {
        "queryMode": "full",
        "maxSummaryChars": 300,
        "recentUserTurns": 9,
        "allowedChatTypes": ["direct", "group"],
    }
    active = says(active=config).settings.active

    assert (active.query_mode, active.max_summary_chars) == ("full", 300)
    assert active.recent_user_turns == 2  # nine is beyond the range, and nothing stops because of it
    assert active.allowed_chat_types == ("direct", "group")
    off = says(active={"enabled": False}).root
    assert "Active Memory is switched off" in call("recall", "what do I drink?", "--workspace", off, "--json").out


def test_a_workspace_that_is_one_agents_alone_answers_as_that_agent(says: Says, tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    agents = {"entries": {"ops": {"workspace": str(tmp_path / "ops")}}}
    main, ops = says(active={"agents": ["main"]}, agents=agents).root, tmp_path / "ops"

    told = [call("recall", "what do I drink?", "--workspace", root, "--json").out for root in (main, ops)]

    assert ["ops" in str(json.loads(one)["why"]) for one in told] == [False, True]
    assert '"ok"' not in told[1]


def test_a_file_in_a_workspace_does_not_decide_who_overhears(says: Says, tmp_path: Path) -> None:
    says()
    root = tmp_path / "foreign"
    root.mkdir()
    config = {"allowedChatTypes": ["channel"], "queryMode": "message"}
    (root / "openclaw.json").write_text(json.dumps({"plugins": {"entries": {"active-memory": {"config": config}}}}))

    active = configured(root, {"HOME": str(tmp_path / "home")}).settings.active

    assert (active.query_mode, active.allowed_chat_types) == ("message", ())


def test_only_its_own_workspaces_are_meant_and_an_agent_has_its_limit(says: Says, tmp_path: Path) -> None:
    mine, agents = (
        tmp_path / "mine",
        {"entries": {"ops": {"workspace": str(tmp_path / "ops"), "bootstrapMaxChars": 50_000}}},
    )
    for name in ("mine", "ops"):
        (tmp_path / name).mkdir()
    main = says({"enabled": False}, agents={"defaults": {"bootstrapMaxChars": 12_000}, **agents})
    environ = {"HOME": str(tmp_path / "home")}
    ops, other = configured(tmp_path / "ops", environ), configured(mine, environ)

    assert [one.settings.dreaming.enabled for one in (main, ops, other)] == [False, False, True]
    assert [one.settings.memory.truncation for one in (main, ops, other)] == [12_000, 50_000, 12_000]


def test_by_default_it_dreams_from_2026_8_on(says: Says) -> None:
    def dreams(version: str, **more: Any) -> bool | None:
        host = says(meta={"lastTouchedVersion": version}, **more).host
        return host.on if host else None

    assert [dreams("2026.7.35"), dreams("2026.8.1"), dreams("2026.10.2-beta")] == [None, True, True]
    assert dreams("2026.9.6", entries={"memory-core": {"enabled": False}}) is None


def test_both_on_is_told_with_what_to_do(says: Says) -> None:
    root = says({"enabled": True}).root

    doctor, status = (call(name, "--workspace", root, "--now", MORNING).out for name in ("doctor", "status"))

    assert "OpenClaw's own dreaming is on, too" in doctor and "OpenClaw's own dreaming is on, too" in status
    assert f"openclaw config set {WHERE}.enabled false, then dream on; or dream off" in doctor


def test_a_night_lets_a_sweep_of_openclaws_finish_first(says: Says) -> None:
    workspace = says({"enabled": True, "timezone": "Europe/Berlin"})
    ten_past = fixed("2026-11-15T03:10:00+01:00")

    first = scheduled_night(workspace, ten_past, ScriptedIdle())
    assert (first.decision.do, first.run) == (Do.DEFER, None)
    assert first.decision.why == "OpenClaw's own dreaming began at 03:00 and goes first"

    done = {"type": "memory.dream.completed", "timestamp": "2026-11-15T02:08:00.000Z", "phase": "deep"}
    (workspace.root / PEER_JOURNAL).write_text(json.dumps(done) + "\n")
    assert scheduled_night(workspace, ten_past, ScriptedIdle()).decision.do is not Do.DEFER


@pytest.mark.parametrize("lock", ["file", "row"])
def test_no_night_is_written_while_openclaw_writes_its_own(says: Says, lock: str) -> None:
    workspace = says()
    (workspace.root / "memory/.dreams").mkdir()
    if lock == "file":
        (workspace.root / PEER_LOCK).write_text("4711:0\n")
    else:
        database = workspace.root.parent / "state/openclaw.sqlite"
        database.parent.mkdir()
        with sqlite3.connect(database) as made:
            made.execute("CREATE TABLE plugin_state_entries (plugin_id, namespace, entry_key, value_json)")
            held = json.dumps({"owner": "4711:x", "acquiredAt": time.time() * 1000 - 500})
            row = ("memory-core", "short-term-locks", workspace_key(workspace.root), held)
            made.execute("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?)", row)
        workspace = replace(workspace, peer_db=database)

    with pytest.raises(Busy, match="OpenClaw, which is writing its own dream here"):
        recorded.review(workspace, fixed(MORNING))


def test_what_openclaw_counts_and_promotes_our_night_does_not_promote_too(says: Says) -> None:
    workspace = says()
    key = "memory:memory/2026-11-13.md:1:1"
    said = "Decision: from now on all invoices go out in euros, never in dollars."
    (workspace.root / "memory/2026-11-13.md").write_text(f"- {said}\n")
    entry = {
        "key": key, "path": "memory/2026-11-13.md", "startLine": 1, "endLine": 1, "source": "memory", "snippet": said,
        "recallCount": 9, "dailyCount": 0, "groundedCount": 0, "totalScore": 9.0, "maxScore": 1.0,
        "firstRecalledAt": "2026-11-13T09:00:00.000Z", "lastRecalledAt": "2026-11-14T23:00:00.000Z",
        "queryHashes": ["0123456789ab", "1123456789ab", "2123456789ab", "3123456789ab"],
        "recallDays": ["2026-11-12", "2026-11-13", "2026-11-14"], "conceptTags": ["invoices", "euros", "dollars"],
    }  # fmt: skip
    (workspace.root / "memory/.dreams").mkdir()
    (workspace.root / PEER_RECALLS).write_text(json.dumps({"version": 1, "entries": {key: entry}}))
    clock = fixed(MORNING)
    found = ranking(workspace, clock, Gates())
    assert [one.reason for one in weigh_tonight(found.snapshot, found.evidence, clock.now())] == [""]
    both = replace(found.snapshot, workspace=replace(workspace, host=HostDreaming(True, "openclaw.json")))
    assert weigh_tonight(both, found.evidence, clock.now()) == ()
    promoted = f"<!-- openclaw-memory-promotion:{key} -->\n- {said} [score=0.9 recalls=9 avg=1.0 source=memory/2026-11-13.md:1-1]\n"
    (workspace.root / "MEMORY.md").write_text(f"## Promoted From Short-Term Memory (2026-11-15)\n\n{promoted}")
    assert "" not in {one.reason for one in ranking(workspace, clock, Gates()).everything}


@pytest.mark.parametrize(
    ("last", "by", "why"),
    [
        ("2026-11-14T03:00:00+01:00", "schedule", ""),
        ("2026-11-10T03:00:00+01:00", "schedule", "notes wait, and nothing on this machine starts a night"),
    ],
    ids=["it was called", "nobody calls it any more"],
)
def test_a_schedule_that_does_not_fire_is_blocked_and_says_why(says: Says, last: str, by: str, why: str) -> None:
    root = says().root
    (root / "memory/2026-11-09.md").write_text("- an old note\n")
    record(root, Attempt(last, by, Outcome.NOTHING_NEW))

    seen = json.loads(call("status", "--json", "--workspace", root, "--now", MORNING).out)

    assert (seen["state"], seen["blocked"]) == (("blocked", why) if why else ("active", None))
    told = call("doctor", "--workspace", root, "--now", MORNING).out
    assert (f"blocked: {why}" in told) is bool(why)


def test_a_night_that_was_put_off_is_pending_and_not_blocked(says: Says) -> None:
    root = says().root
    (root / "memory/2026-11-09.md").write_text("- an old note\n")
    state = root / "dream-vault/meta/dream-state.txt"
    state.parent.mkdir(parents=True)
    state.write_text("pending\n")

    def told() -> str:
        return str(json.loads(call("status", "--json", "--workspace", root, "--now", MORNING).out)["state"])

    os.utime(state, (fixed(MORNING).now().timestamp() - 3600,) * 2)
    assert told() == "pending"
    os.utime(state, (fixed(MORNING).now().timestamp() - 5 * 86_400,) * 2)
    assert told() == "blocked"


@pytest.mark.parametrize(("last", "state"), [("2026-11-14 03:00", "active"), ("2026-11-12 03:00", "blocked")])
def test_a_note_of_today_waits_for_its_night_and_is_not_blocked(says: Says, last: str, state: str) -> None:
    root = says().root
    (root / "dream-vault/meta").mkdir(parents=True)
    (root / "dream-vault/meta/last-review.txt").write_text(f"{last}\n")

    assert json.loads(call("status", "--json", "--workspace", root, "--now", MORNING).out)["state"] == state


def test_a_setting_that_switches_dreaming_off_is_named_too(says: Says) -> None:
    workspace = says()
    (workspace.root / "reverie.toml").write_text("[dreaming]\nenabled = false\n")

    assert f"{workspace.root}/reverie.toml:2 switches dreaming off" in call("doctor", "--workspace", workspace.root).out
