"""Answers outlive the night, the log hides what must be hidden, and neither grows without end or is read as a memory."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT
from reverie.core.layout import MODEL_ANSWERS, MODEL_LOG, OWN_OUTPUT, STATE_DIR, place_of
from reverie.core.model_calls import Ask, Status
from reverie.core.ports import ScriptedModel, fixed
from reverie.core.settings import Mind
from reverie.evidence import model_records as room
from reverie.evidence.model_records import KeptAnswers
from reverie.evidence.state_files import Steps
from reverie.features.forget.forget import forget
from reverie.judge.asker import Asker
from reverie.privacy.redact import DEFAULT_KINDS
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace
from talk import CutSteps, PowerCut

CLOCK = fixed(NIGHT)
TOKEN = "ghp_" + "x7Kq2Lm9" * 4 + "Zt4B"  # made up here, of the form that a host gives out


def kept(root: Path, *, write: bool = True, steps: Steps | None = None) -> KeptAnswers:
    return KeptAnswers(root, DEFAULT_KINDS, CLOCK, write=write, steps=steps)


def lines(root: Path, path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / path).read_text().splitlines()]


def test_an_answer_is_there_the_next_night(tmp_path: Path) -> None:
    kept(tmp_path).put("k1", "judge", '{"says": "她搬到了伯尔尼"}')

    assert json.loads(kept(tmp_path).get("k1") or "") == {"says": "她搬到了伯尔尼"}
    assert kept(tmp_path).get("k2") is None
    assert lines(tmp_path, MODEL_ANSWERS)[0]["day"] == "2026-11-15"


def test_the_asker_asks_no_question_twice(tmp_path: Path) -> None:
    ask = Ask("judge", "1", "", "", {"type": "object"})
    first, second = (Asker(ScriptedModel('{"ids": []}'), Mind(), kept(tmp_path)).ask(ask) for _ in range(2))

    assert (first.status, second.status) == (Status.ANSWERED, Status.CACHED) and first.value == second.value
    assert [record["status"] for record in lines(tmp_path, MODEL_LOG)] == ["answered", "answered before"]


def test_a_dry_run_remembers_for_its_own_time_and_writes_nothing(tmp_path: Path) -> None:
    answers = kept(tmp_path, write=False)
    answers.put("k1", "judge", "{}")
    answers.log({"task": "judge"})

    assert answers.get("k1") == "{}" and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "answer",
    [
        f'{{"text": "the token is {TOKEN}"}}',
        '{"password": "Trout-bicycle-77!"}',
        json.dumps({"text": f"\u4e2d {TOKEN}"}),
        '{"text": "the rent goes to DE89 3704 0044 0532 0130 00"}',
        "no json",
        '{"text": "' + "long " * 20_000 + '"}',
    ],
)
def test_what_must_be_hidden_and_what_is_too_long_is_not_kept(tmp_path: Path, answer: str) -> None:
    answers = kept(tmp_path)
    answers.put("k1", "judge", answer)

    assert answers.get("k1") is None and not (tmp_path / MODEL_ANSWERS).exists()


def test_the_log_counts_what_was_sent_and_answered_and_masks_the_rest(tmp_path: Path) -> None:
    kept(tmp_path).log(
        {"data": {"lines": ["the alarm listens to zanquibor"]}, "answer": "zanquibor", "why": f"key {TOKEN}"}
    )

    (record,) = lines(tmp_path, MODEL_LOG)
    assert (record["data"], record["answer"]) == ("(45 characters)", "(9 characters)")
    assert record["why"] == "key ⟦secret⟧"


def test_what_is_too_long_for_the_log_is_counted(tmp_path: Path) -> None:
    kept(tmp_path).log({"refused": ["a" * 100_000]})

    assert lines(tmp_path, MODEL_LOG)[0]["refused"] == "(100,004 characters)"


def test_the_oldest_answers_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_ANSWERS", 40)
    answers = kept(tmp_path)
    for n in range(100):
        answers.put(f"k{n}", "judge", json.dumps({"n": n}))
        assert len(lines(tmp_path, MODEL_ANSWERS)) <= 40

    there = [record["key"] for record in lines(tmp_path, MODEL_ANSWERS)]
    assert there == [f"k{n}" for n in range(100 - len(there), 100)] and len(there) >= 30


@pytest.mark.parametrize(("size", "path"), [("ANSWERS_SIZE", MODEL_ANSWERS), ("LOG_SIZE", MODEL_LOG)])
def test_neither_file_grows_beyond_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str, path: str
) -> None:
    monkeypatch.setattr(room, size, 4_000)
    answers = kept(tmp_path)
    for n in range(200):
        answers.put(f"k{n}", "judge", json.dumps({"text": "记" * (n % 50)}))
        answers.log({"task": "judge", "n": n})
        assert (tmp_path / path).stat().st_size <= 4_000

    assert len(lines(tmp_path, path)) > 5 and [p.name for p in (tmp_path / STATE_DIR).glob(".*")] == []


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_a_power_cut_at_any_step_loses_at_most_the_newest_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, torn: bool, full: bool
) -> None:
    monkeypatch.setattr(room, "MOST_ANSWERS", 8 if full else 2_000)
    at, finished = 0, False
    while not finished:
        at += 1
        root = tmp_path / f"cut-{at}"
        root.mkdir()
        for n in range(8):
            kept(root).put(f"k{n}", "judge", json.dumps(n))
        try:
            kept(root, steps=CutSteps(at, torn=torn)).put("new", "judge", '"new"')
            finished = True
        except PowerCut:
            pass

        assert kept(root).get("k7") == "7"
        kept(root).put("after", "judge", '"after"')
        assert kept(root).get("k7") == "7" and kept(root).get("after") == '"after"'
        assert all(lines(root, MODEL_ANSWERS))  # and no line is half a line
    assert at >= (4 if full else 2)


@pytest.mark.parametrize(
    "spoilt", [b'{"key": "k1", "ans', b"[]\n", b"\xff\xfe\n", b'{"key": 3, "answer": 1}\n', b"\n\n"]
)
def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path, spoilt: bytes) -> None:
    kept(tmp_path).put("k1", "judge", "1")
    with (tmp_path / MODEL_ANSWERS).open("ab") as file:
        file.write(spoilt)
    kept(tmp_path).put("k2", "judge", "2")

    assert (kept(tmp_path).get("k1"), kept(tmp_path).get("k2")) == ("1", "2")


def test_two_nights_at_once_lose_nothing(tmp_path: Path) -> None:
    one, other = kept(tmp_path), kept(tmp_path)
    assert one.get("a") is other.get("b") is None  # both have read the empty file
    one.put("a", "judge", "1")
    other.put("b", "judge", "2")

    assert (kept(tmp_path).get("a"), kept(tmp_path).get("b")) == ("1", "2")


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
def test_a_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text('{"key": "k1", "answer": 1}\n')
    (tmp_path / STATE_DIR).mkdir(parents=True)
    (tmp_path / MODEL_ANSWERS).symlink_to(elsewhere)
    kept(tmp_path).put("k2", "judge", "2")

    assert kept(tmp_path).get("k1") is None and elsewhere.read_text() == '{"key": "k1", "answer": 1}\n'


MEMORY = "# Memory\n\n- Ada 喜欢红茶\n- The boat is green\n"
Build = Callable[..., Workspace]


def test_a_purge_erases_the_words_from_both(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    answers = kept(workspace.root)
    for key, text in (("k1", "Ada 喜欢红茶"), ("k2", "The boat is green")):
        answers.put(key, "judge", json.dumps({"text": text}))
        answers.log({"task": "judge", "why": text})
    answers.log({"task": "judge", "why": '{"text": "Ada \\u559c\\u6b22\\u7ea2\\u8336'})
    gone = forget(workspace, CLOCK, "Ada 喜欢红茶", purge=True)

    assert gone.left == () and {MODEL_ANSWERS, MODEL_LOG} <= set(gone.erased)
    assert [record["key"] for record in lines(workspace.root, MODEL_ANSWERS)] == ["k2"]
    assert [record["why"] for record in lines(workspace.root, MODEL_LOG)] == ["The boat is green"]


class Purged(Steps):
    """A purge comes in the moment before the file is exchanged."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def sync(self, path: Path) -> None:
        self.path.write_text("")


def test_a_full_file_does_not_bring_back_what_a_purge_took_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "MOST_ANSWERS", 1)
    kept(tmp_path).put("k1", "judge", '"Ada 喜欢红茶"')
    kept(tmp_path, steps=Purged(tmp_path / MODEL_ANSWERS)).put("k2", "judge", "2")

    assert (tmp_path / MODEL_ANSWERS).read_text() == "" and list((tmp_path / STATE_DIR).glob(".*")) == []


def test_nothing_of_it_is_ever_evidence(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- The boat was sold\n"})
    before = read_workspace(workspace)
    answers = kept(workspace.root)
    answers.put("k1", "judge", '{"text": "Remember: Ada moved to Bern"}')
    answers.log({"answer": "Remember: Ada moved to Bern"})
    after = read_workspace(workspace)

    assert after.files == before.files
    assert all(place_of(path).kind in OWN_OUTPUT for path in (MODEL_ANSWERS, MODEL_LOG))
