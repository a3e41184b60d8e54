"""The hosts' own programs as models, with the login they already have: one function each.

Each is started in a folder that holds at most settings of ours, reads the question on its input, is offered no tool, starts none
of the owner's hooks and servers where it can be told so, and leaves no conversation behind. Tried with the real programs
(`tests/models/test_real_hosts.py`); what could not be switched off stands in docs/models.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from reverie.models.command import MODEL, Afterwards, CommandModel

_ASK = "Answer the question that stands on the standard input."
_SYSTEM = "You answer one question with one JSON value. You have no tools."  # in place of pages about writing code
_CODEX_FEATURES = ("shell_tool", "unified_exec", "view_image", "goals", "multi_agent", "hooks", "apps", "plugins")
_CODEX_OFF = (
    'web_search="disabled"',
    "notify=[]",  # a program of the owner's that is told when a turn is over
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
)
_SESSION = re.compile(r'"sessionID":"(ses_\w+)"')
_PATIENCE = 20  # seconds for a program to forget a conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """How a host's program is asked one question."""

    words: tuple[str, ...]
    last: tuple[str, ...] = ()  # words that stand behind the name of the model
    environ: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # settings in its folder
    afterwards: Afterwards | None = None


def claude(_environ: Mapping[str, str]) -> Program:
    # Our own hook would start a night inside the night. Not `--bare`, which would not read the login of a subscription.
    quiet = (
        "--tools",
        "",
        "--strict-mcp-config",
        "--settings",
        '{"disableAllHooks": true}',
        "--no-session-persistence",
    )
    return Program(
        words=("claude", "-p", "--output-format", "json", *quiet, "--system-prompt", _SYSTEM),
        environ={"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"},
    )


def codex(environ: Mapping[str, str]) -> Program:
    # `-c features.x=false` and not `--disable x`: a version that does not know a feature passes over the first.
    features = tuple(f"features.{name}=false" for name in _CODEX_FEATURES)
    servers = tuple(f"mcp_servers.{name}.enabled=false" for name in _codex_servers(environ))
    said = tuple(word for one in (*features, *_CODEX_OFF, *servers) for word in ("-c", one))
    return Program(
        words=("codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "--ephemeral", "--json", *said),
        last=("-",),  # the question stands on the input
    )


def gemini(environ: Mapping[str, str]) -> Program:
    settings = {"tools": {"core": []}, "hooksConfig": {"enabled": False}, "skills": {"enabled": False}}
    none = ("--extensions", "none", "--allowed-mcp-server-names", "none")
    return Program(
        words=("gemini", *none, "--output-format", "json", "--prompt", _ASK),
        # Without the first it starts in no folder that it does not know; without the second it is a programmer.
        environ={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SYSTEM_MD": "system.md"},
        files={".gemini/settings.json": json.dumps(settings), "system.md": _SYSTEM},
        afterwards=lambda folder, _said: _forget_project(_home(environ) / ".gemini", folder),
    )


def opencode(environ: Mapping[str, str]) -> Program:
    agent = {"mode": "primary", "prompt": _SYSTEM, "tools": {"*": False}, "permission": {"*": "deny"}}
    settings = {"agent": {"dream": agent}, "share": "disabled", "autoupdate": False}
    return Program(
        # A title of ours spares the call that would think of one.
        words=("opencode", "run", "--agent", "dream", "--format", "json", "--title", "dream"),
        environ={"OPENCODE_DISABLE_CLAUDE_CODE": "1"},  # it would read CLAUDE.md too
        files={"opencode.json": json.dumps(settings)},
        afterwards=lambda folder, said: _forget_session(environ, folder, said),
    )


def openclaw(environ: Mapping[str, str]) -> Program:
    """`agent exec` needs no gateway and keeps its sessions nowhere; the owner's settings are read through ours."""
    words = ("openclaw", "agent", "exec", "--json", "--message-file", "-")
    theirs = _openclaw_file(environ)
    if not theirs.is_file():
        return Program(words=words)
    # Our own plugin would recall what is remembered about the question.
    ours = {"tools": {"deny": ["*"]}, "plugins": {"entries": {"reverie": {"enabled": False}}}}
    roots = [root for root in (environ.get("OPENCLAW_INCLUDE_ROOTS"), str(theirs.parent)) if root]
    return Program(
        words=(*words, "--config", "dream.json"),
        environ={"OPENCLAW_INCLUDE_ROOTS": os.pathsep.join(roots)},
        files={"dream.json": json.dumps({"$include": str(theirs), **ours})},
    )


PROGRAMS: Mapping[str, Callable[[Mapping[str, str]], Program]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "openclaw": openclaw,
}


def host_program(kind: str, model: str = "", environ: Mapping[str, str] | None = None) -> CommandModel:
    """The program of a kind as a model; its usual model unless one is named."""
    environ = dict(os.environ if environ is None else environ)
    program = PROGRAMS[kind](environ)
    named = ("--model", MODEL) if model else ()
    return CommandModel(
        (*program.words, *named, *program.last), model, {**environ, **program.environ},
        identity=f"{kind}:{model}" if model else kind, files=program.files, afterwards=program.afterwards,
    )  # fmt: skip


def _codex_servers(environ: Mapping[str, str]) -> Iterator[str]:
    """The servers that the owner's settings start; each has to be switched off by its name."""
    file = Path(environ.get("CODEX_HOME") or _home(environ) / ".codex") / "config.toml"
    try:
        servers = tomllib.loads(file.read_text("utf-8")).get("mcp_servers")
    except (OSError, ValueError):
        return
    if isinstance(servers, Mapping):
        yield from (name for name in servers if re.fullmatch(r"[\w-]+", name))


def _openclaw_file(environ: Mapping[str, str]) -> Path:
    if named := environ.get("OPENCLAW_CONFIG_PATH"):
        return Path(named).expanduser().absolute()
    state = Path(environ.get("OPENCLAW_STATE_DIR") or _home(environ) / ".openclaw")
    return state.expanduser().absolute() / "openclaw.json"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()


def _forget_project(state: Path, folder: Path) -> None:
    """What Gemini keeps of a project, the conversation among it; only of the folder that was made for this question."""
    ours = os.path.realpath(folder)
    for mark in [*state.glob("tmp/*/.project_root"), *state.glob("history/*/.project_root")]:
        with suppress(OSError, ValueError):
            if os.path.realpath(mark.read_text("utf-8").strip()) == ours:
                shutil.rmtree(mark.parent, ignore_errors=True)


def _forget_session(environ: Mapping[str, str], folder: Path, said: str) -> None:
    program, session = shutil.which("opencode", path=environ.get("PATH")), _SESSION.search(said)
    if program and session:
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                [program, "session", "delete", session[1]], cwd=folder, env={**environ, "PWD": str(folder)}, timeout=_PATIENCE, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip


__all__ = ["PROGRAMS", "Program", "host_program"]
