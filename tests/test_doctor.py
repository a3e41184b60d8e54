"""Five questions with an answer each, and leaving without a trace."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW, Make, answering, end, memory_of, review, write
from reverie.features.doctor import doctor
from reverie.features.timers import BEGIN, END
from reverie.features.uninstall import ours, uninstall
from reverie.hosts.connect import connect
from reverie.retrieval.search import search
from reverie.store.projections import project
from reverie.store.runs import run_files


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CODEX_HOME", raising=False)


def test_a_young_memory_a_healthy_one_and_a_late_one(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = workspace()
    assert [(sign.question, sign.word) for sign in doctor(layout, NOW)] == [
        ("connected", "no host"),
        ("runs", "never ran"),
        ("next", "no timer"),
    ]
    review(layout, NOW, answering(end("m1")))
    crontab = tmp_path / "bin/crontab"
    crontab.parent.mkdir()
    crontab.write_text(f"#!/bin/sh\ncat <<'X'\n{BEGIN}*/15 * * * * dream --workspace={layout.root}\n{END}X\n")
    crontab.chmod(0o755)
    monkeypatch.setenv("PATH", f"{crontab.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    signs = doctor(layout, NOW)
    assert [sign.word for sign in signs] == ["no host", "ok", "ok", "ok"] and "2026-03-31 03:30" in signs[2].line
    write(layout, "memory/2026-04-02.md", "- news\n")
    late = doctor(layout, NOW + timedelta(days=3))
    assert ("late", "dream review") in [(sign.word, sign.mend) for sign in late]


def test_what_is_wrong_is_said_in_a_word_and_stops_nothing(workspace: Make) -> None:
    layout = workspace(
        "## A\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n",
        {"dream-vault/ledger-index.json": "[{", "memory/user/u.md": "x"},
    )
    (layout.root / "memory/user/u.md").write_bytes(b"- caf\xe9\n")
    words = [sign.word for sign in doctor(layout, NOW)]
    assert {"left alone", "conflict markers", "fault"} <= set(words)


def test_an_archive_that_lost_records_is_told(workspace: Make) -> None:
    layout = workspace()
    review(layout, NOW, answering(end("m1")))
    assert "archive" not in [sign.word for sign in doctor(layout, NOW)]
    (layout.vault / "ledger.md").write_bytes(b"\xff\x00 no ledger")
    assert "lacks 1 of the 1 records" in next(sign.line for sign in doctor(layout, NOW) if sign.word == "archive")


def test_records_of_version_0_2_are_left_alone_and_told(workspace: Make) -> None:
    layout = workspace()
    old = layout.real("memory/.dreams/runs/0001-2026-03-29/plan.json")
    old.parent.mkdir(parents=True)
    old.write_text('{"version": 1}')
    assert review(layout) and old.read_text() == '{"version": 1}'
    assert any("version 0.2: 1, left" in sign.line for sign in doctor(layout, NOW))
    assert [path.name for path in run_files(layout)] == ["0002-review.json"]


def test_leaving_takes_all_of_ours_and_nothing_else(workspace: Make, tmp_path: Path) -> None:
    layout, agents = workspace("## A\n- tea\n- tea\n"), tmp_path / "AGENTS.md"
    (tmp_path / "home/.codex").mkdir(parents=True)
    agents.write_text("# Mine\n")
    review(layout, NOW)
    connect("codex", layout)
    project(layout, str(agents))
    search(layout, NOW, "tea")
    memory = memory_of(layout)
    assert len(ours(layout)) == 4
    assert uninstall(layout) == []
    assert ours(layout) == []
    assert (memory_of(layout), agents.read_text().strip()) == (memory, "# Mine")
    assert not list((tmp_path / "home").rglob("*.toml")) and (layout.root / "dream-vault/ledger.md").exists()
