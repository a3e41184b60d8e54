"""The reader takes every real file once, and says a word about everything that it did not take."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import EXAMPLE, Build
from reverie.core.errors import NoWorkspace
from reverie.core.layout import Kind
from reverie.core.settings import Settings
from reverie.workspace.reader import LARGEST_NOTE, read_workspace, reread
from reverie.workspace.values import Refusal, Snapshot, Workspace, hash_bytes, to_bytes

LINK = "is a symbolic link; only real files are read"
FOLDER_LINK = "is a symbolic link to a folder; only real folders are read"
SPECIAL = "is a folder, a device, a pipe or a socket; only real files are read"


def test_every_file_of_the_layout_is_read_once_with_its_hash(build: Build) -> None:
    files: dict[str, str | bytes] = {
        "MEMORY.md": "- a\n", "USER.md": "- b\n", "memory/2026-10-20.md": b"\xff\r\n", "memory/2026/10/2026-10-19.md": "- c\n",
        "memory/self-improving/errors.jsonl": "{}\n", ".learnings/ERRORS.md": "# E\n", "knowledge/playbook.md": "x",
        "dream-vault/ledger.md": "# Ledger\n", "dream-vault/meta/review-2026-10.md": "x\n", "memory/.dreams/reviewed.json": "{}",
    }  # fmt: skip
    seen: list[int] = []

    snapshot = read_workspace(build(files), on_read=seen.append)

    raw = {path: c.encode() if isinstance(c, str) else c for path, c in files.items()}
    vault = {path.replace("dream-vault/", "vault:"): data for path, data in raw.items()}
    assert {path: (file.hash, to_bytes(file.text)) for path, file in snapshot.files.items()} == {
        path: (hash_bytes(data), data) for path, data in vault.items()
    }
    assert (seen, snapshot.refused) == (list(range(1, len(files) + 1)), ())


def test_what_the_layout_does_not_know_is_neither_read_nor_refused(build: Build) -> None:
    files = (
        "README.md",
        "memory/photo.png",
        "DREAM.md",
        "memory/.dreams/lock",
        "memory/.hidden/2026-10-20.md",
        "src/a.md",
    )

    snapshot = read_workspace(build(dict.fromkeys(files, "x")))

    assert (dict(snapshot.files), snapshot.refused) == ({}, ())


def test_a_folder_that_is_not_there_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(NoWorkspace, match="--workspace"):
        read_workspace(Workspace(tmp_path / "nowhere", tmp_path))


def refused_instead(build: Build, path: str, make: object) -> tuple[tuple[str, ...], tuple[Refusal, ...]]:
    """What is read and refused in a workspace where `make` put something odd at `path`."""
    workspace = build({"USER.md": "- real\n"})
    target = workspace.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    make(target)  # type: ignore[operator]
    snapshot = read_workspace(workspace)
    return tuple(snapshot.files), snapshot.refused


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-10-20.md", "dream-vault/ledger.md", "memory/project/x.md"])
def test_a_link_to_a_file_is_refused_wherever_it_leads(build: Build, tmp_path: Path, path: str) -> None:
    secret = tmp_path / "outside.md"
    secret.write_text("- outside\n")

    read, refused = refused_instead(build, path, lambda target: target.symlink_to(secret))

    assert (read, refused) == (("USER.md",), (Refusal(path.replace("dream-vault/", "vault:"), LINK),))


@pytest.mark.parametrize("goal", ["/dev/null", "/dev/zero", "/nowhere", "USER.md"])
def test_a_link_to_a_device_or_to_nothing_is_refused(build: Build, goal: str) -> None:
    read, refused = refused_instead(build, "MEMORY.md", lambda target: target.symlink_to(goal))

    assert (read, refused) == (("USER.md",), (Refusal("MEMORY.md", LINK),))


@pytest.mark.parametrize("path", ["memory", ".learnings", "knowledge", "dream-vault/meta"])
def test_a_link_to_a_folder_of_the_layout_is_refused(build: Build, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "2026-10-20.md").write_text("- outside\n")

    read, refused = refused_instead(build, path, lambda target: target.symlink_to(outside))

    assert (read, refused) == (("USER.md",), (Refusal(path.replace("dream-vault/", "vault:"), FOLDER_LINK),))


@pytest.mark.parametrize("path", ["memory/2025", "memory/project", "knowledge/clients"])
def test_a_link_to_a_folder_inside_is_refused_and_not_passed_over_in_silence(
    build: Build, tmp_path: Path, path: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "2026-10-20.md").write_text("- outside\n")

    read, refused = refused_instead(build, path, lambda target: target.symlink_to(outside))

    assert (read, [refusal.path for refusal in refused]) == (("USER.md",), [path])


def test_our_own_cursor_is_not_read_through_a_linked_folder(build: Build, tmp_path: Path) -> None:
    (tmp_path / "outside/.dreams").mkdir(parents=True)
    (tmp_path / "outside/.dreams/reviewed.json").write_text("{}")

    read, _ = refused_instead(build, "memory", lambda target: target.symlink_to(tmp_path / "outside"))

    assert read == ("USER.md",)


def test_a_pipe_is_refused_and_never_waited_for(build: Build) -> None:
    read, refused = refused_instead(build, "memory/2026-10-20.md", os.mkfifo)

    assert (read, refused) == (("USER.md",), (Refusal("memory/2026-10-20.md", SPECIAL),))


def test_a_socket_is_refused(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listener:

        def bind(target: Path) -> None:
            monkeypatch.chdir(target.parent)  # the name of a socket may have only a hundred bytes
            listener.bind(target.name)

        read, refused = refused_instead(build, "memory/2026-10-20.md", bind)

    assert (read, [refusal.path for refusal in refused]) == (("USER.md",), ["memory/2026-10-20.md"])


def test_a_file_that_is_too_large_is_refused(build: Build) -> None:
    def make(target: Path) -> None:
        with target.open("wb") as file:
            file.truncate(LARGEST_NOTE + 1)

    read, refused = refused_instead(build, "memory/2026-10-20.md", make)

    assert (read, refused) == (
        ("USER.md",), (Refusal("memory/2026-10-20.md", "is larger than 8 MB; it was left unread"),),
    )  # fmt: skip


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_file_that_may_not_be_read_is_refused(build: Build) -> None:
    def make(target: Path) -> None:
        target.write_text("- secret\n")
        target.chmod(0)

    assert refused_instead(build, "MEMORY.md", make)[1] == (
        Refusal("MEMORY.md", "cannot be opened (Permission denied)"),
    )


def while_reading(workspace: Workspace, change: object) -> Snapshot:
    """A snapshot during which something happens after the first file was read."""

    def once(count: int) -> None:
        if count == 1:
            change()  # type: ignore[operator]

    return read_workspace(workspace, on_read=once)


def test_a_file_that_vanishes_while_reading_is_refused_with_a_word(build: Build) -> None:
    workspace = build({"MEMORY.md": "- a\n", "USER.md": "- b\n"})

    snapshot = while_reading(workspace, (workspace.root / "USER.md").unlink)

    assert list(snapshot.files) == ["MEMORY.md"]
    assert snapshot.refused == (Refusal("USER.md", "cannot be opened (No such file or directory)"),)


def test_a_file_that_becomes_a_link_while_reading_is_not_followed(build: Build, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("- outside\n")
    workspace = build({"MEMORY.md": "- a\n", "USER.md": "- b\n"})

    def swap() -> None:
        (workspace.root / "USER.md").unlink()
        (workspace.root / "USER.md").symlink_to(tmp_path / "outside")

    snapshot = while_reading(workspace, swap)

    assert (list(snapshot.files), [refusal.path for refusal in snapshot.refused]) == (["MEMORY.md"], ["USER.md"])


def test_a_file_that_becomes_a_pipe_while_reading_is_not_waited_for(build: Build) -> None:
    workspace = build({"MEMORY.md": "- a\n", "USER.md": "- b\n"})

    def swap() -> None:
        (workspace.root / "USER.md").unlink()
        os.mkfifo(workspace.root / "USER.md")

    assert while_reading(workspace, swap).refused == (Refusal("USER.md", SPECIAL),)


def test_what_did_not_change_is_not_parsed_again(build: Build) -> None:
    workspace = build({"MEMORY.md": "- a\n", "USER.md": "- b\n", "memory/2026-10-20.md": "- c\n"})
    before = read_workspace(workspace)
    (workspace.root / "USER.md").write_text("- new\n")
    os.utime(workspace.root / "MEMORY.md", (1, 1))

    after = read_workspace(workspace, previous=before)

    same = {path for path, file in after.files.items() if file is before.files[path]}
    assert same == {"MEMORY.md", "memory/2026-10-20.md"}
    assert after.files["USER.md"].entries[0].text == "new"
    assert after == read_workspace(workspace)


def test_other_settings_are_a_reason_to_parse_again(build: Build) -> None:
    workspace = build({"MEMORY.md": "## Keep\n- a\n"})
    guarded = replace(workspace, settings=Settings(protected_sections=("keep",)))

    after = read_workspace(guarded, previous=read_workspace(workspace))

    assert [entry.protected for entry in after.files["MEMORY.md"].entries] == [True]


def test_the_order_in_which_files_were_made_does_not_matter(build: Build) -> None:
    files = {f"memory/2026-10-{day:02}.md": f"- day {day}\n" for day in range(1, 29)} | {"MEMORY.md": "- a\n"}
    one, other = build(files), build(dict(reversed(files.items())))

    first, second = read_workspace(one), read_workspace(other)

    assert list(first.files.items()) == list(second.files.items())


def test_a_name_that_is_not_text_is_named_and_left_out(build: Build) -> None:
    workspace = build({"memory/2026-10-20.md": "- a\n"})
    Path(os.fsdecode(os.fsencode(workspace.root) + b"/memory/caf\xe9.md")).write_text("- b\n")

    snapshot = read_workspace(workspace)

    assert (list(snapshot.files), [one.path for one in snapshot.refused]) == (
        ["memory/2026-10-20.md"], [r"memory/caf\udce9.md"],
    )  # fmt: skip


def test_a_folder_that_is_named_like_a_note_is_a_folder(build: Build) -> None:
    snapshot = read_workspace(build({"memory/2026-10-20.md/2026-10-21.md": "- a\n", "MEMORY.md/x.md": "y"}))

    assert list(snapshot.files) == ["memory/2026-10-20.md/2026-10-21.md"]
    assert [one.path for one in snapshot.refused] == ["MEMORY.md"]  # memory itself is missed there


def test_an_old_lower_case_memory_is_honoured_unless_there_is_a_new_one(build: Build) -> None:
    assert read_workspace(build({"memory.md": "- a\n"})).memory_path == "memory.md"
    assert read_workspace(build({"memory.md": "- a\n", "MEMORY.md": "- b\n"})).memory_path == "MEMORY.md"


@pytest.mark.parametrize("nested", ["[", '{"a":'])
def test_a_line_of_ten_thousand_brackets_is_read_like_any_other(build: Build, nested: str) -> None:
    line = nested * 100_000 + {"[": "]", '{"a":': "}"}[nested] * 100_000

    assert len(read_workspace(build({"memory/2026-10-20.md": line})).files) == 1


def test_a_snapshot_reread_with_new_texts_is_what_the_disk_would_give(build: Build) -> None:
    workspace = build({"MEMORY.md": "- a\n", "USER.md": "- b\n"})
    imagined = reread(read_workspace(workspace), {"MEMORY.md": "- new\n"}, {"MEMORY.md": hash_bytes(b"- new\n")})

    (workspace.root / "MEMORY.md").write_text("- new\n")

    assert imagined == read_workspace(workspace)


def test_the_example_is_read_whole(lived_in: Workspace) -> None:
    snapshot = read_workspace(Workspace(EXAMPLE, EXAMPLE / "dream-vault", lived_in.settings))
    unread = {"DREAM.md"}
    there = {str(path.relative_to(EXAMPLE)) for path in EXAMPLE.rglob("*") if path.is_file()}

    assert (set(snapshot.files), snapshot.refused) == (there - unread, ())
    assert all(
        to_bytes("".join(f.document.lines)) == (EXAMPLE / p).read_bytes()
        for p, f in snapshot.files.items()
        if p[-3:] == ".md"
    )
    assert {path for path, file in snapshot.files.items() if file.place.kind is Kind.SESSION} == {
        "memory/2026-10-24-varnish-supplier.md", "memory/2026-11-02-0915.md",
    }  # fmt: skip
    assert {path: set(file.document.doubts) for path, file in snapshot.files.items() if file.document.doubts} == {
        "memory/2026-10-27.md": {"an unclosed code fence"},
        "memory/2026-10-28.md": {"conflict markers"},
        "memory/2026-10-30.md": {"unbalanced dream markers"},
    }
