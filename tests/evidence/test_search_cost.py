"""What a question costs does not depend on how much was ever written: counted in looks, statements and lines, not in time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import INDEX_DB
from reverie.core.ports import HashEmbedder, fixed
from reverie.evidence import index
from reverie.evidence import index as indexes
from reverie.evidence import search as ranking
from reverie.evidence.index import Index
from reverie.evidence.spelling import spellings
from reverie.features.search import Answer, ask, reindex
from reverie.night.live_lines import LiveClaims
from reverie.workspace.reader import AGAIN, HOT, Watch
from reverie.workspace.values import Workspace

CLOCK, EMBEDDER = fixed(NIGHT), HashEmbedder()


def notes(count: int, line: str = "- the pump of pond {n} is loud\n") -> dict[str, str]:
    return {
        f"memory/{2000 + n // 300}-{n % 300 // 28 + 1:02d}-{n % 28 + 1:02d}.md": line.format(n=n) for n in range(count)
    }


def aged(workspace: Workspace) -> Workspace:
    """As if everything had been written long ago, one file after the other."""
    for n, path in enumerate(sorted(workspace.root.rglob("*.md"))):
        os.utime(path, (1_600_000_000 + n, 1_600_000_000 + n))
    for folder in (workspace.root, *(path for path in workspace.root.rglob("*") if path.is_dir())):
        os.utime(folder, (1_700_000_000, 1_700_000_000))
    return workspace


def asked(workspace: Workspace, question: str = "pump", embedder: HashEmbedder = EMBEDDER, limit: int = 6) -> Answer:
    return ask(workspace, embedder, CLOCK, question, record=False, limit=limit)


def texts(answer: Answer) -> list[str]:
    return [hit.claim.text for hit in answer.hits]


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """How often the operating system is asked for something."""
    counts = {"scandir": 0, "stat": 0, "open": 0}
    with monkeypatch.context() as patch:
        for name in counts:
            real = getattr(os, name)

            def call(*args: Any, name: str = name, real: Any = real, **named: Any) -> Any:
                counts[name] += 1
                return real(*args, **named)

            patch.setattr(os, name, call)
        yield counts


# Looking at files


def test_the_second_question_lists_no_folder_and_opens_no_file(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    costs = []
    for count in (100, 400):
        workspace = aged(build(notes(count)))
        reindex(workspace, EMBEDDER)
        aged(workspace)
        asked(workspace)
        with counted(monkeypatch) as counts:
            asked(workspace)
        costs.append(counts)

    assert costs[0] == costs[1]
    assert (costs[1]["scandir"], costs[1]["open"]) == (0, 0) and costs[1]["stat"] < HOT + 30


def test_the_second_question_costs_as_many_statements_however_many_notes(build: Build) -> None:
    costs = []
    for count in (20, 300):
        workspace = aged(build(notes(count)))
        asked(workspace)
        said: list[str] = []
        index._SHELF[workspace.root].index.db.set_trace_callback(said.append)
        asked(workspace)
        ours = [statement for statement in said if not statement.startswith("--")]  # the others are SQLite's own
        costs.append(len(ours))
        assert not [statement for statement in ours if "FROM files" in statement]

    assert costs[0] == costs[1] < 15


def watched(build: Build, count: int = HOT + 10) -> tuple[Workspace, Watch, list[float]]:
    """A watch that has looked at everything once, and the time it believes in."""
    workspace, clock = aged(build(notes(count))), [0.0]
    watch = Watch(workspace, {}, lambda: clock[0])
    changed, gone, _ = watch.changes()
    watch.settle({path: seen.stamp for path, seen in changed.items()}, gone)
    assert len(changed) == count
    return workspace, watch, clock


def test_an_old_file_edited_in_place_is_noticed_in_time_and_at_once_by_a_new_process(build: Build) -> None:
    workspace, watch, clock = watched(build)
    oldest = sorted(notes(HOT + 10))[0]
    (workspace.root / oldest).write_text("- edited\n")

    at_once = watch.changes()[0]
    clock[0] = AGAIN + 0.1

    assert list(Watch(workspace, watch.known).changes()[0]) == list(watch.changes()[0]) == [oldest]
    assert list(at_once) == []


def test_a_file_that_changed_lately_is_noticed_at_once(build: Build) -> None:
    workspace, watch, _ = watched(build)
    newest = sorted(notes(HOT + 10))[-1]
    (workspace.root / newest).write_text("- edited\n")

    assert list(watch.changes()[0]) == [newest]


@pytest.mark.parametrize("path", ["memory/2026-11-01.md", "MEMORY.md", "knowledge/x.md", "memory/2000-01-01.md"])
def test_a_file_that_comes_or_goes_is_noticed_at_once(build: Build, path: str) -> None:
    workspace, watch, _ = watched(build)
    file = workspace.root / path
    if file.exists():
        file.unlink()
        expected: tuple[list[str], tuple[str, ...]] = ([], (path,))
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text("- new\n")
        expected = ([path], ())

    changed, gone, _ = watch.changes()

    assert (list(changed), gone) == expected


def test_a_folder_that_becomes_a_link_is_noticed_at_once(build: Build, tmp_path: Path) -> None:
    workspace, watch, _ = watched(build)
    (workspace.root / "memory").rename(tmp_path / "elsewhere")
    (workspace.root / "memory").symlink_to(tmp_path / "elsewhere")

    changed, gone, refused = watch.changes()

    assert (changed, len(gone), refused[0].path) == ({}, HOT + 10, "memory")


def test_a_file_that_was_only_touched_is_not_indexed_again(build: Build) -> None:
    workspace = aged(build(notes(3)))
    reindex(workspace, EMBEDDER)
    for path in notes(3):
        os.utime(workspace.root / path, (1_500_000_000, 1_500_000_000))

    done = reindex(workspace, EMBEDDER).updated

    assert (done.files, done.added, done.kept) == (3, 0, 0)
    assert reindex(workspace, EMBEDDER).updated.files == 0


# The open index


def test_what_another_process_indexed_is_in_the_next_answer(build: Build) -> None:
    workspace = aged(build(notes(3)))
    asked(workspace)
    (workspace.root / "memory/2026-11-01.md").write_text("- the pump was sold\n")
    reindex(workspace, HashEmbedder())

    assert "the pump was sold" in texts(asked(workspace))


def test_another_embedder_of_another_process_is_never_compared(build: Build) -> None:
    workspace, other = aged(build(notes(3))), HashEmbedder(32, "other")
    before = asked(workspace)
    reindex(workspace, other)

    assert asked(workspace) == before
    assert asked(workspace, embedder=other).degraded == ""


def test_an_index_taken_away_while_it_is_open_is_built_anew(build: Build) -> None:
    workspace = aged(build(notes(3)))
    before = asked(workspace)
    for item in (workspace.root / INDEX_DB).parent.glob("index*"):
        item.unlink()

    assert asked(workspace) == before
    assert (workspace.root / INDEX_DB).exists()


def test_threads_that_ask_at_once_do_not_disturb_each_other(build: Build) -> None:
    workspace, answers = aged(build(notes(40))), []
    reindex(workspace, EMBEDDER)  # else one may answer while another still makes vectors, and rightly say so
    questions = [f"pond {n}" for n in range(20, 32)]
    threads = [threading.Thread(target=lambda q=q: answers.append(asked(workspace, q))) for q in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {answer.question: answer for answer in answers} == {q: asked(workspace, q) for q in questions}
    assert {answer.degraded for answer in answers} == {""}


def test_threads_that_are_all_the_first_build_one_index(build: Build) -> None:
    workspace, answers = build(notes(40)), []
    threads = [threading.Thread(target=lambda: answers.append(asked(workspace))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {answer.degraded.lstrip("0123456789").partition(";")[0] for answer in answers} <= {
        "",
        " lines have no vectors yet",
        "the index could not be used (database is locked)",  # on a busy machine: then every file is read instead
    }
    assert asked(workspace).degraded == ""


def test_no_more_than_a_few_indexes_stay_open(build: Build) -> None:
    for n in range(index.MOST + 3):
        asked(build(notes(n + 1)))

    assert len(index._SHELF) <= index.MOST


# Lines that are scored


def test_few_lines_are_scored_and_the_best_is_found_all_the_same(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {f"memory/2025-01-{n:02d}.md": f"- the shed of garden {n} is old\n" * 9 for n in range(1, 29)}
    two = "- the heron sits by the pump\n\n# Later\n- the heron sits by the road\n"
    workspace = build({**notes(60), **others, "memory/2026-11-01.md": two})
    whole = texts(asked(workspace, "heron pump"))[:2]
    monkeypatch.setattr(ranking, "SCORED", 20)

    found = texts(asked(workspace, "heron pump"))

    assert found[:2] == whole and whole[0] == "the heron sits by the pump"


def test_a_word_that_is_everywhere_finds_long_term_memory_and_the_latest(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "SCORED", 5)
    workspace = build({**notes(200), "MEMORY.md": "- the pump is from Bern\n"})

    found = ask(workspace, None, CLOCK, "pump", record=False, limit=20).hits

    assert {hit.claim.path for hit in found} == {"MEMORY.md", *sorted(notes(200))[-5:]}


def instructions(workspace: Workspace, question: str) -> int:
    """How many hundreds of SQLite's own steps a question takes: the same on every machine."""
    steps = [0]

    def step() -> int:
        steps[0] += 1
        return 0

    with Index(workspace.root, EMBEDDER) as index:
        index.db.set_progress_handler(step, 100)
        ranking.search(index, question, 6)
    return steps[0]


def test_a_question_takes_as_many_steps_in_many_notes_as_in_few(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "SCORED", 30)
    monkeypatch.setattr(ranking, "FOUND", 60)
    costs = []
    for count in (100, 1_000):
        workspace = build({**notes(count), "memory/2026-11-01.md": "- the heron sits by the pump\n"})
        reindex(workspace, EMBEDDER)
        costs.append([instructions(workspace, question) for question in ("heron", "pump", "heron pump")])

    assert all(many <= few * 1.5 + 8 for few, many in zip(*costs, strict=True)), costs


def test_words_of_deleted_lines_are_not_offered_as_spellings(build: Build) -> None:
    workspace = build({"memory/2026-11-01.md": "- the heron\n- the crane sits\n"})
    reindex(workspace, EMBEDDER)
    (workspace.root / "memory/2026-11-01.md").write_text("- the crane sits\n")
    reindex(workspace, EMBEDDER)

    with Index(workspace.root, None) as index:
        known = {row[0] for row in index.db.execute("SELECT term FROM spelled")}
        assert known == {index.tokens.term(term) for term in ("cran", "sits")}
        assert spellings(index.db, index.tokens, "crran") == [index.tokens.term("cran")]
        assert spellings(index.db, index.tokens, "heorn") == []


# Vectors that wait


class Slow(HashEmbedder):
    """Takes its time over every text."""

    def __init__(self, identity: str) -> None:
        super().__init__(64, identity)

    def embed(self, texts: Sequence[str]) -> Any:
        time.sleep(0.001 * len(texts))
        return super().embed(texts)


def test_after_a_change_of_embedder_each_search_makes_some_vectors_until_all_are_there(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.features.search.PATIENCE", 0.0)
    workspace, slow = aged(build(notes(300))), Slow("slow")
    reindex(workspace, HashEmbedder())

    said = [asked(workspace, embedder=slow).degraded for _ in range(7)]

    waiting = [int(degraded.split()[0]) if degraded else 0 for degraded in said]
    assert waiting == [236, 172, 108, 44, 0, 0, 0]
    assert told(asked(workspace, embedder=slow)) == told(asked(aged(build(notes(300)))))


def test_reindex_makes_all_vectors(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.features.search.PATIENCE", 0.0)
    workspace, slow = build(notes(300)), Slow("slow")
    reindex(workspace, HashEmbedder())

    assert reindex(workspace, slow).updated.embedded == 300
    assert asked(workspace, embedder=slow).degraded == ""


def test_a_change_of_embedder_rewrites_no_row_before_it_has_a_vector(build: Build) -> None:
    workspace = build(notes(300))
    reindex(workspace, HashEmbedder())

    with Index(workspace.root, HashEmbedder(identity="other")) as index:
        index.read = LiveClaims(workspace)
        before = index.db.total_changes
        index.embed_waiting(0.0)
        assert index.db.total_changes - before == indexes.SMALL_BATCH + 1


def told(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.claim.text, round(hit.score, 6)) for hit in answer.hits]


# Scores


def test_a_line_that_says_all_that_was_asked_for_has_the_full_score(build: Build) -> None:
    workspace = build({"memory/2026-11-01.md": "- hazelnut\n"})

    assert [round(hit.score, 6) for hit in asked(workspace, "hazelnut").hits] == [1.0]


def test_neighbours_change_the_order_and_not_the_best_score(build: Build) -> None:
    workspace = build(
        {"memory/2026-11-01.md": "- tea\n- tea time\n- tea again\n", "memory/2026-11-02.md": "- tea time\n"}
    )

    assert all(0 <= hit.score <= 1 for hit in asked(workspace, "tea").hits)


def test_a_connection_that_is_lost_is_replaced(build: Build) -> None:
    workspace = aged(build(notes(3)))
    before = asked(workspace)
    index._SHELF[workspace.root].index.db.close()

    assert asked(workspace) == before
