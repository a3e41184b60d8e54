"""`dream doctor`: five questions in plain words, a word of its own for every trouble, and what mends it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Build, tree
from reverie.apply.folders import keep_in_mind
from reverie.core.errors import RefusedFile
from reverie.core.layout import INDEX_DB, LAST_DREAM, LEDGER_INDEX, LOCK, RUNS, VAULT
from reverie.core.ports import FixedClock, fixed
from reverie.evidence.attempts import Attempt, Outcome
from reverie.features.doctor.doctor import examine, mend
from reverie.features.doctor.signs import Chart, NightStarter, Severity, examined, worst
from reverie.features.schedule import recorded
from reverie.features.schedule.when import switch
from reverie.features.search import reindex
from reverie.surfaces.daemon import Beat, beat, heartbeat_file
from reverie.workspace.values import Workspace
from terminal import call

MORNING = fixed("2026-11-15T08:30:00+01:00")
TWICE = "# Me\n- likes tea\n- likes tea\n"
NOTE = "- ok\n"


def trouble(workspace: Workspace, now: FixedClock = MORNING, **schedule: Any) -> list[str]:
    """The words of everything that is bad."""
    _, signs = examine(workspace, now, NightStarter(**schedule))
    return [sign.status for sign in signs if sign.level is Severity.BAD]


@pytest.fixture
def well(build: Build, clock: FixedClock) -> Workspace:
    """A workspace that dreamt last night and changed something."""
    workspace = build({"MEMORY.md": TWICE, "memory/2026-11-14.md": NOTE})
    recorded.review(workspace, clock)
    reindex(workspace, None)
    return workspace


def test_the_lines_of_memory_are_told_once_with_the_number_that_it_has_now(build: Build, clock: FixedClock) -> None:
    lines = "".join(f"- shelf {n} holds jar {3 * n}\n" for n in range(230))
    workspace = build(
        {"MEMORY.md": f"# Me\n\n## Stock\n{lines}- likes tea\n- likes tea\n", "memory/2026-11-14.md": NOTE}
    )
    recorded.review(workspace, clock)
    with (workspace.root / "MEMORY.md").open("a") as file:
        file.write("- one more\n")

    _, signs = examine(workspace, MORNING)

    assert [sign.says for sign in signs if " lines" in sign.says] == ["MEMORY.md has 235 lines; the limit is 250."]


def test_nothing_is_wrong_after_an_ordinary_night(well: Workspace) -> None:
    _, signs = examine(well, MORNING)

    assert [sign.status for sign in signs] == ["on", "changed", "read", "judged", "next"]
    assert trouble(well) == []


def test_looking_writes_nothing(well: Workspace) -> None:
    before = tree(well.root, without=())

    examine(well, MORNING)

    assert tree(well.root, without=()) == before


# ── one fault each, and a word of its own for each ──────────────────────────


def no_files(workspace: Workspace) -> None:
    for path in [*workspace.root.rglob("*.md")]:
        path.unlink()
    recorded.review(workspace, fixed("2026-11-15T04:00:00+01:00"))


def nothing_new(workspace: Workspace) -> None:
    for hour in range(4, 8):
        recorded.review(workspace, fixed(f"2026-11-15T0{hour}:00:00+01:00"))


def taken_back(workspace: Workspace) -> None:
    (workspace.root / "MEMORY.md").write_text(TWICE)
    recorded.review(workspace, fixed("2026-11-15T04:00:00+01:00"))


def failed(workspace: Workspace) -> None:
    linked_memory(workspace)
    with pytest.raises(RefusedFile):
        recorded.review(workspace, fixed("2026-11-15T04:00:00+01:00"))
    (workspace.root / "MEMORY.md").unlink()
    (workspace.root / "MEMORY.md").write_text("- a real file again\n")


def linked_memory(workspace: Workspace) -> None:
    (workspace.root / "MEMORY.md").rename(workspace.root / "elsewhere.txt")
    (workspace.root / "MEMORY.md").symlink_to("elsewhere.txt")


def piped_note(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "memory/2026-11-13.md")


def conflict(workspace: Workspace) -> None:
    (workspace.root / "MEMORY.md").write_text("# Me\n<<<<<<< mine\n- tea\n=======\n- 咖啡\n>>>>>>> theirs\n")


def open_fence(workspace: Workspace) -> None:
    (workspace.root / "MEMORY.md").write_text("# Me\n- tea\n\n```\ncode\n")


def half_json(workspace: Workspace) -> None:
    (workspace.vault / LEDGER_INDEX.removeprefix(VAULT)).write_text('[{"id": "a3')


def half_index(workspace: Workspace) -> None:
    (workspace.root / INDEX_DB).write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)


def cut_short(workspace: Workspace) -> None:
    (next((workspace.root / RUNS).iterdir()) / "DONE").unlink()


def half_run(workspace: Workspace) -> None:
    (next((workspace.root / RUNS).iterdir()) / "plan.json").write_text("{")


def tomorrow(workspace: Workspace) -> None:
    (workspace.root / LAST_DREAM).write_text("2027-01-01T02:00:00Z\n")


def long_ago(workspace: Workspace) -> None:
    (workspace.root / LAST_DREAM).write_text("2026-11-01T02:00:00Z\n")
    (workspace.root / "memory/2026-11-15.md").write_text("- 新的一天\n")


def switched_off(workspace: Workspace) -> None:
    switch(workspace, on=False)


def too_large(workspace: Workspace) -> None:
    (workspace.root / "MEMORY.md").write_text("".join(f"- a line of ordinary length, number {n}\n" for n in range(600)))


FAULTS: dict[Callable[[Workspace], None], str] = {
    no_files: "read nothing",
    nothing_new: "nothing new for long",
    taken_back: "repeated",
    failed: "failed: RefusedFile",
    linked_memory: "memory refused",
    piped_note: "file refused",
    conflict: "conflict markers",
    open_fence: "an unclosed code fence",
    half_json: "state damaged",
    half_index: "index damaged",
    cut_short: "unfinished run",
    half_run: "run damaged",
    tomorrow: "clock",
    long_ago: "late",
    switched_off: "off",
    too_large: "over budget",
}


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_every_fault_has_a_word_of_its_own(well: Workspace, fault: Callable[[Workspace], None]) -> None:
    assert trouble(well) == []

    fault(well)

    _, signs = examine(well, MORNING)
    assert FAULTS[fault] in [sign.status for sign in signs if sign.level is not Severity.GOOD]


def test_no_two_faults_share_a_word() -> None:
    assert len(FAULTS) >= 10
    assert len(set(FAULTS.values())) == len(FAULTS)


BY_HAND = Attempt("2026-11-15T03:00:00+01:00", "owner", Outcome.CHANGED)
QUIET = Attempt("2026-11-15T03:00:00+01:00", "schedule", Outcome.NOTHING_NEW)
CHART = Chart(now=MORNING.now(), attempts=(Attempt("2026-11-15T03:00:00+01:00", "schedule", Outcome.CHANGED),), read=3)


@pytest.mark.parametrize(
    ("change", "word", "mends"),
    [
        ({"free": 1024}, "disk full", "make room on the disk"),
        ({"embedder": "ConnectionError: refused"}, "no embedder", "look at [search] in your reverie.toml"),
        ({"dead_daemon": "2026-11-14 02:00"}, "daemon dead", "dream daemon"),
        ({"scheduled": None, "attempts": (BY_HAND,)}, "not scheduled", "dream schedule install"),
        ({"attempts": (QUIET,) * 3}, "nothing new for long", "dream note TEXT, or set `transcripts`"),
        ({"attempts": (), "last_dream": None}, "never ran", "dream review"),
        ({"attempts": (), "read": 0, "last_dream": MORNING.now()}, "no files", "dream init, or --workspace PATH"),
    ],
)
def test_what_cannot_be_broken_in_a_test_is_told_from_its_chart(change: dict[str, Any], word: str, mends: str) -> None:
    chart = replace(CHART, last_dream=MORNING.now() - timedelta(hours=5))

    assert worst(examined(chart)).level is not Severity.BAD
    found = worst(examined(replace(chart, **change)))
    assert (found.status, found.mend) == (word, mends)


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.CHANGED])
def test_only_a_change_is_ever_told_as_a_success(outcome: Outcome) -> None:
    chart = replace(CHART, attempts=(Attempt("2026-11-15T03:00:00+01:00", "owner", outcome, error="X"),))

    ran = next(sign for sign in examined(chart) if sign.about == "ran")

    assert ran.level is not Severity.GOOD
    assert not ran.says.startswith("Yes")


def test_a_night_that_kept_nothing_says_why(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": "- tea\n", "memory/2026-11-14.md": "- Notes:\n- what now?\n- 待办:\n"})
    recorded.review(workspace, clock)

    _, signs = examine(workspace, MORNING)

    told = {sign.about: sign.says for sign in signs}
    assert "read 1 new file and kept nothing" in told["ran"]
    assert "left out, by reason: " in told["kept"]


def test_mending_takes_nothing_of_the_owners_and_leaves_nothing_wrong(well: Workspace) -> None:
    owner = tree(well.root, without=("memory/.dreams", "dream-vault"))
    half_json(well)
    half_index(well)
    chart, _ = examine(well, MORNING)

    done = mend(well, chart, MORNING)

    assert trouble(well) == []
    assert tree(well.root, without=("memory/.dreams", "dream-vault")) == owner
    assert len(done) == 2 and "ledger-index.json.damaged" in done[0]
    assert (well.vault / "ledger-index.json.damaged").read_text() == '[{"id": "a3'


def test_what_a_crash_left_is_finished(well: Workspace) -> None:
    cut_short(well)
    chart, _ = examine(well, MORNING)

    assert mend(well, chart, MORNING)[0].startswith("finished the run 0001-2026-11-15")
    assert trouble(well) == []


@pytest.mark.parametrize("name", ["removed-entries", "tombstones"])
def test_the_lists_of_what_was_forgotten_are_never_laid_aside(well: Workspace, name: str) -> None:
    path = well.vault / f"meta/{name}.json"
    path.write_text("{half")
    chart, signs = examine(well, MORNING)

    mend(well, chart, MORNING)

    assert path.read_text() == "{half"
    assert "state damaged" in trouble(well)
    assert "what you forgot may come back" in next(one.mend for one in signs if one.status == "state damaged")


@pytest.mark.parametrize(("name", "text"), [("suggestions", "{half"), ("questions", "[1]"), ("active-days", "{}")])
def test_a_damaged_list_that_blocks_the_nights_is_set_aside_and_what_is_lost_is_said(
    well: Workspace, name: str, text: str
) -> None:
    path = well.vault / f"meta/{name}.json"
    path.write_text(text)
    where = ("--workspace", well.root, "--now", MORNING.now().isoformat())

    assert f"dream-vault/meta/{name}.json is damaged" in call("doctor", *where).out
    mended = call("doctor", "--fix", *where)

    assert f"{name}.json.damaged; lost " in mended.out and "vault:" not in mended.out
    assert path.with_name(f"{name}.json.damaged").read_text() == text
    assert call("review", *where).code == 0


def test_who_holds_the_workspace_and_who_died_at_it(well: Workspace) -> None:
    hold = "import sys, time; from pathlib import Path; from reverie.apply.lock import held\nwith held(Path(sys.argv[1]), 'review', 'now', 0): print('held', flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", hold, str(well.root)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()

    def seen() -> tuple[str, str]:
        chart, _ = examine(well, MORNING)
        return chart.holder[:14], chart.killed[:14]

    assert seen() == ("`dream review`", "")
    child.kill()
    child.wait()
    child.stdout.close()
    assert seen() == ("", "`dream review`")
    chart, _ = examine(well, MORNING)
    mend(well, chart, MORNING)
    assert seen() == ("", "")
    assert (well.root / LOCK).read_bytes() == b""


def test_the_command_tells_it_and_its_exit_code_too(well: Workspace) -> None:
    now = "2026-11-15T08:30:00+01:00"
    switch(well, on=False)

    done = call("doctor", "--workspace", well.root, "--now", now)
    told = json.loads(call("doctor", "--workspace", well.root, "--now", now, "--json").out)

    assert done.code == 16
    assert "⚠ off: No. Nothing happens by itself until it is switched on. → dream on" in done.out
    assert told["status"] == "off"
    assert {"about": "on", "level": "bad", "status": "off", "mend": "dream on"}.items() <= told["signs"][0].items()


def test_a_daemon_that_died_is_noticed(well: Workspace) -> None:
    now = "2026-11-15T08:30:00+01:00"

    def told(at: str, *, stopped: bool = False) -> str:
        beat(heartbeat_file(os.environ), Beat(1, at, at, stopped=stopped))
        return str(json.loads(call("doctor", "--workspace", well.root, "--now", now, "--json").out)["signs"][0]["says"])

    assert "no sign of life" not in told("2026-11-15T08:29:00+01:00")  # it lives, and knows nothing of this folder
    keep_in_mind(well.root, os.environ, nights=True)
    assert told("2026-11-15T08:29:00+01:00") == "Yes, started by the daemon."
    assert told("2026-11-14T02:00:00+01:00") == "Yes, but the daemon has given no sign of life since 2026-11-14 02:00."
    assert told("2026-11-14T02:00:00+01:00", stopped=True) == "Yes, but nothing on this machine starts it."


def test_a_host_that_calls_it_every_night_is_known_by_its_calls(well: Workspace) -> None:
    now = "2026-11-16T08:30:00+01:00"
    recorded.review(well, fixed("2026-11-16T03:00:00+01:00"), by=recorded.SCHEDULE)

    done = call("doctor", "--workspace", well.root, "--now", now)
    late = call("doctor", "--workspace", well.root, "--now", "2026-11-20T08:30:00+01:00")

    assert "Yes; something on this machine calls the scheduled night." in done.out and done.code == 0
    assert "Yes, but nothing on this machine starts it. → dream schedule install" in late.out


def test_a_folder_that_is_empty_gets_an_answer_too(build: Build, tmp_path: Path) -> None:
    _, signs = examine(build({}), MORNING)

    assert [sign.status for sign in signs if sign.level is Severity.BAD] == ["never ran", "no files"]


BROKEN = ("memory/.dreams/reviewed.json", "memory/.dreams/index.db", "memory/.dreams/attempts.jsonl", "memory/.last_dream",
          "memory/.dreams/lock", "memory/.dreams/proposal.json", "memory/.dreams/switch.txt", "memory/.dreams/watched.json",
          "dream-vault/ledger.md", "dream-vault/meta/dream-state.txt", "dream-vault/meta/questions.json", "MEMORY.md",
          "memory/.dreams/runs/0001-2026-11-15/plan.json", "memory/.dreams/runs/0001-2026-11-15/DONE")  # fmt: skip


@given(
    st.sampled_from(BROKEN),
    st.binary(max_size=60) | st.sampled_from([b"[]", b"{}", b"null", b'{"after": 3}', b"[1, [2"]),
)
def test_nothing_it_meets_can_stop_it(path: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("MEMORY.md", b"- tea\n"), (path, data)):
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_bytes(text)

        _, signs = examine(Workspace(Path(folder), Path(folder) / "dream-vault"), MORNING)

    assert [sign.about for sign in signs][:5] == ["on", "ran", "read", "kept", "next"]


def test_machine_state_behind_a_link_is_told_and_stops_nobody(build: Build, tmp_path: Path) -> None:
    workspace = build({"MEMORY.md": "- tea\n", "memory/2026-11-14.md": "- x\n"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/reviewed.json").write_text("{}")
    (workspace.root / "memory/.dreams").symlink_to(tmp_path / "elsewhere")

    assert "file refused" in trouble(workspace)


def test_what_the_night_had_to_tell_is_told_here_after_its_notes_were_judged(build: Build, clock: FixedClock) -> None:
    workspace = build({"MEMORY.md": TWICE, "memory/2026-11-14.md": "- walked\n```\nnever closed\n"})
    recorded.review(workspace, clock)

    _, signs = examine(workspace, MORNING)

    [told] = [sign for sign in signs if sign.status == "notice"]
    assert told.says.startswith("memory/2026-11-14.md has an unclosed code fence. (what it covers is left alone")
