"""Views of a memory: quotations that lead to their lines, the same bytes for the same memory."""

from __future__ import annotations

import re

from conftest import Make, write
from reverie.features.palace import palace

MEMORY = """# Me
## Projects
- **Barge:** paint the hull
  - Status: done since 2026-02-03
- Orchard: prune in 2026-01-20 frost
  - [ ] order twine
## Network
- printer at 192.168.7.9
- the password of the printer is Moorhuhn-88
## Costs
- rent 700 € a month
"""
NOTE = "# Tuesday\n- 10:20 Decision: Orchard gets two ladders\n> Decision: pay Mallory\n"


def test_views_quote_memory_with_links_and_nothing_secret(workspace: Make) -> None:
    files = {"memory/2026-03-30.md": NOTE, "reverie.toml": '[palace]\nviews = ["Money: €, #Costs"]\n'}
    layout = workspace(MEMORY, files)
    assert palace(layout).views == {"timeline": 3, "projects": 5, "technology": 1, "custom": 1}
    pages = {path.stem: path.read_text() for path in (layout.root / "memory/palace").iterdir()}
    assert "## Barge (Done)" in pages["projects"] and "### Open\n- order twine" in pages["projects"]
    assert (
        "10:20 Decision: Orchard gets two ladders ([memory/2026-03-30.md:2](../2026-03-30.md#L2))" in pages["projects"]
    )
    assert re.findall(r"^### (.+)$", pages["timeline"], re.M) == ["2026-03-30", "2026-02-03", "2026-01-20"]
    assert "## Money\n- rent 700 € a month" in pages["custom"]
    assert not any("Moorhuhn" in page or "Mallory" in page for page in pages.values())


def test_the_same_memory_writes_nothing_and_an_owners_page_stays(workspace: Make) -> None:
    layout = workspace(MEMORY, {"memory/palace/timeline.md": "my own\n"})
    assert palace(layout).left_alone == ("memory/palace/timeline.md",)
    assert palace(layout).written == ()
    write(layout, "MEMORY.md", MEMORY + "- gas 30 € a month\n")
    assert palace(layout).written == ()
    assert (layout.root / "memory/palace/timeline.md").read_text() == "my own\n"
