"""Power cuts, kills, full disks, other processes, damaged and hostile files: nothing is lost and nothing doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from reverie.core.errors import RefusedFile, WriteFailed
from reverie.core.layout import CORPUS, OWN_CORPUS, PEER_SESSIONS, SESSION_CURSOR, STATE_DIR
from reverie.evidence.session_corpus import FORGET_AFTER, MOST_SEEN, MOST_SEEN_IN_ALL, append_turns, read_cursors
from reverie.evidence.state_files import Steps
from reverie.workspace.transcripts import Cursor, Transcript
from talk import BERLIN, NOON, NOW, CutSteps, PowerCut, corpus, keep, transcript, turn

TALK = [
    turn(n, f"thing number {n} 榛子 {'and on ' * 150 if n % 3 == 0 else ''}", NOON + timedelta(days=n % 2))
    for n in range(8)
]


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("earlier", [False, True])
def test_a_power_cut_at_any_step_loses_and_doubles_nothing(tmp_path: Path, torn: bool, earlier: bool) -> None:
    def started(name: str) -> Path:
        root = tmp_path / name
        root.mkdir()
        if earlier:
            keep(root, turn(90, "what was kept before"))
        return root

    calm = started("calm")
    keep(calm, *TALK)
    expected = {day: sorted(lines) for day, lines in corpus(calm).items()}

    at, finished = 0, False
    while not finished:
        at += 1
        root = started(f"cut-{at}")
        try:
            keep(root, *TALK, steps=CutSteps(at, torn=torn))
            finished = True
        except PowerCut:
            try:
                keep(root, *TALK, steps=CutSteps(at % 5 + 1, torn=torn))  # and once more while it is mended
            except PowerCut:
                keep(root, *TALK)
        assert {day: sorted(lines) for day, lines in corpus(root).items()} == expected
        assert read_cursors(root) == read_cursors(calm)
    assert at > 8


def test_cursors_move_only_after_every_line_is_certain(tmp_path: Path) -> None:
    with pytest.raises(PowerCut):
        keep(tmp_path, *TALK, steps=CutSteps(9))  # the lines stand, but nobody made sure of them
    steps = CutSteps()
    keep(tmp_path, *TALK, steps=steps)

    moved = steps.took.index(("move", "reverie-sessions.json"))
    for name in ("2026-11-14.txt", "2026-11-15.txt"):
        appended = max((i for i, step in enumerate(steps.took) if step == ("append", name)), default=-1)
        assert appended < steps.took.index(("sync", name)) < moved
    assert steps.took.index(("sync_folder", "reverie")) < moved


@pytest.mark.parametrize("tear", [b"[main/sessions/gone.jsonl#L3] User: half of a sen", b"[main/se\0\0\0\0"])
def test_a_torn_line_whose_turn_is_gone_is_dropped(tmp_path: Path, tear: bytes) -> None:
    keep(tmp_path, turn(1, "I moved to Bern"))
    before = corpus(tmp_path)
    with (tmp_path / OWN_CORPUS / "2026-11-14.txt").open("ab") as file:
        file.write(tear)

    append_turns(tmp_path, [transcript()], BERLIN, now=NOW)

    assert corpus(tmp_path) == before


def test_a_last_line_of_somebody_else_is_closed_and_kept(tmp_path: Path) -> None:
    (tmp_path / OWN_CORPUS).mkdir(parents=True)
    (tmp_path / OWN_CORPUS / "2026-11-14.txt").write_text("written by hand")

    keep(tmp_path, turn(1, "I moved to Bern"))

    assert corpus(tmp_path)["2026-11-14"] == ["written by hand", "[main/sessions/abc.jsonl#L1] User: I moved to Bern"]


def test_a_full_disk_is_said_and_the_next_call_mends_it(tmp_path: Path) -> None:
    class Full(Steps):
        def append(self, path: Path, data: bytes) -> None:
            super().append(path, data[:50])
            raise OSError(28, "No space left on device", str(path))

    with pytest.raises(WriteFailed, match="No space left"):
        keep(tmp_path, *TALK, steps=Full())
    keep(tmp_path, *TALK)

    assert sum(map(len, corpus(tmp_path).values())) == len(
        {line for lines in corpus(tmp_path).values() for line in lines}
    )
    assert sum(line.count("thing number") for lines in corpus(tmp_path).values() for line in lines) == len(TALK)


SCRIPT = """
import sys, os, signal, time
from pathlib import Path
sys.path[:0] = [{tests!r}, {here!r}]
from talk import keep, turn
from test_session_corpus_disasters import TALK, Steps
root = Path(sys.argv[1])
class Killed(Steps):
    def append(self, path, data):
        super().append(path, data[: len(data) // 2 + 5])
        os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "killed":
    keep(root, *TALK, steps=Killed())
(root / f"ready-{{os.getpid()}}").touch()
while not (root / "go").exists():
    time.sleep(0.0001)
for n in range(10):
    keep(root, *[turn(i, f"thing number {{i}} of many") for i in range(n * 40, n * 40 + 80)])
"""


def run(root: Path, how: str) -> subprocess.Popen[bytes]:
    script = SCRIPT.format(tests=str(Path(__file__).parents[1]), here=str(Path(__file__).parent))
    return subprocess.Popen([sys.executable, "-c", script, str(root), how], stderr=subprocess.PIPE)


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_process_leaves_nothing_that_the_next_one_cannot_mend(tmp_path: Path) -> None:
    with run(tmp_path, "killed") as process:
        process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / OWN_CORPUS / "2026-11-14.txt").read_bytes().endswith(b"\n")

    keep(tmp_path, *TALK)

    (tmp_path / "calm").mkdir()
    keep(tmp_path / "calm", *TALK)
    assert {k: sorted(v) for k, v in corpus(tmp_path).items()} == {
        k: sorted(v) for k, v in corpus(tmp_path / "calm").items()
    }


def test_processes_at_work_at_once_double_nothing(tmp_path: Path) -> None:
    processes = [run(tmp_path, "waiting") for _ in range(3)]
    while len(list(tmp_path.glob("ready-*"))) < 3 and all(process.poll() is None for process in processes):
        time.sleep(0.01)
    (tmp_path / "go").touch()
    errors = [process.communicate(timeout=60)[1] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0], errors
    lines = corpus(tmp_path)["2026-11-14"]
    assert len(lines) == len(set(lines)) == 440


def stored(root: Path) -> dict[str, dict[str, dict[str, object]]]:
    found: dict[str, dict[str, dict[str, object]]] = json.loads((root / SESSION_CURSOR).read_text("utf-8"))
    return found


# What others wrote


def test_the_peers_own_cursors_keep_every_byte_and_what_it_heard_is_not_heard_again(tmp_path: Path) -> None:
    keep(tmp_path, turn(1, "I moved to Bern"))
    heard = (tmp_path / SESSION_CURSOR).read_text()
    for path in (tmp_path / SESSION_CURSOR, *(tmp_path / OWN_CORPUS).iterdir()):
        path.unlink()
    (tmp_path / PEER_SESSIONS).write_text(heard)

    assert keep(tmp_path, turn(1, "I moved to Bern")).appended == 0
    assert (tmp_path / PEER_SESSIONS).read_text() == heard


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"files": [], "seenMessages": 3}', "[" * 100_000, '{"files": {"x": {"head": 3}}}']
)
def test_a_damaged_cursor_file_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / STATE_DIR).mkdir(parents=True)
    (tmp_path / SESSION_CURSOR).write_text(text)

    assert read_cursors(tmp_path) == {}
    assert keep(tmp_path, turn(1, "I moved to Bern")).appended == 1


def test_a_file_that_was_not_met_for_ninety_days_is_forgotten(tmp_path: Path) -> None:
    keep(tmp_path, turn(1, "I moved to Bern"))

    for age, known in ((FORGET_AFTER, 2), (FORGET_AFTER + timedelta(days=1), 1)):
        other = transcript(path="agents/main/sessions/other.jsonl")
        append_turns(tmp_path, [other], BERLIN, now=NOW + age)
        assert len(read_cursors(tmp_path)) == known


def test_what_is_remembered_of_old_messages_is_bounded(tmp_path: Path) -> None:
    many = [
        Transcript(f"s{n}.jsonl", "main", f"sessions/s{n}.jsonl", tuple(turn(i, f"thing number {i}") for i in range(5000)), cursor=Cursor(1, 1, "h", "t"))
        for n in range(7)
    ]  # fmt: skip
    append_turns(tmp_path, many, BERLIN, now=NOW)

    sizes = {scope: len(ids) for scope, ids in stored(tmp_path)["seenMessages"].items()}
    assert max(sizes.values()) == MOST_SEEN
    assert sum(sizes.values()) <= MOST_SEEN_IN_ALL
    assert "main:sessions/s6.jsonl" in sizes


@pytest.mark.parametrize(
    "what", [STATE_DIR, CORPUS, OWN_CORPUS, f"{OWN_CORPUS}/2026-11-14.txt", SESSION_CURSOR, f"{STATE_DIR}/ingest.lock"]
)
@pytest.mark.parametrize("how", ["link", "pipe"])
def test_links_and_pipes_in_the_way_are_refused_and_not_followed(tmp_path: Path, what: str, how: str) -> None:
    root, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / what).parent.mkdir(parents=True)
    is_folder = what in (STATE_DIR, CORPUS, OWN_CORPUS)
    if how == "link":
        (root / what).symlink_to(elsewhere if is_folder else elsewhere / "file")
    else:
        os.mkfifo(root / what)

    with pytest.raises(RefusedFile):
        keep(root, turn(1, "I moved to Bern"))
    assert list(elsewhere.iterdir()) == []
