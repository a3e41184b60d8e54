"""What every command keeps: its four options, JSON that is the library's value, and silence where nobody looks."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from conftest import EXAMPLE, Build, tree
from reverie.apply.runs import plan_as_dict
from reverie.core.ports import fixed
from reverie.lang.messages import say_in
from reverie.night import commands
from reverie.surfaces.cli import COMMANDS as ALL
from reverie.workspace.values import Workspace
from terminal import DREAM, call, dream

MEMORY = "# Me\n- likes tea\n- uses vim\n- likes tea\n"
NIGHT = "2026-11-15T03:00:00+01:00"
CLOCK = fixed(NIGHT)
COMMANDS = ("review", "plan", "apply", "undo", "runs", "why", "status", "init")
ARGUMENTS: dict[str, tuple[str, ...]] = {"why": ("likes tea",), "apply": ("-",), "init": ("--tools", "a lathe")}


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY})


def prepared(workspace: Workspace, command: str) -> str:
    """Bring the workspace to where the command has something to say; what it reads from standard input."""
    plan = json.dumps(plan_as_dict(commands.plan_dream(workspace, CLOCK).plan))
    if command in ("undo", "runs", "why"):
        commands.review(workspace, CLOCK)
    return plan if command == "apply" else ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_four_options_and_its_json_parses(workspace: Workspace, command: str) -> None:
    stdin = prepared(workspace, command)

    done = call(
        command, *ARGUMENTS.get(command, ()), "--workspace", workspace.root, "--now", NIGHT, "--json", stdin=stdin
    )

    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) and done.out.isascii()


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_prints_nothing(workspace: Workspace, command: str) -> None:
    stdin = prepared(workspace, command)

    done = call(
        command, *ARGUMENTS.get(command, ()), "--workspace", workspace.root, "--now", NIGHT, "--quiet", stdin=stdin
    )

    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_in_a_pipe_there_is_no_colour_and_no_progress(workspace: Workspace, command: str) -> None:
    for day in range(120):
        note = workspace.root / f"memory/2026-{day // 28 + 1:02}-{day % 28 + 1:02}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text("- walked\n")
    stdin = prepared(workspace, command)

    done = dream(command, *ARGUMENTS.get(command, ()), "--workspace", workspace.root, "--now", NIGHT, stdin=stdin)

    assert (done.code, done.err) == (0, "")
    assert done.out and "\033" not in done.out and "\r" not in done.out


@pytest.mark.parametrize("command", ALL)
def test_every_command_and_flag_is_explained(command: str) -> None:
    done = call(command, "--help")

    assert done.code == 0 and say_in("en", f"commands.{command}").split(".")[0][:20] in done.out.replace("\n  ", " ")
    assert all(option in done.out for option in ("--workspace", "--now", "--json", "--quiet"))


def test_the_plan_in_json_is_the_librarys_plan(workspace: Workspace) -> None:
    done = call("plan", "--workspace", workspace.root, "--now", NIGHT, "--json")

    assert json.loads(done.out) == plan_as_dict(commands.plan_dream(workspace, CLOCK).plan)


def test_a_review_in_json_tells_the_run_and_the_sizes(workspace: Workspace) -> None:
    told = json.loads(call("review", "--workspace", workspace.root, "--now", NIGHT, "--json").out)

    assert all(path.startswith("memory/.dreams/") for path in told.pop("derived"))
    assert told == {
        "workspace": str(workspace.root), "run": "0001-2026-11-15", "changed": True, "outcome": "changed", "counts": {"duplicate": 1},
        "characters": {"before": 40, "after": 28}, "left_to_owner": [], "recovered": [], "projected": [], "flags": [],
        "probes": {"before": 1, "after": 1}, "proposed": None, "model": None, "suggestions": 0, "questions": 0, "notice": None,
    }  # fmt: skip


def test_the_story_in_json_is_the_librarys_story(workspace: Workspace) -> None:
    commands.review(workspace, CLOCK)

    done = call("why", "likes", "tea", "--workspace", workspace.root, "--json")

    assert json.loads(done.out) == json.loads(json.dumps(asdict(commands.why(workspace, "likes tea"))))


def test_the_runs_in_json_are_the_librarys_runs(workspace: Workspace) -> None:
    commands.review(workspace, CLOCK)
    commands.undo(workspace, CLOCK)

    told = json.loads(call("runs", "--workspace", workspace.root, "--json").out)

    runs = commands.list_runs(workspace)
    assert [(one["id"], one["files"], one["undoes"], one["undone_by"]) for one in told] == [
        (run.id, list(run.plan.paths), run.plan.undoes, run.undone_by) for run in runs
    ]


def test_status_in_json_is_the_same_glance(workspace: Workspace) -> None:
    commands.review(workspace, CLOCK)

    assert json.loads(call("status", "--workspace", workspace.root, "--now", NIGHT, "--json").out) == {
        "now": NIGHT, "on": True, "memory": {"characters": 28, "exact": True, "limit": 18000, "percent": 0, "lines": 3, "maxLines": 250}, "archive": 1,
        "last_review": "2026-11-15 03:00", "state": "active", "blocked": None,
        "waiting_minutes": None, "dreaming_elsewhere": False, "index": 0, "pending": 0, "sealed": False,
        "warning": None, "kept": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "flags", [("plan",), ("plan", "--prose"), ("plan", "--all"), ("review", "--dry-run"), ("runs",), ("status",)]
)
def test_looking_writes_nothing(workspace: Workspace, flags: tuple[str, ...]) -> None:
    assert call(*flags, "--workspace", workspace.root, "--now", NIGHT).code == 0

    assert tree(workspace.root, without=()) == {"MEMORY.md": MEMORY.encode()}


def test_a_plan_saved_in_a_pipe_is_applied_from_a_file_and_from_a_pipe(workspace: Workspace, tmp_path: Path) -> None:
    saved = dream("plan", "--json", "--now", NIGHT, cwd=workspace.root).out
    (tmp_path / "plan.json").write_text(saved)

    assert dream("apply", tmp_path / "plan.json", "--now", NIGHT, cwd=workspace.root).code == 0
    commands.undo(workspace, CLOCK)
    assert dream("apply", "-", "--now", NIGHT, cwd=workspace.root, stdin=saved).code == 0

    assert (workspace.root / "MEMORY.md").read_text() == "# Me\n- likes tea\n- uses vim\n"


def test_what_a_run_says_about_taking_it_back_is_true(workspace: Workspace) -> None:
    call("review", "--workspace", workspace.root, "--now", NIGHT)
    after = tree(workspace.root)
    said = call("undo", "--workspace", workspace.root, "--now", NIGHT).out

    (back,) = re.findall(r"`dream (undo[^`]*)` brings it back", said)
    call(*back.split(), "--workspace", workspace.root, "--now", NIGHT)

    assert tree(workspace.root) == after


def test_on_a_terminal_there_is_colour_and_progress(workspace: Workspace) -> None:
    (workspace.root / "memory").mkdir()
    for day in range(1, 31):
        for part in "abcd":
            (workspace.root / f"memory/2026-10-{day:02}-{part}.md").write_text("- walked\n")
    ours, theirs = pty.openpty()
    command = [DREAM, "plan", "--workspace", str(workspace.root), "--now", NIGHT]
    env = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)

    assert process.returncode == 0 and "Reading … 100 files" in shown.decode()
    assert re.search(rb"\x1b\[31m- - likes tea\x1b\[0m", shown)


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_bytes_that_no_terminal_can_show_do_not_stop_a_command(build: Build) -> None:
    root = build({"MEMORY.md": b"# Me\n- caf\xe9 \x1b[31m\xff\n- caf\xe9 \x1b[31m\xff\n"}).root

    for args in (("plan",), ("plan", "--prose"), ("review",), ("why", "caf"), ("runs",)):
        done = dream(*args, "--workspace", root, "--now", NIGHT, PYTHONIOENCODING="ascii", LC_ALL="C")
        assert (done.code, done.err, "\033" in done.out) == (0, "", False)


def test_the_example_night_is_the_same_from_shell_and_library(lived_in: Workspace, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(lived_in.root, tmp_path / "shell" / "lived-in")
    commands.review(lived_in, CLOCK)

    assert dream("review", "--quiet", cwd=tmp_path / "shell" / "lived-in", REVERIE_NOW=NIGHT).code == 0

    assert tree(tmp_path / "shell" / "lived-in") == tree(lived_in.root)


def test_an_unknown_command_names_the_nearest() -> None:
    done = dream("reveiw")

    assert (done.code, done.out) == (2, "")
    assert "There is no command 'reveiw'. Did you mean `dream review`?" in done.err


def test_the_version_is_the_packages_with_the_commit_where_it_is_known() -> None:
    from importlib.metadata import version

    said = dream("--version").out

    assert re.fullmatch(rf"dream, version {re.escape(version('reverie-dream'))}(?: \(commit [0-9a-f]{{12}}\))?\n", said)
    assert "commit" in said or not (EXAMPLE.parents[1] / ".git").exists()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("revert", "`dream undo`"),
        ("rolback", "`dream undo`"),
        ("night", "`dream review`"),
        ("history", "`dream runs`"),
        ("ask", "`dream search` or `dream recall`"),
        ("remember", "`dream note`"),
        ("delete", "`dream forget`"),
        ("health", "`dream doctor`"),
        ("setup", "`dream init`"),
        ("\u64a4\u9500", "`dream undo`"),
    ],
)
def test_a_word_that_people_use_elsewhere_leads_to_the_command(word: str, meant: str) -> None:
    done = call(word)

    assert done.code == 2 and f"Did you mean {meant}?" in done.err


def test_every_word_of_the_synonyms_means_a_command_and_none_is_one() -> None:
    from reverie.lang import LANGUAGES, table

    for language in LANGUAGES:
        for name, others in table(language, "synonyms").items():
            assert name in (*ALL, "--help", "--version") and not set(others) & set(ALL), (language, name)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("version", "Did you mean `dream --version`?"),
        ("帮助", "Did you mean `dream --help`?"),
        ("reject", "Did you mean `dream suggestions`?"),
        ("accept", "`dream suggestions`"),
        ("config", "reverie.toml"),
        ("upgrade", "pipx upgrade reverie-dream"),
        ("导出", "`dream show`"),
        ("edit", "any editor"),
    ],
)
def test_what_other_programs_have_a_command_for_is_answered_with_what_to_do(word: str, says: str) -> None:
    done = call(word)

    assert done.code == 2 and says in done.err


def test_a_program_reads_a_wrong_call_as_json_too() -> None:
    for words in (["status", "--nope", "--json"], ["nosuch", "--json"], ["--json", "integrate", "nowhere"]):
        done = call(*words)

        assert json.loads(done.out)["error"] == "UsageError" and done.code == json.loads(done.out)["exit_code"] == 2


def test_an_option_of_all_commands_may_stand_before_the_command(workspace: Workspace) -> None:
    before = call("--workspace", workspace.root, "--json", f"--now={NIGHT}", "status")

    assert before == call("status", "--workspace", workspace.root, "--json", "--now", NIGHT)
    assert call("--workspace").code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("words", [["show"], ["--help"]])
def test_a_full_disk_under_what_is_printed_is_one_sentence(workspace: Workspace, words: list[str]) -> None:
    where = ["--workspace", str(workspace.root)] if words != ["--help"] else []
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([DREAM, *words, *where], stdout=full, stderr=subprocess.PIPE, check=False)

    assert done.returncode == 13 and done.stderr.startswith(b"dream: What was to be printed could not be written")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", [["plan", "--json"], ["--help"]])
def test_a_reader_who_leaves_early_is_no_error(workspace: Workspace, words: list[str]) -> None:
    where = ["--workspace", str(workspace.root)] if words != ["--help"] else []
    reads, writes = os.pipe()
    os.close(reads)  # nobody reads a single line

    with subprocess.Popen([DREAM, *words, *where], stdout=writes, stderr=subprocess.PIPE) as process:
        os.close(writes)
        said = process.communicate(timeout=30)[1]

    assert (process.returncode, said) == (0, b"")


def test_help_groups_every_command_by_what_people_want() -> None:
    said = call("--help").out

    headings = re.findall(r"^(\S.*):$", said, re.M)
    assert {say_in("en", f"help.groups.{group}") for group in ("night", "ask", "tell", "when", "well")} < set(headings)
    assert [name for name in ALL if not re.search(rf"^  {name} ", said, re.M)] == []


def test_the_shell_completes_commands_without_loading_them(workspace: Workspace) -> None:
    assert "_DREAM_COMPLETE=bash_complete" in call("completion", "bash").out
    for shell in ("zsh", "fish"):
        assert "_DREAM_COMPLETE" in call("completion", shell).out

    names = dream(COMP_WORDS="dream re", COMP_CWORD="1", _DREAM_COMPLETE="bash_complete").out
    flags = dream(COMP_WORDS="dream review --dry", COMP_CWORD="2", _DREAM_COMPLETE="bash_complete").out

    assert {"plain,review", "plain,recall"} < set(names.split("\n")) and "plain,--dry-run" in flags


def on_a_terminal(*words: str) -> str:
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
    with subprocess.Popen([DREAM, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=env):
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "")


def test_dream_alone_on_a_terminal_shows_the_state_and_three_steps_for_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("REVERIE_NOW", NIGHT)

    before = on_a_terminal()
    call("review")
    (workspace.root / "memory/2026-11-15.md").write_text("- walked\n- ran\n")
    after = on_a_terminal()

    assert "Last night: there was none yet." in before and re.findall(r"^  (dream \w+)", before, re.M)[:2] == [
        "dream plan",
        "dream review",
    ]
    assert "Last night (2026-11-15 03:00): 1 line archived." in after and "Waiting: 1 new note." in after
    assert (
        re.findall(r"^  (dream \w+)", after, re.M)[0] == "dream review"
        and len(re.findall("^  dream", after, re.M)) == 3
    )
    assert dream(cwd=workspace.root).out + dream(cwd=workspace.root).err != after  # in a pipe it is the help, as ever


def test_the_night_is_told_in_about_ten_lines_and_in_full_where_it_is_asked_for(build: Build) -> None:
    facts = "".join(
        f"- the {name} is kept in drawer {n}\n"
        for n, name in enumerate(["saw", "plane", "awl", "rasp", "file", "vice", "drill"])
    )
    root = build({"MEMORY.md": f"# Me\n{facts}{facts}"}).root
    where = ("--workspace", root, "--now", NIGHT)

    full = call("review", "--dry-run", "--verbose", *where).out
    short = call("review", *where).out.split("\n")

    assert full.count("because") == 7
    assert short[5] == "  … and 5 more changes" and len(short) <= 13
    assert {"This run: updated 0 | added 0 | archived 7 (lines)", "Permanent archive total: 7 records"} < set(short)
    assert any("`dream undo`" in line for line in short) and any("`dream why ID`" in line for line in short)
    assert call("runs", "1", *where).out.count("because") == 7 and "dream: 7 lines archived" in call("runs", *where).out
