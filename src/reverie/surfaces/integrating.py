"""Writes what a host needs to know about us into its own settings, and takes exactly that away again.

Writes only settings of hosts, one line of the owner's reverie.toml (their agent leads the nights) and one record in the user's
state folder, never in a workspace. What stands in a file stays as it
is, byte for byte; what was added is remembered in the record, so that it can be taken out even when the file was edited since.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reverie.core.errors import BadInput, WriteFailed
from reverie.hosts.host_lines import (
    Line,
    claude_commands,
    claude_hooks,
    claude_night,
    claude_server,
    openclaw_commands,
    openclaw_plugin,
)
from reverie.hosts.json_splice import NoJson, added, has, taken_out, without
from reverie.surfaces.agent_setting import kind_in, with_agent, without_agent
from reverie.surfaces.configure import owners_file
from reverie.workspace.hosts import home, openclaw_file

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
