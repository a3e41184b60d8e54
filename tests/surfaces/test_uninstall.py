"""`dream uninstall` takes away everything of ours, nothing of anybody else's, and proves it by looking again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conftest import tree
from reverie.features.uninstall import found
from reverie.surfaces.configure import cache_folder
from terminal import Done, call

NOW = ("--now", "2026-11-15T03:00:00+01:00")
CLAUDE = '{\n  "theme": "dark"\n}\n'
OPENCLAW = "memory/.dreams/short-term-recall.json"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has us everywhere: a memory with nights in it, a host that was told of us, settings, state and a cache."""
    home, root = tmp_path / "home", tmp_path / "home" / "agent"
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))
    files = {
        "agent/MEMORY.md": "# Me\n- likes tea\n- uses vim\n- likes tea\n",
        "agent/memory/2026-11-14.md": "- walked\n",
        f"agent/{OPENCLAW}": "{}",
        ".claude/settings.json": CLAUDE,
        "config/reverie/reverie.toml": 'workspaces = ["~/agent"]\n',
        "cache/reverie/tables.bin": "derived",
    }
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    monkeypatch.chdir(root)
    assert call("review", *NOW).code == 0
    assert call("palace", "--rebuild", *NOW).code == 0
    assert call("integrate", "claude-code", "--yes").code == 0
    return home


def uninstall(*flags: str) -> tuple[Done, list[str]]:
    done = call("uninstall", "--yes", "--json", *flags)
    return done, [one["part"] for one in json.loads(done.out)["left"]]


def test_a_dry_run_shows_everything_and_takes_nothing_away(machine: Path) -> None:
    before = tree(machine, without=())

    done = call("uninstall", "--dry-run")

    assert (done.code, tree(machine, without=())) == (0, before)
    for told in (
        "`dream integrate claude-code`",
        "state in",
        "tables in",
        "reverie.toml",
        "memory/.dreams",
        "ledger.md",
    ):
        assert told in done.out


def test_nobody_to_ask_and_no_yes_takes_nothing_away(machine: Path) -> None:
    before = tree(machine, without=())

    assert (call("uninstall").code, tree(machine, without=())) == (14, before)


def test_what_runs_on_the_machine_goes_and_what_is_only_there_once_stays(machine: Path) -> None:
    memory = tree(machine / "agent", without=())

    done, left = uninstall()

    assert (done.code, sorted(left)) == (
        0,
        ["archive", "archive", "settings", "workspace"],
    )  # the list of folders with what they hold
    assert (machine / ".claude/settings.json").read_text() == CLAUDE
    assert [one.name for one in (machine / "state/reverie").iterdir()] == ["folders.jsonl"]
    assert not (machine / "cache/reverie").exists()
    assert tree(machine / "agent", without=()) == memory


def test_with_every_word_nothing_of_ours_is_left_and_nothing_of_theirs_is_missing(machine: Path) -> None:
    theirs = {name: (machine / "agent" / name).read_bytes() for name in ("MEMORY.md", "memory/2026-11-14.md", OPENCLAW)}

    done, left = uninstall("--settings-too", "--workspace-too", "--archive-too")

    assert (done.code, left, found(os.environ, cache_folder(os.environ), ())) == (0, [], ())
    assert tree(machine / "agent", without=()) == theirs
    assert call("uninstall", "--yes").out.startswith("There was nothing of ours")


def test_the_archive_stays_without_its_own_word(machine: Path) -> None:
    beside = machine / "state/reverie/somebody/dream-vault/ledger.md"  # of a host that keeps its memory to itself
    beside.parent.mkdir(parents=True)
    beside.write_text("# Ledger\n")
    ledger = (machine / "agent/dream-vault/ledger.md").read_bytes()

    _, left = uninstall("--settings-too", "--workspace-too")

    assert (left, (machine / "agent/dream-vault/ledger.md").read_bytes()) == (["archive", "archive", "archive"], ledger)
    assert beside.read_text() == "# Ledger\n"
    assert uninstall("--archive-too")[1] == [] and not (machine / "state/reverie").exists()


def test_lines_that_were_edited_stay_with_their_record_and_are_told(machine: Path) -> None:
    settings = machine / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"timeout": 20', '"timeout": 21'))

    done, left = uninstall()

    assert done.code == 15 and "machine" in left and "settings.json" in done.out
    assert list((machine / "state/reverie/integrations").iterdir()) != []


def test_every_folder_that_a_command_wrote_in_is_found_from_anywhere(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, words in (("notes", ("review", *NOW)), ("new", ("init",))):
        (machine / name).mkdir()
        (machine / name / "MEMORY.md").write_text("- likes tea\n- likes tea\n")
        monkeypatch.chdir(machine / name)
        assert call(*words).code == 0
    monkeypatch.chdir(machine)

    _, first = uninstall()  # the list of folders stays as long as something lies in them
    done, left = uninstall("--settings-too", "--workspace-too", "--archive-too")

    assert (done.code, left, first.count("archive")) == (0, [], 4)
    assert [str(one) for one in machine.rglob("*dream*")] == [str(machine / "agent/memory/.dreams")]  # OpenClaw's
    assert not (machine / "state").exists() or not list((machine / "state").iterdir())


def test_an_empty_notes_folder_of_the_owners_stays(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine / "other/memory").mkdir(parents=True)
    monkeypatch.chdir(machine / "other")
    assert call("review", *NOW).code == 0

    uninstall("--workspace-too", "--archive-too")

    assert list((machine / "other").iterdir()) == [machine / "other/memory"]


def test_a_server_that_the_owner_told_claude_code_of_is_theirs_to_take_back(machine: Path) -> None:
    (machine / ".claude.json").write_text('{"mcpServers": {"reverie": {"command": "dream"}}}')
    command = "claude mcp remove --scope user reverie"

    assert command in call("uninstall", "--yes").out
    assert "nothing of ours is left" not in call("uninstall", "--yes", "--workspace-too", "--archive-too").out


def test_taking_claude_code_back_names_the_server_too(machine: Path) -> None:
    (machine / ".claude.json").write_text('{"mcpServers": {"reverie": {"command": "dream"}}}')

    assert "claude mcp remove --scope user reverie" in call("integrate", "claude-code", "--remove", "--yes").out


def test_a_file_is_named_once_and_the_folder_of_settings_goes_when_it_is_empty(machine: Path) -> None:
    (machine / "config/reverie/reverie.toml").unlink()
    (machine / ".hermes").mkdir()
    (machine / ".hermes/config.yaml").write_text("model: small\n")
    call("integrate", "hermes", "--yes")
    named = call("uninstall", "--dry-run").out

    uninstall()

    assert named.count(".hermes/config.yaml") == 1
    assert not (machine / "config/reverie").exists() and (machine / ".hermes/config.yaml").exists()
