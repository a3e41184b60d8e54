"""`dream search` and `dream reindex` as people and programs call them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import INDEX_DB, JOURNAL
from reverie.lang.messages import say_in
from reverie.privacy.redact import shown
from reverie.workspace.values import Workspace
from terminal import TOKEN, call, dream

PEERS = {"path", "startLine", "endLine", "score", "textScore", "snippet", "source"}


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build(
        {
            "memory/2026-11-01.md": "# Home\n## Kitchen\n- espresso machine\n  - descale it every eight weeks\n",
            "memory/2026-11-02.md": f"- The gateway listens on port 8443\n- the token {TOKEN} is for the gateway\n",
            "memory/2026-11-09.md": "- The gateway listens on port 9443\n",
        }
    )


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, hermetic: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tables of the embedded embedder, made once for all tests of this process."""
    base = tmp_path_factory.getbasetemp()
    monkeypatch.setenv("XDG_CACHE_HOME", str(base / "cache"))
    (base / "cache").mkdir(exist_ok=True)
    if not (base / "cache/reverie").exists() and (base / "vectors").is_dir():
        os.symlink(base / "vectors", base / "cache/reverie")


def where(workspace: Workspace) -> tuple[str | Path, ...]:
    return ("--workspace", workspace.root, "--now", NIGHT)


def test_json_has_the_peers_fields_and_ours(workspace: Workspace) -> None:
    done = call("search", "descale", "espresso", "--json", *where(workspace))

    value = json.loads(done.out)
    assert (done.code, done.err, value["degraded"]) == (0, "", None)
    first = value["results"][0]
    assert set(first) >= PEERS
    assert (first["path"], first["startLine"], first["endLine"]) == ("memory/2026-11-01.md", 4, 4)
    assert (first["snippet"], first["source"]) == ("descale it every eight weeks", "memory")
    assert (first["heading"], first["parents"], first["day"]) == ("Home > Kitchen", "espresso machine", "2026-11-01")
    assert 0 < first["score"] <= 1 and first["why"]


def test_the_question_may_be_an_option(workspace: Workspace) -> None:
    by_words = call("search", "gateway", "port", "--json", *where(workspace)).out

    assert call("search", "--query", "gateway port", "--json", *where(workspace)).out == by_words


def test_people_see_place_reason_and_which_version_is_current(workspace: Workspace) -> None:
    out = call("search", "gateway port", *where(workspace)).out

    assert "🔍 Results for “gateway port”:\n── Memory ──\n" in out
    assert "· memory/2026-11-09.md:1: The gateway listens on port 9443 (current)\n" in out
    assert "port 8443 (superseded by memory/2026-11-09.md:1)\n" in out
    assert "says gateway, port" in out


def test_an_archived_line_shows_its_id_day_and_category_and_no_mark_of_ours(build: Build) -> None:
    block = "---\nID: a3f8c201\nArchived: 2026-11-02 03:31\nCategory: [decision]\nContent: - Obsidian for notes <!-- dream:a3f8c201 -->\nNote: n\n---\n"
    item = "- 2026-11-03 **Obsidian sync** — how it works #obsidian <!-- index:e38a0388 -->\n"
    files = {"dream-vault/ledger.md": f"# Ledger\n\n{block}", "dream-vault/obsidian-index/_index.md": item}
    out = call("search", "obsidian", *where(build(files))).out  # type: ignore[arg-type]

    assert "· [a3f8c201] 2026-11-02 [decision] - Obsidian for notes\n    0." in out
    assert "2026-11-03 **Obsidian sync** — how it works #obsidian\n" in out and "<!--" not in out


def test_a_secret_in_a_note_is_masked_in_every_form(workspace: Workspace) -> None:
    shown = [call("search", "token gateway", *more, *where(workspace)).out for more in ((), ("--json",))]

    assert all("gateway" in out and TOKEN not in out for out in shown)
    assert [path.name for path in state(workspace).iterdir() if TOKEN.encode() in path.read_bytes()] == []


def state(workspace: Workspace) -> Path:
    return (workspace.root / INDEX_DB).parent


def test_limits_and_minimum_are_obeyed(workspace: Workspace) -> None:
    found = json.loads(call("search", "gateway", "--max-results", "1", "--json", *where(workspace)).out)
    none = json.loads(call("search", "gateway", "--min-score", "1", "--json", *where(workspace)).out)

    assert (len(found["results"]), [r for r in none["results"] if r["score"] < 1]) == (1, [])


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("",),
        ("--query", " "),
        ("x", "--max-results", "0"),
        ("x", "--min-score", "2"),
        ("x", "--max-results", "many"),
    ],
)
def test_a_question_that_is_none_is_an_error_with_its_own_code(workspace: Workspace, args: tuple[str, ...]) -> None:
    done = call("search", *args, *where(workspace))

    assert (done.code != 0, done.out) == (True, "")
    assert done.err


def test_nothing_found_is_no_error(workspace: Workspace) -> None:
    done = call("search", "zzzzqqqq", *where(workspace))

    assert (done.code, done.out.splitlines()[-1]) == (0, "Nothing found.")


def test_a_workspace_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = call("search", "x", "--workspace", tmp_path / "nowhere")

    assert done.code != 0 and "is not a folder" in done.err
    assert not (tmp_path / "nowhere").exists()


def test_a_search_is_recorded_unless_it_is_asked_not_to_be(workspace: Workspace) -> None:
    call("search", "gateway", "--no-record", *where(workspace))
    assert not (workspace.root / JOURNAL).exists()

    call("search", "gateway", "--quiet", *where(workspace))
    assert len((workspace.root / JOURNAL).read_text().splitlines()) == 1


@pytest.mark.parametrize("damage", ["corrupt", "folder", "no embedder"])
def test_whatever_is_broken_there_is_an_answer_that_says_so(workspace: Workspace, damage: str) -> None:
    env: dict[str, str] = {}
    state(workspace).mkdir()
    if damage == "corrupt":
        (workspace.root / INDEX_DB).write_bytes(os.urandom(20_000))
    elif damage == "folder":
        (workspace.root / INDEX_DB).mkdir()
    else:
        config = workspace.root.parent / "config/reverie"
        config.mkdir(parents=True)
        (config / "reverie.toml").write_text(
            '[search]\nembedder = "ollama"\nurl = "http://127.0.0.1:9"\ntimeout = 0.2\n'
        )
        env["XDG_CONFIG_HOME"] = str(config.parent)

    done = dream("search", "gateway port", "--json", *where(workspace), **env)
    for_people = dream("search", "gateway port", *where(workspace), **env)

    value = json.loads(done.out)
    assert (done.code, done.err, for_people.code) == (0, "", 0)
    assert len(value["results"]) >= 2 and value["degraded"]
    if damage != "corrupt":  # that one is mended by now
        assert "! degraded: " in for_people.out


def test_in_a_pipe_there_is_no_colour_and_no_progress(workspace: Workspace) -> None:
    done = dream("search", "gateway", *where(workspace))

    assert (done.code, done.err, "\x1b" in done.out) == (0, "", False)


def test_control_characters_of_a_note_do_not_reach_the_terminal(build: Build) -> None:
    workspace = build({"memory/2026-11-01.md": "- tea \x1b[31mred\x1b[0m \x07 leaves\n"})

    out = call("search", "tea", *where(workspace)).out

    assert "tea" in out and not any(sign in out for sign in "\x1b\x07")


def test_reindex_tells_what_it_did_and_force_begins_anew(workspace: Workspace) -> None:
    first = json.loads(call("reindex", "--json", *where(workspace)).out)
    forced = json.loads(call("reindex", "--force", "--json", *where(workspace)).out)

    assert first == forced
    assert (first["files"], first["claims"], first["added"], first["embedded"], first["degraded"]) == (3, 5, 5, 5, None)
    assert "5 lines indexed; " in call("reindex", *where(workspace)).out


def test_reindex_names_what_it_could_not_read(workspace: Workspace) -> None:
    (workspace.root / "memory/2026-11-03.md").symlink_to("/etc/passwd")

    value = json.loads(call("reindex", "--json", *where(workspace)).out)

    assert value["refused"] == [{"path": "memory/2026-11-03.md", "why": "is a symbolic link; only real files are read"}]


def test_a_question_about_a_day_has_the_lines_of_its_note_first(workspace: Workspace) -> None:
    found = json.loads(call("search", "what did we do on 1 November?", "--json", *where(workspace)).out)["results"]

    assert [(one["path"], one["startLine"]) for one in found[:2]] == [
        ("memory/2026-11-01.md", 3),
        ("memory/2026-11-01.md", 4),
    ]
    assert found[0]["why"] == "the note of 2026-11-01"


def test_of_several_answers_the_one_of_the_day_comes_first(workspace: Workspace) -> None:
    found = call("search", "which port did the gateway have on 2026-11-02?", "--json", *where(workspace)).out

    assert json.loads(found)["results"][0]["snippet"] == "The gateway listens on port 8443"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reason_of_ours_is_never_taken_for_a_secret(language: str) -> None:
    """ "words: port, dashboard" was: words may be those of a wallet."""
    told = say_in(
        language, "found.words", words=say_in(language, "found.comma").join(("port", "dashboard", "telephone"))
    )

    assert shown(told) == told and "dashboard" in told
