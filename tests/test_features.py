"""What the commands beside the night do: note, forget, inbox, why, status, show, init."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW, Make, memory_of, write
from reverie import note
from reverie.store.lock import held
from reverie.workspace.layout import layout_of
from test_commands import DAY, dream, everything, made, ready, said

TODAY = "memory/2026-03-31.md"
LATER = NOW + timedelta(days=2)


@pytest.mark.parametrize(
    ("words", "memory", "told"),
    [
        ("Decision: the shop shuts at six", "- Decision: the shop shuts at six", "It stands in memory, too."),
        ("New project: the green boat", "- New project: the green boat", "It stands in memory, too."),
        ("Correction: valve number 31, not 12", "## A\n- valve number 31", "It stands in memory, too."),
        ("Correction: the roof is of slate, not tiles", "- Correction: the roof is of slate, not tiles", "in memory, too"),
        ("Correction: valve number 12, not 9", "", "Not in memory yet: memory says it already."),
        ("we decided not sure what, maybe", "", "the next night decides whether memory keeps it"),
        ("--as agent Correction: valve number 31, not 12", "", "an agent's correction waits for the night"),
    ],
)  # fmt: skip
def test_a_note_goes_where_its_kind_belongs(workspace: Make, words: str, memory: str, told: str) -> None:
    layout = workspace("## A\n- valve number 12\n")
    assert told in dream(layout.root, f"note {words}", typed="").out
    assert memory in memory_of(layout) and (memory or memory_of(layout) == "## A\n- valve number 12\n")
    assert (layout.root / TODAY).read_text() == f"# 2026-03-31\n\n- 03:00 {words.removeprefix('--as agent ')}\n"
    assert "took it out" not in dream(layout.root, f"why {words.removeprefix('--as agent ')}").out


def test_over_16_000_characters_finished_lines_leave_first(workspace: Make) -> None:
    layout = workspace("## A\n- [x] painted the door\n- [ ] paint it\n" + f"- {'the long harbour wall ' * 9}\n" * 85)
    dream(layout.root, "note Decision: the shop shuts at six")
    assert "painted the door" not in memory_of(layout) and "the shop shuts" in memory_of(layout)
    assert "painted the door" in (layout.root / "dream-vault/ledger.md").read_text()


def test_while_another_command_writes_a_note_is_appended(workspace: Make) -> None:
    layout = workspace(files={TODAY: "- caf\u00e9"})
    with held(layout, "review"):
        assert "another command holds" in note(layout, NOW, "Decision: tea at six").why_not
    assert (layout.root / TODAY).read_text() == "- café\n- 03:00 Decision: tea at six\n"


def test_a_note_leaves_foreign_bytes_and_an_empty_workspace_begins(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / TODAY).write_bytes(b"- caf\xe9\r\n")
    assert dream(tmp_path, "note", "tea \udcff\ud800").code == 0
    assert (tmp_path / TODAY).read_bytes() == b"- caf\xe9\r\n- 03:00 tea ??\r\n"


def test_forget_takes_what_says_all_of_it_and_leaves_what_is_protected(tmp_path: Path) -> None:
    memory = "## A\n- likes black tea\n- black tea for Ilka\n- 📌 black tea on Fridays\n- pear\n"
    made(tmp_path, {"MEMORY.md": memory, DAY: "- apple\n"})
    assert "protected" in dream(tmp_path, "forget --dry-run black tea").out.lower()
    assert dream(tmp_path, "forget black tea", typed="n\n").code == 19
    assert "stays: MEMORY.md:4" in dream(tmp_path, "forget everything about black tea", typed="y\n").out
    assert dream(tmp_path, "forget MEMORY.md:3").code == 0
    assert (tmp_path / "MEMORY.md").read_text() == "## A\n- 📌 black tea on Fridays\n"
    assert "Alike" in dream(tmp_path, "forget apple sauce").out


@pytest.mark.parametrize(("flag", "returns"), [("", True), ("--forever", False), ("--purge --yes", False)])
def test_a_later_day_may_say_again_what_was_not_forgotten_for_ever(tmp_path: Path, flag: str, returns: bool) -> None:
    said = "Decision: invoices go out on the first of May"
    made(tmp_path, {"MEMORY.md": f"## A\n- {said}\n- pear\n", DAY: "- apple\n"})
    assert dream(tmp_path, f"forget {flag} invoices go out").code == 0
    made(tmp_path, {"memory/2026-04-01.md": f"- {said}\n"})
    dream(tmp_path, "review", now=LATER)
    assert (said in (tmp_path / "MEMORY.md").read_text()) is returns
    assert returns or "Its owner forgot it for ever." in dream(tmp_path, f"why {said}").out


def test_a_purge_leaves_no_byte_and_a_stub(tmp_path: Path) -> None:
    long = "the **harbour** pays 5% to [Kern](x.md), " + "as it was said once more, " * 9
    tasks = f"- [x] {long}\n- [x] {long}and 30\n- [x] the harbour is old\n"
    made(tmp_path, {"MEMORY.md": f"## A\n- pear\n{tasks}\n## Dream\n", DAY: f"- apple\n- {long}\n"})
    dream(tmp_path, "review")
    assert "the harbour" in (tmp_path / "MEMORY.md").read_text().split("## Dream")[1]
    assert dream(tmp_path, "forget harbour pays", typed="y\n").code == 0
    shown = dream(tmp_path, "forget --purge --yes harbour")
    assert "Still holds it" not in shown.out and shown.code == 0
    assert dream(tmp_path, f"forget --purge --yes {long}").code == 0
    assert not [path for path, data in everything(tmp_path).items() if b"it was said" in data]
    assert "Event: erased" in (tmp_path / "dream-vault/ledger.md").read_text()
    purge = json.loads(dream(tmp_path, "runs --json").out)[-1]
    assert dream(tmp_path, f"undo {purge['id']}").err.startswith("dream: A purge cannot be undone: nothing of what")


def test_a_card_shows_whole_lines_and_is_answered_with_yes_no_or_later(tmp_path: Path) -> None:
    words = ready(tmp_path / "w", "inbox --later")
    shown = dream(tmp_path / "w", "inbox").out
    assert "    was  - dentist on 2026-03-20\n    ? Archive this line?\n" in shown
    assert "0 done." in dream(tmp_path / "w", words).out
    waiting = {days: dream(tmp_path / "w", "inbox", now=NOW + timedelta(days=days)).out for days in (0, 6, 7, 30, 31)}
    assert [days for days, out in waiting.items() if "dentist" in out] == [7, 30]
    assert "1 done." in dream(tmp_path / "w", "inbox", typed="y\n", now=NOW + timedelta(days=8)).out
    assert "dentist" not in (tmp_path / "w/MEMORY.md").read_text()
    dream(tmp_path / "no", ready(tmp_path / "no", "inbox --no"))
    assert "wait for your word" not in dream(tmp_path / "no", "plan", now=LATER).out


def test_why_answers_for_places_words_and_secrets_and_show_withholds_those(tmp_path: Path) -> None:
    made(tmp_path)
    assert "It stands in MEMORY.md:4, now." in dream(tmp_path, "why MEMORY.md:4").out
    assert "no night has read it yet." in dream(tmp_path, "why invoices go out").out
    assert "the line may hold a secret" in dream(tmp_path, "why wifi").out
    assert "No note says it." in dream(tmp_path, "why zebra").out
    made(tmp_path, {"MEMORY.md": "## Passwords\n- Heron-77b!\n"})
    assert "Heron" not in dream(tmp_path, "show").out + dream(tmp_path, "show --json").out


def test_status_opens_neither_ledger_nor_notes_and_loads_little(tmp_path: Path) -> None:
    ready(tmp_path / "w", "undo")
    code = (
        "import sys; seen = []; sys.addaudithook(lambda name, about: seen.append(str(about[0])) if name == 'open' else None)\n"
        "from reverie.surfaces.cli import main\ntry: main()\nexcept SystemExit: pass\n"
        "print([p for p in seen if p.endswith(('ledger.md', '30.md'))], {'msgspec', 'dataclasses', 'tomllib'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code, "status", "-w", tmp_path / "w"], capture_output=True, text=True)
    assert run.stdout.endswith("[] set()\n"), run.stdout + run.stderr


def test_a_memory_that_nobody_can_read_is_not_told_as_an_empty_one(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "MEMORY.md").write_bytes(b"- caf\xe9\n")
    assert "MEMORY.md: not read\n" in dream(tmp_path, "status").out


def test_an_undo_after_a_night_without_news_does_not_take_the_memory_away(tmp_path: Path) -> None:
    dream(tmp_path / "w", "init --tools saw")
    write(layout_of(tmp_path / "w"), "memory/2026-03-30.md", "- rain\n")
    dream(tmp_path / "w", "review")
    assert "`dream undo 0001`" in dream(tmp_path / "w", "undo").err and (tmp_path / "w/MEMORY.md").exists()
    assert dream(tmp_path / "w", "undo 0001").code == 0 and not (tmp_path / "w/MEMORY.md").exists()


def test_init_does_not_take_the_place_of_the_agents_own_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, home = tmp_path / "p", tmp_path / "home"
    own = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project.resolve())) / "memory"
    for folder in (project, own):
        folder.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- a\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    refused = said(["init"])
    assert refused.code == 10 and str(own) in refused.err and not [*project.iterdir()]
    assert said(["init", "-w", "."]).code == 0


def test_init_leaves_a_memory_that_is_there(tmp_path: Path) -> None:
    first = dream(tmp_path / "w", "init", typed="pliers\n\nthe boat\nmy password is Moor-88x!\nIlka\n").out
    memory = (tmp_path / "w/MEMORY.md").read_text()
    assert "has a memory" in first and "the answer about values" in first and "- the boat\n" in memory
    assert "and it stays to the byte" in dream(tmp_path / "w", "init --tools saw").out
    assert (tmp_path / "w/MEMORY.md").read_text() == memory and "Moor" not in memory
