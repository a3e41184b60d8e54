"""Writes what a host needs to know about us into its own settings, and takes exactly that away again.

Writes only settings of hosts, one line of the owner's reverie.toml (their agent leads the nights) and one record in the user's
state folder, never in a workspace. What stands in a file stays as it is, byte for byte; what was added is remembered in the
record, so that it can be taken out even when the file was edited since.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reverie.core.errors import BadInput, WriteFailed
from reverie.hosts.json_splice import NoJson, added, has, taken_out, without
from reverie.hosts.timers import AGENT_NIGHT, openclaw
from reverie.lang.messages import say
from reverie.workspace.settings_files import claude_folder, openclaw_file, owners_file, state_folder

HOSTS = ("openclaw", "claude-code")
_HOOKS = {"SessionStart": 20, "UserPromptSubmit": 20, "PreCompact": 60, "SessionEnd": 60}  # seconds each may take
_NIGHT_TOOLS = ("dream_brief", "dream_answer", "dream_review")
_LONGEST_BRIEF = 60_000  # tokens; Claude Code would cut a first night over months at 25,000
_AGENT_LEADS = (
    'kind = "agent"  # the agent of an integrated host leads the nights; `dream integrate --remove` takes this away\n'
)
_MODEL_TABLE = re.compile(r"^[ \t]*\[[ \t]*model[ \t]*\][^\n]*\n", re.M)


@dataclass(frozen=True, slots=True)
class Line:
    """A value for the keys of a JSON file; with `append`, a new item of the array there."""

    path: tuple[str, ...]
    value: Any
    append: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its text before (None where there is none), after, and the pieces that were added."""

    path: Path
    before: str | None
    after: str | None  # None: the file goes
    pieces: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()  # what they say


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that an integration changes, and what it leaves to the owner to run."""

    host: str
    changes: tuple[Change, ...]
    yours: tuple[str, ...] = ()
    leads: str = ""  # who leads the nights from then on: a kind of `model.kind`
    shared: tuple[Mapping[str, Any], ...] = ()  # when it goes: what another integration still needs
    folders: tuple[Path, ...] = ()  # that were made for them, the innermost first; empty ones go with them


def wanted(host: str, environ: Mapping[str, str], program: str, workspace: Path, project: Path | None = None) -> Wanted:
    """What would be written. Reads only."""
    if record_file(host, environ, project).exists():
        raise BadInput(say("integrate.written_before", host=host))
    setting, leads = _agent_leads(environ)
    if host == "openclaw":
        file = openclaw_file(environ)
        return Wanted(host, (_with_lines(file, _openclaw_plugin(file, program)), *setting), _openclaw_commands(), leads)
    root = str(workspace)
    skill = (folder_of(host) / "skills" / "reverie" / "SKILL.md").read_text("utf-8")
    # Claude Code works in any folder, and `dream` alone would take the one it stands in.
    skill += f"- This memory lies in `{root}`: call `{shlex.join([program, 'brief', '--workspace', root])}`, and the others alike.\n"
    base = project / ".claude" if project else claude_folder(environ).parent
    settings = base / ("settings.local.json" if project else "settings.json")
    changes = [
        _with_lines(settings, _claude_hooks(program, root)),
        _new(base / "skills" / "reverie" / "SKILL.md", skill),
    ]
    yours = [_claude_night(program, root)]
    if project:
        changes.append(_with_lines(project / ".mcp.json", [_claude_server(program, root)]))
    else:  # Claude Code keeps the servers of all projects in a file that it rewrites as it works
        add = ["claude", "mcp", "add", "--scope", "user", "reverie"]
        yours.append(shlex.join([*add, "--", program, "mcp", "--workspace", root]))
    return Wanted(host, (*changes, *setting), tuple(yours), leads)


def integrate(asked: Wanted, environ: Mapping[str, str], project: Path | None = None) -> None:
    """Write it: the record first, so that whatever a crash leaves half done can be taken away."""
    record = record_file(asked.host, environ, project)
    kept = [
        {
            "path": str(one.path),
            "created": one.before is None,
            "after": _hash(one.after or ""),
            "pieces": list(one.pieces),
            "lines": [asdict(line) for line in one.lines],
        }
        for one in asked.changes
    ]
    made = [str(folder) for one in asked.changes for folder in one.path.parents if not folder.exists()]
    said = {"version": 1, "host": asked.host, "files": kept, "folders": list(dict.fromkeys(made))}
    _written(record, None, json.dumps(said, indent=1) + "\n")
    for one in asked.changes:
        _written(one.path, one.before, one.after)


def unwanted(host: str, environ: Mapping[str, str], project: Path | None = None) -> Wanted:
    """What taking it away would change; BadInput where our lines were edited and cannot be told from the owner's."""
    record = record_file(host, environ, project)
    try:
        kept = json.loads(record.read_text("utf-8"))
        files, folders = kept["files"], tuple(map(Path, kept["folders"]))
    except FileNotFoundError:
        where = "integrate.nothing_written_in" if project else "integrate.nothing_written"
        raise BadInput(say(where, host=host, project=project)) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(say("integrate.bad_record", path=record)) from None
    others = [file for file in record.parent.glob("*.json") if file != record]
    shared = tuple(one for one in files if others and one["path"] == str(owners_file(environ)))
    changes = [_without(Path(one["path"]), one) for one in files if one not in shared]
    return Wanted(host, tuple(one for one in changes if one is not None), shared=shared, folders=folders)


def disintegrate(asked: Wanted, environ: Mapping[str, str], project: Path | None = None) -> None:
    """Take it away, and the record last."""
    for one in asked.changes:
        _written(one.path, one.before, one.after)
    for folder in sorted(asked.folders, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):  # somebody keeps something there
            folder.rmdir()
    record = record_file(asked.host, environ, project)
    if asked.shared:
        _hand_over(asked.shared, next(file for file in sorted(record.parent.glob("*.json")) if file != record))
    record.unlink(missing_ok=True)


def record_file(host: str, environ: Mapping[str, str], project: Path | None) -> Path:
    return (
        state_folder(environ)
        / "integrations"
        / (f"{host}-{_hash(str(project))[:12]}.json" if project else f"{host}.json")
    )


def folder_of(host: str) -> Path:
    """Where the files for a host lie: in the installed package, or in the repository beside it."""
    package = Path(__file__).parents[1]
    for base in (package / "integrations", package.parents[1] / "integrations"):
        if (base / host).is_dir():
            return base / host
    raise BadInput(say("integrate.not_installed", host=host))


# What is added: which keys of which file get which value.


def _claude_hooks(program: str, workspace: str) -> tuple[Line, ...]:
    command = shlex.join([program, "hook", "claude-code", "--workspace", workspace])
    return tuple(
        Line(("hooks", event), {"hooks": [{"type": "command", "command": command, "timeout": limit}]}, append=True)
        for event, limit in _HOOKS.items()
    )


def _claude_server(program: str, workspace: str) -> Line:
    """The MCP server, as a project's `.mcp.json` names it."""
    args = ["mcp", "--workspace", workspace]
    return Line(("mcpServers", "reverie"), {"type": "stdio", "command": program, "args": args})


def _claude_night(program: str, workspace: str) -> str:
    """What starts a night without anybody there, from a crontab or by hand: an agent with three tools of ours, and nothing else.

    No shell: Claude Code lets no JSON through it, so no answer either. No transcript: the night would read it as something
    that its owner said.
    """
    server = json.dumps({"mcpServers": {"reverie": _claude_server(program, workspace).value}})
    words = ["env", f"MAX_MCP_OUTPUT_TOKENS={_LONGEST_BRIEF}", "claude", "-p", AGENT_NIGHT, "--no-session-persistence"]
    words += ["--tools", "", "--strict-mcp-config", "--mcp-config", server]
    return shlex.join([*words, "--allowedTools", *(f"mcp__reverie__{name}" for name in _NIGHT_TOOLS)])


def _openclaw_plugin(file: Path, program: str) -> tuple[Line, ...]:
    """The plugin for `openclaw.json`. The recall hook reads the message, so the host asks for `allowConversationAccess`.

    Where the owner keeps a list of plugins it must name ours; where their settings narrow what agents may use, a list under
    `tools` must name our tools, or a night that the agent leads would find none of them. OpenClaw takes `allow` or `alsoAllow`,
    never both.
    """
    folder = folder_of("openclaw")
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {"command": program}}
    lines = [
        Line(("plugins", "load", "paths"), str(folder), append=True),
        Line(("plugins", "entries", "reverie"), entry),
    ]
    if _has(file, "plugins", "allow"):
        lines.append(Line(("plugins", "allow"), "reverie", append=True))
    if narrowed := "allow" if _has(file, "tools", "allow") else "alsoAllow" if _has(file, "tools", "profile") else "":
        manifest = json.loads((folder / "openclaw.plugin.json").read_text("utf-8"))
        required = (name for name in manifest["contracts"]["tools"] if name not in manifest["toolMetadata"])
        lines += [Line(("tools", narrowed), name, append=True) for name in required]
    return tuple(lines)


def _openclaw_commands() -> tuple[str, ...]:
    """What the owner may run: OpenClaw reads its settings when the gateway starts, and dreams itself until it is told not to."""
    off = "openclaw config set plugins.entries.memory-core.config.dreaming.enabled false"
    return off, "openclaw gateway restart", openclaw()


# The owner's reverie.toml: the one setting that lets the host agent lead the nights.


def _agent_leads(environ: Mapping[str, str]) -> tuple[tuple[Change, ...], str]:
    """The owner's settings with the line that lets the agent lead, and who leads then. What they set themselves stays."""
    file = owners_file(environ)
    before = _text(file)
    text = before or ""
    if kind := _kind_in(text):
        return (), kind
    header = _MODEL_TABLE.search(text)
    at = header.end() if header else len(text)
    gap = "" if header or not text else "\n" if text.endswith("\n") else "\n\n"
    piece = _AGENT_LEADS if header else f"{gap}[model]\n{_AGENT_LEADS}"
    after = text[:at] + piece + text[at:]
    return ((Change(file, before, after, (piece,)),), "agent") if _kind_in(after) == "agent" else ((), "")


def _kind_in(text: str) -> str:
    """What the owner says about `model.kind`; empty where they say nothing."""
    try:
        table = tomllib.loads(text).get("model")
    except tomllib.TOMLDecodeError:
        return ""
    return str(table.get("kind", "")) if isinstance(table, dict) else ""


# Files.


def _hand_over(files: Sequence[Mapping[str, Any]], record: Path) -> None:
    """Let another integration remember what it still needs, so that the last one to go takes it away."""
    text = record.read_text("utf-8")
    kept = json.loads(text)
    _written(record, text, json.dumps(kept | {"files": [*kept["files"], *files]}, indent=1) + "\n")


def _with_lines(path: Path, lines: Sequence[Line]) -> Change:
    before = _text(path)
    text, pieces = before if before is not None and before.strip() else "{}\n", []
    try:
        for line in lines:
            text, piece = added(text, line.path, line.value, append=line.append)
            pieces.append(piece)
    except NoJson as error:
        raise BadInput(say("integrate.cannot_add", path=path, error=error)) from None
    return Change(path, before, text, tuple(pieces), tuple(lines))


def _new(path: Path, text: str) -> Change:
    if path.exists():
        raise BadInput(say("integrate.in_the_way", path=path))
    return Change(path, None, text)


def _without(path: Path, kept: Mapping[str, Any]) -> Change | None:
    """A file as it is without us; None where we are not in it any more."""
    text, pieces = _text(path), kept["pieces"]
    if text is None:
        return None
    if kept["created"] and _hash(text) == kept["after"]:
        return Change(path, text, None)
    if path.suffix == ".toml":  # the owner's own settings; where they edited our line, it is theirs
        return Change(path, text, text.replace(pieces[0], "", 1)) if pieces[0] in text else None
    if not pieces:
        raise BadInput(say("integrate.edited_file", path=path))
    try:
        rest = taken_out(text, pieces)
        rest = rest if rest is not None else _rewritten(text, kept["lines"])
    except NoJson as error:
        raise BadInput(say("integrate.not_understood", path=path, error=error)) from None
    if rest is not None:
        return Change(path, text, rest)
    if "reverie" not in text and "dream" not in text:  # the owner took it out
        return None
    raise BadInput(say("integrate.edited_lines", path=path))


def _rewritten(text: str, lines: Sequence[Mapping[str, Any]]) -> str | None:
    """A file that its host wrote anew, without what we had added; None unless all of it stands there as we wrote it."""
    for line in lines:
        rest = without(text, line["path"], line["value"], append=line["append"])
        if rest is None:
            return None
        text = rest
    return text


def _has(path: Path, *keys: str) -> bool:
    """Whether something stands under these keys of a host's settings."""
    try:
        return has(_text(path) or "{}", keys)
    except NoJson as error:
        raise BadInput(say("integrate.cannot_add", path=path, error=error)) from None


def _text(path: Path) -> str | None:
    """A file, any byte of which comes back as it was."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(say("integrate.cannot_read", path=path, error=error.strerror)) from None


def _written(path: Path, before: str | None, after: str | None) -> None:
    """Replace a file whole, if it is still what we read; through a link, the file it leads to."""
    if _text(path) != before:
        raise BadInput(say("integrate.changed_meanwhile", path=path))
    real = Path(os.path.realpath(path))
    try:
        if after is None:
            real.unlink()
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        fresh = real.with_name(f".{real.name}.{os.getpid()}")
        _durable(fresh, after.encode("utf-8", "surrogateescape"))
        if real.exists():
            shutil.copymode(real, fresh)
        os.replace(fresh, real)
    except OSError as error:
        raise WriteFailed(say("integrate.cannot_write", path=path, error=error.strerror)) from None


def _durable(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
