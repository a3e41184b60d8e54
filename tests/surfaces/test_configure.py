"""Files and environment become one workspace: which folder, which limits, which vault, and who may say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.errors import BadSettings, NoWorkspace
from reverie.core.settings import Settings
from reverie.lang.messages import spoken
from reverie.surfaces.configure import configured, find_workspace
from terminal import call


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name in ("home", "agent", "other", "third", "here", "home/.openclaw/workspace", "home/.config/reverie"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    return home


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def limit(root: Path, **environ: str) -> int:
    return configured(root, environ).settings.memory.truncation


def test_a_bare_folder_has_the_defaults_and_its_vault_inside(home: Path) -> None:
    root = home.parent / "agent"

    workspace = configured(root, {"HOME": str(home)})

    assert (workspace.root, workspace.vault, workspace.settings.memory.truncation) == (
        root,
        root / "dream-vault",
        20_000,
    )


def test_which_workspace_is_meant_is_decided_in_this_order(home: Path) -> None:
    outside, here = home.parent, home.parent / "here"
    environ = {"HOME": str(home)}

    def chosen(named: str | None = None, **more: str) -> Path:
        return find_workspace(named, {**environ, **more}, here).root

    assert chosen() == home / ".openclaw/workspace"
    put(home / ".openclaw/openclaw.json", f'{{agents: {{defaults: {{workspace: "{outside / "third"}"}}}}}}')
    assert chosen() == outside / "third"
    put(home / ".config/reverie/reverie.toml", f'workspace = "{outside / "other"}"')
    assert chosen() == outside / "other"
    put(here / "MEMORY.md", "")
    assert chosen() == here
    assert chosen(OPENCLAW_WORKSPACE=str(outside / "agent")) == outside / "agent"
    assert chosen(str(outside / "third"), OPENCLAW_WORKSPACE=str(outside / "agent")) == outside / "third"


@pytest.mark.parametrize("name", ["MEMORY.md", "memory.md", "DREAM.md", "memory/x.md"])
def test_the_current_folder_counts_when_it_looks_like_a_workspace(home: Path, name: str) -> None:
    here = home.parent / "here"
    put(here / name, "")

    assert find_workspace(None, {"HOME": str(home)}, here).root == here


def test_a_folder_that_is_not_there_is_said_to_be_none(home: Path) -> None:
    with pytest.raises(NoWorkspace, match=r"is not a folder. `dream init --workspace ") as none:
        find_workspace(str(home / "nowhere"), {"HOME": str(home)}, home)

    assert none.value.exit_code == 8


@pytest.mark.parametrize(
    "text",
    [
        '{"agents": {"defaults": {"bootstrapMaxChars": 12000}}}',
        "// mine\n{agents: {defaults: {\n  bootstrapMaxChars: 12000, /* half */\n},},}",
        '\ufeff{"agents": {"defaults": {"bootstrapMaxChars": 12000}}}',
    ],
)
@pytest.mark.parametrize("place", ["home", "state", "named", "beside", "inside"])
def test_the_limit_of_openclaw_is_respected_wherever_its_file_lies(home: Path, place: str, text: str) -> None:
    root = home.parent / "deep/agent"
    root.mkdir(parents=True)
    files = {
        "home": home / ".openclaw/openclaw.json", "state": home / "state/openclaw.json", "named": home / "claw.json5",
        "beside": root.parent / "openclaw.json", "inside": root / "openclaw.json",
    }  # fmt: skip
    environ = {
        "state": {"OPENCLAW_STATE_DIR": str(home / "state")},
        "named": {"OPENCLAW_CONFIG_PATH": str(files["named"])},
    }
    put(files[place], text)

    assert limit(root, HOME=str(home), **environ.get(place, {})) == 12_000


@pytest.mark.parametrize(
    "text", ["{}", "[]", "null", '{"agents": 5}', '{"agents": {"defaults": {"bootstrapMaxChars": true}}}']
)
def test_an_openclaw_file_that_says_nothing_of_limits_changes_none(home: Path, text: str) -> None:
    put(home / ".openclaw/openclaw.json", text)

    assert limit(home.parent / "agent", HOME=str(home)) == 20_000


def test_a_broken_openclaw_file_stops_nothing_and_is_named_with_its_line(home: Path) -> None:
    file = put(home / ".openclaw/openclaw.json", "{\n  agents: {\n    defaults: oops oops\n  }\n}\n")
    root = home.parent / "agent"
    root.mkdir(exist_ok=True)

    assert configured(root, {"HOME": str(home)}).settings == Settings()
    for command in ("status", "doctor"):
        done = call(command, "--workspace", root, HOME=str(home))
        assert f"OpenClaw's settings decide here: nothing, because {file}:3 is not valid JSON5." in done.out
    assert call("search", "anything", "--workspace", root, HOME=str(home)).code == 0


def test_later_files_win_and_each_may_set_only_its_own(home: Path) -> None:
    root = home.parent / "agent"
    put(home / ".openclaw/openclaw.json", '{"agents": {"defaults": {"bootstrapMaxChars": 12000}}}')
    put(
        home / ".config/reverie/reverie.toml",
        'vault = "~/vault"\ntimezone = "Asia/Tokyo"\n[memory]\nmax_lines = 100\ntruncation = 13000\n',
    )
    put(root / "reverie.toml", "[memory]\nmax_lines = 120\nhard = 0.8\n")
    put(root / "DREAM.md", "## Settings\n- max_memory_lines: 140\n")

    workspace = configured(root, {"HOME": str(home)})

    memory = workspace.settings.memory
    assert (memory.max_lines, memory.hard, memory.truncation, workspace.settings.timezone) == (
        140,
        0.8,
        13_000,
        "Asia/Tokyo",
    )


def test_xdg_config_home_is_where_the_owners_file_lies(home: Path) -> None:
    put(home / "xdg/reverie/reverie.toml", "[memory]\ntruncation = 5000\n")

    assert limit(home.parent / "agent", HOME=str(home), XDG_CONFIG_HOME=str(home / "xdg")) == 5000


def test_the_vault_is_the_environments_then_the_owners_then_inside(home: Path) -> None:
    root = home.parent / "agent"
    put(home / ".config/reverie/reverie.toml", f'vault = "{home / "mine"}"')

    assert configured(root, {"HOME": str(home)}).vault == home / "mine"
    assert configured(root, {"HOME": str(home), "DREAM_VAULT_PATH": str(home / "env")}).vault == home / "env"


@pytest.mark.parametrize("key", ['vault = "/etc"', 'workspace = "/"', "lock_wait = 0"])
def test_a_stranger_decides_no_path_and_no_waiting(home: Path, key: str) -> None:
    file = put(home.parent / "agent/reverie.toml", f"# from a stranger\n{key}\n")

    with pytest.raises(BadSettings, match=rf"^{file}:2 sets `.*`, which a workspace may not decide"):
        configured(home.parent / "agent", {"HOME": str(home)})


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[memory]\n\nhrad = 1\n", 3, "memory.hrad"),
        ("timezon = 'x'\n", 1, "timezon"),
        ("[dream]\nwarn = 1\n", 2, "dream.warn"),
        ("[memory]\nwarn = 0.5\n[dream]\nwarn = 1\n", 4, "dream.warn"),
        ("memory.hrad = 1\n", 1, "memory.hrad"),
        ("[memroy]\nhard = 0.5\n", 1, "memroy"),
    ],
)
def test_an_unknown_key_is_refused_with_file_and_line(home: Path, text: str, line: int, key: str) -> None:
    file = put(home.parent / "agent/reverie.toml", text)

    with pytest.raises(BadSettings, match=rf"^{file}:{line} sets `{key}`, which is not a setting"):
        configured(home.parent / "agent", {"HOME": str(home)})


def test_broken_toml_is_named_with_its_line(home: Path) -> None:
    file = put(home.parent / "agent/reverie.toml", "[memory]\nhard = = 1\n")

    with pytest.raises(BadSettings, match=rf"^{file}: .*line 2"):
        configured(home.parent / "agent", {"HOME": str(home)})


def test_a_number_out_of_range_in_dream_md_is_named_with_its_line(home: Path) -> None:
    put(home.parent / "agent/DREAM.md", "## Settings\n- max_memory_lines: 3\n")

    with pytest.raises(BadSettings, match=r"^DREAM.md:2\b"):
        configured(home.parent / "agent", {"HOME": str(home)})


@pytest.mark.parametrize("name", ["reverie.toml", "DREAM.md", "openclaw.json"])
def test_a_folder_where_a_settings_file_should_be_stops_nothing_and_is_said_so(home: Path, name: str) -> None:
    root = home.parent / "agent"
    ordinary = configured(root, {"HOME": str(home)}).settings
    (root / name).mkdir()

    assert configured(root, {"HOME": str(home)}).settings == ordinary
    assert name in call("doctor", "--workspace", str(root)).out


def test_the_owner_is_spoken_to_as_they_set_it_else_as_memory_is_written_else_as_the_machine_is_set(home: Path) -> None:
    root = home.parent / "agent"

    def language(**environ: str) -> str:
        configured(root, {"HOME": str(home), **environ})
        return spoken()

    assert language() == "en" and language(LANG="xx_YY") == "en" and language(LC_ALL="C", LANG="de_DE") == "en"
    assert language(LANG="de_DE.UTF-8") == "de"
    put(root / "MEMORY.md", "# 记忆\n\n- 工作室每天九点开门。\n")
    assert language(LANG="de_DE.UTF-8") == "zh"
    put(root / "reverie.toml", 'language = "fr"\n')
    assert language() == "fr"
