"""A home for each host's program: logged in to a server of ours, with instructions, a hook and an MCP server of its owner's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from vendors import Vendor

from terminal import DREAM

INSTRUCTIONS = "Mine: answer in verse."  # of the owner, for their own conversations
PROGRAMS = os.environ.get("HOST_PROGRAMS") or os.environ.get("PATH", "")


def needed(kind: str) -> None:
    """Skip where the program is not installed: npm install it anywhere, and name its folder `.bin` in HOST_PROGRAMS."""
    found = shutil.which(kind, path=PROGRAMS)
    if not found:
        pytest.skip(f"no `{kind}` in HOST_PROGRAMS or on the PATH")
    started = subprocess.run(
        [found, "--version"], env={**os.environ, "PATH": _path()}, capture_output=True, check=False
    )
    if started.returncode:
        pytest.skip(f"`{kind} --version` ends with code {started.returncode} here")


def at_home(kind: str, vendor: Vendor, home: Path, workspace: Path) -> dict[str, str]:
    """The environment of a program whose owner lives in `home`; nothing but this machine can be reached from it."""
    checkout = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    given = [f"{name}={value}" for name, value in checkout.items()]  # some programs hand no variables on
    server = {"command": "env", "args": [*given, str(DREAM), "mcp", "--workspace", str(workspace)]}
    files, environ = _HOMES[kind](vendor.url, home, server)
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    nobody = "http://127.0.0.1:9"
    closed = {"HTTPS_PROXY": nobody, "https_proxy": nobody, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    usual = {"HOME": str(home), "PATH": _path(), "LANG": "C.UTF-8", "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
    return {**usual, **closed, **checkout, **environ}


def _path() -> str:
    return f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"


Home = tuple[dict[str, str], dict[str, str]]
Server = dict[str, object]


def _claude(url: str, home: Path, server: Server) -> Home:
    hook = {"hooks": [{"type": "command", "command": f"touch {home}/hooked"}]}
    files = {
        ".claude/CLAUDE.md": INSTRUCTIONS,
        ".claude/settings.json": json.dumps({"hooks": {"SessionStart": [hook]}}),
        ".claude.json": json.dumps({"mcpServers": {"own": {"type": "stdio", **server}}}),
    }
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return files, {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **quiet}


def _codex(url: str, home: Path, server: Server) -> Home:
    lines = ['model = "fixed"', 'model_provider = "here"', f'notify = ["touch", "{home}/hooked"]']
    lines += ["[model_providers.here]", 'name = "here"', f'base_url = "{url}/v1"', 'wire_api = "responses"']
    lines += ["[mcp_servers.own]", *(f"{key} = {json.dumps(value)}" for key, value in server.items())]
    return {".codex/AGENTS.md": INSTRUCTIONS, ".codex/config.toml": "\n".join(lines) + "\n"}, {}


def _gemini(url: str, _home: Path, server: Server) -> Home:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "mcpServers": {"own": server}}
    files = {".gemini/GEMINI.md": INSTRUCTIONS, ".gemini/settings.json": json.dumps(settings)}
    return files, {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none"}


def _opencode(url: str, _home: Path, server: Server) -> Home:
    models = {"fixed": {"name": "fixed", "limit": {"context": 200_000, "output": 8_000}}}
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    here = {"npm": "@ai-sdk/openai-compatible", "name": "here", "options": options, "models": models}
    own = {"type": "local", "command": [server["command"], *server["args"]]}  # type: ignore[misc]
    settings = {"model": "here/fixed", "provider": {"here": here}, "mcp": {"own": own}}
    files = {"AGENTS.md": INSTRUCTIONS, "opencode.json": json.dumps(settings)}
    return {f".config/opencode/{name}": text for name, text in files.items()}, {}


def _openclaw(url: str, _home: Path, server: Server) -> Home:
    models = [{"id": "fixed", "name": "fixed", "contextWindow": 200_000, "maxTokens": 8_000}]
    here = {"baseUrl": f"{url}/v1", "apiKey": "none", "api": "openai-completions", "models": models}
    settings = {
        "models": {"providers": {"here": here}},
        "agents": {"defaults": {"model": {"primary": "here/fixed"}}},
        "mcp": {"servers": {"own": server}},
    }
    return {".openclaw/workspace/AGENTS.md": INSTRUCTIONS, ".openclaw/openclaw.json": json.dumps(settings)}, {}


_HOMES = {"claude": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode, "openclaw": _openclaw}
