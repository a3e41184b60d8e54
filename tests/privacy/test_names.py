"""A secret in the name of a file: the name is told with a mask, the file stays unread, and the rest of the night goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reverie.privacy.names import masked_path
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

SECRET = ("memory/2026-05-03-wifi-pw-Tulip77.md", "memory/wifi-pw-Tulip77/list.md", "memory/大门密码6073.md")
PLAIN = (
    "memory/2026-05-03.md", "memory/2026-05-03-1430-password-manager.md", "memory/2026-05-03-alarm-code-discussion.md",
    "memory/api-keys.md", "memory/1password-setup.md", "memory/0012-a-model-inside-the-gates.md", "memory/room-1204-keys.md",
    "memory/.dreams/runs/0007-2026-11-15/plan.json", "memory/key-results-q3-2026.md",
)  # fmt: skip


@pytest.mark.parametrize("path", SECRET)
def test_a_secret_in_a_name_is_masked(path: str) -> None:
    told = masked_path(path)

    assert "Tulip77" not in told and "6073" not in told and "⟦secret⟧" in told
    assert told.startswith("memory/") and told.endswith(".md")


@pytest.mark.parametrize("path", PLAIN)
def test_an_ordinary_name_stays_as_it_is(path: str) -> None:
    assert masked_path(path) == path


def test_such_a_file_stays_unread_and_its_neighbour_is_read(build: Callable[..., Workspace]) -> None:
    workspace = build(dict.fromkeys((*SECRET, "memory/2026-05-04.md"), "- The pump stands in the cellar.\n"))

    snapshot = read_workspace(workspace)

    assert list(snapshot.files) == ["memory/2026-05-04.md"]
    assert [one.why.split(",")[0] for one in snapshot.refused] == ["has a secret in its name"] * 3
    assert not any("Tulip" in one.path or "6073" in one.path for one in snapshot.refused)
