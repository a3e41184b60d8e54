"""The store: all or nothing through any crash; the owner's bytes win; only our files are written."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import ABC, NOW, Make, answering, end, memory_of, review, write
from reverie.errors import BrokenPromise, NotAWorkspace, ReverieError, Unreadable
from reverie.judge.brief import Verdict
from reverie.night import plan_of, read_memory, run_night
from reverie.plan.plan import build_plan
from reverie.plan.promises import check_promises
from reverie.plan.splices import Splice
from reverie.store.disk import Disk
from reverie.store.journal import commit, writing
from reverie.store.state import State
from reverie.store.undo import undo
from reverie.workspace.layout import layout_of

MEMORY = "# Me\r\n\r\n## Suppliers\r\n- black tea\r\n- 📌 Never on a Friday\r\n- **Valve:** number 12, from Kern\r\n- black tea\r\n"
NOTE = "## Suppliers\n- **Valve:** number 31\n- Decision: invoices go out on the first\n"


def test_typing_between_thinking_and_writing_is_kept(workspace: Make) -> None:
    layout = workspace()
    judge = answering(end("m2"))

    def slow(brief):  # type: ignore[no-untyped-def]
        write(layout, "MEMORY.md", "- typed\n" + ABC)
        return judge(brief)

    assert review(layout, NOW, slow).run
    assert memory_of(layout) == "- typed\n## A\n- a1\n- a3\n"


def test_a_crash_then_typing_then_undo(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = workspace()
    with monkeypatch.context() as patch:
        patch.setattr("reverie.store.disk.Disk.swap", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            review(layout, NOW, answering(end("m2")))
    write(layout, "MEMORY.md", ABC + "- typed\n")
    with writing(layout, "test", Disk()):
        pass
    assert memory_of(layout) == "## A\n- a1\n- a3\n- typed\n"
    undo(layout, NOW)
    assert memory_of(layout) == ABC + "- typed\n"


def test_a_linked_memory_is_neither_followed_nor_replaced(workspace: Make) -> None:
    layout = workspace(None, {"real.md": "- old fact\n", "memory/2026-03-30.md": NOTE})
    os.symlink("real.md", layout.root / "MEMORY.md")
    with pytest.raises(Unreadable):
        review(layout, NOW)
    assert (layout.root / "MEMORY.md").is_symlink() and (layout.root / "real.md").read_text() == "- old fact\n"


def test_a_memory_that_is_not_utf8_is_never_edited(workspace: Make) -> None:
    broken = b"- caf\xe9 on Mondays\n- twice\n- twice\n"
    layout = workspace(broken)
    with pytest.raises(Unreadable, match="byte 5 is not UTF-8"):
        review(layout, NOW)
    assert (layout.root / "MEMORY.md").read_bytes() == broken


@pytest.mark.parametrize("path", ["../outside.txt", "notes.txt", "memory/2026-03-30.md", "memory/.dreams/state.json"])
def test_recovery_writes_only_our_files(workspace: Make, path: str) -> None:
    layout = workspace()
    runs = layout.root / "memory/.dreams/runs"
    runs.mkdir(parents=True)
    record = {
        "id": "0001",
        "at": "2026-01-01T00:00:00",
        "command": "review",
        "changes": [{"path": path, "before": "", "after": "x"}],
    }
    record["splices"] = [{"path": path, "at": 0, "new": ["x"]}]
    (runs / "0001-review.commit").write_text(json.dumps(record))
    before = {file: file.read_bytes() for file in layout.root.rglob("*.md")}
    with writing(layout, "test", Disk()) as told:
        assert "not ours to write" in told[0]
    assert not (layout.root.parent / "outside.txt").exists()
    assert {file: file.read_bytes() for file in layout.root.rglob("*.md")} == before


def test_nothing_is_written_through_a_linked_folder(workspace: Make) -> None:
    layout = workspace()
    (layout.root / "elsewhere").mkdir()
    os.symlink("../elsewhere", layout.root / "memory/user")
    plan = replace(
        build_plan(read_memory(layout), [], NOW), splices=(Splice("memory/user/x.md", 0, (), ("- leaked\n",)),)
    )
    with pytest.raises(BrokenPromise):
        commit(plan, NOW, "review", Disk())
    assert not list((layout.root / "elsewhere").iterdir())


def test_the_vault_may_lie_on_another_disk(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = workspace()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as vault:
        monkeypatch.setenv("DREAM_VAULT_PATH", vault)  # a link in the workspace is followed by nobody
        review(layout_of(layout.root), NOW, answering(end("m2")))
        assert "- a2" in (Path(vault) / "ledger.md").read_text()


def test_a_ledger_of_five_megabytes_only_grows(workspace: Make) -> None:
    old = ("x" * 79 + "\n") * 63_000
    layout = workspace(ABC, {"dream-vault/ledger.md": old})
    review(layout, NOW, answering(end("m2")))
    text = (layout.root / "dream-vault/ledger.md").read_text()
    assert text.startswith(old) and "Content: - a2\n" in text[len(old) :]


def test_archived_means_archived_word_for_word(workspace: Make) -> None:
    layout = workspace("## A\n- tea\n", {"dream-vault/ledger.md": "---\nContent: - teapot broke\n---\n"})
    plan = replace(build_plan(read_memory(layout), [], NOW), splices=(Splice("MEMORY.md", 1, ("- tea\n",)),))
    with pytest.raises(BrokenPromise, match="not in the archive"):
        check_promises(plan, "review")


def test_a_protected_line_survives_any_plan(workspace: Make) -> None:
    layout = workspace("- 📌 tea\n")
    plan = replace(build_plan(read_memory(layout), [], NOW), splices=(Splice("MEMORY.md", 0, ("- 📌 tea\n",)),))
    with pytest.raises(BrokenPromise, match="protects"):
        check_promises(plan, "review")


def test_private_stays_private(workspace: Make) -> None:
    layout = workspace()
    os.chmod(layout.root / "MEMORY.md", 0o600)
    review(layout, NOW, answering(end("m2")))
    assert (layout.root / "MEMORY.md").stat().st_mode & 0o777 == 0o600
    for record in (layout.root / "memory/.dreams/runs").iterdir():
        assert not record.stat().st_mode & 0o077


def test_no_folder_is_made_where_none_is(tmp_path: Path) -> None:
    with pytest.raises(NotAWorkspace):
        review(layout_of(tmp_path / "typo"), NOW)
    assert not (tmp_path / "typo").exists()


def test_the_folder_of_runs_is_synced(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    layout, real, seen = workspace(), os.fsync, set[str]()

    def fsync(handle: int) -> None:
        seen.add(os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    review(layout, NOW, answering(end("m2")))
    assert {str(layout.root / "memory/.dreams/runs"), str(layout.root / "memory/.dreams"), str(layout.root)} <= seen


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("memory/.dreams/state.json", '{"a":'),
        ("memory/self-improving/x.jsonl", '{"text":"x","ts":"2026-13-45"}\n'),
        ("dream-vault/ledger-index.json", '[{"id":"a3f8c201","category":"decision","summary":"Obsidian"}]'),
        ("dream-vault/meta/removed-entries.json", '[{"id":"a","summary":"s"}]'),
    ],
)
def test_a_stranger_file_stops_no_night(workspace: Make, path: str, data: str) -> None:
    layout = workspace(ABC, {path: data})
    assert review(layout, NOW, answering(end("m2"))).run
    assert memory_of(layout) == "## A\n- a1\n- a3\n"


def test_foreign_records_and_fields_survive(workspace: Make) -> None:
    foreign = {"id": "a3f8c201", "category": "decision", "mood": "calm"}
    layout = workspace(ABC, {"dream-vault/ledger-index.json": json.dumps([foreign])})
    review(layout, NOW, answering(end("m2")))
    index = json.loads((layout.root / "dream-vault/ledger-index.json").read_text())
    assert index[0] == foreign and index[1]["summary"] == "a2"


def test_a_damaged_list_is_told_and_never_overwritten(workspace: Make) -> None:
    layout = workspace(ABC, {"dream-vault/ledger-index.json": "[oops"})
    with pytest.raises(ReverieError, match="ledger-index"):
        review(layout, NOW, answering(end("m2")))
    assert memory_of(layout) == ABC and (layout.root / "dream-vault/ledger-index.json").read_text() == "[oops"


def test_what_we_write_about_a_note_names_it_and_does_not_quote_it(workspace: Make) -> None:
    layout = workspace(ABC, {"memory/2026-03-30.md": "- the valve came, my sister cried\n"})
    review(layout, NOW, answering({"op": "add", "from": ["n1"], "section": "A", "text": "valve came"}))
    record = (layout.root / "memory/.dreams/runs/0001-review.json").read_text()
    assert "memory/2026-03-30.md" in record and "sister" not in record


def test_a_dry_run_writes_nothing(workspace: Make) -> None:
    layout = workspace(MEMORY, {"memory/2026-03-30.md": NOTE})
    before = sorted(layout.root.rglob("*"))
    assert review(layout, NOW, dry_run=True).plan.done
    assert sorted(layout.root.rglob("*")) == before and memory_of(layout) == MEMORY


def test_a_verdict_is_planned_again_on_other_files(workspace: Make) -> None:
    layout = workspace()
    verdict = review(layout, NOW, answering(end("m3")), dry_run=True).verdict
    write(layout, "MEMORY.md", "- first\n" + ABC.replace("- a1\n", ""))
    assert [
        splice.at
        for splice in plan_of(read_memory(layout), State(), Verdict(verdict.operations), NOW, accept=True).splices
    ] == [3]


def test_what_its_owner_types_over_in_the_last_instant_is_recorded_as_asked_not_as_done(workspace: Make) -> None:
    class Typing(Disk):
        def swap(self, fresh: Path, target: Path) -> None:
            if target.name == "MEMORY.md" and "hates" not in target.read_text():
                target.write_text(target.read_text().replace("likes tea", "hates tea"))
            super().swap(fresh, target)

    layout = workspace("## A\n- likes tea\n- likes tea\n\n## B\n- [x] done\n- [ ] open\n- stays\n")
    run = run_night(layout, NOW, disk=Typing()).run
    assert run and run.gave_way and "merge" not in [wish.op for wish in run.operations]
    assert "merge" in [wish.op for wish in run.waiting] and {splice.by for splice in run.splices} <= {
        w.id for w in run.operations
    }
    assert (layout.root / "MEMORY.md").read_text().count("hates tea") == 2
