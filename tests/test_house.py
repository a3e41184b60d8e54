"""The house: imports go downwards only, a night loads little, and what is promised to the world is there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import reverie
from conftest import NOW, Make
from reverie.settings import KEYS

SOURCE = Path(reverie.__file__).parent if reverie.__file__ else Path()
ROOT = Path(__file__).parents[1]
FLOORS = re.findall(r"^\| `(\w+)/?` \|", (ROOT / "docs/design.md").read_text("utf-8"), re.M)  # from the ground up
# Beside `store/`: what only appends, is made anew, begins a workspace, is kept for an answer, or is another program's.
WRITERS = [
    "features/backfill",
    "features/lead",
    "features/note",
    "features/palace",
    "features/refine",
    "features/schedule",
    "features/start",
    "features/timers",
    "fleet/places",
    "hosts/connect",
    "models/ask",
    "night",
    "signals/journal",
    "signals/store",
    "signals/weigh",
    "surfaces/tools",
]


def imported(path: Path) -> list[str]:
    """The modules of ours that a file imports, imports inside functions included."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return [name for name in names if name.startswith("reverie.")]


def test_imports_go_downwards_only() -> None:
    for path in SOURCE.rglob("*.py"):
        here = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for name in imported(path) if here != "__init__" else ():
            room = name.split(".")[1]
            assert FLOORS.index(room) <= FLOORS.index(here), f"{path.name} imports {name}"


def test_every_room_stands_in_the_plan_of_the_house() -> None:
    assert sorted(FLOORS) == sorted(
        {path.stem for path in SOURCE.iterdir() if path.name[0] not in "_." and path.stem != "py"}
    )


def test_memory_is_written_by_the_store_and_other_files_by_few() -> None:
    writes = re.compile(r"\bdisk(?:\(\))?\.(?:write|write_at|create|replace|append|append_once|remove)\(", re.I)
    found = (
        path for path in SOURCE.rglob("*.py") if path.parent.name != "store" and writes.search(path.read_text("utf-8"))
    )
    assert sorted(path.relative_to(SOURCE).with_suffix("").as_posix() for path in found) == sorted(WRITERS)


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {
        path: {SOURCE / f"{'/'.join(name.split('.')[1:])}.py" for name in imported(path)}
        for path in SOURCE.rglob("*.py")
    }
    left = dict(graph)
    while free := [path for path, needs in left.items() if not needs & left.keys()]:
        for path in free:
            del left[path]
    assert not left, f"these import each other: {sorted(path.name for path in left)}"


def test_a_night_loads_at_most_52_of_our_modules(workspace: Make) -> None:
    layout = workspace()
    code = (
        "import sys\nfrom reverie.surfaces.cli import main\n"
        f"try: main(['review', '--workspace', {str(layout.root)!r}, '--now', '{NOW:%Y-%m-%d}'])\n"
        "except SystemExit: pass\n"
        "print(sum(name.startswith('reverie.') and bool(module.__file__) for name, module in sys.modules.items()))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert (
        int(shown.split()[-1]) <= 52
    )  # 45 before conversations, pages, the diary and the measure were part of a night


def test_there_are_at_most_40_settings() -> None:
    assert len(KEYS) <= 40


def test_the_public_face_is_there() -> None:
    assert len(reverie.__all__) in range(12, 41)
    for name in reverie.__all__:
        assert getattr(reverie, name).__doc__ or name == "ReverieError", name


def test_no_file_names_a_host_of_packages_or_a_path_of_this_machine() -> None:
    pattern = re.compile(r"/(?:wor)k/|https?://[^ \"]*/simple/|index-url")
    for path in [
        *ROOT.glob("*.*"),
        *(ROOT / "docs").rglob("*.md"),
        *SOURCE.rglob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
    ]:
        if path.is_file() and path.name != "test_house.py":
            assert not pattern.search(path.read_text("utf-8")), path


def test_no_sentence_names_a_package_that_no_index_has() -> None:
    assert not [path for path in (ROOT / "src").rglob("*.py") if "pip install" in path.read_text("utf-8")]


def test_the_demo_shows_two_nights_and_takes_them_back(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, str(ROOT / "examples/demo.py")], capture_output=True, text=True, cwd=tmp_path, check=True
    ).stdout
    assert shown.count("every byte is back: True") == 2 and "31 drums, from Hagen in Bergen" in shown


def test_the_sessions_of_the_readme_are_true(tmp_path: Path) -> None:
    """The README's first night, command by command, exactly as it is printed."""
    readme = (ROOT / "README.md").read_text("utf-8")
    memory = re.search(r"```file MEMORY\.md\n(.*?)```", readme, re.S)
    session = re.search(r"```console\n(.*?)```", readme, re.S)
    assert memory and session and len(readme.split()) <= 800
    (tmp_path / "MEMORY.md").write_text(memory[1], "utf-8")
    for part in session[1].split("$ ")[1:]:
        command, _, expected = part.partition("\n")
        words = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", *command.split()[1:]]
        shown = subprocess.run(
            words,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"REVERIE_NOW": "2026-11-15T03:00", "HOME": str(tmp_path)},
        )
        assert shown.stdout == expected, command
