"""A memory that a team has together: found by search and recall, dreamt over by nobody, written by `dream share` alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput, BadSettings
from reverie.core.ports import fixed
from reverie.evidence.journal import events
from reverie.features.doctor.doctor import examine
from reverie.features.recall.recall import recall
from reverie.features.search import ask
from reverie.features.share import share
from reverie.night import commands
from reverie.night.remember import evidence_of
from reverie.surfaces.configure import configured
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Workspace
from terminal import call

CLOCK, OWNER = fixed(NIGHT), Author("owner", "cli")
MEMORY = "# Ada\n\n## Stable Knowledge\n- The pump valve is number 12\n- 📌 The office dog is called Bruno <!-- dream:a3f8c201 -->\n- The alarm code is 4711\n"
HANDBOOK = "# Handbook\n\n- The release train leaves every second Tuesday\n- The pump valve is number 31\n"


@pytest.fixture
def workspace(build: Build, tmp_path: Path) -> Workspace:
    (tmp_path / "team" / ".git").mkdir(parents=True)
    (tmp_path / "team" / "handbook.md").write_text(HANDBOOK)
    (tmp_path / "team" / ".git" / "note.md").write_text("- The release train is a program's own file\n")
    note = "- The release train leaves every second Tuesday\n"
    return replace(build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": note}), team=tmp_path / "team")


def test_the_teams_lines_are_found_as_the_teams_and_stand_behind_the_owners(workspace: Workspace) -> None:
    train = ask(workspace, None, CLOCK, "release train").hits
    valve = ask(workspace, None, CLOCK, "pump valve number").hits

    assert "team:handbook.md:3" not in [hit.place for hit in train]  # the owner's note says it in the same words
    assert [(hit.claim.path, hit.current) for hit in valve] == [("MEMORY.md", None), ("team:handbook.md", None)]
    assert (valve[1].claim.origin, valve[1].claim.group) == ("team", "team")
    assert "shared by the team" in valve[1].why


def test_recall_tells_the_teams_word_as_such_and_never_against_the_owners(workspace: Workspace) -> None:
    (workspace.root / "memory/2026-11-14.md").unlink()

    train = recall(workspace, CLOCK, "When does the release train leave?")
    valve = recall(workspace, CLOCK, "Which number is the pump valve?")

    assert train.summary == "The release train leaves every second Tuesday (shared by the team)"
    assert "12" in valve.summary
    assert "31" not in valve.summary


def test_what_the_team_tells_otherwise_is_left_out_and_what_it_adds_is_not(workspace: Workspace) -> None:
    assert workspace.team is not None
    (workspace.root / "MEMORY.md").write_text(
        "# Ada\n\n## Notes\n- The ladder leans behind the bakery\n- 备用钥匙挂在门后\n"
    )
    theirs = "- The ladder leans in the cellar\n- 备用钥匙挂在厨房\n- The kettle is in the left drawer\n"
    (workspace.team / "handbook.md").write_text(theirs)

    assert recall(workspace, CLOCK, "Where is the ladder?").summary == "The ladder leans behind the bakery"
    assert recall(workspace, CLOCK, "备用钥匙挂在哪里？").summary == "备用钥匙挂在门后"
    assert "left drawer" in recall(workspace, CLOCK, "Where is the kettle?").summary
    assert "team:handbook.md:1" in [hit.place for hit in ask(workspace, None, CLOCK, "ladder").hits]


def test_the_same_key_is_the_same_matter_whatever_follows(workspace: Workspace) -> None:
    assert workspace.team is not None
    (workspace.root / "MEMORY.md").write_text("# Ada\n\n## Notes\n- Lunch: Thursdays at 13:00\n")
    (workspace.team / "handbook.md").write_text("- Lunch: Tuesdays at 12:30\n")

    assert recall(workspace, CLOCK, "When is lunch?").summary == "Lunch: Thursdays at 13:00"


def test_a_missing_folder_of_the_team_is_called_by_its_name(workspace: Workspace, tmp_path: Path) -> None:
    _, signs = examine(replace(workspace, team=tmp_path / "gone"), CLOCK)

    (sign,) = [one for one in signs if one.status == "file refused"]
    assert "folder of your team is not there" in sign.says and "UTF-8" not in sign.mend


def test_a_night_knows_nothing_of_the_team(workspace: Workspace) -> None:
    ask(workspace, None, CLOCK, "pump valve number")

    evidence = evidence_of(read_workspace(workspace))

    assert {one.claim.path for one in evidence.fresh} == {"memory/2026-11-14.md"}
    assert [one.days for one in evidence.fresh] == [("2026-11-14",)]  # a second mouth is no second day
    assert "team:" not in json.dumps(list(events(workspace.root)))


def test_a_line_is_shared_once_and_undo_takes_it_back(workspace: Workspace) -> None:
    assert workspace.team is not None
    before = tree(workspace.team, without=(".dream-lock",)), tree(workspace.root)

    shown = share(workspace, CLOCK, "office dog", by=OWNER, dry_run=True)
    assert (tree(workspace.team, without=(".dream-lock",)), tree(workspace.root)) == before
    done = share(workspace, CLOCK, "a3f8c201", by=OWNER)

    assert "share: 1 line shared" in call("runs", "--workspace", workspace.root).out
    assert (
        (shown.text, shown.file)
        == (done.text, done.file)
        == ("The office dog is called Bruno", str(workspace.team / "shared.md"))
    )
    assert (
        workspace.team / "shared.md"
    ).read_text() == "# Shared memory\n\n## 2026-11-15\n\n- The office dog is called Bruno\n"
    assert (workspace.root / "MEMORY.md").read_text() == MEMORY
    assert share(workspace, CLOCK, "office dog", by=OWNER).known == "team:shared.md:5"

    with (workspace.team / "shared.md").open("a") as file:
        file.write("- The lift is out of order")  # somebody else, without a line's end
    share(workspace, CLOCK, "pump valve", by=OWNER)
    commands.undo(workspace, CLOCK)
    commands.undo(workspace, CLOCK)
    assert (workspace.team / "shared.md").read_text().endswith("- The lift is out of order")
    assert "Bruno" not in (workspace.team / "shared.md").read_text()


def test_a_secret_no_team_and_a_program_share_nothing(workspace: Workspace, build: Build) -> None:
    assert workspace.team is not None
    with pytest.raises(BadInput, match="may give access"):
        share(workspace, CLOCK, "alarm code", by=OWNER)
    with pytest.raises(BadInput, match="is not there"):
        share(replace(workspace, team=workspace.team / "away"), CLOCK, "office dog", by=OWNER)
    assert [one.path for one in read_workspace(replace(workspace, team=workspace.team / "away")).refused] == ["team:"]

    done = call("share", "office dog", "--workspace", workspace.root)

    assert (done.code, "Only its owner shares" in done.err) == (14, True)
    assert sorted(path.name for path in workspace.team.iterdir()) == [".dream-lock", ".git", "handbook.md"]


def test_a_workspace_cannot_name_the_folder_and_the_team_lies_beside_it(build: Build, tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path / "home")}
    mine = build({"MEMORY.md": MEMORY, "reverie.toml": '[share]\nfolder = "/tmp"\n'})
    with pytest.raises(BadSettings):
        configured(mine.root, environ)

    (mine.root / "reverie.toml").unlink()
    settings = tmp_path / "home/.config/reverie/reverie.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[share]\nfolder = "{mine.root}/memory/team"\n')
    with pytest.raises(BadSettings, match="lie in each other"):
        configured(mine.root, environ)
