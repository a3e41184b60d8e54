"""`dream on` and `dream off`: a word of state, and who obeys it; and one look at every workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Build
from reverie.apply.files import Disk
from reverie.apply.state import put_state
from reverie.core.errors import RefusedFile, WriteFailed
from reverie.core.layout import DREAM_STATE, SWITCH
from reverie.features.schedule.when import switch
from reverie.features.status import is_on
from terminal import call


def test_it_is_on_until_somebody_says_off(build: Build) -> None:
    workspace = build({"MEMORY.md": "- tea\n"})

    assert is_on(workspace.root, workspace.settings)
    assert switch(workspace, on=False)
    assert not is_on(workspace.root, workspace.settings)
    assert not switch(workspace, on=False), "said twice, done once"
    assert switch(workspace, on=True)
    assert is_on(workspace.root, workspace.settings)


def test_on_in_a_fresh_folder_writes_nothing(build: Build) -> None:
    workspace = build({})

    assert not switch(workspace, on=True)
    assert list(workspace.root.iterdir()) == []


def test_a_link_in_its_place_is_not_followed(build: Build, tmp_path: Path) -> None:
    workspace = build({"memory/.dreams/x": ""})
    (tmp_path / "theirs").write_text("keep me")
    (workspace.root / SWITCH).symlink_to(tmp_path / "theirs")

    with pytest.raises(RefusedFile):
        put_state(workspace, SWITCH, "off")
    assert (tmp_path / "theirs").read_text() == "keep me"


class Full(Disk):
    def write(self, path: Path, data: bytes, like: object = None) -> None:
        raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_old_word(build: Build) -> None:
    workspace = build({"dream-vault/meta/dream-state.txt": "hibernating\n"})

    with pytest.raises(WriteFailed, match="No space left"):
        put_state(workspace, DREAM_STATE, "active", Full())
    assert (workspace.root / "dream-vault/meta/dream-state.txt").read_text() == "hibernating\n"


def test_what_it_says_already_is_not_written_again(build: Build) -> None:
    workspace = build({"dream-vault/meta/dream-state.txt": "active\n"})

    assert not put_state(workspace, DREAM_STATE, "active", Full())


def test_status_tells_it_and_a_review_by_hand_still_works(build: Build) -> None:
    root = build({"MEMORY.md": "# Me\n- tea\n- tea\n"}).root

    assert call("off", "--workspace", root).out.startswith("Dreaming is off. ")
    assert call("off", "--workspace", root).out.startswith("Dreaming was off already. ")
    told = call("status", "--workspace", root).out
    assert "System state: off; nothing happens by itself" in told and "active" not in told
    assert json.loads(call("status", "--workspace", root, "--json").out)["on"] is False
    assert call("review", "--workspace", root).code == 0
    assert (root / "MEMORY.md").read_text().count("tea") == 1
    assert call("on", "--workspace", root).out.startswith("Dreaming is on. ")
    assert "off" not in call("status", "--workspace", root).out


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two workspaces; the second has settings that make no sense."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "MEMORY.md").write_text("- 喜欢喝茶\n", "utf-8")
    (tmp_path / "two" / "reverie.toml").write_text("nonsense = 1\n")
    (tmp_path / ".config/reverie").mkdir(parents=True)
    named = json.dumps([str(tmp_path / "one"), str(tmp_path / "two")])
    (tmp_path / ".config/reverie/reverie.toml").write_text(f'language = "en"\nworkspaces = {named}\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_every_workspace_is_listed_also_the_broken_one(two: Path) -> None:
    listed = json.loads(call("workspaces", "--json").out)

    assert [(item["label"], item["source"]) for item in listed] == [("one", "settings"), ("two", "settings")]
    assert listed[0]["last_review"] is None
    assert "nonsense" in listed[1]["error"]
    assert "last dream never" in call("workspaces").out


def test_status_of_all_shows_the_good_one_and_fails_for_the_other(two: Path) -> None:
    done = call("status", "--all", "--json")
    told = json.loads(done.out)

    assert done.code == 15
    assert told[0]["result"]["state"] == "active"
    assert (told[1]["error"], told[1]["exit_code"]) == ("BadSettings", 7)
    assert "nonsense" in done.err
    assert "one — " in call("status", "--all").out


def test_when_all_are_well_the_exit_code_is_zero(two: Path) -> None:
    (two / "two" / "reverie.toml").unlink()

    assert call("status", "--all").code == 0


def test_a_hibernating_memory_says_for_how_long(build: Build) -> None:
    files = {"dream-vault/meta/dream-state.txt": "hibernating\n", "dream-vault/meta/active-days.json": '["2026-11-01"]'}
    root = build(files).root  # type: ignore[arg-type]

    out = call("status", "--workspace", root, "--now", "2026-11-15T08:00:00+01:00").out

    assert "System state: hibernating (dormant 14 days)" in out
