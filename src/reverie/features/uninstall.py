"""`dream uninstall`: finds everything of ours on a machine, takes away what its owner wants gone, and looks again.

Four kinds of things. What starts us and what is only handy (timers, lines in hosts' settings, state, cache) goes. The owner's
reverie.toml and what nights left in workspaces go where they are asked for. The archive is the only copy of what left MEMORY.md,
so it goes by a word of its own alone. MEMORY.md, notes and pages of the owner's words are not ours and never go.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from reverie.apply.removal import remove_empty, remove_files
from reverie.apply.runs import runs
from reverie.core.errors import ReverieError, Sealed
from reverie.core.layout import (
    CORPUS,
    LAST_DISTILL,
    LAST_DREAM,
    OWN_CORPUS,
    PEER_JOURNAL,
    PEER_RECALLS,
    PEER_SESSIONS,
    PEER_SIGNALS,
    STATE_DIR,
    VAULT,
    Kind,
    place_of,
)
from reverie.core.sealing import MARK
from reverie.hosts import integration, timers
from reverie.hosts.timers import WRITTEN, timer
from reverie.lang.messages import say
from reverie.workspace.settings_files import folders_file, owners_file, state_folder
from reverie.workspace.values import ABSENT, Workspace

_PEERS = (PEER_JOURNAL, PEER_RECALLS, PEER_SESSIONS, PEER_SIGNALS)  # OpenClaw's, in the same folder as ours
_TOLD = (Kind.REPORT, Kind.DIARY, Kind.REVIEW_LOG, Kind.PALACE, Kind.PROPOSED)  # ours where a run of ours made the file


class Part(StrEnum):
    """What a thing of ours belongs to, and by which word it goes."""

    MACHINE = "machine"
    SETTINGS = "settings"
    WORKSPACE = "workspace"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing of ours: a folder with these files of it, or a timer or an integration, which is taken away its own way."""

    part: Part
    what: str  # timer, integration, state, cache, toml, nights, vault
    place: Path
    files: tuple[Path, ...] = ()
    project: Path | None = None  # of an integration that holds for one project
    name: str = ""  # of the host, or of the kind of timer


def found(environ: Mapping[str, str], cache: Path, workspaces: Sequence[Workspace]) -> tuple[Piece, ...]:
    """Everything of ours there is. Reads only."""
    state, mine = state_folder(environ), owners_file(environ)
    inside = tuple(
        one.root for one in workspaces if one.root.is_relative_to(state)
    )  # of hosts that keep theirs to themselves
    kept, rest = _archives(file for file in _files(state) if not any(map(file.is_relative_to, inside)))
    pieces = [*_timers(environ), *_integrations(environ)]
    pieces += [
        Piece(Part.MACHINE, "taken_back", Path(), name=command) for command in integration.left_to_owners(environ)
    ]
    rest = tuple(file for file in rest if file != folders_file(environ))
    pieces.append(Piece(Part.MACHINE, "state", state, rest))
    pieces.append(Piece(Part.MACHINE, "cache", cache, tuple(_files(cache))))
    pieces.append(Piece(Part.SETTINGS, "toml", mine.parent, (mine,) if mine.is_file() else ()))
    for workspace in workspaces:
        pieces.append(Piece(Part.WORKSPACE, "nights", workspace.root, tuple(_nights(workspace))))
        pieces.append(Piece(Part.ARCHIVE, "vault", workspace.vault, tuple(_archive(workspace))))
    pieces.append(Piece(Part.ARCHIVE, "vault", state, kept))
    if folders_file(environ).is_file():  # it goes with the last thing that only it remembers
        needed = {one.part for one in pieces if one.files and one.what in ("nights", "vault")}
        part = next((part for part in (Part.ARCHIVE, Part.WORKSPACE) if part in needed), Part.MACHINE)
        pieces.append(Piece(part, "folders", state, (folders_file(environ),)))
    return tuple(one for one in pieces if one.files or one.name)


def remove(pieces: Sequence[Piece], environ: Mapping[str, str]) -> list[str]:
    """Take these away; returns a sentence for each that would not go. Records of integrations go after what they remember."""
    troubles: list[str] = []
    for one in sorted(pieces, key=lambda one: not one.name):
        try:
            if one.what == "taken_back":
                continue
            if one.what == "timer":
                timers.remove(timer(timers.Kind(one.name), environ, ()), environ)
            elif one.what == "integration":
                wanted = integration.unwanted(one.name, environ, one.project)
                integration.disintegrate(wanted, environ, one.project)
            else:
                failed = remove_files(file for file in one.files if file not in _awaited(pieces))
                troubles += [say("uninstall.not_removed", path=path, why=why) for path, why in failed]
        except ReverieError as error:
            troubles.append(str(error))
    for folder in {
        state_folder(environ),
        owners_file(environ).parent,
        *(folder for one in pieces for folder in _ours_of(one)),
    }:
        remove_empty(folder)
    return troubles


def _ours_of(one: Piece) -> Iterator[Path]:
    """The folders that are ours alone. Those of a workspace besides (`memory` among them) are its owner's, even empty."""
    if one.what == "nights":
        yield from (one.place / STATE_DIR, *(one.place / "memory" / name for name in ("dreaming", "palace")))
    elif not one.name:
        yield one.place


def left_of(gone: Sequence[Piece], now: Sequence[Piece]) -> tuple[Piece, ...]:
    """What is left: all that is found now, and what was to go and is there still, though nothing tells any more that it is ours."""
    known = {file for one in now for file in one.files}
    rest = ((one, tuple(file for file in one.files if os.path.lexists(file) and file not in known)) for one in gone)
    return (*now, *(replace(one, files=files) for one, files in rest if files and not one.name))


def _awaited(pieces: Sequence[Piece]) -> set[Path]:
    """Records of integrations that did not go: they stay, for only they know what was added."""
    return {one.place for one in pieces if one.what == "integration" and one.place.exists()}


def _timers(environ: Mapping[str, str]) -> Iterator[Piece]:
    for kind in WRITTEN:
        ours = timer(kind, environ, ())
        if timers.is_installed(ours, environ):
            place = ours.files[0][0].parent if ours.files else Path(say("timer.crontab_lines"))
            yield Piece(Part.MACHINE, "timer", place, tuple(path for path, _ in ours.files), name=str(kind))


def _integrations(environ: Mapping[str, str]) -> Iterator[Piece]:
    for record in sorted((state_folder(environ) / "integrations").glob("*.json")):
        try:
            kept = json.loads(record.read_text("utf-8"))
            host, files = str(kept["host"]), tuple(dict.fromkeys(Path(one["path"]) for one in kept["files"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # it is listed among the files of the state folder
        above = (folder for file in files for folder in file.parents)
        project = next((one for one in above if integration.record_file(host, environ, one) == record), None)
        yield Piece(Part.MACHINE, "integration", record, files, project, host)


def _files(folder: Path) -> Iterator[Path]:
    """Every file below a folder, links as what they are; nothing where the folder itself is a link."""
    if folder.is_symlink():
        return
    for root, folders, names in os.walk(folder):
        yield from (Path(root) / name for name in names)
        yield from (Path(root) / name for name in folders if (Path(root) / name).is_symlink())


def _archives(files: Iterator[Path]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Those of a vault that lies in our own folder, for a host that keeps its memory to itself; and the others."""
    every = tuple(files)
    kept = tuple(file for file in every if "dream-vault" in file.parts)
    return kept, tuple(file for file in every if file not in kept)


def _nights(workspace: Workspace) -> Iterator[Path]:
    """What nights left in a workspace besides the archive: state, logs, and the pages that a run of ours made."""
    root = workspace.root
    for file in _files(root / STATE_DIR):
        path = file.relative_to(root).as_posix()
        heard = path.startswith(f"{CORPUS}/") and not path.startswith(f"{OWN_CORPUS}/")
        if path not in _PEERS and not heard:
            yield file
    made: set[str] = set()
    with suppress(Sealed):  # without the key nobody knows which pages a run made: they stay
        made = {path for run in runs(workspace) for path in run.plan.paths if run.plan.base.get(path) == ABSENT}
    ours = {path for path in made if place_of(path).kind in _TOLD and not path.startswith(VAULT)}
    yield from (root / path for path in sorted({*ours, LAST_DREAM, LAST_DISTILL}) if (root / path).is_file())


def _archive(workspace: Workspace) -> Iterator[Path]:
    """The vault's files of known names: the ledger, its index, the lists beside it. An owner's own files there are theirs."""
    for file in _files(workspace.vault):
        path = VAULT + file.relative_to(workspace.vault).as_posix()
        if place_of(path).kind is not Kind.FOREIGN or path == f"{VAULT}{MARK}":
            yield file
