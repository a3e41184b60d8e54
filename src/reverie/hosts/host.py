"""A host: what we know of a program that agents work in, as a value, and what it must be told of us. Nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARKDOWN, GEMINI_MD, CURSOR_RULE = (
    "agents-md",
    "gemini-md",
    "cursor",
)  # forms of a projection, as `[[project]]` names them


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
class TomlTable:
    """A table of a TOML file; with `array`, one more of its kind (`[[name]]`)."""

    path: Path
    name: tuple[str, ...]
    values: Mapping[str, Any]
    array: bool = False


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """A key below a top-level key of a YAML file."""

    path: Path
    section: str
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is ours alone, so nobody's may stand there."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Projection:
    """A file that this host's agents always read: every night writes there, in this form, what the memory says."""

    path: Path
    form: str


Addition = JsonLines | TomlTable | YamlEntry | NewFile | Projection


@dataclass(frozen=True, slots=True)
class Setup:
    """For whom a host is set up: the owner's environment, our program, their memory, and one project where it is for that alone."""

    environ: Mapping[str, str]
    program: str
    workspace: Path | None  # none: each project has a memory of its own, found where an agent works
    project: Path | None = None


def nothing(_: Setup) -> tuple[str, ...]:
    return ()


def none(_: Mapping[str, str]) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Host:
    """One host. A new one is a file beside this with such a value, and its name in `integration.HOSTS`."""

    name: str  # `dream integrate NAME`
    title: str  # as its makers call it
    program: str  # what its owner types
    folder: Callable[[Mapping[str, str]], Path]  # where it keeps its own, on a machine that has it
    additions: Callable[[Setup], tuple[Addition, ...]]  # how it starts us, and how its agent knows what to do
    yours: Callable[[Setup], tuple[str, ...]] = nothing  # commands that are left to the owner
    taken_back: Callable[[Mapping[str, str]], tuple[str, ...]] = none  # and those that take back what they did
    in_projects: bool = False  # whether it can be set up for one project alone
