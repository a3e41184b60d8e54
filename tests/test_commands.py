"""Every command × the laws: undone to the byte, twice is once, no secret anywhere, killed and started again, one sentence."""

from __future__ import annotations

import io
import json
import os
import random
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime
from functools import partialmethod
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import reverie
from conftest import NOW, Make
from reverie.store.disk import Disk
from reverie.surfaces.cli import COMMANDS as ALL
from reverie.surfaces.cli import main

# These have no one workspace, or a host or a browser talks to them; they have tests of their own.
COMMANDS = set(ALL) - {"mcp", "hook", "serve", "fleet"}
SECRETS = ("Moor-88x", "Heron-77b", "Otter-55c")
DAY = "memory/2026-03-30.md"
FILES = {
    "MEMORY.md": "# Kim\n\n## Tastes\n- likes black tea\n- likes black tea\n- **Valve:** number 12, from Kern\n\n## Appointments\n- dentist on 2026-03-20\n",
    "memory/user/house.md": "---\nname: House\ndescription: the house\n---\n- the roof is of slate\n",
    DAY: "- wifi password: Moor-88x!\n- Decision: invoices go out on the first\n- **Valve:** number 31\n\n## Passwords\n- Heron-77b!\n\n## Accounts\n| service | password |\n|---|---|\n| nas | Otter-55c! |\n",
}  # fmt: skip
LED = '{"operations": [{"op": "end", "memory": "m1"}, {"op": "update", "memory": "m3", "from": ["n2"], "old": "12", "new": "31"}]}'
WRITERS = {  # what goes before, and the command
    "review": ("", "review"), "review --yes": ("", "review --yes"), "answer": ("brief", "answer ANSWER"),
    "undo": ("review", "undo"), "undo --to": ("review --yes", "undo --to 2026-03-31"),
    "inbox --yes": ("review", "inbox --yes CARD"), "inbox --no": ("review", "inbox --no CARD"),
    "inbox --later": ("review", "inbox --later CARD"), "note": ("", "note the kettle is new"),
    "decision": ("", "note Decision: the shop closes at six"),
    "correction": ("", "note Correction: Valve number 31, not 12"),
    "forget": ("", "forget black tea"), "forget in a note": ("", "forget invoices go out --forever"),
    "init": ("empty", "init --tools pliers --people Ilka"),
}  # fmt: skip
LIBRARY = {"init", "review", "undo", "runs", "why", "inbox", "note", "forget", "status", "brief", "answer", "show"}


class Said(NamedTuple):
    code: int
    out: str
    err: str


class PowerCut(BaseException):
    pass


Terminal = type("Terminal", (io.StringIO,), {"isatty": lambda _: True})


def said(words: list[str], typed: str | None = None) -> Said:
    """What a command says; `typed`: on a terminal, with these words."""
    out, err, stdin = (io.StringIO() if typed is None else Terminal() for _ in range(3))
    stdin.write(typed or "")
    stdin.seek(0)
    usual, sys.stdin = sys.stdin, stdin
    try:
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
            main(words)
    finally:
        sys.stdin = usual
    return Said(int(left.value.code or 0), out.getvalue(), err.getvalue())


def dream(root: Path, words: str, *more: str, typed: str | None = None, now: datetime = NOW) -> Said:
    typed = "" if words.startswith("note Correction") else typed
    return said([*words.split(), *more, "--workspace", str(root), "--now", now.isoformat()], typed)


def made(root: Path, files: dict[str, str] = FILES) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


def ready(root: Path, name: str) -> str:
    """A workspace in which a command can be given, and its words."""
    before, words = WRITERS[name]
    if before == "empty":
        return words
    made(root)
    if before:
        assert dream(root, before).code == 0
    card = json.loads(dream(root, "inbox --json").out)[0]["id"] if "CARD" in words else ""
    (root.parent / "answer.json").write_text(LED)
    return words.replace("CARD", card).replace("ANSWER", str(root.parent / "answer.json"))


def texts(root: Path) -> dict[str, bytes]:
    """Memory, topics and notes, without what a night renders."""
    files = (path for path in root.rglob("*.md") if "dream" not in str(path.relative_to(root)).lower())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def everything(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", WRITERS)
def test_undo_brings_back_every_byte(tmp_path: Path, name: str) -> None:
    root = tmp_path / "w"
    words = ready(root, name)
    before = texts(root)
    assert dream(root, words).code == 0
    changes_files = name not in {"inbox --no", "inbox --later"}
    assert (texts(root) != before) is changes_files
    runs = json.loads(dream(root, "runs --json").out)
    assert not changes_files or dream(root, "undo", str(runs[-1]["id"])).code == 0
    assert texts(root) == before


@pytest.mark.parametrize("name", WRITERS)
def test_twice_is_once_and_nothing_is_lost(tmp_path: Path, name: str) -> None:
    root = tmp_path / "w"
    words = ready(root, name)
    before = b"".join(texts(root).values()).split(b"\n")
    dream(root, words)
    once, kept = texts(root), b"".join(everything(root).values())
    assert name.startswith("forget") or all(line in kept for line in before)
    assert dream(root, words).code in {0, 18}
    assert texts(root) == once


@pytest.mark.parametrize("words", ["review --dry-run", "plan", "plan --yes", "forget black tea --dry-run", "answer --dry-run ANSWER"])  # fmt: skip
def test_a_dry_run_writes_nothing(tmp_path: Path, words: str) -> None:
    words = words.replace("ANSWER", ready(tmp_path / "w", "answer").split()[1])
    before = everything(tmp_path)
    assert dream(tmp_path / "w", words).code == 0
    assert everything(tmp_path) == before


@pytest.mark.parametrize("flag", ["", "--json"])
@pytest.mark.parametrize("name", [*WRITERS, "readers"])
def test_a_secret_stays_in_its_note(tmp_path: Path, name: str, flag: str) -> None:
    root = tmp_path / "w"
    readers = ["status", "plan", "runs", "runs 0001", "show", "brief", "inbox", "why Heron", "why nas", "why wifi password",
               "forget --dry-run wifi password", f"forget --dry-run {DAY}:6", f"forget --dry-run {DAY}:11", f"forget {DAY}:6"]  # fmt: skip
    shown = [dream(root, ready(root, "review --yes" if name == "readers" else name) + f" {flag}")]
    shown += [dream(root, f"{words} {flag}") for words in (readers if name == "readers" else ["undo"])]
    files = {path: data for path, data in everything(tmp_path).items() if "late" not in path.parts}  # for an instant
    for secret in SECRETS:
        assert not [said for said in shown if secret in said.out + said.err]
        assert [path for path, data in files.items() if secret.encode() in data] == [root / DAY] * (name != "init")


@pytest.mark.parametrize("name", WRITERS)
def test_killed_at_any_step_and_started_again_it_is_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole = tmp_path / "whole"
    dream(whole, ready(whole, name))
    for step in random.Random(name).sample(range(45), 6):
        root = tmp_path / str(step)
        words = ready(root, name)
        with monkeypatch.context() as patch:
            _cut_at(step, patch)
            try:
                dream(root, words)
            except PowerCut:
                dream(root, "status")
        patch.undo()
        dream(root, words)
        assert texts(root) == texts(whole), f"killed at step {step}"


def _cut_at(step: int, patch: pytest.MonkeyPatch) -> None:
    left = iter(range(step))

    def cut(disk: Disk, real: Callable[..., Any], *words: Any, **more: Any) -> Any:
        if next(left, None) is None:
            raise PowerCut
        return real(disk, *words, **more)

    for name in ("create", "sync", "rename", "swap", "place", "append", "write_at", "remove", "sync_folder"):
        patch.setattr(Disk, name, partialmethod(cut, getattr(Disk, name)))


ARGUMENTS = {
    "index": ["tea"], "why": ["tea"], "note": ["x"], "forget": ["black", "tea"], "search": ["tea"], "recall": ["tea"],
    "answer": ["ANSWER"], "session": ["start"], "uninstall": ["--dry-run"],
    "promote-explain": ["something", "to", "undo"], "rem-backfill": ["--rollback"],
}  # fmt: skip


@pytest.mark.parametrize("name", [*sorted(COMMANDS), ""])
@pytest.mark.parametrize("first", [True, False])
def test_every_command_takes_the_common_options_anywhere_and_prints_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, first: bool
) -> None:
    root = tmp_path / "note"  # the name of a command
    file = ready(root, "answer").split()[1]
    words = [word.replace("ANSWER", file) for word in [name, *ARGUMENTS.get(name, [])] if word]
    assert dream(root, "note something to undo").code == 0
    common = ["--workspace", "note", "--now", "2026-03-31T03:00", "--json"]
    monkeypatch.chdir(tmp_path)
    shown = said([*common, *words] if first else [*words, *common])
    assert (shown.code, shown.err) == (0, "")
    json.loads(shown.out)


DAMAGES: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "no workspace": (lambda root: [path.unlink() for path in root.rglob("*") if path.is_file()] and [p.rmdir() for p in (root / "memory/user", root / "memory")], 11, "review"),
    "a link": (lambda root: ((root / "MEMORY.md").rename(root / "real"), (root / "MEMORY.md").symlink_to("real")), 15, "review"),
    "not UTF-8": (lambda root: (root / "MEMORY.md").write_bytes(b"- caf\xe9\n"), 15, "review"),
    "a damaged index": (lambda root: made(root, {"dream-vault/ledger-index.json": "[{]"}), 15, "review"),
    "a damaged run": (lambda root: made(root, {"memory/.dreams/runs/0001-review.json": "{"}), 15, "runs"),
    "a damaged state": (lambda root: made(root, {"memory/.dreams/state.json": '{"cards": [1], "since": 4, "files": 7}'}), 0, "status"),
    "a folder to read only": (lambda root: (root / "memory").chmod(0o500), 16, "review"),
    "a bad setting": (lambda root: made(root, {"reverie.toml": "[memory]\nlimt = 4\n"}), 17, "status"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_told_in_one_sentence(tmp_path: Path, damage: str) -> None:
    hurt, code, command = DAMAGES[damage]
    if code == 16 and os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    made(tmp_path / "w")
    hurt(tmp_path / "w")
    assert dream(tmp_path / "w", command).code == code
    for name in sorted(COMMANDS) if damage != "no workspace" else COMMANDS - {"init"}:
        shown = dream(tmp_path / "w", name, *ARGUMENTS.get(name, []))
        is_skipped = name == "due" and shown.code == 1  # no night is due
        assert is_skipped or (shown.code in {0, 10, code, 18} and is_sentence(shown)), (name, shown)
    if damage == "no workspace":
        assert not list((tmp_path / "w").iterdir())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("undo 99", 18), ("undo --only 12ab", 18), ("runs 99", 18), ("runs 0", 18), ("inbox --yes zz", 18), ("forget zebra", 18),
        ("undo --to soon", 10), ("undo 1 --to 2026-03-31", 10), ("undo --only 12ab --to 2026-03-31", 10), ("runs --since soon", 10), ("status --now soon", 10), ("note wifi password: Moor-88x!", 10),
        ("inbox --yes a1 --no a1", 10), ("answer ../nowhere", 10), ("answer ../no.json", 15), ("forget zebra --purge", 19),
        ("search --limit 99999999999999999999 x", 10), ("review --scheduled --estimate", 10),
        ("classify --kind user", 10), ("classify --kind MEMORY.md:999=user", 10),
    ],
)  # fmt: skip
def test_a_word_that_is_wrong_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, code: int
) -> None:
    root = tmp_path / "w"
    ready(root, "answer")
    (tmp_path / "no.json").write_text("I would rather not.")
    monkeypatch.chdir(root)
    for flag in ([], ["--json"]):
        shown = said([*words.split(), *flag])
        assert shown.code == code and is_sentence(shown), shown
        assert not flag or json.loads(shown.out)["exit_code"] == code


def is_sentence(shown: Said) -> bool:
    return not shown.code or (shown.err.startswith("dream: ") and shown.err.count("\n") == 1 and shown.err[-2] in ".?")


def test_the_public_face_is_small_and_whole() -> None:
    assert len(reverie.__all__) <= 40 and set(reverie.__all__) > LIBRARY
    assert all(callable(getattr(reverie, name)) for name in reverie.__all__)


def test_the_undo_of_one_decision_is_not_told_as_that_of_the_run(workspace: Make) -> None:
    where = [
        "--workspace",
        str(
            workspace(
                "## A\n- likes tea\n- likes tea\n\n## B\n- x\n", {DAY: "- Decision: the shop closes at six\n"}
            ).root
        ),
    ]
    assert said(["review", *where, "--now", "2026-03-31T03:00"]).code == 0
    first, *_ = json.loads(said(["runs", "1", *where, "--json"]).out)[0]["decisions"]
    assert first["id"] in said(["undo", "1", "--only", first["id"], *where]).out
    assert "in part undone" in said(["runs", *where]).out
    assert said(["undo", "1", *where]).out.startswith("Run 0001")
    assert "in part" not in said(["runs", *where]).out


@pytest.mark.parametrize("words", [["forget", "--dry-run", "tea"], ["why", "zebra"], ["palace"]])
def test_a_note_that_is_too_large_is_named_and_stops_nothing(tmp_path: Path, words: list[str]) -> None:
    root = made(tmp_path / "w", FILES | {"memory/2026-03-29.md": "x" * 4_000_001})
    shown = dream(root, *words)
    assert shown.code == 0 and "memory/2026-03-29.md" in shown.out and "larger than 4,000,000" in shown.out
