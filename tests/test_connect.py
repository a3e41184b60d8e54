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


@pytest.mark.parametrize("host", list(hosts()))
def test_every_host_is_connected_and_disconnected_to_the_byte(
    workspace: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "OPENCLAW_STATE_DIR", "CODEX_HOME", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    folder = Path(hosts()[host]["found"][0]).expanduser()
    folder.mkdir(parents=True)
    texts = {"json": '{\n  // mine\n  "theme": "dark"\n}\n', "toml": 'model = "x"\n[tui]\na = 1', "yaml": "model: x\n"}
    texts["section"] = "# Mine\n- in verse"
    wanted = {item["file"]: item["form"] for item in hosts()[host]["user"] if item["form"] != "skill"}
    for name, form in wanted.items():
        (folder / name).write_text(texts[form])
    layout = workspace()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert [each.host for each in connections(layout)] == [host]
    assert plan(host, layout).additions and {path: path.read_bytes() for path in before} == before
    connect(host, layout)
    for name, form in wanted.items():
        text = (folder / name).read_text()
        assert str(layout.root) in text and text.startswith(texts[form].rstrip("\n}")[:20])
        assert form != "toml" or tomllib.loads(text)["tui"] == {"a": 1}
    with pytest.raises(ReverieError, match="connected to this memory already"):
        connect(host, layout)
    disconnect(host, layout)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


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
