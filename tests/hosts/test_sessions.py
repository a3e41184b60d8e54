"""From nothing to a night that the host's own agent leads: at most three commands, one question, a home without anything.

With the hosts' real programs where REVERIE_HOSTS names them (see test_real_hosts.py); without them an agent that does what
our texts in its settings tell it, or calls the tools of the server that stands there.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
import tomllib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from homes import at_home, needed
from mcp import Client, StdioServerParameters
from vendors import Call, speaking

from reverie.hosts.connect import hosts

OLD, NEW = "The kiln runs at 900 degrees", "- The kiln runs at 1,100 degrees now, new bricks.\n"
WISH = {"op": "update", "from": ["n1"], "old": "900", "new": "1,100", "why": "new bricks"}
DREAM = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()"]


class Begun(NamedTuple):
    memory: Path
    environ: dict[str, str]
    says: list[str]

    def kiln(self) -> str:
        return next(line for line in (self.memory / "MEMORY.md").read_text().splitlines() if "kiln" in line)


def begun(host: str, environ: dict[str, str]) -> Begun:
    """Two commands and a question; then a day passes, and the agent writes its note."""
    home = Path(environ["HOME"])
    memory, yesterday = home / "my memory", datetime.now() - timedelta(days=1)
    run([*DREAM, "init", "-w", str(memory), f"--project={OLD}"], environ, home)
    shown = typed([*DREAM, "connect", host, "-w", str(memory)], environ, "y\n")
    assert shown.count("[y/N]") == 1 and f"{host} is connected" in shown
    (memory / f"memory/{yesterday:%Y-%m-%d}.md").write_text(NEW)
    says = [line.removeprefix("Then run: ") for line in shown.splitlines() if line.startswith("Then run: ")]
    return Begun(memory, environ, list(dict.fromkeys(says)))


def run(words: list[str], environ: dict[str, str], folder: Path, given: str = "") -> str:
    done = subprocess.run(words, env=environ, cwd=folder, input=given, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def typed(words: list[str], environ: dict[str, str], keys: str) -> str:
    """What a command shows on a terminal where somebody types this."""
    master, slave = pty.openpty()
    with subprocess.Popen(words, env=environ, cwd=environ["HOME"], stdin=slave, stdout=slave, stderr=slave) as child:
        os.close(slave)
        os.write(master, keys.encode())
        shown = b""
        while part := _read(master):
            shown += part
        os.close(master)
    assert child.returncode == 0, shown
    return shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # nobody holds the other end any more
        return b""


def named(brief: str) -> dict[str, Any]:
    """The wish, for the line as the brief names it."""
    found = re.search(r"\[(m\d+)\][^[]{0,40}The kiln runs at 900", brief)
    assert found, brief
    return {"operations": [WISH | {"memory": [found[1]]}]}


def by_text(memory: Path, text: str, environ: dict[str, str]) -> None:
    """What a skill or a section tells an agent to run, in a shell."""
    brief, answer = (next(found for found in re.findall(r"`([^`]+)`", text) if word in found) for word in (" brief", " answer FILE"))  # fmt: skip
    shown = run(["/bin/sh", "-c", brief], environ, memory.parent)
    assert f"`dream answer FILE -w {shlex.quote(str(memory))}`" in shown
    (memory.parent / "answer.json").write_text(json.dumps(named(shown)))
    run(["/bin/sh", "-c", answer.replace("FILE", "answer.json")], environ, memory.parent)


def by_tools(command: list[str], environ: dict[str, str]) -> None:
    async def talk() -> None:
        async with Client(StdioServerParameters(command=command[0], args=command[1:], env=environ)) as client:
            brief = (await client.call_tool("dream_brief", {})).content[0].text  # type: ignore[union-attr]
            report = await client.call_tool("dream_answer", named(brief))
            assert not report.is_error

    anyio.run(talk)


def server_of(path: Path) -> list[str]:
    """The command of our server in a host's settings."""
    text = path.read_text()
    if path.suffix == ".toml":
        value = tomllib.loads(text)["mcp_servers"]["reverie"]
    elif path.suffix == ".yaml":
        value = json.loads(text.partition("mcp_servers: ")[2].partition("\n")[0])["reverie"]
    else:
        settings = json.loads(text)
        value = settings.get("mcpServers", settings.get("mcp", {}).get("servers", settings.get("mcp")))["reverie"]
    command = value["command"]
    return command if isinstance(command, list) else [command, *value["args"]]


def told(memory: Path) -> list[tuple[str, Path]]:
    """The texts of ours for an agent, and the settings that start our server."""
    settings = {"config.toml", "config.yaml", "mcp.json", "opencode.json", "openclaw.json", "settings.json"}
    found = [path for path in sorted(memory.parent.rglob("*")) if path.is_file() and memory not in path.parents]
    texts = [("text", path) for path in found if path.suffix == ".md"]
    return texts + [("tools", path) for path in found if path.name in settings and '"mcp"' in path.read_text()]


@pytest.mark.parametrize("host", list(hosts()))
def test_an_agent_does_what_its_settings_tell_it(host: str, tmp_path: Path) -> None:
    number, ways = 0, 1
    while number < ways:
        home = tmp_path / str(number)
        (home / hosts()[host]["folder"][-1].removeprefix("~/")).mkdir(parents=True)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        here = begun(host, {"HOME": str(home), "PATH": path, "PYTHONPATH": os.environ.get("PYTHONPATH", "")})
        assert sum("schedule" not in line and "restart" not in line for line in here.says) <= 1
        ways = len(told(here.memory))
        kind, file = told(here.memory)[number]
        if kind == "text":
            by_text(here.memory, file.read_text(), here.environ)
        else:
            by_tools(server_of(file), here.environ)
        assert "1,100 degrees" in here.kiln()
        run([*DREAM, "undo", "-w", str(here.memory)], here.environ, home)
        assert OLD in here.kiln()
        number += 1
    assert number >= 1


# How each program is asked with nobody there, and how it calls a tool of ours. Codex waits only for servers that it requires.
REAL = {
    "claude-code": (["claude", "-p", "dream", "--mcp-config", "{home}/.claude.json", "--allowedTools", "mcp__reverie__dream_brief", "mcp__reverie__dream_answer"], "mcp__reverie__{}"),
    "openclaw": (["openclaw", "agent", "exec", "--json", "dream", "--cwd", "{memory}"], ""),
    "codex": (["codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "-c", 'mcp_servers.reverie.default_tools_approval_mode="approve"', "-c", "mcp_servers.reverie.required=true", "dream"], "mcp__reverie::{}"),
    "gemini": (["gemini", "--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "-p", "dream"], "mcp_reverie_{}"),
    "opencode": (["opencode", "run", "dream"], "reverie_{}"),
}  # fmt: skip


def results(body: dict[str, Any]) -> list[str]:
    """What tools said so far, in each vendor's form."""
    items = [*body.get("messages", ()), *body.get("input", ()), *body.get("contents", ())]
    parts = [part for item in items for key in ("content", "parts") if isinstance(item.get(key), list) for part in item[key]]  # fmt: skip
    said = [item for item in items if item.get("role") == "tool" or item.get("type") == "function_call_output"]
    said += [part for part in parts if part.get("type") == "tool_result" or "functionResponse" in part]
    return [json.dumps(each, ensure_ascii=False) for each in said]


@pytest.mark.parametrize("host", list(REAL))
def test_a_real_program_does_a_whole_night(host: str, tmp_path: Path) -> None:
    kind = host.removesuffix("-code")
    needed(kind)
    words, name = REAL[host]
    heard: list[str] = []

    def say(body: dict[str, Any]) -> str | Call:
        if not body.get("tools"):
            return "A night"  # a title, or whatever else the program wants to know
        heard[:] = results(body)
        wish = named(heard[0].replace("\\n", "\n").replace("\\", "")) if heard else {}
        wrong = {"operations": [{"op": "end", "memory": ["m99"]}]}
        calls = [("dream_brief", {}), ("dream_answer", wrong), ("dream_answer", wish)]
        if len(heard) == len(calls):
            return "The kiln is hotter."
        tool, given = calls[len(heard)]
        return Call(name.format(tool), given) if name else Call("tool_call", {"id": f"reverie__{tool}", "args": given})

    with speaking(say) as vendor:
        environ = at_home(kind, vendor, tmp_path)
        here = begun(host, environ)
        for line in here.says[:1] if host == "claude-code" else ():
            run(shlex.split(line), environ, tmp_path)
        places = {"{home}": str(tmp_path), "{memory}": str(here.memory)}
        filled = [re.sub(r"\{(home|memory)\}", lambda found: places[found[0]], word) for word in words]
        assert "hotter" in run(filled, environ, tmp_path)
    assert "There is no line m99" in heard[1] and "1,100 degrees" in here.kiln()
    run([*DREAM, "undo", "-w", str(here.memory)], environ, tmp_path)
    assert OLD in here.kiln()
