"""A home for each host's program: logged in to a server of ours, with instructions and a hook of its owner's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from vendors import Vendor

INSTRUCTIONS = "Mine: answer in verse."  # of the owner, for their own conversations
PROGRAMS = os.environ.get("REVERIE_HOSTS", "")  # the folders of the programs; without them these tests are skipped
PATH = os.pathsep.join(filter(None, (PROGRAMS, os.environ.get("PATH", ""))))
Home = tuple[dict[str, str], dict[str, str]]


def needed(kind: str) -> None:
    """Skip where the program is not installed or does not start."""
    found = PROGRAMS and shutil.which(kind, path=PATH)
    if not found:
        pytest.skip(f"no `{kind}` in REVERIE_HOSTS")
    started = subprocess.run([found, "--version"], env={**os.environ, "PATH": PATH}, capture_output=True)
    if started.returncode:
        pytest.skip(f"`{kind} --version` ends with {started.returncode} here")


def at_home(kind: str, vendor: Vendor, home: Path) -> dict[str, str]:
    """The environment of a program whose owner lives in `home`; nothing but this machine can be reached from it."""
    files, environ = _HOMES[kind](vendor.url, home)
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    nobody = "http://127.0.0.1:9"
    closed = {"HTTPS_PROXY": nobody, "https_proxy": nobody, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    beside = str(Path(sys.executable).parent)
    return {"HOME": str(home), "PATH": f"{PATH}{os.pathsep}{beside}", "LANG": "C.UTF-8", **closed, **environ}


def _claude(url: str, home: Path) -> Home:
    hook = {"hooks": [{"type": "command", "command": f"touch {home}/hooked"}]}
    files = {
        ".claude/CLAUDE.md": INSTRUCTIONS,
        ".claude/settings.json": json.dumps({"hooks": {"SessionStart": [hook]}}),
    }
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return files, {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **quiet}


def _codex(url: str, home: Path) -> Home:
    lines = ['model = "fixed"', 'model_provider = "here"', f'notify = ["touch", "{home}/hooked"]']
    lines += ["[model_providers.here]", 'name = "here"', f'base_url = "{url}/v1"', 'wire_api = "responses"']
    return {".codex/AGENTS.md": INSTRUCTIONS, ".codex/config.toml": "\n".join(lines) + "\n"}, {}


def _gemini(url: str, _: Path) -> Home:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    files = {".gemini/GEMINI.md": INSTRUCTIONS, ".gemini/settings.json": json.dumps(settings)}
    return files, {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none"}


def _opencode(url: str, _: Path) -> Home:
    models = {"fixed": {"name": "fixed", "limit": {"context": 200_000, "output": 8_000}}}
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    here = {"npm": "@ai-sdk/openai-compatible", "name": "here", "options": options, "models": models}
    files = {
        "AGENTS.md": INSTRUCTIONS,
        "opencode.json": json.dumps({"model": "here/fixed", "provider": {"here": here}}),
    }
    return {f".config/opencode/{name}": text for name, text in files.items()}, {}


def _openclaw(url: str, _: Path) -> Home:
    models = [{"id": "fixed", "name": "fixed", "contextWindow": 200_000, "maxTokens": 8_000}]
    here = {"baseUrl": f"{url}/v1", "apiKey": "none", "api": "openai-completions", "models": models}
    settings = {"models": {"providers": {"here": here}}, "agents": {"defaults": {"model": {"primary": "here/fixed"}}}}
    return {".openclaw/workspace/AGENTS.md": INSTRUCTIONS, ".openclaw/openclaw.json": json.dumps(settings)}, {}


_HOMES: dict[str, Callable[[str, Path], Home]] = {
    "claude": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode, "openclaw": _openclaw,
}  # fmt: skip
