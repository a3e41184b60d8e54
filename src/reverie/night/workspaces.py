"""All workspaces of this machine, and doing something to each of them: one that fails never stops the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from reverie.core.errors import ReverieError
from reverie.core.settings import Settings
from reverie.workspace.settings_files import FoundWorkspace
from reverie.workspace.settings_files import discover as _discover

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkspaceOutcome(Generic[T]):
    """What came of one workspace: a value, or a sentence about why there is none."""

    found: FoundWorkspace
    value: T | None = None
    error: str = ""
    kind: str = ""
    exit_code: int = 0

    @property
    def failed(self) -> bool:
        return bool(self.error)


def discover(environ: Mapping[str, str], settings: Settings) -> tuple[FoundWorkspace, ...]:
    """Every workspace: those of the owner's settings, OpenClaw's and its agents', Claude Code's, and those that `dream init`,
    `integrate` or `schedule install` were called for; each real folder once.

    A folder whose MEMORY.md is a projection of another memory is none: that one dreams for it.
    """
    found = _discover(environ, tuple(filter(None, (settings.workspace, *settings.workspaces))))
    given = {Path(one.path).expanduser().resolve() for one in settings.project}
    return tuple(one for one in found if one.root / "MEMORY.md" not in given)


def over_all(found: Sequence[FoundWorkspace], do: Callable[[FoundWorkspace], T]) -> list[WorkspaceOutcome[T]]:
    """Do it to each, in order. Whatever goes wrong with one is its outcome, and the next one's turn comes."""
    outcomes: list[WorkspaceOutcome[T]] = []
    for one in found:
        try:
            outcomes.append(WorkspaceOutcome(one, do(one)))
        except ReverieError as error:
            outcomes.append(WorkspaceOutcome(one, None, str(error), type(error).__name__, error.exit_code))
        except Exception as error:  # noqa: BLE001  a bug met in one folder must not cost the others their night
            said = f"{type(error).__name__}: {error}"
            outcomes.append(WorkspaceOutcome(one, None, said, type(error).__name__, ReverieError.exit_code))
    return outcomes


__all__ = ["FoundWorkspace", "WorkspaceOutcome", "discover", "over_all"]
