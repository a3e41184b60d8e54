"""The recall journal: one whole line a search, and never a reason to wait or to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import JOURNAL
from reverie.core.ports import HashEmbedder, fixed
from reverie.evidence.journal import LONGEST_QUERY, MOST_RESULTS, append, events, record_search
from reverie.evidence.search import Hit
from reverie.features.search import ask
from reverie.workspace.values import Workspace, stated
from terminal import TOKEN

CLOCK = fixed(NIGHT)
HIT = Hit(stated("memory/2026-11-01.md", 3, 4, "likes tea", day="2026-11-01"), 0.81234, 1.0, 0.5, "words: tea")


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"memory/2026-11-01.md": "- likes tea\n- lives in Bern\n"})


def test_a_search_leaves_one_line_in_the_form_of_the_peer(tmp_path: Path) -> None:
    record_search(tmp_path, "tea?", [HIT], CLOCK.now())

    result = {"path": "memory/2026-11-01.md", "startLine": 3, "endLine": 4, "score": 0.8123, "rank": 1}
    assert list(events(tmp_path)) == [
        {
            "type": "memory.recall.recorded",
            "timestamp": "2026-11-15T02:00:00.000Z",
            "query": "tea?",
            "resultCount": 1,
            "results": [result | {"claim": HIT.claim.key}],
        }
    ]


def test_each_real_search_is_one_line_and_a_silent_one_is_none(workspace: Workspace) -> None:
    for record in (True, False, True):
        ask(workspace, HashEmbedder(), CLOCK, "tea", record=record)
    ask(workspace, HashEmbedder(), CLOCK, "nothing like it")

    assert [(event["query"], event["resultCount"]) for event in events(workspace.root)] == [
        ("tea", 1),
        ("tea", 1),
        ("nothing like it", 0),
    ]


@pytest.mark.parametrize("question", [f"what is {TOKEN}", f"is {TOKEN} ours? " * 90])
def test_a_secret_in_a_question_is_not_kept(workspace: Workspace, question: str) -> None:
    ask(workspace, HashEmbedder(), CLOCK, question)

    assert TOKEN[:12].encode() not in (workspace.root / JOURNAL).read_bytes()


def test_a_line_is_bounded(tmp_path: Path) -> None:
    record_search(tmp_path, "word " * 10_000, [HIT] * 1_000, CLOCK.now())

    (event,) = events(tmp_path)
    assert (len(event["query"]), len(event["results"])) == (LONGEST_QUERY, MOST_RESULTS)


@pytest.mark.parametrize("question", ["\udc80", "\n\n", "\0", "\u2028", "榛子", "🎂"])
def test_any_question_is_one_line_of_ascii(tmp_path: Path, question: str) -> None:
    record_search(tmp_path, question, [], CLOCK.now())

    data = (tmp_path / JOURNAL).read_bytes()
    assert data.isascii() and data.count(b"\n") == 1 and data.endswith(b"\n")
    assert len(list(events(tmp_path))) == 1


WRITER = """
import sys
from pathlib import Path
from reverie.evidence.journal import append
for n in range(1250):
    append(Path(sys.argv[1]), {"type": "test", "who": sys.argv[2], "n": n, "more": "x" * (n % 700)})
"""


@pytest.mark.long
def test_ten_thousand_lines_of_eight_processes_are_all_there_and_whole(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, str(who)]) for who in range(8)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 8

    lines = (tmp_path / JOURNAL).read_bytes().split(b"\n")

    found = [(event["who"], event["n"], len(event["more"])) for event in map(json.loads, filter(None, lines))]
    assert sorted(found) == sorted((str(who), n, n % 700) for who in range(8) for n in range(1250))
    assert all([n for who, n, _ in found if who == str(one)] == list(range(1250)) for one in range(8))


@pytest.mark.parametrize("torn", [b'{"type":"memory.rec', b'{"n":2', b"\0\0\0\0", b"[1]\n", b"null\n", b"\xff\n"])
def test_a_torn_line_is_passed_over(tmp_path: Path, torn: bytes) -> None:
    append(tmp_path, {"n": 1})
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(torn)

    assert list(events(tmp_path)) == [{"n": 1}]


def test_a_torn_line_does_not_take_the_next_one_with_it(tmp_path: Path) -> None:
    append(tmp_path, {"n": 1})
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(b'{"n":2')

    append(tmp_path, {"n": 3})

    assert list(events(tmp_path)) == [{"n": 1}, {"n": 3}]


def test_there_is_nothing_where_there_is_no_journal(tmp_path: Path) -> None:
    assert list(events(tmp_path)) == []


@pytest.mark.parametrize("linked", ["memory", "memory/.dreams", JOURNAL])
def test_a_link_is_refused_in_silence(tmp_path: Path, linked: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(outside / "events.jsonl" if linked == JOURNAL else outside)

    append(root, {"n": 1})

    assert list(outside.rglob("*")) == []


def a_file_instead_of_the_folder(root: Path) -> None:
    (root / "memory/.dreams").write_text("no folder")


def a_folder_instead_of_the_journal(root: Path) -> None:
    (root / JOURNAL).mkdir(parents=True)


@pytest.mark.parametrize("trouble", [a_file_instead_of_the_folder, a_folder_instead_of_the_journal])
def test_a_journal_that_cannot_be_written_costs_the_trace_and_not_the_answer(workspace, trouble) -> None:  # type: ignore[no-untyped-def]
    trouble(workspace.root)

    answer = ask(workspace, HashEmbedder(), CLOCK, "tea")

    assert [hit.claim.text for hit in answer.hits] == ["likes tea"]
    assert list(events(workspace.root)) == []


FULL = """
import resource, sys
from pathlib import Path
from reverie.evidence.journal import append
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
append(Path(sys.argv[1]), {"n": 1})
append(Path(sys.argv[1]), {"n": 2, "more": "x" * 100})
append(Path(sys.argv[1]), {"n": 3})
print("answered")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a disk cannot be made full there")
def test_a_full_disk_costs_the_trace_and_not_the_answer(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path], capture_output=True, timeout=30)

    assert (done.stdout, done.stderr) == (b"answered\n", b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are a thing of POSIX")
def test_a_pipe_in_the_place_of_the_journal_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).parent.mkdir(parents=True)
    os.mkfifo(tmp_path / JOURNAL)
    script = "import sys; from pathlib import Path; from reverie.evidence.journal import append; append(Path(sys.argv[1]), {})"

    subprocess.run([sys.executable, "-c", script, tmp_path], timeout=5, check=True)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("parcel 86915 came, which firm was it?", "parcel … came, which firm was it?"),
        ("is thrushwing.Quarto88 still good?", "is … still good?"),
        ("what did we say on 2026-11-14?", "what did we say on 2026-11-14?"),
        ("Postgres 16 or v15?", "Postgres 16 or v15?"),
        ("花生过敏怎么办", "花生过敏怎么办"),
    ],
)
def test_a_question_is_kept_without_what_could_be_a_value(tmp_path: Path, asked: str, kept: str) -> None:
    record_search(tmp_path, asked, [], CLOCK.now())

    assert [event["query"] for event in events(tmp_path)] == [kept]
