"""Status: seed 000's overview from small state files; MEMORY.md and the ledger are never opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import Build
from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Memory, Settings
from reverie.features.status import Glance, as_lines, glance, warning
from reverie.night import commands
from reverie.surfaces.cli import main
from reverie.workspace.values import Workspace

MORNING = fixed("2026-11-15T08:30:00+01:00")
MEMORY = "# Me\n- likes tea\n- likes tea\n- 喜欢喝茶😀\n"


def look(workspace: Workspace) -> Glance:
    return glance(workspace.root, workspace.vault, workspace.settings, MORNING.now())


def english() -> None:
    """Whatever MEMORY.md is written in, this owner wants to be spoken to in English."""
    mine = Path(os.environ["HOME"]) / ".config/reverie/reverie.toml"
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text('language = "en"\n')


@pytest.fixture
def dreamt(build: Build, clock: FixedClock) -> Workspace:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- walked\n"})
    commands.review(workspace, clock)
    return workspace


def test_after_a_night_it_says_exactly_this(dreamt: Workspace) -> None:
    assert list(as_lines(look(dreamt))) == [
        "🌙 Dream Status — 2026-11-15 08:30",
        "MEMORY.md: 26 chars / 18,000 limit (0%)",
        "Permanent archive: 1 record",
        "Last distillation: 2026-11-15 03:00 (5 hours ago)",
        "System state: active",
        "Obsidian index: 0 entries",
        "Pending journals: 0 files",
    ]


def test_a_bare_folder_says_exactly_this(build: Build) -> None:
    assert list(as_lines(look(build({})))) == [
        "🌙 Dream Status — 2026-11-15 08:30",
        "MEMORY.md: 0 chars / 18,000 limit (0%)",
        "Permanent archive: 0 records",
        "Last distillation: never",
        "System state: active",
        "Obsidian index: 0 entries",
        "Pending journals: 0 files",
    ]


def test_a_night_that_was_put_off_says_for_how_long_it_waits(build: Build) -> None:
    workspace = build({"dream-vault/meta/dream-state.txt": "pending\n"})
    since = MORNING.now().timestamp() - 45 * 60
    os.utime(workspace.vault / "meta/dream-state.txt", (since, since))

    assert "System state: pending (deferred, waiting 45 min)" in as_lines(look(workspace))


def test_a_folder_nobody_dreamt_in_counts_bytes_as_an_upper_bound(build: Build) -> None:
    files: dict[str, str | bytes] = {
        "MEMORY.md": MEMORY,
        "memory/2026-11-14.md": "x",
        "memory/2026/10/2026-10-12.md": "x",
        "memory/topic.md": "x",
        "dream-vault/ledger-index.json": "[{}, {}]",
        "dream-vault/meta/last-review.txt": "2026-11-14 03:30\n",
        "dream-vault/meta/dream-state.txt": "hibernating\n",
        "dream-vault/obsidian-index/_index.md": "# Content index\n\n- one\n",
    }

    assert list(as_lines(look(build(files))))[1:] == [
        "MEMORY.md: at most 48 chars / 18,000 limit (0%)",
        "Permanent archive: 2 records",
        "Last distillation: 2026-11-14 03:30 (29 hours ago)",
        "System state: hibernating",
        "Obsidian index: 1 entry",
        "Pending journals: 2 files",
    ]


def test_a_memory_that_changed_since_is_told_in_its_own_ratio_of_bytes(dreamt: Workspace) -> None:
    with (dreamt.root / "MEMORY.md").open("ab") as file:
        file.write(b"- more\n")

    assert (
        list(as_lines(look(dreamt)))[1] == "MEMORY.md: about 31 chars / 18,000 limit (0%, changed since the last dream)"
    )


def test_new_and_longer_notes_are_pending(dreamt: Workspace) -> None:
    (dreamt.root / "memory/2026-11-14.md").write_text("- walked and swam\n")
    (dreamt.root / "memory/2026-11-15-0900.md").write_text("- rowed\n")

    assert look(dreamt).pending == 2


def test_of_memory_only_the_beginning_is_read_and_the_ledger_is_not_opened(dreamt: Workspace) -> None:
    spy = (
        "import sys; from pathlib import Path; seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append(str(args[0])) if event == 'open' else None)\n"
        "from reverie.surfaces.cli import main\n"
        "main(['status', '--workspace', sys.argv[1]], standalone_mode=False)\n"
        "print('\\n'.join(p for p in seen if sys.argv[1] in p), file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", spy, str(dreamt.root)], capture_output=True, text=True, env=dict(os.environ), check=True
    )

    opened = {os.path.relpath(path, dreamt.root) for path in run.stderr.split()}
    assert "memory/.dreams/reviewed.json" in opened
    assert opened <= {
        "memory/.dreams/reviewed.json",
        "dream-vault/meta/last-review.txt",
        "dream-vault/meta/dream-state.txt",
        "reverie.toml",
        "DREAM.md",
        "openclaw.json",
        "memory/.dreams/switch.txt",
        "MEMORY.md",
    }  # fmt: skip  the beginning of MEMORY.md tells which language its owner speaks


def test_a_glance_writes_nothing(dreamt: Workspace) -> None:
    before = {path: path.stat().st_mtime_ns for path in dreamt.root.rglob("*")}

    look(dreamt)

    assert {path: path.stat().st_mtime_ns for path in dreamt.root.rglob("*")} == before


@pytest.mark.parametrize(
    ("characters", "said"),
    [
        (700, ""),
        (764, ""),
        (766, "MEMORY.md is at 85% of its limit. The next dream will make room."),
        (900, "MEMORY.md is at 100% of its limit. The next dream will make room."),
        (950, "MEMORY.md is over its limit of 900 characters. Run `dream review`."),
        (
            1500,
            "MEMORY.md is cut in every conversation: about 500 characters beyond 1,000 are not seen. Run `dream review`.",
        ),
    ],
)
def test_the_warning_grows_with_the_size(build: Build, characters: int, said: str) -> None:
    seen = {"memory": {"characters": characters, "bytes": characters}}
    files: dict[str, str | bytes] = {"MEMORY.md": "x" * characters, "memory/.dreams/reviewed.json": json.dumps(seen)}

    assert warning(look(build(files, Settings(memory=Memory(truncation=1000))))) == said


def test_bytes_that_were_never_counted_are_no_ground_for_alarm(build: Build) -> None:
    seen = look(build({"MEMORY.md": "字" * 6000}))

    assert warning(seen) == "MEMORY.md was never counted and may be near its limit. Run `dream review`."


@pytest.mark.parametrize(
    "state",
    ["", "oops", "[]", '{"memory": 5}', '{"memory": {"characters": null, "bytes": null}}', '{"memory": {"bytes": 48}}',
     '{"archive": "x", "index": [], "read": 3}', '{"memory": {"characters": "x", "bytes": 48}}'],
)  # fmt: skip
def test_a_damaged_state_file_makes_the_glance_vague_not_impossible(build: Build, state: str) -> None:
    workspace = build({"MEMORY.md": MEMORY, "memory/.dreams/reviewed.json": state})

    assert len(list(as_lines(look(workspace)))) == 7


@pytest.mark.parametrize("last", ["soon", "2026-11-15", "2026-11-16 03:00"])
def test_a_last_review_that_cannot_be_told_in_hours_is_shown_as_it_is(build: Build, last: str) -> None:
    workspace = build({"dream-vault/meta/last-review.txt": last})

    assert list(as_lines(look(workspace)))[3] == f"Last distillation: {last}"


def test_a_version_that_lies_beside_its_run_is_named_until_it_is_gone(dreamt: Workspace) -> None:
    run = dreamt.root / "memory/.dreams/runs/0001-2026-11-15"
    files = [file["path"] for file in json.loads((run / "COMMIT").read_text())["files"]]
    beside = run / f"kept-{files.index('MEMORY.md')}-1a2b3c4d"
    beside.write_text("# Me, saved in between\n")
    english()
    told = (
        "memory/.dreams/runs/0001-2026-11-15/"
        + beside.name
        + " is another version of MEMORY.md, saved in the instant it "
        "was replaced. Take from it what you miss, then delete it; it may hold a secret."
    )

    assert [str(one) for one in look(dreamt).kept] == [told]
    for command in ("status", "runs"):
        assert f"⚠ {told}\n" in said(command, dreamt)
    asked = json.loads(said("status", dreamt, "--json"))
    assert asked["kept"] == json.loads(said("runs", dreamt, "--json"))[0]["kept"] != []
    beside.unlink()
    assert look(dreamt).kept == ()


@pytest.mark.parametrize("name", ["kept-", "kept-x-1", "kept-99-1"])
@pytest.mark.parametrize("commit", ["", "[]", '{"files": 3}', '{"files": [5]}'])
def test_a_kept_version_is_named_even_if_its_run_is_damaged(build: Build, name: str, commit: str) -> None:
    runs = "memory/.dreams/runs"
    workspace = build({f"{runs}/0001-x/{name}": "mine", f"{runs}/0001-x/COMMIT": commit, f"{runs}/stray": "no folder"})

    assert [(one.path, one.of) for one in look(workspace).kept] == [(f"{runs}/0001-x/{name}", "a file")]


def test_a_name_that_is_not_ours_is_not_shown(build: Build) -> None:
    runs = "memory/.dreams/runs/0001-x"
    commit = json.dumps({"files": [{"path": "MEMORY\u202e.md"}]})
    workspace = build({f"{runs}/kept-0-\x1b[31m": "?", f"{runs}/kept-0-abc": "mine", f"{runs}/COMMIT": commit})

    assert [(one.path, one.of) for one in look(workspace).kept] == [(f"{runs}/kept-0-abc", "a file")]


def said(command: str, workspace: Workspace, *more: str) -> str:
    done = CliRunner().invoke(main, [command, "--workspace", str(workspace.root), *more])
    assert done.exit_code == 0, done.output
    return done.output
