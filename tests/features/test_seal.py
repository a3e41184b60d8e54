"""`dream seal`: archive, runs and index are unreadable without the key, and with it all is as before."""

from __future__ import annotations

from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from conftest import Build, tree
from reverie.apply.recover import recover
from reverie.core.layout import INDEX_DB, JOURNAL, STATE_DIR
from reverie.core.ports import FixedClock, fixed
from reverie.core.sealing import is_as_marked, is_kept_sealed, is_sealed, key_at, new_key
from reverie.evidence.index import borrowed
from reverie.evidence.journal import append, events
from reverie.features.seal import seal, unseal
from reverie.night import commands
from reverie.workspace.openclaw_state import read_peer_state
from reverie.workspace.reader import Stamp, read_workspace
from reverie.workspace.values import Workspace
from terminal import call

MEMORY = "# Me\n\n## Notes\n- likes verbena tea\n- lives in Bern\n- likes verbena tea\n"
LATER = fixed("2026-11-16T03:00:00+01:00")
PASSING = ("memory/.dreams/lock", "memory/.dreams/index.db", "memory/.dreams/attempts.jsonl")


class InMemory(KeyringBackend):
    """A system's keyring, for as long as a test lasts."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture
def dreamt(build: Build, clock: FixedClock) -> Workspace:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- walked to the lake\n"})
    commands.review(workspace, clock)
    recover(workspace)
    return workspace


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere" / "dream.key"


def kept_sealed(workspace: Workspace) -> list[Path]:
    folders = (workspace.root / STATE_DIR, workspace.vault)
    return [path for one in folders for path in one.rglob("*") if path.is_file() and is_kept_sealed(one, path)]


def test_nothing_of_ours_is_readable_and_everything_works(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    seal(dreamt, clock, key)
    dreamt.root.joinpath("memory/2026-11-15.md").write_text("- the harbour is closed on Mondays\n")
    commands.review(dreamt, LATER)
    found = call("search", "harbour", "--workspace", dreamt.root).out

    assert "closed on Mondays" in found
    assert len(kept_sealed(dreamt)) > 8 and all(map(is_as_marked, kept_sealed(dreamt)))
    assert all(is_sealed(path.read_bytes()) for path in kept_sealed(dreamt))
    assert not [path for path in kept_sealed(dreamt) if b"verbena" in path.read_bytes()]
    assert "likes verbena tea" in read_workspace(dreamt).text_of("vault:ledger.md")
    assert key.stat().st_mode & 0o077 == 0


def test_a_run_from_before_is_undone_to_the_byte(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    seal(dreamt, clock, key)

    commands.undo(dreamt, LATER)

    assert (dreamt.root / "MEMORY.md").read_text() == MEMORY


def test_unseal_brings_every_byte_back(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    before = tree(dreamt.root, without=PASSING)

    seal(dreamt, clock, key)
    unseal(dreamt, clock)

    assert tree(dreamt.root, without=PASSING) == before and key.exists()


def test_without_the_key_nothing_is_read_or_written(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    seal(dreamt, clock, key)
    key.rename(key.with_name("lost"))
    key_at.cache_clear()  # as another process begins
    before = tree(dreamt.root, without=PASSING)

    for command in (["review"], ["search", "tea"], ["undo"], ["note", "the lamp is violet"], ["doctor"], ["unseal"]):
        done = call(*command, "--workspace", dreamt.root)
        assert done.code == 18 and "sealed" in done.err and "dream.key" in done.err and "--key-file" in done.err
    assert "is not there" in done.err and "Gone for good? Move dream-vault and memory/.dreams away" in done.err
    key.write_text(f"{new_key()[0]}\n")
    assert "they were sealed for another" in call("undo", "--workspace", dreamt.root).err
    key.unlink()
    assert tree(dreamt.root, without=PASSING) == before
    told = call("status", "--workspace", dreamt.root).out
    assert "Sealed:" in told and "it is not there" in told
    assert call("show", "--workspace", dreamt.root).out.rstrip() == (dreamt.root / "MEMORY.md").read_text().rstrip()
    assert call("show", "--as-of", "2026-11-14", "--workspace", dreamt.root).code == 18
    assert call("seal", "--key-file", key.with_name("lost"), "--workspace", dreamt.root).code == 0


def test_the_key_lies_in_the_keyring_of_the_system(dreamt: Workspace, clock: FixedClock) -> None:
    before, ours = keyring.get_keyring(), InMemory()
    keyring.set_keyring(ours)
    try:
        done = call("seal", "--workspace", dreamt.root)
    finally:
        keyring.set_keyring(before)

    [(service, name)] = ours.kept
    assert done.code == 0 and service == "reverie" and name in done.out and "loses the archive" in done.out


def test_the_doctor_notices_a_key_that_others_may_read(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    seal(dreamt, clock, key)
    assert "chmod" not in call("doctor", "--workspace", dreamt.root).out

    key.chmod(0o644)

    assert f"→ chmod 600 {key}" in call("doctor", "--workspace", dreamt.root).out


def test_a_key_inside_the_workspace_is_refused(dreamt: Workspace) -> None:
    done = call("seal", "--key-file", dreamt.root / "dream.key", "--workspace", dreamt.root)

    assert done.code == 14 and not is_sealed((dreamt.vault / "ledger.md").read_bytes())


def test_two_appended_traces_are_read_and_a_torn_one_is_passed_over(
    dreamt: Workspace, clock: FixedClock, key: Path
) -> None:
    seal(dreamt, clock, key)
    append(dreamt.root, {"said": 1})
    with open(dreamt.root / JOURNAL, "ab") as journal:
        journal.write((dreamt.root / JOURNAL).read_bytes()[:99])
    append(dreamt.root, {"said": 2})

    assert [event["said"] for event in events(dreamt.root)] == [1, 2]


def test_a_note_of_the_owners_that_is_an_age_message_stays_what_it_is(
    dreamt: Workspace, clock: FixedClock, key: Path
) -> None:
    seal(dreamt, clock, key)
    theirs = (dreamt.vault / "ledger.md").read_text()
    (dreamt.root / "memory/2026-11-15.md").write_text(theirs)

    assert read_workspace(dreamt).text_of("memory/2026-11-15.md") == theirs


def test_half_a_ledger_is_never_taken_for_an_empty_one(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    seal(dreamt, clock, key)
    ledger = dreamt.vault / "ledger.md"
    ledger.write_bytes(ledger.read_bytes()[:400])

    done = call("review", "--workspace", dreamt.root)

    assert done.code == 9 and "ledger.md is sealed and cannot be opened" in done.err
    assert len(ledger.read_bytes()) == 400


def test_an_index_that_was_removed_is_not_put_back_by_one_who_still_holds_it(
    dreamt: Workspace, clock: FixedClock, key: Path
) -> None:
    seal(dreamt, clock, key)
    with borrowed(dreamt.root, None) as held:
        first = held.identity
        held.index.update({"memory/2026-11-14.md": (Stamp("a", 1, 1), ())}, ())
    with borrowed(dreamt.root, None) as held:
        again = held.identity
        held.index.update({"memory/2026-11-13.md": (Stamp("b", 1, 1), ())}, ())
        (dreamt.root / INDEX_DB).unlink()  # a purge, in another process

    assert first != again and not (dreamt.root / INDEX_DB).exists()


def test_what_was_searched_for_counts_in_a_sealed_memory_too(dreamt: Workspace, clock: FixedClock, key: Path) -> None:
    append(
        dreamt.root,
        {
            "type": "memory.recall.recorded",
            "timestamp": "2026-11-15T02:00:00Z",
            "query": "tea",
            "resultCount": 0,
            "results": [],
        },
    )
    seal(dreamt, clock, key)

    peer = read_peer_state(dreamt.root, None)

    assert (peer.doubts, len(peer.events)) == ((), 1)
