"""Everything that can go wrong and that we foresaw, with its exit code.

    ReverieError                 1   never raised itself
    ├── StalePlan                3   the owner's bytes moved on; plan again
    ├── RefusedPlan              4   a promise would be broken
    │   └── OverBudget           5   what may not be cut is larger than the limit
    ├── Busy                     6   another dream holds the workspace
    ├── BadSettings              7   a settings file says something we do not know
    ├── NoWorkspace              8   there is no folder to dream in
    ├── RefusedFile              9   a link, a device, a pipe where a file should be
    ├── UnknownRun              10   no such run, or nothing to undo
    ├── UndoCollision           11   later changes stand where the undo would write
    ├── BadPlanFile             12   the saved plan cannot be read
    ├── WriteFailed             13   the disk said no; nothing, or all of it, was written
    ├── BadInput                14   a flag or an answer that makes no sense
    ├── SomeFailed              15   with --all: one workspace failed, the others were done
    ├── Unwell                  16   `dream doctor` found something that needs mending
    ├── RefusedSuggestion       17   a suggestion does not fit any more, or a check does not let it through
    └── Sealed                  18   archive and runs are sealed, and the key is not at hand; nothing was read or written

Exit code 0 is success and 2 is click's own for a wrong command line. A class owns its code and the name of its
sentence (`[say.errors]` of a language file); a message names the file (and line) and the next step. Surfaces catch these
to show them; nobody else catches them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _named(name: str, /, **values: Any) -> str:
    """Until the languages are there, an error is told by the name of its sentence."""
    return f"{name} {values}"


# The names by which a refusal tells which promise it keeps (`plan/promises.py`): ours, and never taken for a secret.
PROMISE_NAMES = (
    "protected_lines_stay", "what_leaves_is_archived", "the_archive_only_grows", "sources_stay_as_they_are",
    "every_new_line_has_a_source", "nothing_secret_enters", "memory_is_within_its_limits", "the_owners_bytes_win",
    "the_second_dream_changes_nothing", "every_run_can_be_undone", "own_output_is_never_evidence", "only_paths_of_the_layout",
)  # fmt: skip
sentence: Callable[..., str] = _named  # `lang/messages.py` puts its `say` here: this floor imports nothing of ours


class ReverieError(Exception):
    exit_code = 1


class StalePlan(ReverieError):
    exit_code = 3

    def __init__(self, path: str) -> None:
        super().__init__(sentence("errors.stale", path=path))
        self.path = path


class RefusedPlan(ReverieError):
    exit_code = 4

    def __init__(self, promise: str, because: str) -> None:
        super().__init__(sentence("errors.promise", promise=promise, because=because))
        self.promise = promise


class OverBudget(RefusedPlan):
    exit_code = 5


class Busy(ReverieError):
    exit_code = 6

    def __init__(self, holder: str) -> None:
        super().__init__(sentence("errors.busy", holder=holder))
        self.holder = holder


class BadSettings(ReverieError):
    exit_code = 7


class NoWorkspace(ReverieError):
    exit_code = 8


class RefusedFile(ReverieError):
    exit_code = 9


class UnknownRun(ReverieError):
    exit_code = 10


class UndoCollision(ReverieError):
    exit_code = 11

    def __init__(self, path: str, line: str) -> None:
        super().__init__(sentence("errors.collision", path=path, line=line))


class BadPlanFile(ReverieError):
    exit_code = 12


class WriteFailed(ReverieError):
    exit_code = 13


class BadInput(ReverieError):
    exit_code = 14


class SomeFailed(ReverieError):
    exit_code = 15


class Unwell(ReverieError):
    exit_code = 16


class RefusedSuggestion(ReverieError):
    exit_code = 17

    def __init__(self, its_id: str, because: str) -> None:
        super().__init__(sentence("errors.suggestion", id=its_id, because=because))
        self.id, self.because = its_id, because


class Sealed(ReverieError):
    exit_code = 18
