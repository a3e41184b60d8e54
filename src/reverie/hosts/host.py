"""A host: what we know of a program that agents work in, as a value, and what it must be told of us. Nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """A value for the keys of a JSON file; with `append`, a new item of the array there."""

    path: tuple[str, ...]
    value: Any
    append: bool = False


@dataclass(frozen=True, slots=True)
class JsonLines:
    """Lines for a settings file of the host's, which may not be there yet."""

    path: Path
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is ours alone, so nobody's may stand there."""

    path: Path
    text: str


Addition = JsonLines | NewFile


@dataclass(frozen=True, slots=True)
class Setup:
    """For whom a host is set up: the owner's environment, our program, their memory, and one project where it is for that alone."""

    environ: Mapping[str, str]
    program: str
    workspace: Path
    project: Path | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """One host. A new one is a file beside this with such a value, and its name in `integration.HOSTS`."""

    name: str
    program: str  # what its owner types
    folder: Callable[[Mapping[str, str]], Path]  # where it keeps its own, on a machine that has it
    additions: Callable[[Setup], tuple[Addition, ...]]  # how it starts us, and how its agent knows what to do
    yours: Callable[[Setup], tuple[str, ...]]  # commands that are left to the owner
    in_projects: bool = False  # whether it can be set up for one project alone
