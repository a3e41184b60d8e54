"""The index is derived: only what changed is embedded, nothing is mixed, and no disaster costs an answer."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import INDEX_DB
from reverie.core.ports import HashEmbedder, fixed
from reverie.evidence.index import Index, remove_index
from reverie.evidence.vectors import Vectors
from reverie.features.search import Answer, ask, reindex
from reverie.night.live_lines import LiveClaims
from reverie.workspace.values import Workspace

DAY = "memory/2026-11-01.md"
NOTES = {
    DAY: "# Home\n- Marta is allergic to hazelnuts\n- the router is in the cellar\n- delivery on Monday\n",
    "memory/2026-11-02.md": "# Work\n- the pond drawings are due\n- 对榛子过敏\n",
}
Key = tuple[str, int, str, float]


class Counting(HashEmbedder):
    """Remembers what it was asked to embed; dies when told to."""

    def __init__(self, identity: str = "") -> None:
        super().__init__(64, identity)
        self.texts: list[str] = []
        self.dead = False

    def embed(self, texts: Sequence[str]) -> Any:
        if self.dead:
            raise ConnectionError("the server is gone")
        self.texts += texts
        return super().embed(texts)


def told(answer: Answer) -> list[Key]:
    return [(hit.claim.path, hit.claim.first, hit.claim.text, round(hit.score, 6)) for hit in answer.hits]


def asked(workspace: Workspace, question: str = "hazelnuts", embedder: HashEmbedder | None = None) -> Answer:
    return ask(workspace, embedder or HashEmbedder(), CLOCK, question, record=False)


CLOCK = fixed(NIGHT)


def rows(workspace: Workspace) -> dict[str, int]:
    with Index(workspace.root, None) as index:
        index.read = LiveClaims(workspace)
        numbers = [row[0] for row in index.db.execute("SELECT id FROM claims")]
        return {claim.text: number for number, claim in index.claims(numbers).items()}


def write(workspace: Workspace, path: str, text: str) -> None:
    """Written, and its time of change different from before, as it is for people who do not work in microseconds."""
    file = workspace.root / path
    file.write_text(text)
    write.ticks += 10**10  # type: ignore[attr-defined]
    os.utime(file, ns=(write.ticks, write.ticks))  # type: ignore[attr-defined]


write.ticks = 10**18  # type: ignore[attr-defined]


# Only what changed


def test_only_new_claims_are_embedded(build: Build) -> None:
    workspace, embedder = build(NOTES), Counting()
    reindex(workspace, embedder)
    embedder.texts.clear()
    write(workspace, DAY, NOTES[DAY] + "- a new line\n")

    done = reindex(workspace, embedder)

    assert embedder.texts == ["Home: a new line"]
    assert (done.updated.files, done.updated.added, done.updated.kept, done.updated.embedded) == (1, 1, 3, 1)


def test_an_unchanged_workspace_is_not_read_again(build: Build) -> None:
    workspace, embedder = build({}), Counting()
    for path, text in NOTES.items():
        (workspace.root / "memory").mkdir(exist_ok=True)
        write(workspace, path, text)
    reindex(workspace, embedder)
    embedder.texts.clear()

    assert reindex(workspace, embedder).updated.files == 0
    assert embedder.texts == []


def test_a_file_that_changed_within_the_tick_of_the_clock_is_noticed(build: Build) -> None:
    workspace = build({DAY: "- likes tea 1\n"})
    reindex(workspace, None)
    about = (workspace.root / DAY).stat()
    (workspace.root / DAY).write_text("- likes tea 2\n")
    os.utime(workspace.root / DAY, ns=(about.st_atime_ns, about.st_mtime_ns))

    assert [hit.claim.text for hit in asked(workspace, "tea").hits] == ["likes tea 2"]


def test_a_claim_that_moved_keeps_its_row_and_is_shown_where_it_is(build: Build) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    before = rows(workspace)
    write(workspace, DAY, NOTES[DAY].replace("- Marta", "- first of all\n\n- Marta"))

    reindex(workspace, HashEmbedder())

    assert {text: number for text, number in rows(workspace).items() if text in before} == before
    assert [hit.claim.first for hit in asked(workspace, "Marta").hits][:1] == [4]


def test_a_deleted_file_disappears_from_the_next_answer(build: Build) -> None:
    workspace = build(NOTES)
    assert "memory/2026-11-02.md" in [hit.claim.path for hit in asked(workspace, "pond drawings").hits]

    (workspace.root / "memory/2026-11-02.md").unlink()

    answer = asked(workspace, "pond drawings")
    assert "memory/2026-11-02.md" not in [hit.claim.path for hit in answer.hits]
    assert answer.degraded == ""


def test_a_removed_line_disappears_from_words_and_vectors(build: Build) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    write(workspace, DAY, "# Home\n- the router is in the cellar\n")

    assert [hit.claim.text for hit in asked(workspace, "Marta is allergic to hazelnuts").hits] == []


def test_a_line_rewritten_every_day_does_not_crowd_out_the_others(build: Build) -> None:
    workspace, embedder = build({DAY: "".join(f"- sofa sofa sofa {n}\n" for n in range(260))}), Synonyms()
    reindex(workspace, embedder)
    write(workspace, DAY, "- couch\n")

    answer = asked(workspace, "sofa", embedder)

    assert [hit.claim.text for hit in answer.hits] == ["couch"]


def test_a_line_rewritten_every_day_does_not_make_the_index_grow(build: Build) -> None:
    workspace = build({DAY: "- nothing\n"})
    for n in range(20):
        write(workspace, DAY, "".join(f"- line {n} {i}\n" for i in range(300)))
        reindex(workspace, HashEmbedder())

    sizes = {path.suffix: path.stat().st_size for path in (workspace.root / INDEX_DB).parent.glob("index-*")}
    assert sizes[".rows"] < 64 * 300 * 10


class Synonyms(HashEmbedder):
    """To this one a couch is nearly a sofa."""

    def embed(self, texts: Sequence[str]) -> Any:
        return super().embed([text.replace("couch", "sofa maybe") for text in texts])


# Derived


QUESTIONS = ("hazelnuts", "榛子", "router cellar", "drawings due", "delivry")


@pytest.mark.parametrize("taken", ["index.db*", "index*"])
def test_a_deleted_index_is_rebuilt_with_the_same_answers(build: Build, taken: str) -> None:
    workspace = build(NOTES)
    before = [told(asked(workspace, question)) for question in QUESTIONS]
    for item in (workspace.root / INDEX_DB).parent.glob(taken):
        item.unlink()

    assert [told(asked(workspace, question)) for question in QUESTIONS] == before != [[]] * 5


def test_an_index_grown_by_edits_answers_as_one_built_anew(build: Build) -> None:
    workspace = build({DAY: "- old line\n- another\n"})
    for n in range(5):
        write(workspace, DAY, f"- old line\n- version {n}\n")
        reindex(workspace, HashEmbedder())
    for path, text in NOTES.items():
        write(workspace, path, text)

    grown = [told(asked(workspace, question)) for question in QUESTIONS]

    assert grown == [told(asked(build(NOTES), question)) for question in QUESTIONS]


def test_a_line_put_between_others_answers_as_in_an_index_built_anew(build: Build) -> None:
    before = "- the pond is deep\n- the pump is loud\n- the shed is old\n"
    after = before.replace("- the pump", "- the pond pump has a filter\n- the pump")
    workspace = build({DAY: before})
    reindex(workspace, HashEmbedder())
    write(workspace, DAY, after)

    grown = told(asked(workspace, "pond pump filter"))

    assert grown == told(asked(build({DAY: after}), "pond pump filter"))


def test_another_embedder_is_noticed_and_everything_embedded_again(build: Build) -> None:
    workspace, one, other = build(NOTES), Counting("one"), Counting("other")
    reindex(workspace, one)

    answer = asked(workspace, "hazelnuts", other)

    assert len(other.texts) == 5 + 1  # every claim, and the question
    assert told(answer) == told(asked(build(NOTES), "hazelnuts", Counting("other")))
    with Index(workspace.root, None) as index:
        sql = "SELECT DISTINCT identity FROM claims JOIN embedders ON number = embedder"
        assert index.db.execute(sql).fetchall() == [("other",)]


def test_vectors_of_an_embedder_that_could_not_be_asked_are_never_compared(build: Build) -> None:
    workspace, other = build(NOTES), Counting("other")
    reindex(workspace, Counting("one"))
    other.dead = True

    answer = asked(workspace, "hazelnuts", other)

    assert "ConnectionError" in answer.degraded
    assert [hit.vector_score for hit in answer.hits] == [0.0] * len(answer.hits) != []


def test_an_index_of_another_version_is_built_anew(build: Build) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    with Index(workspace.root, None) as index:
        index.db.execute("UPDATE meta SET value='0' WHERE key='version'")
        index.db.execute("CREATE TABLE notes(text TEXT)")
        index.db.execute("INSERT INTO notes VALUES ('as an older version wrote it')")

    reindex(workspace, HashEmbedder())

    assert b"an older version" not in (workspace.root / INDEX_DB).read_bytes()


# Disasters


CHILD = """
import os, signal, sys
from pathlib import Path
from reverie.features.search import reindex
from reverie.workspace.values import Workspace
from reverie.core.ports import HashEmbedder
from reverie.evidence import index as room

root, at, count = Path(sys.argv[1]), int(sys.argv[2]), 0

def tick(*_):
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)

class Killed(HashEmbedder):
    def embed(self, texts):
        tick()
        return super().embed(texts)

room.BATCH = 40
for name in ("put",):
    real = getattr(room.Vectors, name)
    setattr(room.Vectors, name, lambda self, *a, real=real: (tick(), real(self, *a), tick()))
real_file = room.Index._file
room.Index._file = lambda self, *a: (tick(), real_file(self, *a))[1]
reindex(Workspace(root, root / "dream-vault"), Killed())
print("done", count)
"""


def many(count: int = 12, lines: int = 10) -> dict[str, str]:
    return {
        f"memory/2026-10-{day:02d}.md": "".join(f"- thing {day * lines + n} about topic {n}\n" for n in range(lines))
        for day in range(1, count + 1)
    }


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("earlier", [False, True])
def test_an_update_that_is_killed_anywhere_leaves_an_index_that_mends_itself(build: Build, *, earlier: bool) -> None:
    fresh = told(asked(build(many()), "thing 37 topic"))

    for at in (1, 7, 13, 14, 15, 16, 18):
        workspace = build(many(5) if earlier else {})
        if earlier:
            reindex(workspace, HashEmbedder())
        for path, text in many().items():
            (workspace.root / "memory").mkdir(exist_ok=True)
            (workspace.root / path).write_text(text)
        child = subprocess.run([sys.executable, "-c", CHILD, workspace.root, str(at)], timeout=60, capture_output=True)
        if child.returncode == 0:
            assert earlier and at > 13, child.stdout
            continue
        assert child.returncode == -signal.SIGKILL, child.stderr

        answer = asked(workspace, "thing 37 topic")

        assert (told(answer), answer.degraded) == (fresh, "")
        with Index(workspace.root, HashEmbedder()) as index:
            assert index.waiting() == 0


SEARCHER = """
import sys
from pathlib import Path
from reverie.features.search import ask
from reverie.workspace.values import Workspace
from reverie.core.ports import HashEmbedder, fixed

root = Path(sys.argv[1])
for n in range(40):
    answer = ask(Workspace(root, root / "dream-vault"), HashEmbedder(), fixed("2026-11-15T03:00:00+01:00"), "topic 3", record=False)
    assert not answer.degraded, answer.degraded
    assert answer.hits
"""


@pytest.mark.long
def test_two_processes_search_while_a_third_indexes(build: Build) -> None:
    workspace = build(many(4))
    reindex(workspace, HashEmbedder())
    searchers = [
        subprocess.Popen([sys.executable, "-c", SEARCHER, workspace.root], stderr=subprocess.PIPE) for _ in range(2)
    ]
    for round_ in range(6):
        for path, text in many(12, 10 + round_).items():
            (workspace.root / path).write_text(text)
        reindex(workspace, HashEmbedder())
        time.sleep(0.05)

    for searcher in searchers:
        _, said = searcher.communicate(timeout=60)
        assert (searcher.returncode, said.decode()) == (0, "")
    # Which lines say what is usual depends on the numbers that rows have got; the figures follow, the first answer does not.
    now, fresh = (asked(one, "thing 37 topic") for one in (workspace, build(many(12, 15))))
    assert [one[:3] for one in told(now)[:2]] == [one[:3] for one in told(fresh)[:2]]


class Overtaken(HashEmbedder):
    """While it embeds, another process writes other notes and brings the index up to date."""

    def __init__(self, workspace: Workspace, later: dict[str, str]) -> None:
        super().__init__()
        self.workspace, self.later = workspace, later

    def embed(self, texts: Sequence[str]) -> Any:
        found, later, self.later = super().embed(texts), self.later, {}
        for path, text in later.items():
            (self.workspace.root / path).write_text(text)
        if later:
            reindex(self.workspace, HashEmbedder())
        return found


@pytest.mark.parametrize("count", [3, 12])
def test_an_indexer_that_was_overtaken_leaves_no_vector_of_an_old_line(build: Build, count: int) -> None:
    workspace, fresh = build(many(12, 10)), told(asked(build(many(12, 11)), "thing 37 topic"))

    reindex(workspace, Overtaken(workspace, many(12, 11)))

    assert told(asked(workspace, "thing 37 topic")) == fresh
    (workspace.root / "memory/2026-10-01.md").write_text("- one\n")
    reindex(workspace, Overtaken(workspace, many(count, 12)))
    assert told(asked(workspace, "thing 12 topic")) == told(
        asked(build(many(12, 11) | many(count, 12)), "thing 12 topic")
    )


def test_two_first_writers_at_once_lose_no_vector(tmp_path: Path) -> None:
    for round_ in range(150):
        vectors, gate = Vectors(tmp_path, f"hash {round_}", 64), threading.Barrier(2)

        def put(first: int, vectors: Vectors = vectors, gate: threading.Barrier = gate) -> None:
            row = HashEmbedder().embed(["text"])
            gate.wait()
            vectors.put(first, row)

        writers = [threading.Thread(target=put, args=(first,)) for first in (1, 2)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()

        assert vectors.cosines([1, 2], HashEmbedder().embed(["text"])[0]) == pytest.approx([1, 1], abs=0.02)


def test_a_locked_index_is_not_waited_for_for_ever(build: Build) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    write(workspace, DAY, NOTES[DAY] + "- hazelnuts again\n")
    other = sqlite3.connect(workspace.root / INDEX_DB, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    answer = asked(workspace)

    other.close()
    assert "locked" in answer.degraded
    assert {hit.claim.text for hit in answer.hits} >= {"hazelnuts again", "Marta is allergic to hazelnuts"}
    assert asked(workspace).degraded == ""


def random_bytes(path: Path) -> None:
    path.write_bytes(random.Random(7).randbytes(40_000))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scribbled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 : len(data) // 2] = random.Random(7).randbytes(len(data) // 2 - 4096)
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE claims(name TEXT)")
    db.commit()
    db.close()


@pytest.mark.parametrize("damage", [random_bytes, cut, scribbled, empty, foreign])
def test_a_damaged_index_costs_no_answer_and_is_built_anew(build: Build, damage: Callable[[Path], None]) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    for item in (workspace.root / INDEX_DB).parent.glob("index.db-*"):
        item.unlink()
    damage(workspace.root / INDEX_DB)
    write(workspace, DAY, NOTES[DAY] + "- hazelnuts again\n")

    first, second = asked(workspace), asked(workspace)

    assert {hit.claim.text for hit in first.hits} >= {"hazelnuts again", "Marta is allergic to hazelnuts"}
    assert first.degraded or damage is empty
    assert (second.degraded, told(second)) == (
        "",
        told(asked(build({**NOTES, DAY: NOTES[DAY] + "- hazelnuts again\n"}))),
    )


def test_reindex_mends_a_damaged_index(build: Build) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    random_bytes(workspace.root / INDEX_DB)

    assert reindex(workspace, HashEmbedder()).claims == 5


@pytest.mark.parametrize("suffix", [".codes", ".rows"])
@pytest.mark.parametrize("left", [0, 7, 100])
def test_lost_vectors_cost_no_answer(build: Build, suffix: str, left: int) -> None:
    workspace = build(NOTES)
    reindex(workspace, HashEmbedder())
    (file,) = (workspace.root / INDEX_DB).parent.glob(f"*{suffix}")
    file.write_bytes(file.read_bytes()[:left])

    assert [hit.claim.text for hit in asked(workspace).hits] == ["Marta is allergic to hazelnuts"]


def test_an_index_that_cannot_be_written_costs_no_answer(build: Build) -> None:
    workspace = build(NOTES)
    (workspace.root / "memory/.dreams").write_text("a file where a folder should be")

    answer = asked(workspace)

    assert [hit.claim.text for hit in answer.hits] == ["Marta is allergic to hazelnuts"]
    assert answer.degraded


@pytest.mark.parametrize("linked", ["memory/.dreams", INDEX_DB])
def test_a_link_never_leads_the_index_out_of_the_workspace(build: Build, tmp_path: Path, linked: str) -> None:
    workspace, outside = build(NOTES), tmp_path / "outside"
    outside.mkdir()
    (outside / "index.db").write_text("")
    (workspace.root / linked).parent.mkdir(parents=True, exist_ok=True)
    (workspace.root / linked).symlink_to(outside if linked.endswith("dreams") else outside / "index.db")

    answer = asked(workspace)
    left = [(path.name, path.stat().st_size) for path in outside.iterdir()]
    remove_index(workspace.root)

    assert left == [("index.db", 0)] and (outside / "index.db").exists()
    assert [hit.claim.text for hit in answer.hits] == ["Marta is allergic to hazelnuts"]


def test_a_file_that_vanishes_while_we_look_costs_no_answer(build: Build) -> None:
    workspace = build(NOTES)
    (workspace.root / "memory/2026-11-03.md").symlink_to("nowhere")

    answer = asked(workspace)

    assert (answer.degraded, len(answer.hits)) == ("", 1)


def test_a_dead_embedder_leaves_keyword_results_and_is_made_up_for_later(build: Build) -> None:
    workspace, embedder = build(NOTES), Counting()
    embedder.dead = True
    first = asked(workspace, "hazelnuts", embedder)
    embedder.dead = False

    second = asked(workspace, "hazelnuts", embedder)

    assert [hit.claim.text for hit in first.hits] == ["Marta is allergic to hazelnuts"]
    assert "keyword results" in first.degraded
    assert (second.degraded, second.hits[0].vector_score > 0) == ("", True)


def test_without_an_embedder_the_answer_says_so(build: Build) -> None:
    answer = ask(build(NOTES), None, CLOCK, "hazelnuts", record=False)

    assert (len(answer.hits), answer.degraded) == (1, "no embedder is set")
