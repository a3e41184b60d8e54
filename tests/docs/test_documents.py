"""Text that cannot drift: commands, settings, promises, exit codes and public names are compared with the documents."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest

import reverie
from reverie.core import errors
from reverie.core.settings import known_keys
from reverie.lang.messages import say_in
from reverie.plan import promises
from reverie.surfaces.cli import COMMANDS, main
from terminal import dream

ROOT = Path(__file__).parents[2]


def document(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def commands() -> dict[str, click.Command]:
    context = click.Context(main)
    return {name: command for name in COMMANDS if (command := main.get_command(context, name))}


def test_every_command_is_documented_with_every_flag() -> None:
    page = document("docs/commands.md")
    told = {
        name: set(re.findall(r"--[a-z-]+", row)) for name, row in re.findall(r"\| `dream ([\w-]+)[^|]*\|(.*)\|", page)
    }
    shared = {"--workspace", "--now", "--json", "--quiet"}
    real = {
        name: {flag for option in command.params for flag in option.opts if flag.startswith("--")} - shared
        for name, command in commands().items()
    }

    assert told == real
    assert all(f"`{flag}" in page for flag in shared)


def test_every_feature_of_the_comparison_can_be_tried() -> None:
    tried = re.findall(r"\| `dream ([\w-]+)([^`]*)` \|$", document("docs/comparison.md"), re.M)
    flags = {name: {flag for option in one.params for flag in option.opts} for name, one in commands().items()}

    assert len(tried) == 97
    assert [
        (name, words) for name, words in tried if not set(re.findall(r"--[a-z-]+", words)) <= flags.get(name, set())
    ] == []


def test_every_command_takes_the_four_flags() -> None:
    for name, command in commands().items():
        flags = {flag for option in command.params for flag in option.opts}
        assert {"--workspace", "--now", "--json", "--quiet"} <= flags, name


def test_the_help_lists_each_command_with_the_words_its_own_help_begins_with() -> None:
    for name in COMMANDS:
        text = say_in("en", f"help.{name.replace('-', '_')}.text")
        assert text.split()[:2] == say_in("en", f"commands.{name}").split()[:2], name


def test_every_setting_is_documented_with_its_default() -> None:
    rows = re.findall(
        r"^\| `([\w.]+)` \| `?([^|`]*)`? \| (anyone|you) \|", document("docs/internals/settings.md"), re.M
    )
    defaults = {}
    for key in known_keys():
        value: object = reverie.Settings()
        for part in key.split("."):
            value = getattr(value, part)
        defaults[key] = "[]" if value == () else '""' if value == "" else _as_toml(value)

    assert {key: default for key, default, _ in rows} == defaults


def _as_toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_what_only_the_owner_may_set_is_told_as_it_is() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \|[^|]*\| (anyone|you) \|", document("docs/internals/settings.md"), re.M)

    remote = {f"search.{name}" for name in ("embedder", "url", "model", "key_variable", "timeout")}
    daemon = {f"schedule.{name}" for name in ("ask_agent", "timeout_minutes", "at_once")}
    assert {key for key, who in rows if who == "you"} == {
        "active.allowed_chat_types",
        "active.allowed_chat_ids",
        *daemon,
        "lock_wait",
        "vault",
        "workspace",
        "workspaces",
        "transcripts",
        "project",
        *remote,
        *(key for key in known_keys() if key.startswith("model.")),
    }


def test_the_twelve_promises_are_told_word_for_word() -> None:
    rows = re.findall(r"^\| (\d+) \| (.*?) \| `(\w+)` \|", document("docs/internals/promises.md"), re.M)
    real = []
    for name, value in vars(promises).items():
        numbered = re.match(r"(\d+)\. (.*)", getattr(value, "__doc__", None) or "")
        if callable(value) and numbered:
            real.append((numbered[1], numbered[2], name))

    assert sorted(rows, key=lambda row: int(row[0])) == sorted(real, key=lambda row: int(row[0]))
    assert [row[0] for row in sorted(rows, key=lambda row: int(row[0]))] == [str(n) for n in range(1, 13)]


def test_every_promise_is_asked() -> None:
    asked = {promise.__name__ for promise in promises.PROMISES} | {"the_second_dream_changes_nothing"}

    assert asked == set(re.findall(r"`(\w+)` \|", document("docs/internals/promises.md")))


def test_every_exit_code_is_documented_and_no_two_errors_share_one() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", document("docs/internals/scripting.md"), re.M)
    real = [
        (str(kind.exit_code), name)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.ReverieError)
    ]

    assert sorted(rows) == sorted(real)
    assert len({code for code, _ in real}) == len(real)


def test_the_public_names_are_those_that_exist() -> None:
    assert [name for name in reverie.__all__ if getattr(reverie, name, None) is None] == []
    assert sorted(reverie.__all__) == sorted(name for names in reverie._HOMES.values() for name in names)
    with pytest.raises(AttributeError):
        reverie.nothing_of_that_name  # noqa: B018


def test_the_shell_completes_once_it_is_told_what_the_install_page_says() -> None:
    assert "dream completion bash >> ~/.bashrc" in document("docs/install.md")
    assert "_DREAM_COMPLETE=bash_complete" in dream("completion", "bash").out

    done = dream(_DREAM_COMPLETE="bash_complete", COMP_WORDS="dream und", COMP_CWORD="1")

    assert done.out == "plain,undo\n"


def test_ci_calls_the_readmes_test_command() -> None:
    assert document(".ci/run").rstrip().endswith("exec make test-all")


def test_nothing_names_a_machine_or_a_package_index() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    hosts = re.compile(
        rb"/wo(?:)rk/|/ro(?:)ot/|https?://[^ \"]*/(?:simple|packages)/|files\.python(?:)hosted|pypi\.o(?:)rg"
    )
    wrong = [
        name.decode()
        for name in listed.split(b"\0")
        if name and (ROOT / name.decode()).is_file() and hosts.search((ROOT / name.decode()).read_bytes())
    ]

    assert wrong == []
