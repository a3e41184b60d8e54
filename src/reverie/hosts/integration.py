"""Writes what a host needs to know about us into its own settings, and takes exactly that away again.

Writes only settings of hosts, the owner's reverie.toml (their agent leads the nights; where their memory is projected to) and one
record in the user's state folder, never in a workspace. What stands in a file stays as it is, byte for byte; what was added is
remembered in the record, so that it can be taken out even when the file was edited since.
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

from reverie.apply.projected import BEFORE
from reverie.core.children import find_program
from reverie.core.errors import BadInput, WriteFailed
from reverie.hosts import (
    claude_code,
    codex,
    cursor,
    gemini,
    hermes,
    json_splice,
    openclaw,
    opencode,
    toml_splice,
    yaml_splice,
)
from reverie.hosts.host import Addition, Host, JsonLines, Line, NewFile, Projection, Setup, TomlTable
from reverie.lang.messages import say
from reverie.workspace.projection import UnpairedMarkers, is_projection, is_untouched, section_of, without_section
from reverie.workspace.settings_files import owners_file, state_folder

HOSTS: Mapping[str, Host] = {
    one.HOST.name: one.HOST for one in (openclaw, claude_code, codex, gemini, cursor, opencode, hermes)
}
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


@dataclass(frozen=True, slots=True)
class Kept:
    """What the record remembers of one addition: enough to take it out again."""

    path: str
    created: bool  # there was no such file
    pieces: tuple[str, ...] = ()
    lines: tuple[Mapping[str, Any], ...] = ()  # what the pieces of a JSON file say, for one that its host wrote anew
    after: str = ""  # of a file that is ours alone: its hash
    projection: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that an integration changes, and what it leaves to the owner to run."""

    host: str
    changes: tuple[Change, ...]
    kept: tuple[Kept, ...] = ()
    projected: tuple[Path, ...] = ()  # files that a night fills from now on
    yours: tuple[str, ...] = ()
    leads: str = ""  # who leads the nights from then on: a kind of `model.kind`
    shared: tuple[Mapping[str, Any], ...] = ()  # when it goes: what another integration still needs
    folders: tuple[Path, ...] = ()  # that were made for them; empty ones go with them


@dataclass(frozen=True, slots=True)
class Found:
    """A host, and whether this machine has it and we are in it."""

    host: Host
    here: bool
    integrated: bool


def found(environ: Mapping[str, str]) -> tuple[Found, ...]:
    """Every host that we know."""
    records = {file.stem for file in record_file("any", environ, None).parent.glob("*.json")}
    return tuple(
        Found(
            one,
            find_program(one.program, environ) is not None or one.folder(environ).is_dir(),
            any(name == one.name or re.fullmatch(rf"{one.name}-[0-9a-f]{{12}}", name) for name in records),
        )
        for one in HOSTS.values()
    )


def left_to_owners(environ: Mapping[str, str], host: str = "") -> tuple[str, ...]:
    """The commands that take back what owners did by commands we printed; of one host, or of all."""
    return tuple(one for known in HOSTS.values() if host in ("", known.name) for one in known.taken_back(environ))


def wanted(
    host: str, environ: Mapping[str, str], program: str, workspace: Path | None, project: Path | None = None
) -> Wanted:
    """What would be written. Reads only."""
    if record_file(host, environ, project).exists():
        raise BadInput(say("integrate.written_before", host=host))
    known, setup = HOSTS[host], Setup(environ, program, workspace, project)
    texts = _Texts()
    kept = [one for addition in known.additions(setup) for one in _added(addition, setup, texts)]
    setting, leads = _agent_leads(owners_file(environ), texts)
    projected = tuple(Path(one.path) for one in kept if one.projection)
    return Wanted(host, texts.changes(), (*kept, *setting), projected, known.yours(setup), leads)


def integrate(asked: Wanted, environ: Mapping[str, str], project: Path | None = None) -> None:
    """Write it: the record first, so that whatever a crash leaves half done can be taken away."""
    places = [Path(one.path) for one in asked.kept]
    made = [str(folder) for place in places for folder in place.parents if not folder.exists()]
    said = {
        "version": 1,
        "host": asked.host,
        "files": [asdict(one) for one in asked.kept],
        "folders": list(dict.fromkeys(made)),
    }
    _written(record_file(asked.host, environ, project), None, json.dumps(said, indent=1) + "\n")
    for one in asked.changes:
        _written(one.path, one.before, one.after)
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)  # where a projection will lie


def unwanted(host: str, environ: Mapping[str, str], project: Path | None = None) -> Wanted:
    """What taking it away would change; BadInput where our lines were edited and cannot be told from the owner's."""
    record = record_file(host, environ, project)
    try:
        said = json.loads(record.read_text("utf-8"))
        files, folders = said["files"], tuple(map(Path, said["folders"]))
    except FileNotFoundError:
        where = "integrate.nothing_written_in" if project else "integrate.nothing_written"
        raise BadInput(say(where, host=host, project=project)) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(say("integrate.bad_record", path=record)) from None
    others = [file for file in record.parent.glob("*.json") if file != record]
    shared = tuple(one for one in files if others and any(_AGENT_LEADS in piece for piece in one["pieces"]))
    texts = _Texts()
    for one in files:
        if one not in shared:
            _take_out(one, texts, owners=Path(one["path"]) == owners_file(environ))
    return Wanted(
        host, texts.changes(), yours=() if project else left_to_owners(environ, host), shared=shared, folders=folders
    )


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


# What is added. Every step sees the files as the steps before it leave them.


class _Texts:
    """Files as they were read, and as they would be."""

    def __init__(self) -> None:
        self._before: dict[Path, str | None] = {}
        self._after: dict[Path, str | None] = {}
        self._pieces: dict[Path, list[str]] = {}

    def __getitem__(self, path: Path) -> str | None:
        if path not in self._after:
            self._before[path] = self._after[path] = _text(path)
        return self._after[path]

    def set(self, path: Path, text: str | None, *pieces: str) -> None:
        self._after[path] = text
        self._pieces.setdefault(path, []).extend(pieces)

    def is_new(self, path: Path) -> bool:
        return self[path] is None or self._before[path] is None  # the first reads it

    def changes(self) -> tuple[Change, ...]:
        return tuple(
            Change(path, before, self._after[path], tuple(self._pieces.get(path, ())))
            for path, before in self._before.items()
            if before != self._after[path]
        )


def _added(wanted: Addition, setup: Setup, texts: _Texts) -> list[Kept]:
    """Put one addition into the texts; what the record must know of it."""
    path, created = wanted.path, texts.is_new(wanted.path)
    text = texts[path] or ""
    if isinstance(wanted, NewFile):
        if texts[path] is not None:
            raise BadInput(say("integrate.in_the_way", path=path))
        texts.set(path, wanted.text, wanted.text)
        return [Kept(str(path), created, after=_hash(wanted.text))]
    if isinstance(wanted, Projection):
        return [*_projected(wanted, setup, texts), Kept(str(path), created, projection=True)]
    try:
        if isinstance(wanted, JsonLines):
            text, pieces = _with_lines(text, wanted.lines)
        elif isinstance(wanted, TomlTable):
            text, *pieces = toml_splice.added(text, wanted.name, wanted.values, array=wanted.array)
        else:
            text, *pieces = yaml_splice.added(text, wanted.section, wanted.key, wanted.value)
    except (json_splice.NoJson, toml_splice.NoToml, yaml_splice.NoYaml) as error:
        raise BadInput(say("integrate.cannot_add", path=path, error=error)) from None
    texts.set(path, text, *pieces)
    lines = tuple(asdict(line) for line in wanted.lines) if isinstance(wanted, JsonLines) else ()
    return [Kept(str(path), created, tuple(pieces), lines)]


def _with_lines(text: str, lines: Sequence[Line]) -> tuple[str, list[str]]:
    text, pieces = text if text.strip() else "{}\n", []
    for line in lines:
        text, piece = json_splice.added(text, line.path, line.value, append=line.append)
        pieces.append(piece)
    return text, pieces


def _projected(wanted: Projection, setup: Setup, texts: _Texts) -> list[Kept]:
    """The `[[project]]` of the owner's settings that fills this file from now on; nothing where they have one."""
    file = owners_file(setup.environ)
    told = _table(texts[file] or "").get("project")
    there = [Path(str(one.get("path"))).expanduser() for one in told if isinstance(one, dict)] if told else []
    if wanted.path in there:
        return []
    values = {"path": str(wanted.path), "host": wanted.form, "workspace": str(setup.workspace)}
    return _added(TomlTable(file, ("project",), values, array=True), setup, texts)


def _agent_leads(file: Path, texts: _Texts) -> tuple[list[Kept], str]:
    """The owner's settings with the line that lets the agent lead, and who leads then. What they set themselves stays."""
    text, created = texts[file] or "", texts.is_new(file)
    if kind := _kind_in(text):
        return [], kind
    header = _MODEL_TABLE.search(text)
    at = header.end() if header else len(text)
    gap = "" if header or not text else "\n" if text.endswith("\n") else "\n\n"
    piece = _AGENT_LEADS if header else f"{gap}[model]\n{_AGENT_LEADS}"
    after = text[:at] + piece + text[at:]
    if _kind_in(after) != "agent":
        return [], ""
    texts.set(file, after, piece)
    return [Kept(str(file), created, (piece,))], "agent"


def _kind_in(text: str) -> str:
    """What the owner says about `model.kind`; empty where they say nothing."""
    table = _table(text).get("model")
    return str(table.get("kind", "")) if isinstance(table, dict) else ""


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


# What is taken out.


def _take_out(kept: Mapping[str, Any], texts: _Texts, *, owners: bool) -> None:
    """Take one addition out of the texts; what is not there any more is passed over."""
    path = Path(kept["path"])
    text = texts[path]
    if text is None:
        return
    if kept.get("projection"):
        texts.set(path, _without_projection(path, text, texts, created=kept["created"]))
    elif not kept["pieces"]:
        if _hash(text) != kept["after"]:
            raise BadInput(say("integrate.edited_file", path=path))
        texts.set(path, None)
    elif kept["lines"]:
        rest = _without_lines(path, text, kept)
        texts.set(path, None if kept["created"] and rest.strip() == "{}" != text.strip() else rest)
    else:
        [piece] = kept["pieces"]
        if text.count(piece) != 1 and not owners and "reverie" in text:
            raise BadInput(say("integrate.edited_lines", path=path))
        rest = text.replace(piece, "", 1)  # where the owner edited our line of their settings, it is theirs
        texts.set(path, None if kept["created"] and not rest.strip() else rest)


def _without_lines(path: Path, text: str, kept: Mapping[str, Any]) -> str:
    try:
        rest = json_splice.taken_out(text, kept["pieces"])
        rest = rest if rest is not None else _rewritten(text, kept["lines"])
    except json_splice.NoJson as error:
        raise BadInput(say("integrate.not_understood", path=path, error=error)) from None
    if rest is not None:
        return rest
    if "reverie" not in text and "dream" not in text:  # the owner took it out
        return text
    raise BadInput(say("integrate.edited_lines", path=path))


def _rewritten(text: str, lines: Sequence[Mapping[str, Any]]) -> str | None:
    """A file that its host wrote anew, without what we had added; None unless all of it stands there as we wrote it."""
    for line in lines:
        rest = json_splice.without(text, line["path"], line["value"], append=line["append"])
        if rest is None:
            return None
        text = rest
    return text


def _without_projection(path: Path, text: str, texts: _Texts, *, created: bool) -> str | None:
    """A file without what the nights wrote there, and without the copy that they kept of it as it was."""
    try:
        inner = text if is_projection(text) else section_of(text)
    except UnpairedMarkers:
        inner = ""
    if inner is None:
        return text
    if not is_untouched(inner):
        raise BadInput(say("integrate.edited_lines", path=path))
    copy = path.with_name(path.name + BEFORE)
    was = texts[copy]
    texts.set(copy, None)
    if inner is text:
        return None
    rest = without_section(text)
    if was is not None and was.rstrip("\r\n") == rest.rstrip("\r\n"):
        rest = was  # to the last byte: our section may have ended a last line that had no ending
    return None if created and not rest.strip() else rest


# Files.


def _hand_over(files: Sequence[Mapping[str, Any]], record: Path) -> None:
    """Let another integration remember what it still needs, so that the last one to go takes it away."""
    text = record.read_text("utf-8")
    kept = json.loads(text)
    _written(record, text, json.dumps(kept | {"files": [*kept["files"], *files]}, indent=1) + "\n")


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
