"""An undo restores every byte of a run, the recall store's too; a refused night changes none, and nobody calls it killed."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.layout import ATTEMPTS, LOCK, RECALLS, RUNS
from reverie.judge import proposals, worth
from reverie.openclaw import deep
from reverie.workspace.values import Workspace
from terminal import call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and locks")
PROOF_OF_LIFE = (ATTEMPTS, LOCK)  # that somebody tried is written down, and nothing else
MEMORY = "# Ada\n\n- likes tea\n- likes tea\n"
DAYS = ("2026-11-05", "2026-11-09", "2026-11-13")
NOOR = "Noor is allergic to penicillin"


def owner_says(settings: str) -> None:
    home = Path(os.environ["HOME"]) / ".config/reverie"
    home.mkdir(parents=True)
    (home / "reverie.toml").write_text(settings)


@pytest.fixture
def fair(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is promoted is not the subject here."""

    def known(lines: Sequence[worth.LineToWeigh], embed: object, *, quick: bool = False) -> list[worth.Worth]:
        return [worth.Worth(1.0, "fact", {"fact": 1.0}) for _ in lines]

    monkeypatch.setattr(deep, "worth_of", known)
    monkeypatch.setattr(proposals, "worth_of", known)


@pytest.mark.parametrize("way", ["the run", "only its line"])
@pytest.mark.parametrize("peers", ["without the peer", "beside the peer"])
def test_the_undo_of_a_promotion_leaves_the_recall_store_byte_for_byte(
    build: Build, fair: None, peers: str, way: str
) -> None:
    owner_says('[search]\nembedder = "off"\n')
    notes = {f"memory/{day}.md": f"# Log\n- {NOOR}\n" for day in DAYS}
    workspace = build({"MEMORY.md": "# Ada\n\n- likes tea\n", **notes})
    if peers == "beside the peer":
        about = {"path": "memory/2026-11-13.md", "startLine": 2, "endLine": 2, "source": "memory", "snippet": NOOR}
        seen = {
            "recallCount": 5,
            "totalScore": 4.5,
            "maxScore": 0.9,
            "queryHashes": ["a", "b", "c", "d"],
            "recallDays": list(DAYS),
        }
        when = {"firstRecalledAt": "2026-11-05T08:00:00.000Z", "lastRecalledAt": "2026-11-14T08:00:00.000Z"}
        store = {
            "version": 1,
            "entries": {
                "memory:memory/2026-11-13.md:2:2": {"key": "memory:memory/2026-11-13.md:2:2", **about, **seen, **when}
            },
        }
        target = workspace.root / "memory/.dreams/short-term-recall.json"
        target.parent.mkdir(parents=True)
        target.write_text(json.dumps(store))
    asked = ("--workspace", workspace.root, "--now", NIGHT)
    for question in ("what is Noor allergic to", "Noor penicillin", "which medicine may Noor not take"):
        call("search", question, *asked)
    gates = ("--min-score", "0", "--min-recall-count", "0", "--min-unique-queries", "0")
    call("promote", *gates, *asked)  # what was asked for is in the store
    passing = (RUNS, LOCK, "memory/.dreams/index.db", "memory/.dreams/fold.lock")
    before = tree(workspace.root, without=passing)

    call("promote", "--apply", *gates, *asked)
    promoted = tree(workspace.root, without=passing)
    line = re.search(rb"dream:([0-9a-f]{8})", promoted["MEMORY.md"])
    only = ("--only", line[1].decode()) if line and way == "only its line" else ()
    call("undo", *only, "--workspace", workspace.root, "--now", "2026-11-16T03:00:00+01:00")

    assert NOOR.encode() in promoted["MEMORY.md"] and b"promotedAt" in promoted[RECALLS]
    after = tree(workspace.root, without=passing)
    kept = after.keys() if way == "the run" else (RECALLS,)  # the heading it came under stays, and the log tells of it
    assert {path: after[path] for path in kept} == {path: before.get(path) for path in kept}
    assert before.keys() <= after.keys()


def linked_memory(root: Path) -> None:
    (root / "MEMORY.md").rename(root / "elsewhere.md")
    (root / "MEMORY.md").symlink_to("elsewhere.md")


def piped_memory(root: Path) -> None:
    (root / "MEMORY.md").unlink()
    os.mkfifo(root / "MEMORY.md")


def linked_vault(root: Path) -> None:
    (root / "dream-vault").symlink_to(root.parent)


def file_as_vault(root: Path) -> None:
    (root / "dream-vault").write_text("no folder")


def folder_as_ledger(root: Path) -> None:
    (root / "dream-vault/ledger.md").mkdir(parents=True)


def linked_state(root: Path) -> None:
    (root / "memory/.dreams").symlink_to(root.parent)


def wrong_settings(root: Path) -> None:
    (root / "reverie.toml").write_text("[memory]\nhrad = 1\n")


REFUSALS = (linked_memory, piped_memory, linked_vault, file_as_vault, folder_as_ledger, linked_state, wrong_settings)


@pytest.mark.parametrize("because", REFUSALS)
def test_a_refused_night_changes_no_byte_and_is_not_called_killed(
    build: Build, because: Callable[[Path], None]
) -> None:
    owner_says('[search]\nembedder = "off"\n')
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- a walk\n"})
    because(workspace.root)
    before = tree(workspace.root, without=PROOF_OF_LIFE)

    refused = call("review", "--workspace", workspace.root, "--now", NIGHT)

    assert refused.code != 0 and tree(workspace.root, without=PROOF_OF_LIFE) == before
    told = call("doctor", "--workspace", workspace.root, "--now", NIGHT).out
    assert "was killed" not in told and "crash" not in told


@pytest.mark.parametrize("command", [("apply", "plan.json"), ("undo", "7"), ("answer", "abcd1234", "first")])
def test_any_other_command_that_is_refused_changes_no_byte_either(build: Build, command: tuple[str, ...]) -> None:
    owner_says('[search]\nembedder = "off"\n')
    workspace = build({"MEMORY.md": MEMORY})
    asked = ("--workspace", workspace.root, "--now", NIGHT)
    plan = workspace.root.parent / "plan.json"
    plan.write_text(call("plan", "--json", *asked).out)
    (workspace.root / "MEMORY.md").write_text(MEMORY + "- typed since\n")
    before = tree(workspace.root, without=PROOF_OF_LIFE)

    refused = call(*(str(plan) if word == "plan.json" else word for word in command), *asked)

    assert refused.code != 0 and tree(workspace.root, without=PROOF_OF_LIFE) == before
    assert "was killed" not in call("doctor", *asked).out


def test_a_run_that_is_being_written_is_not_called_the_work_of_a_crash(build: Build) -> None:
    workspace: Workspace = build({"MEMORY.md": MEMORY})
    (workspace.root / RUNS / "0001-2026-11-15").mkdir(parents=True)
    with (workspace.root / LOCK).open("w+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = call("doctor", "--workspace", workspace.root, "--now", NIGHT).out

    assert "crash" not in told and "held by" in told
