"""`dream promote`, `promote-explain`, `why-not` and `status --deep`, as people and programs call them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.layout import JUDGED, PEER_RECALLS, RECALLS
from reverie.judge import proposals, worth
from reverie.openclaw import deep
from reverie.workspace.values import Workspace
from terminal import Done, call

PEER = Path(__file__).parents[1] / "peer"
PRINTED = json.loads((PEER / "printed.json").read_text("utf-8"))["2026.5.7"]["promote"]
PEERS_FIELDS = {
    "key", "path", "startLine", "endLine", "source", "snippet", "recallCount", "dailyCount", "groundedCount", "signalCount", "avgScore",
    "maxScore", "uniqueQueries", "firstRecalledAt", "lastRecalledAt", "ageDays", "score", "recallDays", "conceptTags", "components",
}  # fmt: skip
NOOR = "Noor is allergic to penicillin"
GATEWAY = "The gateway listens on port 8443"
DAYS = ("2026-11-05", "2026-11-09", "2026-11-13")


@pytest.fixture(autouse=True)
def fair(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of the recall lane are the subject here, not what the learned judge thinks of a line."""

    def known(lines: Sequence[worth.LineToWeigh], embed: object, *, quick: bool = False) -> list[worth.Worth]:
        return [worth.Worth(float("heartbeat" not in line.text), "fact", {"fact": 1.0}) for line in lines]

    monkeypatch.setattr(deep, "worth_of", known)
    monkeypatch.setattr(proposals, "worth_of", known)


def dream(workspace: Workspace, *args: str) -> Done:
    return call(*args, "--workspace", workspace.root, "--now", NIGHT)


def value(workspace: Workspace, *args: str) -> Any:
    done = dream(workspace, *args, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


@pytest.fixture(autouse=True)
def words_alone(hermetic: None) -> None:
    """An owner without an embedder: what is ranked here is what was counted."""
    home = Path(os.environ["HOME"]) / ".config/reverie"
    home.mkdir(parents=True)
    (home / "reverie.toml").write_text('[search]\nembedder = "off"\n')


@pytest.fixture
def workspace(build: Build) -> Workspace:
    """A fact on three days, one on two, and some of the day's noise."""
    files = {
        f"memory/{day}.md": f"# Log\n- {NOOR}\n- walked {nth} km\n- heartbeat ok\n" for nth, day in enumerate(DAYS)
    }
    files["memory/2026-11-09.md"] += f"- {GATEWAY}\n"
    return build({"MEMORY.md": "# Ada\n\n- likes tea\n", "reverie.toml": "", **files})


# The peer's numbers


@pytest.mark.parametrize("nth", range(4))
def test_under_the_peers_rules_its_store_gives_its_candidates_in_its_order_with_its_scores(
    tmp_path: Path, nth: int
) -> None:
    printed = PRINTED[nth]
    root = tmp_path / "ws"
    shutil.copytree(PEER / "2026.5.7-backfilled", root)
    (root / "reverie.toml").write_text('[dreaming]\nprofile = "openclaw-2026.4"\n')
    gates = () if printed["gates"] else ("--min-score", "0", "--min-recall-count", "0", "--min-unique-queries", "0")
    shown = () if printed["promotedLeftOut"] else ("--include-promoted",)

    done = call("promote", *gates, *shown, "--json", "--workspace", root, "--now", printed["now"])

    found = json.loads(done.out)
    ours = [(one["key"], round(one["score"], 3)) for one in found["candidates"]]
    assert ours == [(one["key"], round(one["score"], 3)) for one in printed["candidates"]]
    assert all(set(one) >= PEERS_FIELDS for one in found["candidates"])
    assert (found["audit"]["entryCount"], found["audit"]["spacedEntryCount"]) == (len(stored(root)), spaced(root))


def stored(root: Path) -> dict[str, Any]:
    stores = [root / path for path in (PEER_RECALLS, RECALLS) if (root / path).exists()]
    return {key: entry for path in stores for key, entry in json.loads(path.read_text("utf-8"))["entries"].items()}


def spaced(root: Path) -> int:
    return sum(len(entry["recallDays"]) > 1 for entry in stored(root).values())


# Looking


def test_a_look_names_what_would_enter_and_what_would_not_and_changes_nothing_of_the_owners(
    workspace: Workspace,
) -> None:
    before = tree(workspace.root)

    found = {one["snippet"]: one for one in value(workspace, "promote")["candidates"]}

    assert found[NOOR]["enters"] == NOOR
    assert found["heartbeat ok"]["refusedFor"] == "untrusted"
    assert GATEWAY not in found and tree(workspace.root) == before


def test_questions_let_in_what_one_day_alone_does_not(workspace: Workspace) -> None:
    for question in ("gateway port", "where does the gateway listen"):
        dream(workspace, "search", question, "--max-results", "1")

    found = {one["snippet"]: one for one in value(workspace, "promote")["candidates"]}

    assert (found[GATEWAY]["recallCount"], found[GATEWAY]["uniqueQueries"], found[GATEWAY]["enters"]) == (2, 3, GATEWAY)


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ((), 2),
        (("--limit", "1"), 1),
        (("--min-score", "0.9"), 0),
        (("--min-recall-count", "4"), 0),
        (("--min-unique-queries", "4"), 0),
    ],
)
def test_gates_can_be_asked_for(workspace: Workspace, flags: tuple[str, ...], count: int) -> None:
    assert len(value(workspace, "promote", *flags)["candidates"]) == count


# Applying


def test_applying_is_a_run_that_can_be_undone_and_leaves_new_notes_to_the_night(workspace: Workspace) -> None:
    before = tree(workspace.root)

    done = value(workspace, "promote", "--apply")["apply"]

    memory = (workspace.root / "MEMORY.md").read_text()
    assert (done["appended"], done["changed"], done["refused"]) == (1, True, {"untrusted": 1})
    assert memory.startswith("# Ada\n\n- likes tea\n") and f"- {NOOR} <!-- dream:" in memory
    assert not (workspace.root / JUDGED).exists()
    dream(workspace, "undo")
    assert tree(workspace.root) == before


def test_applying_twice_enters_nothing_twice(workspace: Workspace) -> None:
    dream(workspace, "promote", "--apply")
    once = tree(workspace.root)

    again = value(workspace, "promote", "--apply")["apply"]

    assert (again["changed"], again["reconciledExisting"], tree(workspace.root)) == (False, 1, once)


def test_a_full_memory_takes_nothing_in_and_says_so(workspace: Workspace) -> None:
    (workspace.root / "MEMORY.md").write_text("# Ada\n" + "- 📌 a line that nobody may cut\n" * 249)

    done = value(workspace, "promote", "--apply")["apply"]

    assert (done["changed"], done["refused"]["budget"]) == (False, 1)


# Explaining


def test_a_candidate_is_explained_to_the_last_decimal(workspace: Workspace) -> None:
    told = value(workspace, "promote-explain", "penicillin")

    one, weights = told["candidate"], told["weights"]
    base = sum(one["components"][name] * weights[name] for name in weights)
    assert sum(weights.values()) == pytest.approx(1)
    assert one["score"] == pytest.approx(base + one["phaseBoost"])
    assert told["passes"] == {"score": True, "recallCount": True, "uniqueQueries": True, "maxAge": True}
    assert [gate["margin"] for gate in one["gates"]] == [pytest.approx(g["value"] - g["threshold"]) for g in one["gates"][:3]] + [
        pytest.approx(one["gates"][3]["threshold"] - one["gates"][3]["value"])
    ]  # fmt: skip
    assert 0 <= told["judge"]["keep"] <= 1 and sum(told["judge"]["kinds"].values()) == pytest.approx(1, abs=1e-3)


def test_what_is_below_a_gate_is_explained_too_by_words_place_or_alias(workspace: Workspace) -> None:
    for selector in ("gateway listens", "memory/2026-11-09.md:5-5", "port gateway"):
        done = dream(workspace, "explain", selector)
        assert done.code == 0 and "gate signals  1.000 against 3.000 (-2.000): not passed" in done.out


def test_a_selector_that_means_nothing_is_an_error_with_a_next_step(workspace: Workspace) -> None:
    done = dream(workspace, "promote-explain", "zebra")

    assert (done.code, "dream why-not" in done.err) == (14, True)


# Why not


def verdicts(workspace: Workspace, text: str) -> list[str]:
    return [one["verdict"] for one in value(workspace, "why-not", text)["reasons"]]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("likes tea", "in memory"),
        ("a text that nobody ever wrote down", "never seen"),
        (GATEWAY, "below the gate: score"),
        (NOOR, "on its way"),
        ("heartbeat ok", "untrusted"),
        ("the token is ghp_" + "Ab1" * 12, "redacted"),
    ],
)
def test_why_not_names_the_reason_among_what_both_lanes_say(workspace: Workspace, text: str, verdict: str) -> None:
    assert verdict in verdicts(workspace, text)


def test_why_not_says_by_how_much_a_gate_is_missed(workspace: Workspace) -> None:
    reason = next(one for one in value(workspace, "why-not", GATEWAY)["reasons"] if one["gates"])

    assert {gate["name"]: gate["margin"] for gate in reason["gates"]}["signals"] == -2
    assert "signals 1, needs 3 (-2)" in reason["detail"]


def test_why_not_knows_what_was_taken_back(workspace: Workspace) -> None:
    dream(workspace, "promote", "--apply")
    dream(workspace, "undo")

    assert verdicts(workspace, NOOR)[0] == "taken back"


def test_why_not_knows_what_was_merged(workspace: Workspace) -> None:
    memory = workspace.root / "MEMORY.md"
    memory.write_text("# Ada\n\n- likes coffee\n- likes coffee\n")
    dream(workspace, "review")
    memory.write_text(memory.read_text().replace("- likes coffee\n", ""))

    assert verdicts(workspace, "likes coffee") == ["merged"]


def test_why_not_never_shows_a_secret(workspace: Workspace) -> None:
    token = "ghp_" + "Ab1" * 12
    (workspace.root / "memory/2026-11-14.md").write_text(f"- the deploy token is {token}\n")

    done = dream(workspace, "why-not", "the deploy token is")

    assert done.code == 0 and token not in done.out


# At a glance


def test_a_deep_status_counts_the_store_and_names_the_rules(workspace: Workspace) -> None:
    dream(workspace, "search", "gateway port", "--max-results", "1")
    dream(workspace, "review")

    deep = value(workspace, "status", "--deep")["deep"]

    assert deep["recall"]["entryCount"] == len(stored(workspace.root))
    assert deep["dreaming"]["deep"]["minScore"] == 0.5 and deep["search"]["lines"] > 0
    assert "Recall store:" in dream(workspace, "status", "--deep").out
    assert "deep" not in value(workspace, "status")


def test_a_bare_folder_has_a_deep_status_too(build: Build) -> None:
    assert value(build({}), "status", "--deep")["deep"]["recall"]["exists"] is False
