"""A host's settings: our lines go in where they belong, and come out to the byte."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Make
from reverie.errors import ReverieError
from reverie.hosts.connect import connect, connections, disconnect, hosts, plan
from reverie.hosts.splice import CannotSplice, added, taken_out, without
from reverie.surfaces.cli import main
from reverie.workspace.layout import layout_of

TEXTS = [
    "{}", "{ }\n", '{"a": 1}', '{\n    "hooks": {\n        "SessionStart": [\n            {"x": 1}\n        ]\n    }\n}\n',
    '{\r\n\t"a": [1, 2,],\r\n\t// a word\r\n\t"hooks": {} /* b */\r\n}', "\ufeff{'single': 'quoted', word: [],}\n",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_json_gets_a_value_and_gives_back_every_byte(text: str) -> None:
    path = ["hooks", "SessionStart"]
    after, piece = added("json", text, path, {"command": "dream"}, append=True)
    twice, more = added("json", after, ["mcpServers", "reverie"], {"args": ["-w", "ö"]})
    assert taken_out("json", twice, [piece, more]) == text
    with pytest.raises(CannotSplice):
        added("json", twice, ["mcpServers", "reverie"], {})


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_object_is_added_to(value: object) -> None:
    for indent in (None, 1, "\t"):
        text = json.dumps({"own": value, "list": [1]}, indent=indent, ensure_ascii=False)
        after, piece = added("json", text, ["list"], {"b": 2}, append=True)
        assert json.loads(after) == {"own": value, "list": [1, {"b": 2}]}
        assert taken_out("json", after, [piece]) == text
        rewritten = json.dumps(json.loads(after), sort_keys=True)
        assert json.loads(without(rewritten, ["list"], {"b": 2}, append=True) or "") == {"own": value, "list": [1]}


@pytest.mark.parametrize("text", ["[1]", "{", '{"a" 1}', '{"a": }', "{]", '{"hooks": 7}', "{/* open"])
def test_what_is_no_object_is_left_alone(text: str) -> None:
    with pytest.raises(CannotSplice):
        added("json", text, ["hooks", "x"], {})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "CODEX_HOME", "HERMES_HOME", "XDG_CONFIG_HOME", "GEMINI_CLI_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def last(places: str | list[str]) -> str:
    return places if isinstance(places, str) else places[-1]


def test_claude_codes_own_memories_share_one_connection_that_names_none(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (home / f".claude/projects/{name}/memory" for name in "ab")
    for folder in (first, second):
        folder.mkdir(parents=True)
        (folder / "MEMORY.md").write_text("- a\n")
    made = connect("claude-code", layout_of(first))
    assert "hook claude-code" in made.additions[0].piece and "projects" not in str(
        [(a.piece, a.value) for a in made.additions]
    )
    assert [each.is_connected for each in connections(layout_of(second))] == [True]
    with pytest.raises(SystemExit):
        main(["connect", "claude-code", "--remove", "--dry-run", "-w", str(second)])
    assert "  - " in capsys.readouterr().out and connections(layout_of(first))[0].is_connected
    assert disconnect("claude-code", layout_of(second)) and not connections(layout_of(first))[0].is_connected


SCOPES = [(host, scope) for host in hosts() for scope in ("file", "project") if any(scope in line for line in hosts()[host]["lines"])]  # fmt: skip


@pytest.mark.parametrize(("host", "scope"), SCOPES)
def test_every_host_is_connected_and_disconnected_to_the_byte(
    workspace: Make, home: Path, host: str, scope: str
) -> None:
    folder = home / ("project" if scope == "project" else last(hosts()[host]["folder"])[2:])
    folder.mkdir(parents=True)
    texts = {"json": '{\n  // mine\n  "theme": "dark"\n}\n', "toml": 'model = "x"\n[tui]\na = 1'}
    texts |= {"yaml": "model: x\nhooks:\n  pre_llm_call:\n  - command: a", "section": "# Mine\n- in verse"}
    lines = [item for item in hosts()[host]["lines"] if scope in item and item["form"] != "skill"]
    wanted = {last(item[scope]): item["form"] for item in lines}
    for name, form in wanted.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(texts[form])
    layout, project = workspace(), str(folder) * (scope == "project")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert [each.host for each in connections(layout)] == [host] * (not project)
    assert plan(host, layout, project=project).additions
    assert {path: path.read_bytes() for path in before} == before
    connect(host, layout, project=project)
    assert [(each.host, each.project, each.is_connected) for each in connections(layout)] == [(host, project, True)]
    for name, form in wanted.items():
        text = (folder / name).read_text()
        assert str(layout.root) in text and text.startswith(texts[form].rstrip("\n}")[:20])
        assert form != "toml" or tomllib.loads(text)["tui"] == {"a": 1}
    with pytest.raises(ReverieError, match="connected to this memory already"):
        connect(host, layout, project=project)
    disconnect(host, layout, project=project)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert not list(home.rglob("skills"))  # nor a folder that was made for a file


@pytest.mark.parametrize(
    "text",
    ["", "\ufeff", "\r\n\r\n", "\ufeff{}", '{\r\n"a": 1}', "{1:", "[]", '{"hooks": null}', '{"hooks": "\udcff"}'],
)
def test_odd_settings_get_our_lines_and_lose_them_or_stay_as_they_are(workspace: Make, home: Path, text: str) -> None:
    (home / ".claude").mkdir()
    (home / "kept.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (home / ".claude/settings.json").symlink_to(home / "kept.json")  # as those do who keep their settings elsewhere
    layout = workspace()
    try:
        connect("claude-code", layout)
        assert json.loads((home / "kept.json").read_text("utf-8-sig"))["hooks"]["SessionEnd"]
        disconnect("claude-code", layout)
    except ReverieError as error:
        assert "Nothing was changed" in str(error) and not connections(layout)[0].is_connected
    assert (home / "kept.json").read_bytes() == text.encode("utf-8", "surrogateescape")
    assert (home / ".claude/settings.json").is_symlink() and not (home / ".claude/skills").exists()


def test_what_cannot_be_added_to_is_named(workspace: Make, home: Path) -> None:
    layout, settings = workspace(), home / ".claude/settings.json"
    settings.mkdir(parents=True)
    with pytest.raises(ReverieError, match=r"settings\.json is no plain file"):
        connect("claude-code", layout)
    settings.rmdir()
    settings.write_text("{}")
    settings.chmod(0o444)
    with pytest.raises(ReverieError, match="read-only"):
        connect("claude-code", layout)


@pytest.mark.parametrize("text", ["{model: x}\n", "---\na: 1\n...\n", '"mcp_servers": {}\n', "mcp_servers: {}\n", "mcp_servers: |\n  x\n", "mcp_servers:\n- x\n", "mcp_servers:\nb: 1\n", "mcp_servers:\n  reverie:\n    a: 1\n"])  # fmt: skip
def test_yaml_that_is_no_plain_block_is_left_alone(text: str) -> None:
    with pytest.raises(CannotSplice):
        added("yaml", text, ["mcp_servers", "reverie"], {"command": "dream"})


def test_a_file_that_its_host_wrote_anew_loses_our_values_and_one_that_is_ours_goes(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    (tmp_path / "claude").mkdir()
    layout, settings = workspace(), tmp_path / "claude/settings.json"
    connect("claude-code", layout)
    anew = json.loads(settings.read_text()) | {"theme": "dark"}
    settings.write_text(json.dumps(anew, sort_keys=True, indent=4))
    disconnect("claude-code", layout)
    left = json.loads(settings.read_text())
    assert left["theme"] == "dark" and "reverie" not in settings.read_text() and not any(left["hooks"].values())
    assert not (tmp_path / "claude/skills/reverie/SKILL.md").exists()


def test_hooks_go_also_when_the_program_has_moved_and_the_server_is_gone(
    workspace: Make, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gemini").mkdir()
    layout, settings = workspace(), home / ".gemini/settings.json"
    monkeypatch.setattr("reverie.hosts.connect._program", lambda: "/opt/old/dream")
    connect("gemini", layout)
    monkeypatch.setattr("reverie.hosts.connect._program", lambda: "/opt/new/dream")
    anew = json.loads(settings.read_text()) | {"mcpServers": {}, "theme": "dark"}
    settings.write_text(json.dumps(anew))
    assert disconnect("gemini", layout)[str(settings)] == "without our values"
    assert "dream" not in settings.read_text()


def test_hosts_are_listed_outside_of_a_memory_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".gemini").mkdir()
    with pytest.raises(SystemExit) as stop:
        main(["connect", "-w", str(home)])
    assert (stop.value.code, capsys.readouterr().out) == (0, "gemini: found; `dream connect gemini` connects it\n")


def test_what_its_owner_wrote_below_our_table_does_not_slip_under_another(workspace: Make, home: Path) -> None:
    (home / ".codex").mkdir()
    layout, config = workspace(), home / ".codex/config.toml"
    config.write_text('[tui]\ntheme = "x"\n')
    connect("codex", layout)
    config.write_text(text := f"{config.read_text()}startup_timeout_sec = 40\n")
    fates = disconnect("codex", layout)
    assert "by hand" in fates[str(config)] and config.read_text() == text


@pytest.mark.parametrize("allowed", [None, ["other"]])
def test_openclaw_gets_the_plugin_and_a_list_of_allowed_ones_our_name(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: list[str] | None
) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path))
    before = json.dumps({"plugins": {"allow": allowed} if allowed else {}}, indent=2)
    (tmp_path / "openclaw.json").write_text(before)
    layout = workspace()
    connect("openclaw", layout)
    plugins = json.loads((tmp_path / "openclaw.json").read_text())["plugins"]
    assert (Path(plugins["load"]["paths"][0]) / "index.js").is_file() and plugins["entries"]["reverie"]["enabled"]
    assert plugins.get("allow") == (allowed and [*allowed, "reverie"])
    disconnect("openclaw", layout)
    assert (tmp_path / "openclaw.json").read_text() == before
