"""Data walks one way: rooms stand on the ground floor, the engine knows the rooms, surfaces know the engine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "reverie"
ROOMS = {"workspace", "evidence", "phases", "plan", "apply", "llm"}
CELLAR = {"durable"}  # the operating system, for the two rooms that write
UPSTAIRS = {
    "agent_answers",
    "engine",
    "expected_cost",
    "glance",
    "answers",
    "asking",
    "backfill",
    "capturing",
    "choosing",
    "classifying",
    "doctor",
    "due",
    "dreaming",
    "forgetting",
    "harness",
    "judging",
    "host_files",
    "lanes",
    "lifecycle",
    "narrating",
    "nightshift",
    "nightwatch",
    "opinions",
    "outlook",
    "overhearing",
    "palaces",
    "pinning",
    "projecting",
    "promotions",
    "proof",
    "proposals",
    "quality",
    "refining",
    "reflecting",
    "reading",
    "remember",
    "recalled_facts",
    "recalling",
    "seeking",
    "waiting",
    "settling",
    "stages",
    "showing",
    "sublimating",
    "summarising",
    "switching",
    "taking_back",
    "tooling",
    "tried_gates",
    "waking",
    "whynot",
    "workspaces",
}
GROUND = {path.stem for path in SOURCE.glob("*.py")} - UPSTAIRS - {"__init__"} - CELLAR | {"lang", "privacy"}
MAY_IMPORT = {
    **dict.fromkeys(GROUND, GROUND),
    **{room: GROUND | {room} for room in ROOMS},
    **{room: GROUND | CELLAR | {room} for room in ("apply", "evidence")},
    **{module: set[str]() for module in CELLAR},
    "glance": GROUND,
    "dreaming": GROUND | ROOMS,
    "engine": GROUND | ROOMS | {"dreaming", "judging", "palaces", "projecting", "proposals", "remember", "settling"},
    "judging": GROUND | ROOMS | {"dreaming", "narrating", "reflecting"},
    "agent_answers": GROUND | ROOMS | {"engine", "judging", "remember", "tried_gates"},
    "tried_gates": GROUND | ROOMS | {"dreaming"},
    "expected_cost": GROUND | ROOMS | {"judging", "remember"},
    "proposals": GROUND | ROOMS,
    "settling": GROUND | ROOMS | {"dreaming", "proposals", "remember"},
    "answers": GROUND | ROOMS,
    "lanes": GROUND | ROOMS,
    "narrating": GROUND | ROOMS,
    "reflecting": GROUND | ROOMS,
    "seeking": GROUND | ROOMS,
    "recalled_facts": GROUND | ROOMS,
    "recalling": GROUND | ROOMS | {"answers", "recalled_facts", "summarising", "waiting"},
    "summarising": GROUND | ROOMS,
    "waiting": set[str](),
    "forgetting": GROUND | ROOMS | {"projecting", "seeking"},
    "capturing": GROUND | ROOMS | {"forgetting", "projecting", "remember"},
    "backfill": GROUND | ROOMS,
    "choosing": GROUND | {"llm"},
    "classifying": GROUND | ROOMS | {"opinions", "projecting"},
    "opinions": GROUND | ROOMS,
    "projecting": GROUND | ROOMS,
    "overhearing": GROUND | ROOMS,
    "palaces": GROUND | ROOMS,
    "pinning": GROUND | ROOMS | {"engine"},
    "taking_back": GROUND | ROOMS | {"engine"},
    "showing": GROUND | ROOMS | {"proposals"},
    "sublimating": GROUND | ROOMS | {"opinions", "palaces"},
    "harness": GROUND | ROOMS | {"backfill"},
    "reading": GROUND | ROOMS | {"palaces"},
    "remember": GROUND | ROOMS | {"answers", "lanes"},
    "asking": GROUND | ROOMS | {"engine", "projecting"},
    "promotions": GROUND | ROOMS | {"engine", "lanes", "projecting", "remember"},
    "whynot": GROUND | ROOMS | {"engine", "promotions", "remember"},
    "workspaces": GROUND | ROOMS,
    "host_files": GROUND | {"workspace"},
    "proof": GROUND | ROOMS | {"engine", "refining"},
    "refining": GROUND | ROOMS | {"projecting"},
    "lifecycle": GROUND | ROOMS,
    "stages": GROUND | ROOMS,
    "switching": GROUND | ROOMS | {"glance"},
    "waking": GROUND | ROOMS | {"glance"},
    "quality": GROUND | ROOMS,
    "due": GROUND | ROOMS | {"nightshift", "outlook"},
    "tooling": GROUND | ROOMS,
    "doctor": GROUND | ROOMS | {"answers", "due", "glance", "outlook", "projecting"},
    "outlook": GROUND | ROOMS | {"glance"},
    "nightshift": GROUND | ROOMS | {"outlook", "proof"},
    "nightwatch": GROUND | ROOMS | {"nightshift", "outlook"},
    "surfaces": GROUND | UPSTAIRS | {"surfaces"},
    "__init__": GROUND | UPSTAIRS | {"surfaces"},
}
NEVER_ON_THE_GROUND = {
    "os",
    "socket",
    "subprocess",
    "shutil",
    "time",
    "tempfile",
    "urllib",
    "http",
    "asyncio",
    "random",
}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names = (
                [node.module or ""] if node.module != "reverie" else [f"reverie.{alias.name}" for alias in node.names]
            )
            yield from ((node.lineno, name) for name in names)


def room_of(path: Path) -> str:
    inner = path.relative_to(SOURCE)
    return inner.parts[0] if len(inner.parts) > 1 else inner.stem


def test_no_room_knows_another() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {name}"
        for path in SOURCE.rglob("*.py")
        for line, name in imports(path)
        if name.startswith("reverie.") and name.split(".")[1] not in MAY_IMPORT[room_of(path)]
    ]

    assert wrong == []


def test_the_ground_floor_touches_neither_files_nor_network() -> None:
    wrong = [
        f"{path.name}:{line} imports {name}"
        for path in SOURCE.glob("*.py")
        if path.stem in GROUND
        for line, name in imports(path)
        if name.split(".")[0] in NEVER_ON_THE_GROUND
    ]

    assert wrong == []


def test_phases_and_plans_open_no_file_and_read_no_clock() -> None:
    wrong = []
    for room in ("phases", "plan"):
        for path in (SOURCE / room).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                called = node.func if isinstance(node, ast.Call) else None
                name = (
                    called.id
                    if isinstance(called, ast.Name)
                    else called.attr
                    if isinstance(called, ast.Attribute)
                    else ""
                )
                if name in {"open", "read_text", "read_bytes", "write_text", "write_bytes", "today", "now", "unlink"}:
                    wrong.append(f"{path.name}:{node.lineno} calls {name}")  # type: ignore[attr-defined]

    assert wrong == []


def test_only_apply_writes_the_owners_files() -> None:
    """Evidence keeps machine state under memory/.dreams; init makes the folder it was named; nobody else writes.

    The daemon's heartbeat and the timers that start the nights lie outside every workspace, in the user's own folders, and so
    do the settings of hosts.
    """
    outside = ("init_command.py", "heartbeat.py", "timers.py", "integrating.py")
    writers = {"write_text", "write_bytes", "unlink", "rename", "replace_file", "mkdir", "rmdir", "symlink_to", "touch"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno} calls {node.func.attr}"
        for path in SOURCE.rglob("*.py")
        if room_of(path) not in ("apply", "evidence") and path.name not in outside
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in writers
    ]

    assert wrong == []


def test_no_file_is_longer_than_one_sitting() -> None:
    long = {
        str(p.relative_to(SOURCE)): n
        for p in SOURCE.rglob("*.py")
        if (n := len(p.read_text("utf-8").split("\n"))) > 400
    }

    assert long == {}
