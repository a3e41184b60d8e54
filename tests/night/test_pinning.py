"""A pin is the owner's mark and nothing else: whatever would change more in its name is refused."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.core.errors import RefusedPlan
from reverie.core.ports import FixedClock
from reverie.night.commands import pin, seen_as
from reverie.plan.build import plan_of
from reverie.plan.promises import check_promises
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent

LINES = (
    "- green tea is for guests",
    "1. the tide was late",
    "- [ ] paint the harbour office",
    "  - below another",
    "茶在柜子里。",
)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("line", LINES)
def test_the_line_gains_a_pin_and_every_other_byte_stays(
    build: Build, clock: FixedClock, line: str, ending: str
) -> None:
    text = ending.join(("# Ada", "", "- first", "", line, "", "- last", ""))
    workspace = build({"MEMORY.md": text.encode()})

    pin(workspace, clock, 5, seen_as(line))

    now = (workspace.root / "MEMORY.md").read_bytes().decode()
    assert now.replace("📌 ", "") == text and now.count("📌") == 1 and "📌" in now.split(ending)[4]


@pytest.mark.parametrize("new", ["- 📌 green tea is for nobody\n", "- green tea\n", ""])
def test_nothing_leaves_in_the_name_of_a_pin(build: Build, clock: FixedClock, new: str) -> None:
    snapshot = read_workspace(build({"MEMORY.md": "# Ada\n\n- green tea is for guests\n"}))
    edit = Edit("0", "MEMORY.md", 2, ("- green tea is for guests\n",), (new,) if new else (), "pin", "you pinned it")

    with pytest.raises(RefusedPlan, match="what_leaves_is_archived"):
        check_promises(snapshot, plan_of(snapshot, Intent.PIN, [edit], clock.now()))
