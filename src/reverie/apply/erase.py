"""Erasing words from what cannot be planned as lines: records of runs, the recall journal and stores. For a purge only.

Each file is exchanged in one step, and what another program appended meanwhile is kept (if it does not hold the words).
Whatever holds the words leaves as a whole: a line of the journal, a record of a store, an edit of a run. A run that
lost an edit can no longer be undone as if nothing had happened: its places are looked for anew, or refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from reverie.apply.files import Disk, read_bytes
from reverie.apply.runs import run_folders
from reverie.core.errors import RefusedFile
from reverie.core.layout import MODEL_ANSWERS, MODEL_LOG, RUNS, STATE_DIR, TEMPORARY, TOPICS, VAULT, Kind, place_of
from reverie.lang.messages import say
from reverie.text.lines import split_lines
from reverie.workspace.values import Workspace, json_object, to_bytes, to_text

Holds = Callable[[str], bool]
_GONE = object()
_TRIES = 20
ERASING = f".erase{TEMPORARY}"  # how a file ends that stands in for another one for a moment; after a kill it holds the old bytes
_DERIVED = ("index.db", "index.db-wal", "index.db-shm", "index.db-journal")


def erase_state(workspace: Workspace, holds: Holds, run: str = "", disk: Disk | None = None) -> tuple[str, ...]:
    """Take the words out of everything under `memory/.dreams`; the paths that changed. The index must be gone already.

    `run` is the purge itself: nothing of it may be taken back, so its record keeps no edit at all.
    """
    disk = disk or Disk()
    changed: list[str] = []
    for folder in run_folders(workspace):
        changed += [
            f"{RUNS}/{folder.name}/{name}" for name in _erase_run(folder, holds, disk, nothing=folder.name == run)
        ]
    state = workspace.root / STATE_DIR
    for path in plain_files(state) if state.is_dir() and not state.is_symlink() else ():
        inner = path.relative_to(workspace.root).as_posix()
        if not inner.startswith(f"{RUNS}/") and path.name not in (*_DERIVED, "lock"):
            changed += [inner] if _erase_file(path, holds, disk) else []
    return tuple(changed)


def erase_answers(workspace: Workspace, holds: Holds, disk: Disk | None = None) -> None:
    """Take the words out of what models were asked and answered: kept to save a call, and nobody's only copy."""
    for name in (MODEL_ANSWERS, MODEL_LOG):
        path = workspace.root / name
        if path.is_file() and not path.is_symlink():
            _erase_file(path, holds, disk or Disk())


def still_holding(workspace: Workspace, holds: Holds) -> tuple[str, ...]:
    """Every file of the workspace and the vault, hidden ones included, that still has a line with the words."""
    found = []
    home = ((workspace.home, TOPICS),) if workspace.home is not None else ()
    for root, prefix in ((workspace.root, ""), (workspace.vault, VAULT), *home):
        inside = root is workspace.vault and workspace.root in root.parents
        for path in plain_files(root) if root.is_dir() and not inside else ():
            with suppress(OSError, RefusedFile):
                if any(holds(said) for said in _sayings(path.name, to_text(read_bytes(path) or b""))):
                    found.append(prefix + path.relative_to(root).as_posix())
    return tuple(found)


def with_names(workspace: Workspace, holds: Holds, files: Iterable[str] = ()) -> Holds:
    """The same question, and whether a text names a classified file that told the words and is gone, or one of `files`, which go."""
    names = set(files)
    for folder in run_folders(workspace):
        value = json_object(read_bytes(folder / "plan.json"))
        for edit in value["edits"] if _has_edits(value) else ():
            path = str(edit["path"])
            if place_of(path).kind is Kind.CLASSIFIED and not os.path.lexists(workspace.root / path):
                names |= {path} if any(map(holds, _strings(edit))) else set()
    return lambda text: holds(text) or any(name in text for name in names)


def histories(workspace: Workspace) -> tuple[str, ...]:
    """Folders of version control, which keep old versions of files packed: nobody can search or erase them line by line."""
    places = {
        *(root / name for root in (workspace.root, workspace.vault) for name in (".git", ".hg", ".svn", ".stversions"))
    }
    return tuple(sorted(place.name for place in places if place.exists()))


def plain_files(root: Path) -> Iterator[Path]:
    """Every file below a folder, hidden ones included, in a fixed order; links are none."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        yield from (path for name in sorted(names) if not (path := Path(folder) / name).is_symlink())


def _sayings(name: str, text: str) -> Iterator[str]:
    """What a file says, piece by piece: the strings of JSON, else its lines."""
    if name.endswith(".json") or name in ("DONE", "COMMIT"):
        with suppress(ValueError, RecursionError):
            yield from _strings(json.loads(text))
            return
    for line in split_lines(text):
        if name.endswith(".jsonl"):
            with suppress(ValueError, RecursionError):
                yield from _strings(json.loads(line))
                continue
        yield line


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _erase_run(folder: Path, holds: Holds, disk: Disk, *, nothing: bool) -> Iterator[str]:
    """Edits and flags that hold the words leave the record; whole files beside it that do, too."""
    for path in sorted(folder.iterdir()):
        if path.name not in ("plan.json", "COMMIT", "DONE") and holds_any(path, holds):
            disk.remove(path)
            yield path.name
    plan = folder / "plan.json"
    if not nothing and not holds_any(plan, holds):
        return
    value = json_object(read_bytes(plan))
    if not _has_edits(value):  # a damaged record is no plan any more, only lines
        yield from (path.name for path in (plan, folder / "COMMIT", folder / "DONE") if _erase_file(path, holds, disk))
        return
    touched = {str(edit["path"]) for edit in value["edits"] if any(map(holds, _strings(edit)))}
    value["edits"] = [edit for edit in value["edits"] if not nothing and not any(map(holds, _strings(edit)))]
    value = _pruned(value, holds)
    _exchange(plan, to_bytes(json.dumps(value, indent=1)) + b"\n", disk)
    yield plan.name
    done = folder / "DONE"
    if done.exists():  # a hash that no file has: an undo must look for the places of what is left
        about = json_object(read_bytes(done))
        if isinstance(about.get("after"), dict):
            about["after"] |= dict.fromkeys(touched & set(about["after"]), "erased")
            _exchange(done, json.dumps(about, indent=1).encode() + b"\n", disk)
    yield from (mark.name for mark in (folder / "COMMIT", done) if _erase_mark(mark, holds, disk))


def _erase_mark(path: Path, holds: Holds, disk: Disk) -> bool:
    """COMMIT or DONE without the files whose names hold the words; their edits have left the plan."""
    if not holds_any(path, holds):
        return False
    about = json_object(read_bytes(path))
    if "left" in about:
        about["left"] = [one for one in about["left"] if not any(map(holds, _strings(one)))]
    _exchange(path, json.dumps(_pruned(about, holds), indent=1).encode() + b"\n", disk)
    return True


def _has_edits(value: dict[str, Any]) -> bool:
    edits = value.get("edits")
    return isinstance(edits, list) and all(isinstance(edit, dict) and "path" in edit for edit in edits)


def holds_any(path: Path, holds: Holds) -> bool:
    """Whether a file says such words; what is no plain file says nothing."""
    if path.is_symlink() or not path.is_file():
        return False
    return any(holds(said) for said in _sayings(path.name, to_text(read_bytes(path) or b"")))


def _erase_file(path: Path, holds: Holds, disk: Disk) -> bool:
    """Rewrite one file of our state without the words; True if it held them."""

    def without(data: bytes) -> bytes:
        held = any(holds(said) for said in _sayings(path.name, to_text(data)))
        return _erased(path.name, data, holds) if held else data

    return rewritten(path, without, disk)


def rewritten(path: Path, make: Callable[[bytes], bytes], disk: Disk) -> bool:
    """Exchange a file for what is made of it, in one step; what somebody appends meanwhile is made anew too. False: nothing to do."""
    for _ in range(_TRIES):
        data = read_bytes(path) if path.is_file() else None
        if data is None or (wanted := make(data)) == data:
            return False
        fresh = path.with_name(f".{path.name}{ERASING}")
        disk.write(fresh, wanted, path.stat())
        disk.swap(fresh, path)
        displaced = read_bytes(fresh) or b""
        if displaced.startswith(data):
            if late := make(displaced[len(data) :]):
                disk.append(path, late)
            disk.remove(fresh)
            disk.sync_folder(path.parent)
            return True
        disk.swap(fresh, path)  # somebody saved another file here: look again
        disk.remove(fresh)
    raise RefusedFile(say("write.busy_file", name=path.name))


def _erased(name: str, data: bytes, holds: Holds) -> bytes:
    if name.endswith(".json"):
        with suppress(ValueError, RecursionError):
            return to_bytes(json.dumps(_pruned(json.loads(to_text(data)), holds), indent=2)) + b"\n"
    lines = split_lines(to_text(data))
    return to_bytes("".join(line for line in lines if not any(map(holds, _sayings(name, line)))))


def _pruned(value: Any, holds: Holds) -> Any:
    """JSON without the records that hold the words; what is outermost stays, empty at worst."""
    found = _prune(value, holds)
    return type(value)() if found is _GONE else found


def _prune(value: Any, holds: Holds) -> Any:
    if isinstance(value, str):
        return _GONE if holds(value) else value
    if isinstance(value, list):
        return [kept for item in value if (kept := _prune(item, holds)) is not _GONE]
    if isinstance(value, dict):
        if any(isinstance(inner, str) and holds(inner) for inner in value.values()):
            return _GONE
        kept = {key: _prune(inner, holds) for key, inner in value.items() if not holds(key)}
        return {key: inner for key, inner in kept.items() if inner is not _GONE}
    return value


def _exchange(path: Path, data: bytes, disk: Disk) -> None:
    fresh = path.with_name(f".{path.name}{ERASING}")
    disk.write(fresh, data, path.stat() if path.exists() else None)
    disk.rename(fresh, path)
    disk.sync_folder(path.parent)
