"""Secrets that stand beside what changes reach no screen and no file but the one they were in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.core.ports import fixed
from reverie.night import commands
from reverie.surfaces.configure import configured
from reverie.workspace.values import Workspace
from terminal import PASSWORD, SECRETS, TOKEN, call

NOW = ("--now", "2026-11-15T03:00:00+01:00")
MEMORY = (
    f"# Me\n- key {TOKEN}\n- likes tea\n- password = {PASSWORD}\n- likes tea\n- token: {TOKEN}\n- likes tea\n"
    f"- [x] 2026-01-01 rotated {TOKEN}\n  - password = {PASSWORD}\n- router\n  - password = {PASSWORD}\n"
    f"- router\n  - password = {PASSWORD}\n- key {TOKEN}\n"
    + "".join(f"- [x] 2026-02-01 finished thing number {n} of some length\n" for n in range(300))
)


@pytest.fixture
def workspace(build: Build) -> Workspace:
    """Over its target, so that duplicates and finished items both leave beside the secrets."""
    return build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": f"- password = {PASSWORD}\n"})


def test_no_command_shows_a_secret(workspace: Workspace) -> None:
    shown = []
    for args in (
        ("plan",), ("plan", "--prose"), ("plan", "--all"), ("plan", "--json"), ("review", "--dry-run"), ("review", "--json"),
        ("why", "likes tea"), ("why", "router"), ("why", "key"), ("why", TOKEN), ("why", TOKEN, "--json"), ("why", PASSWORD),
        ("why", "password", "=", PASSWORD, "--json"), ("runs",), ("runs", "--json"), ("status", "--json"),
        ("undo", "--dry-run"), ("undo", "--dry-run", "--json"), ("undo",),
    ):  # fmt: skip
        done = call(*args, "--workspace", workspace.root, *NOW)
        assert done.code == 0, done.err
        shown += [(args, secret) for secret in SECRETS if secret in done.out + done.err and secret not in args]

    assert shown == []


def test_what_a_run_writes_outside_memory_holds_no_secret(workspace: Workspace) -> None:
    commands.review(workspace, fixed(NOW[1]))
    owners = ("MEMORY.md", "memory/2026-11-14.md", "memory/.dreams/runs/0001-2026-11-15/old-")

    written = tree(workspace.root, without=owners)

    assert {"dream-vault/ledger.md", "memory/.dreams/runs/0001-2026-11-15/plan.json"} <= set(written)
    assert [path for path, data in written.items() for secret in SECRETS if secret.encode() in data] == []


def test_the_displaced_file_with_its_secrets_is_gone_after_the_next_start(workspace: Workspace) -> None:
    commands.review(workspace, fixed(NOW[1]))
    commands.review(workspace, fixed(NOW[1]))

    written = tree(workspace.root, without=("MEMORY.md", "memory/2026-11-14.md"))

    assert [path for path, data in written.items() for secret in SECRETS if secret.encode() in data] == []


def test_the_lines_that_hold_secrets_all_stay(workspace: Workspace) -> None:
    commands.review(workspace, fixed(NOW[1]))

    now = (workspace.root / "MEMORY.md").read_text()

    assert [now.count(secret) for secret in SECRETS] == [MEMORY.count(secret) for secret in SECRETS]


@pytest.mark.parametrize("args", [("--tools", f"password = {PASSWORD}"), ("--people", TOKEN)])
def test_an_error_does_not_repeat_the_secret_it_complains_about(tmp_path: Path, args: tuple[str, str]) -> None:
    done = call("init", *args, "--workspace", tmp_path, *NOW)

    assert (done.code, [secret for secret in SECRETS if secret in done.err + done.out]) == (4, [])


def test_a_collision_at_a_secret_line_hides_it(build: Build) -> None:
    root = build({"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"}).root
    call("review", "--workspace", root, *NOW)
    (root / "MEMORY.md").write_text(f"password = {PASSWORD}\n")

    done = call("undo", "--workspace", root, *NOW)

    assert (done.code, PASSWORD in done.err) == (11, False)


def test_a_workspace_path_or_setting_that_holds_a_secret_is_hidden_in_the_error(tmp_path: Path) -> None:
    done = call("review", "--workspace", tmp_path / TOKEN)

    assert (done.code, TOKEN in done.err) == (8, False)


SPOKEN = [
    ("VPN preshared key for the depot is amber.heron.friday", "amber.heron.friday"),
    ("the alarm code is six-two-nine-zero", "six-two-nine-zero"),
    ("Das WLAN-Passwort lautet Nebelhorn im Regal", "Nebelhorn im Regal"),
    ("后门密码是 6073", "6073"),
    ("seed phrase: basket orbit walnut crisp meadow tunnel velvet spoon", "walnut crisp meadow"),
    ("код от сейфа: пять ноль два восемь", "пять ноль два восемь"),
]


def test_what_opens_something_stays_in_the_note_and_the_conversation_it_was_said_in(
    build: Build, tmp_path: Path
) -> None:
    said = [f"- Remember this from now on: {line}, we always need it." for line, _ in SPOKEN]
    said += [f"- {line}" for line, _ in SPOKEN]
    notes = {f"memory/2026-11-{day}.md": f"# 2026-11-{day}\n\n" + "\n".join(said) + "\n" for day in (12, 13, 14)}
    root = build({"MEMORY.md": "# Me\n\n- We meet the depot people every Tuesday.\n", **notes}).root
    talk = tmp_path / "agents" / "main" / "sessions" / "abc.jsonl"
    talk.parent.mkdir(parents=True)
    turns = [
        {"type": "message", "timestamp": "2026-11-14T11:00:00Z", "message": {"role": "user", "content": one}}
        for one in said
    ]
    talk.write_text("\n".join(json.dumps(turn) for turn in turns) + "\n")
    before = tree(root, without=())

    plain = configured(root, {})
    commands.review(
        replace(plain, settings=replace(plain.settings, transcripts=(str(talk.parents[2]),))), fixed(NOW[1])
    )
    for args in (("review",), ("search", "alarm code"), ("why-not", SPOKEN[1][0]), ("plan", "--json")):
        call(*args, "--workspace", root, *NOW)

    written = {path: data for path, data in tree(root, without=()).items() if before.get(path) != data}
    assert any("session-corpus" in path for path in written) and any("index" in path for path in written)
    assert [(path, value) for path, data in written.items() for _, value in SPOKEN if value.encode() in data] == []
