"""What `dream search` finds, in which order, with which doubts; and an index that may be lost, damaged or held at any time."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

import reverie
from conftest import NOW, Make, write
from reverie.retrieval import index, search
from reverie.retrieval.search import Answer, Hit, Searcher
from reverie.workspace.layout import Layout, layout_of
from test_commands import dream

TODAY = NOW.date()  # a Tuesday
LEDGER = "---\nID: 75fe2b87\nArchived: 2026-03-20 03:00\nCategory: [superseded]\nContent: - **Pump valve:** number 9\nSource: a note\n---\n"
Patch = pytest.MonkeyPatch
FILES = {
    "memory/2026-03-12.md": "# Thursday\n- Pump valve: number 12\n- walked to the harbour with Ilka\n",
    "memory/2026-03-25.md": "# Wednesday\n- 10:00 mended the gate\n- walked to the harbour with Ilka\n- 修好了水泵的阀门\n",
    "memory/2026-03-30.md": "- the kettle boils\n> the harbour burns, says the mail\n- wifi password: Moor-88x!\n",
    "memory/user/house.md": "---\nname: House\ndescription: the house\n---\n- the attic has two windows\n",
    "dream-vault/ledger.md": LEDGER,
    "dream-vault/obsidian-index/_index.md": "# Content index\n\n- 2026-02-15 [Lathe manual](https://e.org/l) — how to oil it\n",
}
MEMORY = "# Kim\n\n## House\n- **Pump valve:** number 31\n- The badge is valid until 2026-03-01\n"


@pytest.fixture
def kim(workspace: Make) -> Layout:
    layout = workspace(MEMORY, FILES)
    last_night = datetime(2026, 3, 26, 3).timestamp()
    os.utime(layout.root / "MEMORY.md", (last_night, last_night))
    return layout


def ask(layout: Layout, question: str, **about: object) -> Answer:
    return reverie.search(layout, NOW, question, **about)


def places(layout: Layout, question: str, **about: object) -> list[str]:
    return [hit.place for hit in ask(layout, question, **about).hits]


def texts(searcher: Searcher, question: str) -> list[str]:
    return [hit.text for hit in searcher.search(question, TODAY).hits]


def test_a_line_is_found_with_all_that_places_it_and_the_same_words_once(kim: Layout) -> None:
    days = ("2026-03-12", "2026-03-25")
    line = (3, "Wednesday", "2026-03-25", days, "walked to the harbour with Ilka", "notes")
    first, second = ask(kim, "where did Ilka walk?").hits[0], ask(kim, "harbour").hits[1]
    assert first == Hit("memory/2026-03-25.md", *line, first.score)
    stranger = (
        "memory/2026-03-30.md",
        2,
        "",
        "2026-03-30",
        ("2026-03-30",),
        "the harbour burns, says the mail",
        "notes",
    )
    assert second == Hit(*stranger, second.score, ("quoted words",))


def test_the_newest_value_stands_first_and_the_others_say_by_what_they_were_replaced(kim: Layout) -> None:
    found = {hit.place: hit.marks for hit in ask(kim, "which pump valve?", limit=3).hits}
    replaced = ("superseded by MEMORY.md:4",)
    old = {"dream-vault/ledger.md:1": replaced, "memory/2026-03-12.md:2": replaced}
    assert found == {"MEMORY.md:4": ()} | old and next(iter(found)) == "MEMORY.md:4"

    write(kim, "memory/2026-03-28.md", "- Pump valve: number 40\n")
    assert ask(kim, "pump valve").hits[0].place == "memory/2026-03-28.md:1"
    write(kim, "memory/2026-03-29.md", "- sent invoice 11 to Kern\n- sent invoice 12 to Kern\n")
    assert [hit.marks for hit in ask(kim, "invoice").hits[:2]] == [(), ()]  # two things, no two values
    assert ask(kim, "badge").hits[0].marks == ("expired 2026-03-01",)


@pytest.mark.parametrize(
    ("question", "day", "lines"),
    [
        ("What did we do last Wednesday?", "2026-03-25", [2, 3, 4]),
        ("what happened on 2026-03-12", "2026-03-12", [2, 3]),
        ("昨天", "2026-03-30", [1, 2]),
        ("上周三", "2026-03-25", [2, 3, 4]),
        ("did we see Ilka last Wednesday", "2026-03-25", [3]),
    ],
)
def test_a_question_for_a_day_reads_its_note(kim: Layout, question: str, day: str, lines: list[int]) -> None:
    answer = ask(kim, question, limit=len(lines))
    assert [(hit.day, hit.line) for hit in answer.hits] == [(day, line) for line in lines]
    assert answer.note.endswith(f" is {day}.")


def test_slips_are_understood_scripts_without_spaces_are_read_and_nothing_is_nothing(kim: Layout) -> None:
    assert ask(kim, "ktetle").note == "“ktetle” was read as “kettle”."
    assert places(kim, "ktetle")[0] == "memory/2026-03-30.md:1"
    assert places(kim, "水泵阀门在哪里")[0] == "memory/2026-03-25.md:4"
    assert ask(kim, "zebra?") == Answer("zebra?", ())
    assert ask(kim, '"; DROP -- * NEAR(') == Answer('"; DROP -- * NEAR(', ())
    assert all(places(kim, sign)[0] == "memory/2026-03-25.md:4" for sign in "修泵门") and places(kim, "茶") == []


def test_only_one_kind_or_only_the_last_days_are_asked(kim: Layout) -> None:
    assert places(kim, "valve", where="archive") == ["dream-vault/ledger.md:1"]
    assert places(kim, "lathe", where="index") == ["dream-vault/obsidian-index/_index.md:3"]
    assert places(kim, "attic", where="memory") == ["memory/user/house.md:5"]
    assert "memory/2026-03-25.md:3" in places(kim, "harbour", days=7)
    assert "memory/2026-03-25.md:3" not in places(kim, "harbour", days=6)
    assert places(kim, "harbour", days=10**12, limit=10**9) == places(kim, "harbour")


def test_the_index_is_private_lies_outside_and_holds_no_secret(kim: Layout) -> None:
    before = sorted(kim.root.rglob("*"))
    assert not any("Moor" in hit.text for hit in ask(kim, "wifi password Moor-88x").hits)
    assert sorted(kim.root.rglob("*")) == before and b"Moor" not in kim.cache.read_bytes()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (kim.cache, kim.cache.parent)] == [0o600, 0o700]
    reverie.forget(kim, NOW, "the kettle boils", purge=True)
    assert not kim.cache.exists() and not places(kim, "kettle")


def test_what_changed_is_read_again_even_in_the_same_instant(kim: Layout) -> None:
    path, searcher = kim.root / "memory/2026-03-30.md", Searcher(kim)
    about = path.stat()
    assert searcher.search("kettle", TODAY).hits[0].text == "the kettle boils"
    path.write_text(path.read_text().replace("kettle", "ketone"))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert texts(searcher, "ketone")[:1] == ["the ketone boils"]
    path.unlink()
    assert not searcher.search("ketone", TODAY).hits
    (kim.root / "memory/2026/03").mkdir(parents=True)
    assert not searcher.search("zither", TODAY).hits
    about = (kim.root / "memory/2026/03").stat()
    write(kim, "memory/2026/03/2026-03-02.md", "- a zither\n")
    os.utime(kim.root / "memory/2026/03", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert searcher.search("zither", TODAY).hits[0].place == "memory/2026/03/2026-03-02.md:1"


def test_of_very_many_notes_no_old_one_is_shown_as_it_was(kim: Layout, monkeypatch: Patch) -> None:
    monkeypatch.setattr(index, "_LOOK", 1)
    old, long_ago = kim.root / "memory/2026-03-12.md", (1.7e9, 1.7e9)
    os.utime(old, long_ago)
    searcher = Searcher(kim)
    assert "Pump valve: number 12" in texts(searcher, "valve")
    old.write_text("# Thursday\n\n\n- Pump valve: number 12, of brass\n")
    os.utime(old, long_ago)
    assert "Pump valve: number 12" not in texts(searcher, "valve")
    assert "Pump valve: number 12, of brass" in texts(searcher, "valve")


def test_of_a_word_that_stands_everywhere_the_newest_lines_are_weighed(workspace: Make, monkeypatch: Patch) -> None:
    monkeypatch.setattr(search, "_SCORED", 3)
    notes = {f"memory/2026-02-{day:02}.md": f"- kettle {day}\n" for day in range(1, 29)}
    layout = workspace("- the kettle is of brass\n", notes | {"memory/2026-01-01.md": "- kettle of tin\n"})
    assert sorted(places(layout, "kettle")) == ["MEMORY.md:1", "memory/2026-02-27.md:1", "memory/2026-02-28.md:1"]
    assert places(layout, "tin kettle")[0] == "memory/2026-01-01.md:1"


def damaged(file: Path, how: str) -> None:
    """Do something to the index that an owner, a crash or another version does."""
    if how in ("version", "unfinished"):
        with sqlite3.connect(file) as db:
            db.execute(f"PRAGMA user_version={99 if how == 'version' else 0}")
        return
    data = file.read_bytes()
    file.unlink()
    if how == "link":
        file.symlink_to("MEMORY.md")
    elif how == "folder":
        file.mkdir()
    elif how == "no cache":
        file.parent.rmdir()
        file.parent.write_text("a file in the place of our folder")
    elif how != "gone":
        file.write_bytes({"garbage": b"x" * len(data), "cut": data[: len(data) // 2], "empty": b""}[how])


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(
    "how", ["gone", "garbage", "cut", "empty", "version", "unfinished", "link", "folder", "no cache"]
)
def test_whatever_happens_to_the_index_the_answer_stays(kim: Layout, how: str, is_open: bool) -> None:
    searcher = Searcher(kim)
    expected = searcher.search("pump valve", TODAY)
    damaged(kim.cache, how)
    assert (searcher if is_open else Searcher(kim)).search("pump valve", TODAY) == expected
    assert Searcher(kim).search("pump valve", TODAY) == expected
    if how not in ("link", "folder", "no cache"):  # those are somebody else's
        with sqlite3.connect(kim.cache) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (index.VERSION,)


def test_while_another_program_holds_the_index_an_answer_comes_without_it(kim: Layout, monkeypatch: Patch) -> None:
    monkeypatch.setattr(index, "_WAIT", 0.05)
    expected = ask(kim, "pump valve")
    with sqlite3.connect(kim.cache, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert ask(kim, "pump valve") == expected


def test_a_workspace_that_holds_the_cache_itself_gets_no_index(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- the kettle boils\n")
    layout = layout_of(tmp_path)
    assert places(layout, "kettle") == ["MEMORY.md:1"]
    assert [path.name for path in tmp_path.iterdir()] == ["MEMORY.md"]


def test_odd_files_are_read_as_far_as_they_can_be(kim: Layout) -> None:
    (kim.root / "memory/2026-03-01.md").write_bytes(b"\xef\xbb\xbf- caf\xe9 zither\r\n- second zither\r\n")
    (kim.root / "memory/2026-03-02.md").symlink_to("/etc/hostname")
    os.mkfifo(kim.root / "memory/2026-03-03.md")
    (kim.root / "memory/2026-03-04.md").write_text(f"- zither {'x ' * 500_000}\n")
    assert places(kim, "zither") == ["memory/2026-03-01.md:1", "memory/2026-03-01.md:2"]


def test_the_command_shows_the_groups_of_seed_000(kim: Layout) -> None:
    shown = dream(kim.root, "search pump valve --limit 2").out
    assert shown.splitlines() == [
        "🔍 Results for “pump valve”:",
        "── Memory ──",
        "· MEMORY.md:4 [Kim · House]: **Pump valve:** number 31",
        "── Permanent Archive ──",
        "· [75fe2b87] 2026-03-20 [superseded]: **Pump valve:** number 9 (archive score 125; superseded by MEMORY.md:4)",
    ]
    assert "said on 2 days" in dream(kim.root, "search Ilka --rebuild").out
    assert dream(kim.root, "search zebra").out == "Nothing answers this. Try other words.\n"
    assert json.loads(dream(kim.root, "search kettle --json").out)["hits"][0]["line"] == 1
    assert dream(kim.root, "search kettle --limit 0").code == 10


def test_nothing_loads_numpy_by_default(kim: Layout) -> None:
    code = f"import sys, datetime, reverie as r; r.search(r.open_workspace({str(kim.root)!r}), datetime.datetime(2026, 3, 31), 'tea')"
    code += "\nprint('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
