"""A law: what the machine derives holds no readable word of the notes, so a secret that nobody recognises is copied nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import INDEX_DB, OWN_CORPUS, RECALLS, RUNS, STATE_DIR
from reverie.core.ports import HashEmbedder, fixed
from reverie.evidence.index import Index
from reverie.features.forget.forget import forget
from reverie.features.search import ask, reindex
from reverie.night import live_lines
from reverie.night.live_lines import recall_state
from reverie.workspace.values import Workspace
from terminal import call

CLOCK = fixed(NIGHT)
DAYS = ("2026-11-11", "2026-11-12", "2026-11-13")
NOTE = (
    "# {}\n\n## Cellar zanquibor\n- the boiler man muttered Zanquibor and went\n  - zanquiborgate stands beside the tank\n"
    "- Noor drinks green tea only\n- the neighbour grows zanquibor beans\n"
)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, hermetic: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tables of the embedded embedder, made once for all tests of this process."""
    base = tmp_path_factory.getbasetemp()
    monkeypatch.setenv("XDG_CACHE_HOME", str(base / "cache"))
    (base / "cache").mkdir(exist_ok=True)
    if not (base / "cache/reverie").exists() and (base / "vectors").is_dir():
        os.symlink(base / "vectors", base / "cache/reverie")


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": "# Memory\n\n- likes tea\n", **{f"memory/{day}.md": NOTE.format(day) for day in DAYS}})


def holding(root: Path, *words: str) -> Iterator[str]:
    """Every file of machine state with one of these words, in any case and any encoding SQLite or JSON may have used."""
    for path in sorted((root / STATE_DIR).rglob("*")):
        if path.is_file():
            data = path.read_bytes().lower()
            forms = [
                form for word in words for form in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"))
            ]
            if any(form in data for form in forms):
                yield path.relative_to(root).as_posix()


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("search", "boiler", "man"),
    ("recall", "who looked after the boiler?"),
    ("review",),
    ("search", "tank"),
    ("session", "start"),
    ("rem-harness",),
    ("promote",),
    ("why-not", "the boiler man"),
    ("status", "--deep"),
    ("doctor",),
    ("review", "--force"),
)


def test_no_command_leaves_a_word_of_a_note_in_machine_state(workspace: Workspace) -> None:
    for command in COMMANDS:
        done = call(*command, "--workspace", workspace.root, "--now", NIGHT)
        assert done.code == 0, (command, done.err)

        left = [path for path in holding(workspace.root, "zanquib", "muttered") if not path.startswith(RUNS)]
        assert left == [], command
    assert (workspace.root / RECALLS).exists() and (workspace.root / INDEX_DB).exists()


def test_a_run_records_what_it_wrote_and_nothing_else_of_the_notes(workspace: Workspace) -> None:
    call("review", "--workspace", workspace.root, "--now", NIGHT)

    written = b"".join(
        path.read_bytes()
        for path in workspace.root.rglob("*")
        if path.is_file() and STATE_DIR not in path.as_posix() and path.parent.name != "memory"
    )
    assert b"muttered" in written or not list(holding(workspace.root, "muttered"))


def test_what_was_said_in_a_session_stands_in_the_copy_of_its_transcript_alone(workspace: Workspace) -> None:
    corpus = workspace.root / OWN_CORPUS / "2026-11-13.txt"
    corpus.parent.mkdir(parents=True)
    corpus.write_text("[main/s1#L1] User: the gardener hid the quillifrax behind the shed\n")

    for command in (("search", "gardener"), ("recall", "where did the gardener go?"), ("review",)):
        call(*command, "--workspace", workspace.root, "--now", NIGHT)

    assert list(holding(workspace.root, "quillifrax")) == [corpus.relative_to(workspace.root).as_posix()]


def test_an_index_without_words_still_shows_corrects_and_explains(workspace: Workspace) -> None:
    found = ask(workspace, HashEmbedder(), CLOCK, "mutterd boilr", record=False).hits

    assert (found[0].claim.text, found[0].claim.heading) == (
        "the boiler man muttered Zanquibor and went",
        f"{found[0].claim.day} > Cellar zanquibor",
    )
    assert "mutterd≈mutter" in found[0].why and "boilr≈boil" in found[0].why


def test_a_line_that_left_its_file_after_the_look_is_no_result(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    reindex(workspace, HashEmbedder())
    monkeypatch.setattr("reverie.workspace.reader.Watch.changes", lambda self, on_read=None: ({}, (), ()))
    monkeypatch.setattr(
        live_lines, "_KEPT", live_lines._ParsedFiles()
    )  # another process, in which nothing was read yet
    for day in DAYS:
        (workspace.root / f"memory/{day}.md").write_text("- Noor drinks green tea only\n- moved down here\n")

    assert ask(workspace, HashEmbedder(), CLOCK, "muttered", record=False).hits == ()
    assert "Noor drinks green tea only" in [
        hit.claim.text for hit in ask(workspace, None, CLOCK, "green", record=False).hits
    ]


def test_a_purge_leaves_not_even_a_hash_of_the_words_in_the_recall_store(workspace: Workspace) -> None:
    call("review", "--workspace", workspace.root, "--now", NIGHT)
    hashes = [one.claim for one in recall_state(workspace).recalls.values() if "beans" in one.snippet]

    gone = forget(workspace, CLOCK, "zanquibor beans", purge=True)

    assert hashes and RECALLS in gone.erased
    assert list(holding(workspace.root, *hashes)) == []


def test_no_number_stands_in_a_hash_of_the_index_by_chance(workspace: Workspace) -> None:
    reindex(workspace, HashEmbedder())

    with Index(workspace.root, None) as index:
        hashes = [
            row
            for table in ("claims", "files", "words", "spelled", "spelling")
            for row in index.db.execute(_HASHES[table])
        ]
    assert len(hashes) > 20 and all(text.replace(" ", "").isalpha() for row in hashes for text in row if text)


_HASHES = {
    "claims": "SELECT key FROM claims",
    "files": "SELECT hash FROM files",
    "words": "SELECT said, context FROM words",
    "spelled": "SELECT term, letters, pairs FROM spelled",
    "spelling": "SELECT triples FROM spelling",
}
