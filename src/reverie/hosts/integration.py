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
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reverie.core.errors import BadInput, WriteFailed
from reverie.hosts import claude_code, openclaw
from reverie.hosts.host import Addition, Line, NewFile, Setup
from reverie.hosts.json_splice import NoJson, added, taken_out, without
from reverie.lang.messages import say
from reverie.workspace.settings_files import owners_file, state_folder

HOSTS = {one.name: one for one in (openclaw.HOST, claude_code.HOST)}
_AGENT_LEADS = (
    'kind = "agent"  # the agent of an integrated host leads the nights; `dream integrate --remove` takes this away\n'
)
_MODEL_TABLE = re.compile(r"^[ \t]*\[[ \t]*model[ \t]*\][^\n]*\n", re.M)


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
    known, setup = HOSTS[host], Setup(environ, program, workspace, project)
    setting, leads = _agent_leads(environ)
    changes = (*map(_change, known.additions(setup)), *setting)
    return Wanted(host, changes, known.yours(setup), leads)


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


def _change(wanted: Addition) -> Change:
    return _new(wanted.path, wanted.text) if isinstance(wanted, NewFile) else _with_lines(wanted.path, wanted.lines)


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
