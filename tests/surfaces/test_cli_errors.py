"""Every exit code of errors.py is reached by a real command, with one sentence and the next step."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import tree
from reverie.core import errors
from reverie.core.errors import ReverieError
from terminal import Done, call, dream

NOW = ("--now", "2026-11-15T03:00:00+01:00")
MEMORY = "# Me\n- likes tea\n- uses vim\n- likes tea\n"
Case = Callable[[Path], Done]


def stale(root: Path) -> Done:
    (root / "plan.json").write_text(call("plan", "--json", "--workspace", root, *NOW).out)
    (root / "MEMORY.md").write_text(MEMORY + "- new\n")
    return dream("apply", root / "plan.json", "--workspace", root, *NOW)


def refused(root: Path) -> Done:
    (root / "MEMORY.md").unlink()
    return dream("init", "--tools", "password = Abc12345x", "--workspace", root, *NOW)


def over_budget(root: Path) -> Done:
    (root / "MEMORY.md").unlink()
    (root / "reverie.toml").write_text("[memory]\ntruncation = 1000\nhard = 0.1\n")
    return dream("init", "--workspace", root, *NOW)


def busy(root: Path) -> Done:
    config = root.parent / "config/reverie/reverie.toml"
    config.parent.mkdir(parents=True)
    config.write_text("lock_wait = 0.1\n")
    lock = root / "memory/.dreams/lock"
    lock.parent.mkdir(parents=True)
    with lock.open("w+") as held:
        held.write('{"pid": 7, "host": "shed", "command": "review", "since": "yesterday"}')
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        return dream("review", "--workspace", root, *NOW, XDG_CONFIG_HOME=str(config.parent.parent))


def bad_settings(root: Path) -> Done:
    (root / "reverie.toml").write_text("[memory]\nhrad = 1\n")
    return dream("status", "--workspace", root, *NOW)


def no_workspace(root: Path) -> Done:
    return dream("review", "--workspace", root / "nowhere", *NOW)


def refused_file(root: Path) -> Done:
    (root / "MEMORY.md").rename(root / "elsewhere.md")
    (root / "MEMORY.md").symlink_to(root / "elsewhere.md")
    return dream("review", "--workspace", root, *NOW)


def unknown_run(root: Path) -> Done:
    return dream("undo", "7", "--workspace", root, *NOW)


def sealed(root: Path) -> Done:
    (root / "memory/.dreams").mkdir(parents=True)
    (root / "memory/.dreams/.sealed").write_text("{")
    return call("review", "--workspace", root, *NOW)


def collision(root: Path) -> Done:
    call("review", "--workspace", root, *NOW)
    (root / "MEMORY.md").write_text("# Another\n")
    return dream("undo", "--workspace", root, *NOW)


def bad_plan_file(root: Path) -> Done:
    (root / "plan.json").write_text("{\n oops")
    return dream("apply", root / "plan.json", "--workspace", root, *NOW)


def write_failed(root: Path) -> Done:
    (root / "memory").write_text("a file where a folder should be")
    return dream("review", "--workspace", root, *NOW)


def bad_input(root: Path) -> Done:
    return dream("review", "--workspace", root, "--now", "yesterday")


def refused_suggestion(root: Path) -> Done:
    gone = {"id": "0a1b2c3d", "op": "end", "why": "it is over", "memory": ["the kiln is booked"]}
    (root / "dream-vault/meta").mkdir(parents=True)
    (root / "dream-vault/meta/suggestions.json").write_text(json.dumps([gone]))
    return dream("suggestions", "--yes", "0a1b2c3d", "--workspace", root, *NOW)


CASES: dict[type[ReverieError], tuple[Case, str]] = {
    errors.StalePlan: (stale, "MEMORY.md changed since it was read. Nothing was applied; run `dream plan` again."),
    errors.RefusedPlan: (refused, "nothing_secret_enters"),
    errors.OverBudget: (over_budget, "or raise `memory.truncation`. Nothing was applied."),
    errors.Busy: (busy, "This workspace is held by `dream review` (process 7 on shed, since yesterday). Wait until it is done"),
    errors.BadSettings: (bad_settings, "reverie.toml:2 sets `memory.hrad`, which is not a setting; did you mean `memory.hard`?"),
    errors.NoWorkspace: (no_workspace, "nowhere` makes it, with a first memory in it."),
    errors.RefusedFile: (refused_file, "MEMORY.md is a symbolic link; only real files are read. Mend that, then run again"),
    errors.UnknownRun: (unknown_run, "There is no run '7'. `dream runs` lists them all."),
    errors.UndoCollision: (collision, "MEMORY.md was changed later at the line “- likes tea”. Nothing was applied"),
    errors.BadPlanFile: (bad_plan_file, "plan.json:2 is not valid JSON."),
    errors.WriteFailed: (write_failed, "Nothing was changed; mend it and run again, or take another folder"),
    errors.BadInput: (bad_input, "--now is 'yesterday', which is not a moment such as 2026-11-15T03:00:00+01:00."),
    errors.Sealed: (sealed, "memory/.dreams/.sealed says how this memory is sealed, and cannot be read. Bring it back from a copy; nothing was read or written."),
    errors.RefusedSuggestion: (refused_suggestion, "The suggestion 0a1b2c3d was not done: the lines it is about have changed since."),
}  # fmt: skip


# These end a command that has told everything already: a code for scripts, no sentence of its own.
TOLD_ON_A_PAGE = {errors.SomeFailed, errors.Unwell}


def all_errors(of: type[ReverieError] = ReverieError) -> set[type[ReverieError]]:
    return {of, *(kind for below in of.__subclasses__() for kind in all_errors(below))}


@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_each_error_has_its_exit_code_and_one_sentence_on_stderr(tmp_path: Path, kind: type[ReverieError]) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    (root / "MEMORY.md").write_text(MEMORY)
    case, said = CASES[kind]

    done = case(root)

    assert (done.code, done.out) == (kind.exit_code, "")
    assert done.err.startswith("dream: ") and said in done.err and done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_every_error_has_a_code_of_its_own_and_a_case_here() -> None:
    kinds = {kind for kind in all_errors() if kind.__module__ == errors.__name__} - {ReverieError}

    assert kinds == set(CASES) | TOLD_ON_A_PAGE
    assert sorted(kind.exit_code for kind in kinds) == list(range(3, 3 + len(kinds)))


def test_an_error_in_json_is_a_value_too(tmp_path: Path) -> None:
    done = call("undo", "--workspace", tmp_path, "--json", *NOW)

    said = "There is no run to undo. `dream runs` lists them all."
    assert json.loads(done.out) == {"error": "UnknownRun", "message": said, "exit_code": 10}
    assert (done.code, done.err) == (10, f"dream: {said}\n")


def test_quiet_still_tells_errors(tmp_path: Path) -> None:
    done = call("undo", "--workspace", tmp_path, "--quiet", *NOW)

    assert (done.code, done.out) == (10, "") and done.err.startswith("dream: There is no run")


@pytest.mark.parametrize("name", ["nowhere.json", "folder", "binary.json"])
def test_a_plan_file_that_cannot_be_read_is_said_so(tmp_path: Path, name: str) -> None:
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe")

    done = call("apply", tmp_path / name, "--workspace", tmp_path)

    assert done.code == 12 and "cannot be read" in done.err


@pytest.mark.parametrize("stdin", [b"\xff\xfe", b""], ids=["no text", "nothing"])
def test_a_plan_from_a_pipe_that_is_no_plan_is_said_so(tmp_path: Path, stdin: bytes) -> None:
    import os
    import subprocess

    from terminal import DREAM

    command = [DREAM, "apply", "-", "--workspace", str(tmp_path)]
    run = subprocess.run(command, input=stdin, capture_output=True, env=dict(os.environ), check=False)

    assert (run.returncode, b"Traceback" in run.stderr) == (12, False)


def test_a_file_where_the_vault_should_be_is_a_write_that_failed(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    (tmp_path / "dream-vault").write_text("not a folder")
    before = tree(tmp_path)

    done = dream("review", "--workspace", tmp_path, *NOW)

    assert (done.code, "Traceback" in done.err, tree(tmp_path)) == (13, False, before)


@pytest.mark.parametrize(
    "moment", ["yesterday", "2026-13-01", "25:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"]
)
def test_a_moment_that_is_none_is_refused(tmp_path: Path, moment: str) -> None:
    (tmp_path / "MEMORY.md").write_text(MEMORY)

    done = dream("review", "--workspace", tmp_path, "--now", moment)

    assert (done.code, "Traceback" in done.err) == (14, False)


def test_a_damaged_record_of_a_run_is_named_and_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    call("review", "--workspace", tmp_path, *NOW)
    (tmp_path / "memory/.dreams/runs/0001-2026-11-15/DONE").write_text("{")

    done = dream("runs", "--workspace", tmp_path)

    assert (done.code, done.err, "0001-2026-11-15 is damaged" in done.out) == (0, "", True)


def test_a_disk_that_says_no_is_one_sentence_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    (tmp_path / "memory/.dreams/index.db").mkdir(parents=True)  # nobody may delete a folder as if it were a file

    done = call("seal", "--key-file", tmp_path / "key", "--workspace", tmp_path)

    assert (done.code, done.err.count("\n"), "index.db cannot be read or written" in done.err) == (13, 1, True)


def as_a_link(path: Path) -> None:
    path.with_name("elsewhere.md").write_text(MEMORY)
    path.symlink_to(path.with_name("elsewhere.md"))


@pytest.mark.parametrize(
    ("put", "why"),
    [
        (lambda path: path.write_text(MEMORY, "utf-16"), "save it as UTF-8"),
        (Path.mkdir, "is a folder"),
        (as_a_link, "is a symbolic link"),
    ],
)
def test_a_memory_that_cannot_be_read_is_told_by_every_command(
    tmp_path: Path, put: Callable[[Path], object], why: str
) -> None:
    (tmp_path / "memory").mkdir()
    put(tmp_path / "MEMORY.md")

    for words, code in (
        (("review",), 9),
        (("show",), 9),
        (("search", "tea"), 0),
        (("status",), 0),
        (("doctor",), 16),
        ((), 0),
    ):
        done = call(*(words or ("overview",)), "--workspace", tmp_path, *NOW)
        assert (words, done.code, why in done.out + done.err) == (words, code, True)
