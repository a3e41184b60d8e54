"""The house in figures, and as a picture: python tools/house.py [--root FOLDER] [--json] [--svg FILE]

Counts files and lines of `src/reverie`, modules that only one other imports, class names that are used twice, imports inside
functions, words of a language outside `lang/`, the ten most complex functions, and what `dream review` visits. `--root` looks at
another checkout, such as an older commit, so that before and after come from the same script.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    ("surfaces",),
    ("night", "features", "openclaw", "models", "hosts"),
    ("judge", "plan", "apply"),
    ("workspace", "evidence"),
    ("dates", "privacy"),
    ("text", "lang"),
    ("core",),
)
SAYS = {
    "surfaces": "commands, page, MCP, daemon",
    "night": "the night; every write",
    "features": "recall, note, forget, palace, diary, …",
    "openclaw": "the peer's lane and formats",
    "models": "providers",
    "hosts": "files and timers of hosts",
    "judge": "Brief → Operations",
    "plan": "Operations → Plan",
    "apply": "Plan → files",
    "workspace": "files → Snapshot",
    "evidence": "Snapshot → Evidence, search",
    "dates": "days that people write",
    "privacy": "secrets",
    "text": "lines and Markdown",
    "lang": "words, one file a language",
    "core": "errors, settings, ports",
}
_LETTERS = re.compile(r"[\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LIST = 6  # so many lower-case words in a row are a list of words


class House:
    """One checkout, parsed once."""

    def __init__(self, root: Path) -> None:
        self.root, self.source = root, root / "src" / "reverie"
        self.trees = {
            self._name(path): (path, ast.parse(path.read_text("utf-8"))) for path in sorted(self.source.rglob("*.py"))
        }

    def _name(self, path: Path) -> str:
        return ".".join(path.relative_to(self.source).with_suffix("").parts).removesuffix(".__init__")

    @cache  # noqa: B019 (one house per run)
    def imports(self, name: str) -> frozenset[str]:
        return frozenset(self._imports(name))

    def _imports(self, name: str) -> Iterator[str]:
        for node in ast.walk(self.trees[name][1]):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "reverie":
                inside = (node.module or "")[len("reverie.") :]
                for alias in node.names:
                    full = f"{inside}.{alias.name}".strip(".")
                    yield full if full in self.trees else inside
            elif isinstance(node, ast.Import):
                yield from (one.name[len("reverie.") :] for one in node.names if one.name.startswith("reverie."))

    def figures(self) -> dict[str, Any]:
        names = [name for name in self.trees if name != "__init__"]
        importers: dict[str, set[str]] = defaultdict(set)
        for name in names:
            for other in self.imports(name) & set(names) - {name}:
                importers[other].add(name)
        visited, hops = self._review()
        return {
            "files": len(self.trees),
            "lines": sum(path.read_text("utf-8").count("\n") for path, _ in self.trees.values()),
            "modules with one importer": sum(len(importers[name]) == 1 for name in names),
            "class names used twice": sum(len(places) > 1 for places in self._classes().values()),
            "imports inside functions": sum(self._lazy(tree) for _, tree in self.trees.values()),
            "letters of other languages outside lang": sum(self._outside(_letters)),
            "word lists outside lang": sum(self._outside(_word_lists)),
            "modules that `dream review` visits": visited,
            "longest chain of imports in it": hops,
            "complexity of the ten worst functions": [number for number, _ in self._complex()],
            "the worst": [name for _, name in self._complex()[:3]],
        }

    def _classes(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name, (_, tree) in self.trees.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    found[node.name.lstrip("_")].append(name)
        return found

    @staticmethod
    def _lazy(tree: ast.Module) -> int:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        lazy = {
            inner for node in functions for inner in ast.walk(node) if isinstance(inner, ast.Import | ast.ImportFrom)
        }
        return len(lazy)

    def _outside(self, count: Any) -> Iterator[int]:
        for name, (path, tree) in self.trees.items():
            if name.split(".")[0] != "lang":
                yield count(path, tree)

    @cache  # noqa: B019
    def _complex(self) -> list[tuple[int, str]]:
        rule = (
            "--select",
            "C901",
            "--config",
            "lint.mccabe.max-complexity=1",
            "--output-format",
            "json",
            "--exit-zero",
        )
        ruff = Path(sys.executable).with_name("ruff")
        asked = [str(ruff), "check", "--isolated", *rule, str(self.source)]
        said = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
        worst = [
            (int(found[2]), found[1])
            for one in said
            if (found := re.match(r"`(.+)` is too complex \((\d+)", one["message"]))
        ]
        return sorted(worst, reverse=True)[:10]

    def _review(self) -> tuple[int, int]:
        """The modules of ours that one night over the example loads, and the longest chain of imports among them."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "workspace"
            shutil.copytree(self.root / "examples" / "lived-in", copy)
            script = (
                "import sys\nfrom reverie.surfaces.cli import main\n"
                f"sys.argv = ['dream', 'review', '--workspace', {str(copy)!r}, '--now', '2026-11-15T03:00:00+01:00', '--quiet']\n"
                "try:\n    main()\nexcept SystemExit:\n    pass\n"
                "print('\\n'.join(sorted(name for name in sys.modules if name.startswith('reverie.'))))"
            )
            home = {"HOME": folder, "PYTHONPATH": str(self.root / "src"), "PATH": os.environ.get("PATH", "")}
            said = subprocess.run([sys.executable, "-c", script], env=home, capture_output=True, text=True, check=True)
        loaded = {name.removeprefix("reverie.") for name in said.stdout.split("\n") if name} & set(self.trees)
        modules = {name for name in loaded if self.trees[name][0].name != "__init__.py" or self.imports(name)}
        return len(modules), self._chain(modules)

    def _chain(self, modules: set[str]) -> int:
        depths: dict[str, int] = {}

        def depth(name: str, above: frozenset[str]) -> int:
            if name not in depths:
                below = (self.imports(name) & modules) - above - {name}
                depths[name] = 1 + max((depth(other, above | {name}) for other in below), default=0)
            return depths[name]

        return max(depth(name, frozenset()) for name in modules)

    def sizes(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for name, (path, _) in self.trees.items():
            package = name.split(".")[0]
            files, lines = found.get(package, (0, 0))
            found[package] = files + 1, lines + path.read_text("utf-8").count("\n")
        return found


def _letters(path: Path, tree: ast.Module) -> int:
    return len(_LETTERS.findall(path.read_text("utf-8")))


def _word_lists(path: Path, tree: ast.Module) -> int:
    """Literal collections of lower-case words of a language; names of fields, codes and keys in other notations do not count."""
    return sum(_is_list(node) for node in ast.walk(tree))


def _is_list(node: ast.AST) -> bool:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        said = [one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return len(said) >= _LIST and sum(bool(re.fullmatch(r"[a-z]+(?: [a-z]+)*", one)) for one in said) >= _LIST
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return re.fullmatch(r"(?:[a-z]{1,12} ){11,}[a-z]+", text) is not None


def svg(house: House) -> str:
    """The floors as boxes, the width of a box by its lines; imports go downwards only."""
    sizes, width, gap, high = house.sizes(), 960, 8, 66
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {len(FLOORS) * (high + 18) + 30}" font-family="sans-serif">',
        "<style>rect{fill:#eef2f8;stroke:#5a6b85}text{fill:#1c2733}.s{font-size:11px;fill:#44546a}"
        "@media(prefers-color-scheme:dark){rect{fill:#1f2937;stroke:#8aa0bf}text{fill:#e6edf5}.s{fill:#a9b8cc}}</style>",
    ]
    for row, packages in enumerate(FLOORS):
        top, left = 10 + row * (high + 18), 10.0
        room = width - 20 - gap * (len(packages) - 1)
        least = 150.0 if len(packages) > 2 else 200.0
        spare = room - least * len(packages)
        total = sum(sizes.get(one, (0, 1))[1] for one in packages)
        for one in packages:
            files, lines = sizes.get(one, (0, 0))
            wide = least + spare * lines / total
            parts.append(f'<rect x="{left:.0f}" y="{top}" width="{wide:.0f}" height="{high}" rx="8"/>')
            parts.append(f'<text x="{left + 10:.0f}" y="{top + 22}" font-size="15" font-weight="bold">{one}/</text>')
            parts.append(f'<text class="s" x="{left + 10:.0f}" y="{top + 40}">{SAYS[one][: int(wide / 6)]}</text>')
            parts.append(f'<text class="s" x="{left + 10:.0f}" y="{top + 56}">{files} files, {lines:,} lines</text>')
            left += wide + gap
    parts.append(
        f'<text class="s" x="10" y="{len(FLOORS) * (high + 18) + 20}">A package imports from its own row and the rows below it.</text></svg>'
    )
    return "\n".join(parts) + "\n"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--root", type=Path, default=ROOT)
    asked.add_argument("--json", action="store_true")
    asked.add_argument("--svg", type=Path)
    options = asked.parse_args()
    house = House(options.root.resolve())
    if options.svg:
        options.svg.write_text(svg(house), "utf-8")
    figures = house.figures()
    print(
        json.dumps(figures, indent=1)
        if options.json
        else "\n".join(f"{name}: {value}" for name, value in figures.items())
    )


if __name__ == "__main__":
    main()
