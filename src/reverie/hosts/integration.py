"""The one setting that lets the host agent lead the nights, as text of the owner's reverie.toml. Pure: no file is touched.

What `dream integrate` adds to a host's settings, as values: which keys of which file get which value. No file is touched.

Writes what a host needs to know about us into its own settings, and takes exactly that away again.

Writes only settings of hosts, one line of the owner's reverie.toml (their agent leads the nights) and one record in the user's
state folder, never in a workspace. What stands in a file stays as it
is, byte for byte; what was added is remembered in the record, so that it can be taken out even when the file was edited since.
"""

from __future__ import annotations

import re
import tomllib
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from reverie.core.errors import BadInput, WriteFailed
from reverie.hosts.json_splice import NoJson, added, has, taken_out, without
from reverie.surfaces.configure import owners_file
from reverie.workspace.hosts import home, openclaw_file

LINE = (
    'kind = "agent"  # the agent of an integrated host leads the nights; `dream integrate --remove` takes this away\n'
)
_TABLE = re.compile(r"^[ \t]*\[[ \t]*model[ \t]*\][^\n]*\n", re.M)


def kind_in(text: str) -> str:
    """What the owner says about `model.kind`; empty where they say nothing."""
    table = _loaded(text).get("model")
    return str(table.get("kind", "")) if isinstance(table, dict) else ""


def with_agent(text: str) -> tuple[str, str] | None:
    """The text with the setting, and the piece that was added; None where the owner has a say already or it finds no place."""
    if kind_in(text):
        return None
    header = _TABLE.search(text)
    before = text[: header.end()] if header else text
    gap = "" if header or not text else "\n" if text.endswith("\n") else "\n\n"
    piece = LINE if header else f"{gap}[model]\n{LINE}"
    after = before + piece + text[len(before) :]
    return (after, piece) if kind_in(after) == "agent" else None


def without_agent(text: str, piece: str) -> str | None:
    """The text without that piece; None where it does not stand there any more."""
    return text.replace(piece, "", 1) if piece in text else None


def _loaded(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


HOOKED = {"SessionStart": 20, "UserPromptSubmit": 20, "PreCompact": 60, "SessionEnd": 60}  # seconds each may take

# One turn of an agent that nobody talks to; the skills tell the same at length.
_NIGHT = (
    "Do the memory's night now, in one turn. Call dream_brief and judge by what it says. Give your operations to dream_answer; correct "
    "what is refused and hand that in once more. Then call dream_review with apply, and answer with two sentences about what changed. "
    "If there is nothing to judge, only do the last."
)
_NIGHT_TOOLS = ("dream_brief", "dream_answer", "dream_review")
_LONGEST_BRIEF = 60_000  # tokens; Claude Code would cut a first night over months at 25,000


@dataclass(frozen=True, slots=True)
class Line:
    """A value for the keys of a JSON file; with `append`, a new item of the array there."""

    path: tuple[str, ...]
    value: Any
    append: bool = False


def claude_hooks(program: str, workspace: str) -> tuple[Line, ...]:
    """The hooks for Claude Code's settings."""
    command = shlex.join([program, "hook", "claude-code", "--workspace", workspace])
    return tuple(
        Line(("hooks", event), {"hooks": [{"type": "command", "command": command, "timeout": limit}]}, append=True)
        for event, limit in HOOKED.items()
    )


def claude_server(program: str, workspace: str) -> tuple[Line, ...]:
    """The MCP server for a project's `.mcp.json`."""
    args = ["mcp", "--workspace", workspace]
    return (Line(("mcpServers", "reverie"), {"type": "stdio", "command": program, "args": args}),)


def claude_commands(program: str, workspace: str) -> tuple[str, ...]:
    """What the owner runs for the MCP server of all projects: Claude Code keeps those in a file it rewrites as it works."""
    return (
        shlex.join(
            ["claude", "mcp", "add", "--scope", "user", "reverie", "--", program, "mcp", "--workspace", workspace]
        ),
    )


def claude_night(program: str, workspace: str) -> tuple[str, ...]:
    """What starts a night without anybody there, from a crontab or by hand: an agent with three tools of ours, and nothing else.

    No shell: Claude Code lets no JSON through it, so no answer either. No transcript: the night would read it as something
    that its owner said.
    """
    [server] = claude_server(program, workspace)
    only_ours = [
        "--tools",
        "",
        "--strict-mcp-config",
        "--mcp-config",
        json.dumps({"mcpServers": {"reverie": server.value}}),
    ]
    allowed = ["--allowedTools", *(f"mcp__reverie__{name}" for name in _NIGHT_TOOLS)]
    words = ["env", f"MAX_MCP_OUTPUT_TOKENS={_LONGEST_BRIEF}", "claude", "-p", _NIGHT, "--no-session-persistence"]
    return (shlex.join([*words, *only_ours, *allowed]),)


def openclaw_plugin(
    folder: str, program: str, *, listed: bool, narrowed: str = "", tools: Sequence[str] = ()
) -> tuple[Line, ...]:
    """The plugin for `openclaw.json`. The recall hook reads the message, so the host asks for `allowConversationAccess`.

    Where the owner keeps a list of plugins it must name ours (`listed`); where their settings narrow what agents may use, the list
    `narrowed` under `tools` must name our tools, or a night that the agent leads would find none of them.
    """
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": {"command": program}}
    lines = [Line(("plugins", "load", "paths"), folder, append=True), Line(("plugins", "entries", "reverie"), entry)]
    lines += [Line(("plugins", "allow"), "reverie", append=True)] if listed else []
    lines += [Line(("tools", narrowed), name, append=True) for name in tools] if narrowed else []
    return tuple(lines)


def openclaw_commands() -> tuple[str, ...]:
    """What the owner may run: OpenClaw reads its settings when the gateway starts, and dreams itself until it is told not to."""
    off: Sequence[str] = ("openclaw", "config", "set", "plugins.entries.memory-core.config.dreaming.enabled", "false")
    night = (
        "openclaw",
        "cron",
        "add",
        "--name",
        "reverie",
        "--cron",
        "0 3 * * *",
        "--session",
        "isolated",
        "--no-deliver",
    )
    return (shlex.join(off), "openclaw gateway restart", shlex.join([*night, "--message", _NIGHT]))


HOSTS = ("openclaw", "claude-code")
_OURS = "reverie"


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
        raise BadInput(f"This was written before. `dream integrate {host} --remove` takes it away; then write it anew.")
    mine, leads = _agent_leads(environ)
    if host == "openclaw":
        file = openclaw_file(environ)
        listed, narrowed = _has(file, "plugins", "allow"), _narrowed(file)
        tools = _required_tools(folder_of(host))
        lines = openclaw_plugin(str(folder_of(host)), program, listed=listed, narrowed=narrowed, tools=tools)
        return Wanted(host, (_with_lines(file, lines), *mine), openclaw_commands(), leads)
    skill = (folder_of(host) / "skills" / "reverie" / "SKILL.md").read_text("utf-8")
    # Claude Code works in any folder, and `dream` alone would take the one it stands in.
    skill += f"- This memory lies in `{workspace}`: call `{shlex.join([program, 'brief', '--workspace', str(workspace)])}`, and the others alike.\n"
    base = project / ".claude" if project else _claude(environ)
    settings = base / ("settings.local.json" if project else "settings.json")
    changes = [_with_lines(settings, claude_hooks(program, str(workspace)))]
    changes.append(_new(base / "skills" / "reverie" / "SKILL.md", skill))
    if project:
        changes.append(_with_lines(project / ".mcp.json", claude_server(program, str(workspace))))
    yours = claude_night(program, str(workspace))
    yours += () if project else claude_commands(program, str(workspace))
    return Wanted(host, (*changes, *mine), yours, leads)


def integrate(asked: Wanted, environ: Mapping[str, str], project: Path | None = None) -> None:
    """Write it: the record first, so that whatever a crash leaves half done can be taken away."""
    record = record_file(asked.host, environ, project)
    kept = [
        {
            "path": str(one.path), "created": one.before is None, "after": _hash(one.after or ""), "pieces": list(one.pieces),
            "lines": [asdict(line) for line in one.lines],
        }
        for one in asked.changes
    ]  # fmt: skip
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
        raise BadInput(f"Nothing was written for {host}{f' in {project}' if project else ''}.") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            f"{record} cannot be read. Take the lines with “reverie” out of the host's settings by hand."
        ) from None
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
    state = Path(environ.get("XDG_STATE_HOME") or home(environ) / ".local" / "state") / "reverie" / "integrations"
    return state / (f"{host}-{_hash(str(project))[:12]}.json" if project else f"{host}.json")


def folder_of(host: str) -> Path:
    """Where the files for a host lie: in the installed package, or in the repository beside it."""
    package = Path(__file__).parents[1]
    for base in (package / "integrations", package.parents[1] / "integrations"):
        if (base / host).is_dir():
            return base / host
    raise BadInput(f"The files for {host} are not installed. Install reverie again, from its package.")


def _agent_leads(environ: Mapping[str, str]) -> tuple[tuple[Change, ...], str]:
    """The owner's settings with the line that lets the agent lead, and who leads then. What they set themselves stays."""
    file = owners_file(environ)
    before = _text(file)
    found = with_agent(before or "")
    if found is None:
        return (), kind_in(before or "")
    after, piece = found
    return (Change(file, before, after, (piece,)),), "agent"


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
        raise BadInput(f"Nothing was written: {path} cannot be added to ({error}).") from None
    return Change(path, before, text, tuple(pieces), tuple(lines))


def _new(path: Path, text: str) -> Change:
    if path.exists():
        raise BadInput(f"Nothing was written: {path} is there already, and not ours.")
    return Change(path, None, text)


def _without(path: Path, kept: Mapping[str, Any]) -> Change | None:
    """A file as it is without us; None where we are not in it any more."""
    text, pieces = _text(path), kept["pieces"]
    if text is None:
        return None
    if kept["created"] and _hash(text) == kept["after"]:
        return Change(path, text, None)
    if path.suffix == ".toml":  # the owner's own settings; where they edited our line, it is theirs
        rest = without_agent(text, pieces[0])
        return Change(path, text, rest) if rest is not None else None
    if not pieces:
        raise BadInput(
            f"{path} was edited since it was written, and nothing was changed. Delete it yourself, then try again."
        )
    try:
        rest = taken_out(text, pieces)
        rest = rest if rest is not None else _rewritten(text, kept["lines"])
    except NoJson as error:
        raise BadInput(
            f"{path} cannot be understood ({error}), and nothing was changed. Mend it, then try again."
        ) from None
    if rest is not None:
        return Change(path, text, rest)
    if _OURS not in text and "dream" not in text:  # the owner took it out
        return None
    raise BadInput(
        f"{path} was edited where our lines stand, and nothing was changed. Take them out by hand, then try again."
    )


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
        raise BadInput(f"Nothing was written: {path} cannot be added to ({error}).") from None


def _narrowed(path: Path) -> str:
    """The list under `tools` that must name ours; empty where agents may use everything. OpenClaw takes one of the two, never both."""
    if _has(path, "tools", "allow"):
        return "allow"
    return "alsoAllow" if _has(path, "tools", "profile") else ""


def _required_tools(folder: Path) -> tuple[str, ...]:
    """The tools that come with the plugin; the optional ones the owner names themselves."""
    manifest = json.loads((folder / "openclaw.plugin.json").read_text("utf-8"))
    return tuple(name for name in manifest["contracts"]["tools"] if name not in manifest["toolMetadata"])


def _text(path: Path) -> str | None:
    """A file, any byte of which comes back as it was."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).") from None


def _written(path: Path, before: str | None, after: str | None) -> None:
    """Replace a file whole, if it is still what we read; through a link, the file it leads to."""
    if _text(path) != before:
        raise BadInput(f"{path} was changed meanwhile. What was written so far is taken away with --remove.")
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
        raise WriteFailed(
            f"{path} could not be written ({error.strerror}). What was written before it stays."
        ) from None


def _durable(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _claude(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("CLAUDE_CONFIG_DIR") or home(environ) / ".claude").expanduser()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


__all__ = ['kind_in', 'with_agent', 'without_agent']
