"""`dream scrub`: what an older version wrote of secrets leaves every file of ours, and every byte is read again to prove it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.apply.files import Disk
from reverie.apply.runs import runs
from reverie.core.errors import BadInput, UnknownRun
from reverie.core.ports import fixed
from reverie.features.doctor.doctor import examine
from reverie.features.doctor.signs import Severity
from reverie.features.note import note
from reverie.features.scrub import scrub
from reverie.features.search import ask
from reverie.night import commands
from reverie.night.night import review
from reverie.plan.ledger import read_ledger
from reverie.privacy import access, redact
from reverie.workspace.values import Workspace
from terminal import call

WIFI, TOKEN, ALARM = "Quitte-Regal-8812x", "gh" + "p_R7kQ2vXm9LtB4wZc8NdF1sHy6JpGa3UeKo5T", "60731"
SECRETS = (WIFI, TOKEN, ALARM, "MIIEowIBAAKCAQEA7x", "Tulip77")
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7xk2Jq9\n-----END RSA PRIVATE KEY-----\n"
MEMORY = (
    "# Ada\n\n## Current State\n- Ferry: leaves at 10:00\n"
    f"- The wifi password of the workshop is {WIFI}.\n- likes tea\n"
    f"- The wifi password of the workshop is {WIFI}.\n- likes tea\n"
)
NOTE = f"- The alarm panel code is {ALARM}, decided with Bo.\n- We decided to move the fair to Graz.\n"
FIRST, NOON = (fixed(f"2026-11-{moment}:00:00+01:00") for moment in ("15T03", "16T12"))


@contextmanager
def older() -> Iterator[None]:
    """An older version, which recognised nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "_secret_spans", lambda _text: iter(()))
        patch.setattr(access, "access_spans", lambda _text: iter(()))
        _forget_answers()
        yield
    _forget_answers()


def _forget_answers() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("reverie.") and name.split(".")[1] in ("privacy", "judge", "plan", "evidence"):
            for value in vars(module).values():
                getattr(value, "cache_clear", lambda: None)()


def holding(root: Path, *values: str) -> dict[str, list[str]]:
    """Every file, by its bytes, that holds one of these; as it stands or as JSON writes it."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        its = [one for one in values if one.encode() in data or json.dumps(one)[1:-1].encode() in data]
        found |= {str(path.relative_to(root)): its} if its else {}
    return found


def owners(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "MEMORY.md", *sorted((root / "memory").glob("2026-*.md")))}


@pytest.fixture
def workspace(build: Build) -> Workspace:
    """Two nights and a note of an older version."""
    made = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE})
    with older():
        review(made, FIRST)
        note(made, NOON, f"deploy works with {TOKEN} again")
    return made


def test_what_an_older_version_wrote_is_masked_everywhere_and_proven(workspace: Workspace) -> None:
    before, planted = owners(workspace.root), holding(workspace.root, *SECRETS)
    assert {"dream-vault/ledger.md", "memory/.dreams/runs/0001-2026-11-15/plan.json"} <= set(planted)

    seen = scrub(workspace, NOON)
    assert holding(workspace.root, *SECRETS) == planted and not seen.really  # a look changes nothing
    told = scrub(workspace, NOON, really=True)

    assert set(holding(workspace.root, *SECRETS)) <= {"MEMORY.md", *(f"memory/{name}" for name in before)}
    assert owners(workspace.root) == before
    assert (told.places, told.left) == (seen.places, ()) and told.files > 5
    assert [(one.path, one.lines) for one in told.owners] == [("MEMORY.md", (5,))]
    assert any("⟦secret⟧" in line for block in read_ledger(_ledger(workspace)) for line in block.content)
    assert "likes tea" in _ledger(workspace)  # its neighbour stands as it was
    assert scrub(workspace, NOON, really=True).found == ()


def _found(workspace: Workspace, words: str) -> bool:
    return bool(ask(workspace, None, NOON, words).hits)


def _ledger(workspace: Workspace) -> str:
    return (workspace.vault / "ledger.md").read_text("utf-8")


def test_the_exception_is_on_record_and_cannot_be_taken_back(workspace: Workspace) -> None:
    told = scrub(workspace, NOON, really=True)

    log = (workspace.vault / "meta" / "review-2026-11.md").read_text("utf-8")
    assert f"Scrubbed: {told.places} places in {len(told.found)} files" in log
    assert runs(workspace)[-1].id == told.run
    with pytest.raises(UnknownRun, match="was a scrub"):
        commands.undo(workspace, NOON, told.run)
    assert told.lost == ("0001-2026-11-15", "0002-2026-11-16")
    with pytest.raises(UnknownRun, match="masked lines of MEMORY"):
        commands.undo(workspace, NOON, "1")
    assert "⟦" not in (workspace.root / "MEMORY.md").read_text("utf-8")


def test_life_goes_on_after_a_scrub(workspace: Workspace) -> None:
    scrub(workspace, NOON, really=True)
    before = (workspace.root / "MEMORY.md").read_bytes()
    (workspace.root / "MEMORY.md").write_bytes(before + b"- rows on Sundays\n- rows on Sundays\n")

    night = review(workspace, fixed("2026-11-17T03:00:00+01:00"))
    assert night.run is not None
    commands.undo(workspace, fixed("2026-11-17T09:00:00+01:00"))

    assert (workspace.root / "MEMORY.md").read_bytes() == before + b"- rows on Sundays\n- rows on Sundays\n"
    assert _found(workspace, "fair Graz")
    _, signs = examine(workspace, fixed("2026-11-17T10:00:00+01:00"))
    assert not [sign for sign in signs if sign.level is Severity.BAD and sign.about not in ("on", "ran")]


LINE = f"The wifi password of the workshop is {WIFI}."
BY_HAND: Mapping[str, str] = {
    "memory/.dreams/reverie-events.jsonl": json.dumps({"type": "memory.recall.recorded", "query": LINE}) + "\n",
    "memory/.dreams/reverie-recall.json": json.dumps({"entries": {"memory:x": {"snippet": LINE, "path": "memory/a.md"}}}),
    "memory/.dreams/model-answers.jsonl": json.dumps({"key": "ab" * 32, "answer": {"text": LINE}}) + "\n",
    "memory/.dreams/attempts.jsonl": json.dumps({"message": LINE}) + "\n{torn",
    "memory/.dreams/judged.txt": "0" * 64 + " memory/2026-05-03-wifi-pw-Tulip77.md\n",
    "memory/.dreams/spool/00000000000000000001-00000000.json.refused": json.dumps({"said": [LINE]}),
    "memory/.dreams/session-corpus/reverie/2026-11-14.txt": f"[main/s1#L1] User: {LINE}\n[main/s1#L2] User: tea\n",
    "memory/.dreams/set-aside/0007-2026-11-01/plan.json": '{"edits": [{"new": ["- ' + LINE,
    "memory/.dreams/runs/0001-2026-11-15/kept-0-1": LINE + "\n",
    "memory/.dreams/runs/0001-2026-11-15/.plan.json.erase.dream-tmp": json.dumps({"new": ["大门密码是 60731"]}),
    "memory/.dreams/set-aside/0006-2026-11-01/plan.json": json.dumps({"new": ["大门密码是 60731 "]})[:-3],
    "memory/.dreams/index-0a.rows": "\0" + WIFI,
    "memory/dreaming/verify/2026-11-14.md": f"- {LINE}\n- likes tea\n",
    "memory/palace/timeline.md": f"- {LINE} ([MEMORY.md:5](../MEMORY.md#L5))\n",
    "memory/dream-log-2026-11-14.md": f"## Changes Made\n- [duplicate] {LINE} — said twice\n{KEY}",
    "dream-vault/meta/questions.json": json.dumps([{"id": "1", "first": LINE, "why": "memory/大门密码60731.md:3"}]),
    "dream-vault/obsidian-index/topics/wifi.md": f"- 2026-11-15 [Wifi](x) — {LINE} #wifi <!-- index:e846cc85 -->\n",
    "knowledge/playbook.md": f"<!-- reverie:knowledge:start -->\n- {LINE}\n<!-- reverie:knowledge:end -->\n",
    "DREAMS.md": f"<!-- openclaw:dreaming:diary:start -->\n---\n\n*Nov 1, 2026*\n\nA calm night. {LINE}\n\n<!-- openclaw:dreaming:diary:end -->\n",
}  # fmt: skip


def test_every_kind_of_file_of_ours_is_cleaned_and_can_still_be_read(build: Build, tmp_path: Path) -> None:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": NOTE})
    review(workspace, FIRST)
    for path, text in BY_HAND.items():
        (workspace.root / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace.root / path).write_text(text, "utf-8")
    (tmp_path / "reverie").mkdir()
    (tmp_path / "reverie" / "daemon.json").write_text(json.dumps({"error": LINE}), "utf-8")
    _old_index(workspace.root / "memory/.dreams/index.db")
    plan = workspace.root / "memory/.dreams/runs/0001-2026-11-15/plan.json"
    record = json.loads(plan.read_text("utf-8"))
    record["edits"][0]["new"] += [f"{line}\n" for line in KEY.split("\n")[:-1]]
    plan.write_text(json.dumps(record), "utf-8")
    assert set(BY_HAND) - set(holding(workspace.root, *SECRETS)) == set()

    told = scrub(workspace, NOON, really=True, beside=(tmp_path / "reverie",))

    assert told.left == ()
    mine = {"MEMORY.md", "memory/2026-11-14.md", "memory/.dreams/runs/0001-2026-11-15/kept-0-1"}
    assert set(holding(tmp_path, *SECRETS)) == {f"workspace-1/{path}" for path in mine}
    assert [one.path for one in told.owners] == ["MEMORY.md", "memory/.dreams/runs/0001-2026-11-15/kept-0-1"]
    for path, text in BY_HAND.items():
        if path.endswith(".json") and "set-aside" not in path and (workspace.root / path).exists():
            now, then = (json.loads(one) for one in ((workspace.root / path).read_text("utf-8"), text))
            assert (type(now), len(now)) == (type(then), len(then))
    assert "likes tea" in (workspace.root / "memory/dreaming/verify/2026-11-14.md").read_text("utf-8")
    assert runs(workspace)[0].id == "0001-2026-11-15"
    assert _found(workspace, "fair Graz")  # the index is built anew


def _old_index(path: Path) -> None:
    """Words in a table, and in pages that no table uses any more."""
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)")
        db.execute("INSERT INTO meta VALUES ('version', '2')")
        db.execute("CREATE TABLE claims(text TEXT)")
        db.executemany("INSERT INTO claims VALUES (?)", [(f"{LINE} {n}",) for n in range(300)])
        db.commit()
        db.execute("DELETE FROM claims WHERE rowid > 3")
    db.close()


def test_a_name_is_masked_at_the_owners_word_and_written_nowhere(build: Build) -> None:
    said = "- Anna Berg rents the boat house until May.\n"
    workspace = build(
        {
            "MEMORY.md": f"# Ada\n\n## People\n{said}{said}- Hannah Bergmann rows on Sundays.\n- Hannah Bergmann rows on Sundays.\n"
        }
    )
    review(workspace, FIRST)
    (workspace.root / "MEMORY.md").write_text("# Ada\n", "utf-8")
    assert "Anna Berg rents" in _ledger(workspace)

    told = scrub(workspace, NOON, words=["anna berg"], really=True)

    assert told.left == () and told.owners == ()
    assert holding(workspace.root, "Anna Berg", "anna berg", "anna-berg") == {}
    assert "⟦removed⟧ rents the boat house" in _ledger(workspace)
    assert "Hannah Bergmann rows" in _ledger(workspace)
    with pytest.raises(BadInput):
        scrub(workspace, NOON, words=["a"], really=True)


def test_openclaws_own_state_is_named_and_touched_only_on_request(build: Build) -> None:
    path = "memory/.dreams/short-term-recall.json"
    workspace = build({"MEMORY.md": "# Ada\n", path: json.dumps({"entries": {"k": {"snippet": LINE}}})})

    told = scrub(workspace, NOON, really=True)
    assert [one.path for one in told.hosts] == [path] and told.found == () and holding(workspace.root, WIFI)

    told = scrub(workspace, NOON, really=True, hosts=True)
    assert [one.path for one in told.found] == [path] and holding(workspace.root, WIFI) == {}


class Cut(BaseException):
    """The process is gone."""


class CutDisk(Disk):
    """Dies before its step number `at`."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __getattribute__(self, name: str):  # type: ignore[no-untyped-def]
        if name in ("create", "rename", "swap", "append", "remove"):
            self.left -= 1
            if self.left < 0:
                raise Cut
        return super().__getattribute__(name)


def test_a_scrub_that_is_killed_anywhere_is_finished_by_the_next(workspace: Workspace, tmp_path: Path) -> None:
    mine, told, at = owners(workspace.root), scrub(workspace, NOON), 0
    while True:
        root = tmp_path / "copies" / str(at)
        shutil.copytree(workspace.root, root)
        copy = Workspace(root, root / "dream-vault", workspace.settings)
        try:
            scrub(copy, NOON, really=True, disk=CutDisk(at))
        except Cut:
            at += 1
        else:
            break
        assert [run.id for run in runs(copy)][:2] == ["0001-2026-11-15", "0002-2026-11-16"]  # whatever was cut
        assert scrub(copy, NOON, really=True).left == ()
        assert set(holding(root, *SECRETS)) <= {"MEMORY.md", *(f"memory/{name}" for name in mine)}, at
        assert owners(root) == mine
        with pytest.raises(UnknownRun):
            commands.undo(copy, NOON, told.lost[0])
    assert at > 20


def test_a_workspace_without_a_planted_secret_is_left_alone(lived_in: Workspace) -> None:
    quick = replace(lived_in, embedder=None)
    review(quick, FIRST)
    before = tree(quick.root, without=())

    told = scrub(quick, NOON, really=True)

    assert (told.found, told.left, told.run) == ((), (), "") and told.files > 15
    passing = ("lock", "old-")  # a start looks once more at what the night displaced
    after = {name: data for name, data in before.items() if not Path(name).name.startswith(passing)}
    assert after == {name: data for name, data in tree(quick.root, without=()).items() if not name.endswith("lock")}


def test_the_command_shows_places_and_no_value(workspace: Workspace) -> None:
    where = ("--workspace", workspace.root, "--now", "2026-11-16T12:00:00+01:00")
    shown = call("scrub", *where).out
    assert "would be masked" in shown and "dream-vault/ledger.md: 1 (line" in shown and "cannot be undone" in shown

    done = json.loads(call("scrub", "--yes", "--json", *where).out)
    assert done["done"] and done["places"] > 3 and done["left"] == [] and done["read"]["files"] > 5
    assert not any(secret in shown + json.dumps(done) for secret in SECRETS)


def test_what_cannot_be_read_is_named_and_nothing_is_claimed_about_it(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "memory" / ".dreams" / "attempts.jsonl.1")
    (workspace.root / "memory" / "2026-11-09-wifi-pw-Tulip77.md").write_text("- tea\n", "utf-8")

    told = scrub(workspace, NOON, really=True)

    assert told.unread == ("memory/.dreams/attempts.jsonl.1",) and told.left == ()
    assert told.names == ("memory/2026-11-09-⟦secret⟧.md",)  # nobody but its owner can rename it
    assert call("scrub", "--yes", "--workspace", workspace.root).code == 16


def test_words_come_from_standard_input_and_are_not_shown(workspace: Workspace) -> None:
    where = ("--workspace", workspace.root, "--now", "2026-11-16T12:00:00+01:00")

    done = call("scrub", "--words", "--yes", *where, stdin="likes tea\n")

    assert "left: 0" in done.out and "likes tea" not in done.out + done.err
    assert "MEMORY.md: 1 (line 6)" in done.out  # the owner's file still says it, and is named
    assert set(holding(workspace.root, "likes tea")) == {"MEMORY.md"}
    assert call("scrub", "--words", *where, stdin="\n").code == 14
