"""Imports go downwards only, and who may touch files and the clock. The rows are the house as `docs/internals/architecture.md` draws it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "reverie"
FLOORS = (  # a package may import from its own row and from the rows above it
    {"core"},
    {"text", "lang"},
    {"dates", "privacy"},
    {"workspace", "evidence"},
    {"judge", "plan", "apply"},
    {"night", "features", "openclaw", "models", "hosts"},
    {"surfaces"},
)
FLOOR = {package: height for height, row in enumerate(FLOORS) for package in row}
ASKED_BY_ALL = {"judge.relation"}  # whether two statements say the same: search asks it too
PURE = ("judge", "plan", "core", "text", "dates", "lang")  # functions of values
OUTSIDE = {"os", "socket", "subprocess", "shutil", "time", "tempfile", "urllib", "http", "asyncio", "random"}
OF_WORDS = {"os.path", "urllib.parse"}  # these two only turn one string into another


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Every module a file imports, wherever in it the import stands."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            package = (SOURCE.parent / (node.module or "").replace(".", "/")).is_dir()
            yield from ((node.lineno, name) for name in (modules if package else [node.module or ""]))


def ours(path: Path) -> Iterator[tuple[int, str]]:
    """Our own modules among them, without the name of the package."""
    yield from ((line, name.removeprefix("reverie.")) for line, name in imports(path) if name.startswith("reverie."))


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def inside() -> Iterator[Path]:
    """Every module but the public face, which knows all of them."""
    return (path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def test_the_root_holds_the_public_face_and_nothing_else() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_file()} == {"__init__.py", "__main__.py", "py.typed"}
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(FLOOR)


def test_imports_go_downwards_only() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {name}"
        for path in inside()
        for line, name in ours(path)
        if FLOOR[name.split(".")[0]] > FLOOR[package_of(path)] and name not in ASKED_BY_ALL
    ]

    assert wrong == []


def test_what_decides_touches_neither_files_nor_network() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {name}"
        for path in inside()
        if package_of(path) in PURE
        and path.stem
        not in ("durable", "sealing", "children", "asker")  # write, start processes, measure how long a model took
        for line, name in imports(path)
        if name.split(".")[0] in OUTSIDE and name not in OF_WORDS
    ]

    assert wrong == []


def calls(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            if "files(" not in ast.unparse(node.func):  # data that the package itself brings along
                yield node.lineno, name


def test_only_one_file_starts_processes() -> None:
    """A process that stands in a workspace runs what lies there: `core/children.py` gives every one a folder of its own."""
    never = {"Popen", "check_output", "check_call", "system", "popen", "fork", "execv", "execvp", "spawnv", "which"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno} calls {ast.unparse(node.func)}"
        for path in inside()
        if path != SOURCE / "core" / "children.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and (getattr(node.func, "attr", "") in never or ast.unparse(node.func) in ("subprocess.run", "subprocess.call"))
    ]

    assert wrong == []


def test_judging_and_planning_open_no_file_and_read_no_clock() -> None:
    never = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "today", "now", "unlink"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} calls {name}"
        for room in ("judge", "plan")
        for path in (SOURCE / room).rglob("*.py")
        if path.stem != "prompts"  # files of the package itself
        for line, name in calls(path)
        if name in never
    ]

    assert wrong == []


def test_only_apply_writes_the_owners_files() -> None:
    """Evidence keeps machine state under memory/.dreams; init makes the folder it is for; nobody else writes.

    The daemon's heartbeat and the timers that start the nights lie outside every workspace, in the user's own folders, and so
    do the settings of hosts. A program that stands for a model has a folder of its own, which goes when it has answered.
    """
    outside = ("configure.py", "daemon.py", "timers.py", "integration.py", "programs.py", "durable.py")
    writers = {"write_text", "write_bytes", "unlink", "rename", "replace_file", "mkdir", "rmdir", "symlink_to", "touch"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} calls {name}"
        for path in inside()
        if package_of(path) not in ("apply", "evidence") and path.name not in outside
        for line, name in calls(path)
        if name in writers
    ]

    assert wrong == []
