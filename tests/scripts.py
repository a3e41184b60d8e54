"""Scripts of benchmarks/ and tools/ as modules, for tests that hold what they do."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def benchmark(name: str) -> ModuleType:
    """A script of benchmarks/."""
    return _script("benchmarks", name)


def tool(name: str) -> ModuleType:
    """A script of tools/."""
    return _script("tools", name)


def _script(folder: str, name: str) -> ModuleType:
    """A script, loaded by its path: other modules may have the same name."""
    path = Path(__file__).parents[1] / folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{folder}_{name}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


nights = benchmark("nights")
