"""Memory sorted into its four types: by form, in its owner's words, and back again to the byte."""

from __future__ import annotations

import pytest

from conftest import NOW, Make, memory_of, review
from reverie.errors import ReverieError
from reverie.features.classify import classify
from reverie.store.undo import undo

MEMORY = """# Me

## Preferences
- Tea without milk, because milk makes me ill
  - oat is fine
## Feedback
- **Rule:** answers begin with the result; the reasons follow
- 📌 never call before nine
## Other
- https://example.org/manual
- [ ] order twine
- [x] oil the hinge
- the barge is called Otter
- Decision: fixed in 4f2a9c1 by PR #12
"""


def test_form_sorts_and_what_it_cannot_tell_stays(workspace: Make) -> None:
    layout = workspace(MEMORY)
    items = {item.place: item for item in classify(layout, NOW).items}
    assert [items[f"MEMORY.md:{n}"].kind for n in (4, 7, 8, 10, 11, 12, 13, 14)] == [
        "user",
        "feedback",
        "",
        "reference",
        "task",
        "",
        "",
        "",
    ]
    assert items["MEMORY.md:14"].why == "git tells it"
    assert memory_of(layout) == MEMORY


def test_what_is_sorted_stands_once_is_archived_and_comes_back(workspace: Make) -> None:
    layout = workspace(MEMORY, {"todos.md": "# Mine\n- [ ] sweep"})
    run = classify(layout, NOW, {"MEMORY.md:13": "project"}, apply=True).run
    after = memory_of(layout)
    assert "- [Tea without milk](memory/user/tea_without_milk.md) — because milk makes me ill\n" in after
    assert "[answers begin with the result](memory/feedback/" in after and "- 📌 never call before nine" in after
    assert (layout.root / "todos.md").read_text() == "# Mine\n- [ ] sweep\n\n## From memory\n\n- [ ] order twine\n"
    assert (layout.root / "memory/user/tea_without_milk.md").read_text() == (
        "---\nname: Tea without milk\ndescription: Tea without milk, because milk makes me ill\ntype: user\ncreated: 2026-03-31\n---\n\n"
        "## Rule / Fact\n- Tea without milk\n  - oat is fine\n\n## Why\n- because milk makes me ill\n\n## How to apply\n"
    )
    assert "memory/project/the_barge_is_called_otter.md" in after
    assert "Category: [classified]" in (layout.root / "dream-vault/ledger.md").read_text()
    assert classify(layout, NOW, apply=True).run is None
    assert review(layout, NOW).plan.done == ()

    undo(layout, NOW, run.id if run else "")
    assert (memory_of(layout), (layout.root / "todos.md").read_text()) == (MEMORY, "# Mine\n- [ ] sweep")
    assert not list((layout.root / "memory/user").glob("*.md"))


def test_what_hangs_under_a_task_goes_with_it(workspace: Make) -> None:
    layout = workspace("## Todo\n- [ ] Fix the roof\n  - ask Kern\n    - on Monday\n- [ ] sweep\n")
    classify(layout, NOW, apply=True)
    said = "- [ ] Fix the roof\n  - ask Kern\n    - on Monday\n- [ ] sweep\n"
    assert (layout.root / "todos.md").read_text() == f"## From memory\n\n{said}"


def test_the_owner_may_have_it_in_user_md_and_a_type_must_exist(workspace: Make) -> None:
    layout = workspace(MEMORY)
    classify(layout, NOW, apply=True, user_file=True)
    assert (
        layout.root / "USER.md"
    ).read_text() == "## About me\n\n- Tea without milk, because milk makes me ill\n  - oat is fine\n"
    with pytest.raises(ReverieError, match="no type"):
        classify(layout, NOW, {"MEMORY.md:4": "nonsense"})
