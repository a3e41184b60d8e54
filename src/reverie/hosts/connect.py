"""`dream connect HOST`: our lines in a host's settings, shown first, remembered, and taken out again to the byte."""

import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from reverie.errors import NotFound, ReverieError
from reverie.hosts.splice import added, holds, taken_out, without
from reverie.store.disk import DISK, Disk, bytes_of
from reverie.workspace.files import decoded
from reverie.workspace.layout import Layout, user_folder


class Addition(msgspec.Struct, frozen=True):
    """One piece of text in one file."""

    file: str
    form: str
    piece: str
    at: list[str] = []
    value: Any = None
    append: bool = False
    created: bool = False  # the file was made for it
    folders: int = 0  # that were made for the file
    blank: str | None = None  # what the file held, if that was nothing but blanks


class Connection(msgspec.Struct, frozen=True):
    host: str
    memory: str
    additions: list[Addition] = []
    says: list[str] = []  # commands that only the owner may run
    is_connected: bool = False
    project: str = ""  # the folder, where it is for one project
    unsays: list[str] = []  # commands that take back what the owner ran


@cache
def hosts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("hosts.toml").read_text("utf-8"))


def connections(layout: Layout) -> list[Connection]:
    """What is connected to this memory, and the hosts of this machine that are not."""
    kept = [
        found
        for path in sorted(_records().glob("*.json"))
        if (found := _read(path)) and found.memory == _memory(found.host, layout, found.project)
    ]
    known = {each.host for each in kept}
    there = [
        Connection(name, _memory(name, layout, "")) for name in hosts() if name not in known and _folder(name).is_dir()
    ]
    return sorted((*kept, *there), key=lambda each: (list(hosts()).index(each.host), each.project))


def others(layout: Layout) -> list[Connection]:
    """What is connected to other memories of this machine."""
    mine = connections(layout)
    found = (_read(path) for path in sorted(_records().glob("*.json")))
    return [each for each in found if each and each not in mine]


def connected(host: str, layout: Layout, project: str = "") -> Connection | None:
    return _read(_record(host, layout, project))


def plan(host: str, layout: Layout, *, project: str = "") -> Connection:
    """What would be added, without adding it; for every project, or for one folder."""
    return _planned(host, layout, project)[0]


def connect(host: str, layout: Layout, *, project: str = "", disk: Disk = DISK) -> Connection:
    """Add it. What was added is written down first: a crash leaves something that can be taken away."""
    planned, texts = _planned(host, layout, project)
    made = msgspec.structs.replace(planned, is_connected=True)
    disk.replace(_record(host, layout, project), msgspec.json.encode(made))
    for path, text in texts.items():
        disk.replace(Path(path), text.encode("utf-8", "surrogateescape"))
    return made


def _planned(host: str, layout: Layout, project: str) -> tuple[Connection, dict[str, str]]:
    """What would be added, and the files as they would be."""
    if host not in hosts():
        raise NotFound(f"{host!r} is no host that Reverie knows; there are {', '.join(hosts())}.")
    if connected(host, layout, project):
        raise ReverieError(f"{host} is connected to this memory already. `{removal(host, project)}` takes it out.")
    scope = "project" if project else "file"
    if not (lines := [wanted for wanted in hosts()[host]["lines"] if scope in wanted]):
        raise ReverieError(f"{host} has no settings for one project; connect it without --project.")
    texts, additions, fresh = dict[str, str](), list[Addition](), dict[str, dict[str, Any]]()
    memory = _memory(host, layout, project)
    for wanted in lines:
        path = _first(wanted[scope], Path(project) if project else _folder(host)).resolve()
        try:
            if str(path) not in texts:
                texts[str(path)], fresh[str(path)] = _opened(path, wanted)
            if wanted.get("where") == "there" and not holds(texts[str(path)], wanted["at"]):
                continue
            texts[str(path)], piece = _added(host, memory, wanted, texts[str(path)])
        except (ReverieError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise ReverieError(f"{path}: {why} Nothing was changed.") from None
        value, more = _filled(wanted.get("value"), host, memory), fresh.pop(str(path), {})
        additions.append(
            Addition(str(path), wanted["form"], piece, wanted.get("at", []), value, wanted.get("append", False), **more)
        )
    says, unsays = (
        [_said(line, memory) for line in hosts()[host].get(name, {}).get(scope, ())] for name in ("says", "unsays")
    )
    return Connection(host, memory, additions, says, project=project, unsays=unsays), texts


def _opened(path: Path, wanted: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a file holds, to be added to, and what has to be known of one that holds nothing."""
    if (data := bytes_of(path)) is None:
        missing = [folder for folder in path.parents if not folder.exists()]
        return wanted.get("new", ""), {"created": True, "folders": len(missing)}
    if not path.stat().st_mode & 0o200:
        raise ReverieError("It is read-only, so its owner wants it to stay as it is.")
    text = data.decode("utf-8", "surrogateescape")
    return (text, {}) if text.strip("\ufeff \t\r\n") else ("", {"blank": text})


def disconnect(host: str, layout: Layout, disk: Disk = DISK, *, project: str = "") -> dict[str, str]:
    """Take out exactly what was added; what became of each file, in a word."""
    known = connected(host, layout, project)
    if known is None:
        raise NotFound(f"{host} is not connected to this memory. `dream connect` lists what is.")
    fates: dict[str, str] = {}
    for path in dict.fromkeys(addition.file for addition in known.additions):
        mine = [addition for addition in known.additions if addition.file == path]
        before = (bytes_of(Path(path)) or b"").decode("utf-8", "surrogateescape")
        after = _removed(before, mine)
        is_empty = after is not None and "".join(after.split()) in ("", "{}", '{"version":1}')
        if after is None:
            fates[path] = "changed since; take out by hand what names reverie"
        elif mine[0].created and is_empty:
            disk.remove(Path(path))
            with suppress(OSError):  # it holds something else
                for folder in Path(path).parents[: mine[0].folders]:
                    folder.rmdir()
            fates[path] = "removed"
        elif after != before:
            after = mine[0].blank if is_empty and mine[0].blank is not None else after
            disk.replace(Path(path), after.encode("utf-8", "surrogateescape"))
            is_exact = taken_out(mine[0].form, before, [addition.piece for addition in mine]) is not None
            fates[path] = "as before" if is_exact else "without our values"
    if not any("by hand" in fate for fate in fates.values()):
        disk.remove(_record(host, layout, project))
    return fates


def _removed(text: str, additions: list[Addition]) -> str | None:
    """The text without our pieces; where the host wrote its file anew, without our values."""
    if (plain := taken_out(additions[0].form, text, [addition.piece for addition in additions])) is not None:
        return plain
    for addition in reversed(additions):
        if addition.form != "json" or not text.strip():
            return None if "reverie" in text or " hook " in text else text  # its owner took it out already
        try:
            left = without(text, addition.at, addition.value, append=addition.append)
        except ReverieError:
            return None
        text = text if left is None else left
    return text


def _memory(host: str, layout: Layout, project: str) -> str:
    """The folder that our lines name; empty where the host has a memory for each project, and means that of the present one."""
    return "" if layout.is_hosted and host == "claude-code" and not project else str(layout.root)


def _added(host: str, memory: str, wanted: dict[str, Any], before: str) -> tuple[str, str]:
    if wanted["form"] in ("skill", "section"):
        if wanted["form"] == "skill" and before:
            raise ReverieError("It is there already: of another memory that is connected, or not ours.")
        gap = "\n" * bool(before) + "\n" * bool(before and not before.endswith("\n"))
        text = gap + _said(Path(__file__).with_name(f"{wanted['form']}.md").read_text("utf-8"), memory)
        return before + text, text
    value = _filled(wanted["value"], host, memory)
    return added(wanted["form"], before, wanted["at"], value, append=wanted.get("append", False))


def _filled(value: Any, host: str, memory: str) -> Any:
    """Our program and the memory's folder in the place of their names."""
    if isinstance(value, dict):
        return {name: _filled(item, host, memory) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, host, memory) for item in value]
    if not isinstance(value, str):
        return value
    dream, plugin = _program(), str(Path(__file__).with_name("openclaw"))
    hook = f"{shlex.quote(dream)} hook {host}" + f" -w {shlex.quote(memory)}" * bool(memory)
    words = {"{hook}": hook, "{dream}": dream, "{plugin}": plugin, "{memory}": memory}
    return re.sub(r"\{(?:hook|dream|plugin|memory)\}", lambda name: words[name[0]], value)


def _said(text: str, memory: str) -> str:
    """The same in a text that somebody copies into a shell."""
    text = text if memory else text.replace(" -w {memory}", "")
    words = {
        "{dream}": shlex.quote(_program()),
        "{memory}": shlex.quote(memory) if memory else "the project's own folder",
    }
    return re.sub(r"\{(?:dream|memory)\}", lambda name: words[name[0]], text)


def _program() -> str:
    """The absolute path of `dream`: a host's PATH may be another one."""
    beside = Path(sys.executable).with_name("dream")
    return str(beside) if beside.exists() else shutil.which("dream") or "dream"


def _folder(host: str) -> Path:
    return _first(hosts()[host]["folder"], Path.home())


def _first(places: str | list[str], base: Path) -> Path:
    """The place that the environment names; else the first that is there; else the last."""
    for place in (found := [places] if isinstance(places, str) else places):
        name, path = re.match(r"\$(\w+)", place), base / Path(os.path.expandvars(place)).expanduser()
        if os.environ.get(name[1]) if name else (place is found[-1] or path.exists()):
            return path
    return base


def removal(host: str, project: str) -> str:
    return f"dream connect {host}{' --project' * bool(project)} --remove"


def _records() -> Path:
    return user_folder("XDG_STATE_HOME", ".local/state") / "hosts"


def _record(host: str, layout: Layout, project: str) -> Path:
    return _records() / f"{host}-{crc32(os.fsencode(_memory(host, layout, project) + project)):08x}.json"


def _read(path: Path) -> Connection | None:
    try:
        return decoded(bytes_of(path) or b"", Connection)
    except msgspec.DecodeError:
        return None


def shown(connection: Connection) -> Iterator[str]:
    """The lines that would be added, file by file."""
    for path in dict.fromkeys(addition.file for addition in connection.additions):
        yield f"{path}:"
        for addition in (addition for addition in connection.additions if addition.file == path):
            yield from (f"  + {line}" for line in addition.piece.strip("\r\n").splitlines())
    yield from (f"Then run: {line}" for line in connection.says)
