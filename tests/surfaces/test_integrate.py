"""`dream integrate`: what it adds to a host's settings, that it asks first, and that it can be taken away to the byte."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from conftest import Build
from conftest import tree as every_file
from reverie.hosts import integration
from reverie.surfaces.cli.hosts import HOSTS as NAMED
from reverie.workspace.values import Workspace
from terminal import TOKEN, Done, call

MINE = """{
  // how I like it
  "model": "opus",
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] },
}
"""


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": "# Me\n- likes tea\n"})


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


def tree(root: Path) -> dict[str, bytes]:
    """Every file but the list of folders, which goes with `dream uninstall`."""
    return {path: data for path, data in every_file(root).items() if not path.endswith("reverie/folders.jsonl")}


def integrate(host: str, workspace: Workspace, *flags: str | Path) -> Done:
    return call("integrate", host, "--workspace", workspace.root, *flags)


def hooks(file: Path) -> dict[str, list[str]]:
    """The commands of each event."""
    table = json.loads(file.read_text())["hooks"]
    return {name: [hook["command"] for group in groups for hook in group["hooks"]] for name, groups in table.items()}


def test_claude_code_gets_its_hooks_and_a_skill_and_loses_them_again(workspace: Workspace, home: Path) -> None:
    before = tree(home)

    done = integrate("claude-code", workspace, "--yes")

    assert done.code == 0 and "claude mcp add --scope user reverie" in done.out
    found = hooks(home / ".claude" / "settings.json")
    assert list(found) == ["SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"]
    assert all(
        shlex.split(one[0])[1:] == ["hook", "claude-code", "--workspace", str(workspace.root)] for one in found.values()
    )
    assert (home / ".claude" / "skills" / "reverie" / "SKILL.md").read_text().startswith("---\nname: reverie\n")
    assert integrate("claude-code", workspace, "--remove", "--yes").code == 0
    assert tree(home) == before and not (home / ".claude").exists()


def test_the_beginning_of_a_hosts_name_is_enough(workspace: Workspace, home: Path) -> None:
    assert integrate("claude", workspace, "--dry-run").out == integrate("claude-code", workspace, "--dry-run").out
    assert integrate("open", workspace, "--dry-run").code == 2


def test_the_owners_settings_stay_byte_for_byte_and_what_they_write_later_too(workspace: Workspace, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(MINE)
    settings.chmod(0o600)

    assert integrate("claude-code", workspace, "--yes").code == 0
    assert all(line in settings.read_text() for line in ("// how I like it", "say done"))
    assert settings.stat().st_mode & 0o777 == 0o600
    settings.write_text(settings.read_text().replace('"opus"', '"sonnet"'))

    assert integrate("claude-code", workspace, "--remove", "--yes").code == 0
    assert settings.read_text() == MINE.replace('"opus"', '"sonnet"')


def test_one_project_gets_its_own_settings_and_the_server(workspace: Workspace, home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"other": {"command": "x"}}}')
    before = tree(project)

    assert integrate("claude-code", workspace, "--project", project, "--yes").code == 0

    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]
    assert server["other"] == {"command": "x"}
    assert server["reverie"]["args"] == ["mcp", "--workspace", str(workspace.root)]
    assert hooks(project / ".claude" / "settings.local.json")["SessionStart"]
    assert not (home / ".claude").exists()
    assert integrate("claude-code", workspace, "--project", project, "--remove", "--yes").code == 0
    assert tree(project) == before


def test_the_night_takes_the_model_that_the_owner_chose_for_sub_agents(workspace: Workspace, home: Path) -> None:
    settings = home / ".openclaw" / "openclaw.json"
    settings.parent.mkdir()
    settings.write_text('{"agents": {"defaults": {"subagents": {"model": "cheap/small"}}}}')

    cron = json.loads(integrate("openclaw", workspace, "--json", "--dry-run").out)["yours"][-1]

    assert "--session isolated --model cheap/small" in cron


def test_openclaw_gets_the_plugin_and_a_list_of_plugins_names_it(workspace: Workspace, home: Path) -> None:
    settings = home / ".openclaw" / "openclaw.json"
    settings.parent.mkdir()
    before = "{\n  // mine\n  plugins: { allow: ['telegram'], },\n  token: '" + TOKEN + "',\n}\n"
    settings.write_text(before)

    done = integrate("openclaw", workspace, "--yes")

    assert done.code == 0 and "openclaw gateway restart" in done.out and TOKEN not in done.out
    pyjson5 = pytest.importorskip("pyjson5")
    plugins = pyjson5.loads(settings.read_text())["plugins"]
    assert plugins["allow"] == ["telegram", "reverie"]
    assert plugins["entries"]["reverie"]["hooks"] == {"allowConversationAccess": True}
    [folder] = plugins["load"]["paths"]
    assert json.loads((Path(folder) / "openclaw.plugin.json").read_text())["id"] == "reverie"
    assert integrate("openclaw", workspace, "--remove", "--yes").code == 0
    assert settings.read_text() == before


def test_a_host_that_wrote_its_settings_anew_loses_ours_and_nothing_else(workspace: Workspace, home: Path) -> None:
    settings = home / ".openclaw" / "openclaw.json"
    settings.parent.mkdir()
    settings.write_text('{"plugins": {"entries": {"telegram": {"enabled": true}}}, "gateway": {"port": 1}}')
    integrate("openclaw", workspace, "--yes")
    anew = json.loads(settings.read_text()) | {"meta": {"touched": "today"}}
    settings.write_text(json.dumps(anew, indent=4, sort_keys=True))

    assert integrate("openclaw", workspace, "--remove", "--yes").code == 0

    assert json.loads(settings.read_text()) == {
        "plugins": {"entries": {"telegram": {"enabled": True}}, "load": {"paths": []}},
        "gateway": {"port": 1},
        "meta": {"touched": "today"},
    }


@pytest.mark.parametrize("flags", [("--dry-run",), ()], ids=["a dry run", "nobody to ask"])
def test_nothing_is_written_unless_the_owner_said_so(workspace: Workspace, home: Path, flags: tuple[str, ...]) -> None:
    before = tree(home)

    done = integrate("claude-code", workspace, *flags)

    assert "+" in done.out and "dream" in done.out  # it was shown
    assert tree(home) == before


def test_what_was_edited_in_our_lines_is_left_to_the_owner(workspace: Workspace, home: Path) -> None:
    integrate("claude-code", workspace, "--yes")
    settings = home / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace('"timeout": 60', '"timeout": 90'))
    edited = tree(home)

    done = integrate("claude-code", workspace, "--remove", "--yes")

    assert (done.code, "by hand" in done.err) == (14, True)
    assert tree(home) == edited
    settings.write_text("{}\n")  # by hand
    assert integrate("claude-code", workspace, "--remove", "--yes").code == 0
    assert settings.read_text() == "{}\n" and not (home / ".claude" / "skills" / "reverie").exists()


def test_a_second_time_and_a_broken_file_are_refused(workspace: Workspace, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text("{ broken")

    broken = integrate("claude-code", workspace, "--yes")

    assert (broken.code, "cannot be added to" in broken.err) == (14, True)
    assert (home / ".claude" / "settings.json").read_text() == "{ broken"
    assert integrate("claude-code", workspace, "--remove").code == 14
    assert integrate("openclaw", workspace, "--yes").code == 0
    again = integrate("openclaw", workspace, "--yes")
    assert (again.code, "--remove" in again.err) == (14, True)


def test_a_linked_settings_file_stays_a_link(workspace: Workspace, home: Path, tmp_path: Path) -> None:
    (home / ".claude").mkdir()
    (tmp_path / "dotfiles.json").write_text("{}\n")
    (home / ".claude" / "settings.json").symlink_to(tmp_path / "dotfiles.json")

    assert integrate("claude-code", workspace, "--yes").code == 0

    assert (home / ".claude" / "settings.json").is_symlink() and hooks(tmp_path / "dotfiles.json")


def test_the_written_hook_answers_as_the_host_would_call_it(workspace: Workspace, home: Path) -> None:
    integrate("claude-code", workspace, "--yes")
    command = hooks(home / ".claude" / "settings.json")["SessionStart"][0]
    event = json.dumps({"hook_event_name": "SessionStart", "source": "startup", "session_id": "s", "cwd": "/"})

    done = subprocess.run(command, shell=True, input=event, capture_output=True, text=True, check=False, cwd=home)

    assert (done.returncode, done.stderr) == (0, "")
    assert "likes tea" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def owners(home: Path) -> Path:
    return home / ".config" / "reverie" / "reverie.toml"


def led_by(workspace: Workspace) -> str:
    """Who leads the nights of this workspace, as `dream brief` tells an agent."""
    told = json.loads(call("brief", "--json", "--workspace", workspace.root).out)["notice"]
    return "agent" if told is None else str(told)


@pytest.mark.parametrize("host", ["claude-code", "openclaw"])
def test_the_agent_of_an_integrated_host_leads_without_another_setting(
    workspace: Workspace, home: Path, host: str
) -> None:
    before = tree(home)
    assert 'model.kind is "off"' in led_by(workspace)

    done = integrate(host, workspace, "--yes")

    assert "Your agent leads the nights from now on" in done.out and led_by(workspace) == "agent"
    assert integrate(host, workspace, "--remove", "--yes").code == 0
    assert tree(home) == before and 'model.kind is "off"' in led_by(workspace)


def test_the_last_host_that_goes_takes_the_setting_with_it(workspace: Workspace, home: Path) -> None:
    before = tree(home)
    integrate("claude-code", workspace, "--yes")
    integrate("openclaw", workspace, "--yes")

    assert integrate("claude-code", workspace, "--remove", "--yes").code == 0
    assert led_by(workspace) == "agent"
    assert integrate("openclaw", workspace, "--remove", "--yes").code == 0
    assert tree(home) == before


@pytest.mark.parametrize(
    "mine",
    [
        "[model]\ntimeout = 60.0\n",
        "timezone = 'Europe/Berlin'",
        "# nothing yet\n",
        "[model] # later\n[diary]\nenabled = false\n",
    ],
)
def test_the_owners_own_settings_get_one_line_and_lose_it_again(workspace: Workspace, home: Path, mine: str) -> None:
    owners(home).parent.mkdir(parents=True)
    owners(home).write_text(mine)

    integrate("openclaw", workspace, "--yes")

    assert led_by(workspace) == "agent"
    owners(home).write_text(owners(home).read_text() + "\n[memory]\nmax_lines = 200\n")
    assert integrate("openclaw", workspace, "--remove", "--yes").code == 0
    assert owners(home).read_text() == mine + "\n[memory]\nmax_lines = 200\n"


@pytest.mark.parametrize("kind", ["ollama", "off"])
def test_who_has_said_who_leads_is_not_contradicted(workspace: Workspace, home: Path, kind: str) -> None:
    owners(home).parent.mkdir(parents=True)
    owners(home).write_text(f'[model]\nkind = "{kind}"\n')

    done = integrate("claude-code", workspace, "--yes")

    assert f'You have set model.kind = "{kind}"' in done.out
    assert owners(home).read_text() == f'[model]\nkind = "{kind}"\n'


def test_a_night_without_the_agents_answer_is_the_built_in_ones_and_says_so(build: Build) -> None:
    root = build(
        {"MEMORY.md": "# Me\n- likes tea\n", "memory/2026-11-14.md": "- The lathe runs at 1,100 rpm now.\n"}
    ).root
    call("integrate", "openclaw", "--yes", "--workspace", root)
    now = ("--workspace", root, "--now", "2026-11-15T09:00:00+01:00")

    assert "You lead the nights of this memory, and 1 note of earlier days" in call("session", "start", *now).out
    unanswered = call("review", *now)
    quiet = call("review", *now)

    assert unanswered.code == 0 and "Your agent has not judged what is new" in unanswered.out
    assert "dream brief" in unanswered.out and "dream answer" in unanswered.out
    assert "Your agent has not judged" not in quiet.out  # nothing was new any more
    assert "You lead the nights" not in call("session", "start", *now).out


def test_a_night_that_the_agent_judged_says_nothing_is_missing(build: Build) -> None:
    root = build(
        {"MEMORY.md": "# Me\n- likes tea\n", "memory/2026-11-14.md": "- The lathe runs at 1,100 rpm now.\n"}
    ).root
    call("integrate", "openclaw", "--yes", "--workspace", root)
    now = ("--workspace", root, "--now", "2026-11-15T09:00:00+01:00")

    assert call("answer", "-", *now, stdin='{"operations": []}').code == 0

    assert "Your agent has not judged" not in call("review", *now).out


def test_what_is_left_to_the_owner_starts_a_whole_night_of_the_agent(workspace: Workspace) -> None:
    claude = json.loads(integrate("claude-code", workspace, "--json", "--dry-run").out)["yours"][0]
    cron = json.loads(integrate("openclaw", workspace, "--json", "--dry-run").out)["yours"][-1]

    for words in (shlex.split(claude), shlex.split(cron)):
        [said] = [word for word in words if word.startswith("Do the memory's night")]
        assert all(name in said for name in ("dream_brief", "dream_answer", "dream_review", "once more"))
    assert shlex.split(cron)[:3] == ["openclaw", "cron", "add"]


@pytest.mark.parametrize(
    ("narrowing", "named"), [('{"profile": "coding"}', "alsoAllow"), ('{"allow": ["read"]}', "allow")]
)
def test_where_openclaw_narrows_its_tools_those_of_a_night_are_named(
    workspace: Workspace, home: Path, narrowing: str, named: str
) -> None:
    settings = home / ".openclaw" / "openclaw.json"
    settings.parent.mkdir()
    settings.write_text(f'{{"tools": {narrowing}}}')

    assert integrate("openclaw", workspace, "--yes").code == 0

    tools = set(json.loads(settings.read_text())["tools"][named])
    assert {"dream_brief", "dream_answer", "dream_review"} <= tools and "dream_undo" not in tools
    assert integrate("openclaw", workspace, "--remove", "--yes").code == 0
    assert settings.read_text() == f'{{"tools": {narrowing}}}'


# Codex, Gemini CLI, Cursor, opencode, Hermes

OWN = {  # what their owners had there before, as people write it: the file, its text, and the rules beside it
    "codex": (".codex/config.toml", '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"  # keep', "AGENTS.md"),
    "gemini": (".gemini/settings.json", '{\n  // mine\n  "mcpServers": {"other": {"command": "y"}}\n}\n', "GEMINI.md"),
    "cursor": (".cursor/mcp.json", '{"mcpServers": {"other": {"command": "y"}}}', ""),
    "opencode": (".config/opencode/opencode.jsonc", '{ "mcp": {}, /* mine */ }\n', "AGENTS.md"),
    "hermes": (
        ".hermes/config.yaml",
        "model: x  # mine\nhooks: {}  # none\nmcp_servers:\n    # mine\n    other:\n        command: y\n",
        "",
    ),
}


@pytest.mark.parametrize("host", OWN)
def test_a_host_gets_server_skill_and_memory_and_has_its_bytes_back_a_night_later(
    workspace: Workspace, home: Path, host: str
) -> None:
    name, mine, rules = OWN[host]
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(mine)
    if rules:
        (home / name).with_name(rules).write_text("Build with make.")  # and no ending
    before = tree(home)

    assert integrate(host, workspace, "--yes").code == 0

    assert str(workspace.root) in (home / name).read_text()
    assert [path.read_text().startswith("---\nname: reverie\n") for path in home.rglob("SKILL.md")] == [True]
    (workspace.root / "MEMORY.md").write_text("# Me\n- likes coffee\n")
    call("project", "--workspace", workspace.root)
    if rules:
        told = (home / name).with_name(rules).read_text()
        assert told.startswith("Build with make.\n") and "- likes coffee" in told and "tea" not in told
    assert integrate(host, workspace, "--remove", "--yes").code == 0
    assert tree(home) == before


@pytest.mark.parametrize("host", [host for host in OWN if host != "hermes"])
def test_one_project_alone_gets_them_too(workspace: Workspace, home: Path, tmp_path: Path, host: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    before = tree(home)

    assert integrate(host, workspace, "--project", project, "--yes").code == 0

    told = [text for name, text in tree(project).items() if b"likes tea" in text]
    assert len(tree(project)) >= 3 and len(told) == 1
    assert not any((home / folder).exists() for folder in (".codex", ".gemini", ".cursor", ".config/opencode"))
    assert integrate(host, workspace, "--project", project, "--remove", "--yes").code == 0
    assert (tree(project), tree(home)) == ({}, before)


def test_hermes_has_no_projects(workspace: Workspace, tmp_path: Path) -> None:
    done = integrate("hermes", workspace, "--project", tmp_path, "--yes")

    assert (done.code, "all projects" in done.err) == (14, True)


@pytest.mark.parametrize("host", OWN)
def test_a_server_of_our_name_is_not_written_over(workspace: Workspace, home: Path, host: str) -> None:
    name, mine, _ = OWN[host]
    (home / name).parent.mkdir(parents=True)
    (home / name).write_text(mine.replace("other", "reverie").replace('"mcp": {}', '"mcp": {"reverie": 1}'))
    before = tree(home)

    done = integrate(host, workspace, "--yes")

    assert (done.code, "Nothing was written" in done.err) == (14, True)
    assert tree(home) == before


def test_what_somebody_wrote_into_our_block_is_not_taken_away(workspace: Workspace, home: Path) -> None:
    integrate("codex", workspace, "--yes")
    rules = home / ".codex" / "AGENTS.md"
    rules.write_text(rules.read_text().replace("likes tea", "likes tea, and so do I"))
    edited = tree(home)

    done = integrate("codex", workspace, "--remove", "--yes")

    assert (done.code, "by hand" in done.err) == (14, True)
    assert tree(home) == edited


def test_a_rule_of_cursor_is_for_every_conversation_and_its_owner_may_narrow_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    integrate("cursor", workspace, "--project", tmp_path, "--yes")
    rule = tmp_path / ".cursor" / "rules" / "reverie.mdc"
    assert rule.read_text().startswith("---\ndescription: Memory\nalwaysApply: true\n---\n<!-- reverie:projection ")

    rule.write_text(rule.read_text().replace("alwaysApply: true", "globs: *.py\nalwaysApply: false"))
    (workspace.root / "MEMORY.md").write_text("# Me\n- likes coffee\n")
    call("project", "--workspace", workspace.root)

    assert "\nglobs: *.py\nalwaysApply: false\n---\n" in rule.read_text() and "likes coffee" in rule.read_text()
    assert integrate("cursor", workspace, "--project", tmp_path, "--remove", "--yes").code == 0
    assert not rule.exists()


def test_without_a_host_it_says_which_are_here(workspace: Workspace, home: Path, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home))
    assert "None of the hosts we know was found" in call("integrate").out
    (home / ".gemini").mkdir()
    integrate("codex", workspace, "--yes")

    said = call("integrate").out.split("\n")

    assert said[0] == "Found on this machine:"
    assert said[1].split()[:5] == ["Codex", "dream", "integrate", "codex", "--remove"]
    assert said[2].split() == ["Gemini", "CLI", "dream", "integrate", "gemini"]
    assert said[3].startswith("Not found: openclaw, claude-code, cursor, opencode, hermes.")


def test_every_host_that_is_known_can_be_named() -> None:
    assert set(NAMED) == set(integration.HOSTS)


ASKED = "When is the espresso machine descaled?"
EVENTS = {  # as each host hands them over, and where it looks for what to add to the conversation
    "codex": ({"hook_event_name": "UserPromptSubmit", "prompt": ASKED}, ("hookSpecificOutput", "additionalContext")),
    "gemini": ({"hook_event_name": "BeforeAgent", "prompt": ASKED}, ("hookSpecificOutput", "additionalContext")),
    "cursor": ({"hook_event_name": "sessionStart", "session_id": "1"}, ("additional_context",)),
    "hermes": (
        {"hook_event_name": "pre_llm_call", "extra": {"is_first_turn": True, "user_message": ASKED}},
        ("context",),
    ),
}


@pytest.mark.parametrize("host", EVENTS)
def test_a_hook_answers_in_the_words_of_its_host(build: Build, host: str) -> None:
    root = build({"MEMORY.md": "# Me\n- the espresso machine is descaled every second Friday\n"}).root
    event, where = EVENTS[host]

    told = json.loads(call("hook", host, "--workspace", root, stdin=json.dumps(event)).out)

    for key in where:
        told = told[key]
    assert "every second Friday" in told


def test_three_commands_lead_from_an_empty_folder_to_a_night_that_is_taken_back(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    here = tmp_path / "empty"
    here.mkdir()
    monkeypatch.chdir(here)

    shown = call("integrate", "codex", "--dry-run")
    assert f"A first MEMORY.md in {here}" in shown.out and list(here.iterdir()) == []

    done = [call("integrate", "codex", "--yes"), call("review"), call("undo")]
    assert [one.code for one in done] == [0, 0, 0] and (here / "MEMORY.md").exists()


def test_lines_that_stay_out_of_a_projection_are_counted_with_the_reason(build: Build) -> None:
    workspace = build({"MEMORY.md": f"# Me\n- likes tea\n- the deploy token is {TOKEN}\n"})

    said = integrate("codex", workspace, "--yes").out

    assert "1 statement of your memory stands there now" in said
    assert "1 line was kept back: it holds personal data or looks like a secret" in said
