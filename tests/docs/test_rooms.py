"""Imports go downwards only: ground, rooms, the night, those who call it, surfaces. And who may touch files and the clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "reverie"
FLOOR = {"ground", "lang", "privacy"}
ROOMS = {"workspace", "evidence", "judge", "phases", "plan", "apply", "llm"}
MAY_IMPORT = {
    "lang": set[str](),
    "privacy": FLOOR,
    "ground": FLOOR,
    "llm": FLOOR,
    "workspace": FLOOR,
    "evidence": FLOOR | {"durable"},
    "apply": FLOOR | {"durable"},
    "phases": FLOOR | {"judge"},
    "judge": FLOOR | {"phases", "llm"},
    "plan": FLOOR | {"judge"},
    "under the night": FLOOR | ROOMS | {"under the night"},
    "night": FLOOR | ROOMS | {"under the night"},
    "over the night": FLOOR | ROOMS | {"under the night", "night", "over the night"},
    "surfaces": FLOOR | {"under the night", "night", "over the night"},
    "durable": set[str](),
}
VALUES = {"judge.operation", "judge.brief", "judge.port"}  # what a judge is asked and says: anybody may speak of it
RELATION = {"judge.relation", "judge.later"}  # whether two statements say the same: one answer for everybody who asks
VALUES |= RELATION
PLAN_KNOWS = VALUES | {"judge.specifics"}
LOOKING = {"glance", "waiting"}  # at the root, and they look at a file or wait: no room may call them
PURE = ("judge", "phases", "plan")
OUTSIDE = {"os", "socket", "subprocess", "shutil", "time", "tempfile", "urllib", "http", "asyncio", "random"}


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
            whole = node.module in ("reverie", *(f"reverie.{room}" for room in ROOMS | {"night", "surfaces"}))
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, name) for name in (named if whole else [node.module or ""]))


def ours(path: Path) -> Iterator[tuple[int, str]]:
    """Our own modules among them, without the name of the package."""
    yield from ((line, name.removeprefix("reverie.")) for line, name in imports(path) if name.startswith("reverie."))


@cache
def reached(module: str) -> frozenset[str]:
    """The rooms that a module at the root knows, itself or through others at the root."""
    rooms, seen, todo = set[str](), {module}, [module]
    while todo:
        for _, name in ours(SOURCE / f"{todo.pop()}.py"):
            first = name.split(".")[0]
            if (SOURCE / first).is_dir():
                rooms |= {first} - FLOOR if name not in VALUES else set()
            elif first not in seen:
                seen.add(first)
                todo.append(first)
    return frozenset(rooms)


def tier(name: str) -> str:
    """Where a module stands: its package; or, at the root, what it knows decides."""
    first = name.split(".")[0]
    if (SOURCE / first).is_dir() or first == "durable":
        return first
    if first in LOOKING:
        return "under the night"
    known = reached(first)
    return "over the night" if {"night", "surfaces"} & known else "under the night" if known else "ground"


def tier_of(path: Path) -> str:
    return tier(".".join(path.relative_to(SOURCE).with_suffix("").parts))


def test_imports_go_downwards_only() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {name}"
        for path in SOURCE.rglob("*.py")
        if path != SOURCE / "__init__.py"
        for line, name in ours(path)
        if tier(name) not in MAY_IMPORT[tier_of(path)] | {tier_of(path)} and name not in VALUES
    ]

    assert wrong == []


def test_a_plan_is_made_of_what_was_judged_and_judges_nothing() -> None:
    known = {name for path in (SOURCE / "plan").glob("*.py") for _, name in ours(path) if tier(name) == "judge"}

    assert {".".join(name.split(".")[:2]) for name in known} <= PLAN_KNOWS


def test_the_ground_floor_touches_neither_files_nor_network() -> None:
    wrong = [
        f"{path.name}:{line} imports {name}"
        for path in SOURCE.glob("*.py")
        if path.stem != "__init__" and tier_of(path) == "ground"
        for line, name in imports(path)
        if name.split(".")[0] in OUTSIDE
    ]

    assert wrong == []


def calls(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            if "files(" not in ast.unparse(node.func):  # data that the package itself brings along
                yield node.lineno, name


def test_judging_and_planning_open_no_file_and_read_no_clock() -> None:
    never = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "today", "now", "unlink"}
    wrong = [
        f"{room}/{path.name}:{line} calls {name}"
        for room in PURE
        for path in (SOURCE / room).glob("*.py")
        for line, name in calls(path)
        if name in never
    ]

    assert wrong == []


def test_only_apply_writes_the_owners_files() -> None:
    """Evidence keeps machine state under memory/.dreams; init makes the folder it was named; nobody else writes.

    The daemon's heartbeat and the timers that start the nights lie outside every workspace, in the user's own folders, and so
    do the settings of hosts. A program that stands for a model has a folder of its own, which goes when it has answered.
    """
    outside = ("init_command.py", "heartbeat.py", "timers.py", "integrating.py", "command.py")
    writers = {"write_text", "write_bytes", "unlink", "rename", "replace_file", "mkdir", "rmdir", "symlink_to", "touch"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} calls {name}"
        for path in SOURCE.rglob("*.py")
        if tier_of(path) not in ("apply", "evidence") and path.name not in outside
        for line, name in calls(path)
        if name in writers
    ]

    assert wrong == []
