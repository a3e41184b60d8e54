"""`dream connect HOST`: our lines in a host's settings, shown first, remembered, and taken out again to the byte."""

import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from reverie.errors import NotFound, ReverieError
from reverie.hosts.splice import added, holds, taken_out, without
from reverie.store.disk import Disk, bytes_of
from reverie.workspace.layout import Layout, user_folder

NIGHT = "Do the memory's night now, in one turn: run `dream brief`, judge by what it says, hand in the answer with `dream answer`."


class Addition(msgspec.Struct, frozen=True):
    """One piece of text in one file."""

    file: str
    form: str
    piece: str
    at: list[str] = []
    value: Any = None
    append: bool = False
    created: bool = False  # the file was made for it


class Connection(msgspec.Struct, frozen=True):
    host: str
    memory: str
    additions: list[Addition] = []
    says: list[str] = []  # commands that only the owner may run
    is_connected: bool = False


@cache
def hosts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("hosts.toml").read_text("utf-8"))


def connections(layout: Layout) -> list[Connection]:
    """The hosts that this machine has, with what is connected."""
    known = [_kept(name, layout) for name in hosts()]
    found = [name for name in hosts() if _folder(name).is_dir()]
    shown = (
        known[number] or (Connection(name, str(layout.root)) if name in found else None)
        for number, name in enumerate(hosts())
    )
    return [connection for connection in shown if connection]


def plan(host: str, layout: Layout, *, project: bool = False) -> Connection:
    """What would be added, without adding it."""
    return _planned(host, layout, project=project)[0]


def connect(host: str, layout: Layout, *, project: bool = False, disk: Disk | None = None) -> Connection:
    """Add it. What was added is written down first: a crash leaves something that can be taken away."""
    disk, (planned, texts) = disk or Disk(), _planned(host, layout, project=project)
    made = msgspec.structs.replace(planned, is_connected=True)
    disk.replace(_record(host, layout), msgspec.json.encode(made))
    for path, text in texts.items():
        disk.replace(Path(path).resolve(), text.encode("utf-8", "surrogateescape"))
    return made


def _planned(host: str, layout: Layout, *, project: bool) -> tuple[Connection, dict[str, str]]:
    """What would be added, and the files as they would be."""
    if host not in hosts():
        raise NotFound(f"{host!r} is no host that Reverie knows; there are {', '.join(hosts())}.")
    if _kept(host, layout):
        raise ReverieError(f"{host} is connected to this memory already. `dream connect {host} --remove` takes it out.")
    scope = hosts()[host].get("project" if project else "user")
    if not scope:
        raise ReverieError(f"{host} has no settings for one project; connect it without --project.")
    texts, additions, created = dict[str, str](), list[Addition](), set[str]()
    for wanted in scope:
        path = str((Path.cwd() if project else _folder(host)) / wanted["file"])
        if path not in texts:
            data = bytes_of(Path(path))
            texts[path] = (data or b"").decode("utf-8", "surrogateescape") or wanted.get("new", "")
            created |= {path} if data is None else set()
        try:
            if wanted.get("where") == "there" and not holds(texts[path], wanted["at"]):
                continue
            texts[path], piece = _added(host, layout, wanted, texts[path])
        except ReverieError as error:
            raise ReverieError(f"{path}: {error} Nothing was changed.") from None
        value = _filled(wanted.get("value"), host, layout)
        at, append, is_new = wanted.get("at", []), wanted.get("append", False), path in created
        additions.append(Addition(path, wanted["form"], piece, at, value, append, is_new))
        created.discard(path)
    says = [_filled(line, host, layout) for line in hosts()[host]["says"]]
    return Connection(host, str(layout.root), additions, says), texts


def disconnect(host: str, layout: Layout, disk: Disk | None = None) -> dict[str, str]:
    """Take out exactly what was added; what became of each file, in a word."""
    disk, known = disk or Disk(), _kept(host, layout)
    if known is None:
        raise NotFound(f"{host} is not connected to this memory. `dream connect` lists what is.")
    fates: dict[str, str] = {}
    for path in dict.fromkeys(addition.file for addition in known.additions):
        mine = [addition for addition in known.additions if addition.file == path]
        before = (bytes_of(Path(path)) or b"").decode("utf-8", "surrogateescape")
        after = _removed(before, mine)
        if after is None:
            fates[path] = "changed since; take out by hand what names reverie"
        elif mine[0].created and "".join(after.split()) in ("", "{}", '{"version":1}'):
            disk.remove(Path(path))
            fates[path] = "removed"
        elif after != before:
            disk.replace(Path(path).resolve(), after.encode("utf-8", "surrogateescape"))
            fates[path] = "as before"
    if not any("by hand" in fate for fate in fates.values()):
        disk.remove(_record(host, layout))
    return fates


def _removed(text: str, additions: list[Addition]) -> str | None:
    """The text without our pieces; where the host wrote its file anew, without our values."""
    if (plain := taken_out(additions[0].form, text, [addition.piece for addition in additions])) is not None:
        return plain
    for addition in reversed(additions):
        if addition.form != "json" or not text.strip():
            return None
        try:
            left = without(text, addition.at, addition.value, append=addition.append)
        except ReverieError:
            return None
        text = text if left is None else left  # its owner took it out already
    return text


def _added(host: str, layout: Layout, wanted: dict[str, Any], before: str) -> tuple[str, str]:
    if wanted["form"] in ("skill", "section"):
        if wanted["form"] == "skill" and before:
            raise ReverieError("It is there already, and not ours.")
        gap = "\n" * bool(before) + "\n" * bool(before and not before.endswith("\n"))
        text = gap + _filled(Path(__file__).with_name(f"{wanted['form']}.md").read_text("utf-8"), host, layout)
        return before + text, text
    value = _filled(wanted["value"], host, layout)
    return added(wanted["form"], before, wanted["at"], value, append=wanted.get("append", False))


def _filled(value: Any, host: str, layout: Layout) -> Any:
    """Our program and the memory's folder in the place of their names."""
    if isinstance(value, dict):
        return {name: _filled(item, host, layout) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, host, layout) for item in value]
    if not isinstance(value, str):
        return value
    dream, memory, plugin = _program(), str(layout.root), str(Path(__file__).with_name("openclaw"))
    hook = f"{shlex.quote(dream)} hook {host} -w {shlex.quote(memory)}"
    words = {"{hook}": hook, "{dream}": dream, "{plugin}": plugin, "{night}": NIGHT, "{memory}": memory}
    return re.sub(r"\{(?:hook|dream|plugin|night|memory)\}", lambda name: words[name[0]], value)


def _program() -> str:
    """The absolute path of `dream`: a host's PATH may be another one."""
    beside = Path(sys.executable).with_name("dream")
    return str(beside) if beside.exists() else shutil.which("dream") or "dream"


def _folder(host: str) -> Path:
    named = os.environ.get(hosts()[host]["environ"], "") if hosts()[host]["environ"] else ""
    return Path(named or hosts()[host]["found"][0]).expanduser()


def _record(host: str, layout: Layout) -> Path:
    return (
        user_folder("XDG_STATE_HOME", ".local/state") / "hosts" / f"{host}-{crc32(os.fsencode(layout.root)):08x}.json"
    )


def _kept(host: str, layout: Layout) -> Connection | None:
    data = bytes_of(_record(host, layout))
    try:
        return msgspec.json.decode(data, type=Connection) if data else None
    except msgspec.DecodeError:
        return None


def shown(connection: Connection) -> Iterator[str]:
    """The lines that would be added, file by file."""
    for path in dict.fromkeys(addition.file for addition in connection.additions):
        yield f"{path}:"
        for addition in (addition for addition in connection.additions if addition.file == path):
            yield from (f"  + {line}" for line in addition.piece.strip("\r\n").splitlines())
    yield from (f"Then run: {line}" for line in connection.says)
