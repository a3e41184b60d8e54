"""What is remembered can be followed back to what was said, goes when that goes, and can be built from it again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from remembering import Memory, holding

GLAZE, TIDE = "ZQ-7741-KV", "MW-2083-TL"
SAID = (
    f"Decision: the celadon glaze is recipe {GLAZE} from now on",
    f"Decision: the tide table of Porto is number {TIDE} from now on",
)


@pytest.fixture
def ada(tmp_path: Path) -> Memory:
    """A night has brought two statements of a note into MEMORY.md."""
    ada = Memory(tmp_path / "ada")
    ada.write("MEMORY.md", "# Ada", "", "## Facts", "- Ada keeps bees")
    ada.noted(*SAID)
    ada.eager_night()
    assert GLAZE in ada.text and TIDE in ada.text
    return ada


def test_04_every_claim_that_reaches_a_prompt_leads_to_a_line_that_says_it(ada: Memory) -> None:
    facts = ada.told("recall", "which recipe is the celadon glaze, and the tide table?")["facts"]
    lines = [line for line in ada.text.split("\n") if "dream:" in line]

    assert facts and len(lines) == 2
    for fact in facts:
        path, _, number = fact["place"].partition(":")
        assert fact["text"].removeprefix(f"{fact['day']}: ") in ada.files()[path].split("\n")[int(number) - 1]
    for line in lines:
        (story,) = ada.told("why", line.partition("dream:")[2][:8])["chapters"]
        for path, _, number in (source.partition(":") for source in story["sources"]):
            assert line[2:].split(" <")[0] in ada.files()[path].split("\n")[int(number) - 1]


def _derived(ada: Memory, copy: Path) -> dict[str, str]:
    """Everything that was made of the notes, by kind."""
    seen = "\n".join(ada.found("which recipe is the celadon glaze")), "\n".join(ada.found("the tide table of Porto"))
    files = ada.files()
    pages = {kind: "".join(text for path, text in files.items() if path.startswith(start)) for kind, start in PAGES}
    return pages | {
        "search": "\n".join(seen),
        "recall": ada.recalled("which recipe is the celadon glaze?") + ada.recalled("which number has the tide table?"),
        "other host": copy.read_text("utf-8"),
    }


PAGES = (
    ("memory", "MEMORY.md"),
    ("diary", "DREAMS.md"),
    ("dream log", "memory/dream-log-"),
    ("palace", "memory/palace/"),
    ("runs", "memory/.dreams/runs/"),
)


def test_05_what_is_deleted_at_its_source_leaves_everything_made_of_it(ada: Memory) -> None:
    ada.dream("palace", "--rebuild")
    copy = ada.shared()
    before = _derived(ada, copy)

    ada.dream("forget", "the celadon glaze recipe", "--purge", "--yes")
    after = _derived(ada, copy)

    assert holding(GLAZE, before) == holding(TIDE, before) == list(before)
    assert (holding(GLAZE, after), holding(TIDE, after)) == ([], list(after))


def test_06_what_is_derived_can_be_thrown_away_and_built_again(ada: Memory, tmp_path: Path) -> None:
    kept = [path for path in ada.files() if path.endswith(".md") and "/" not in path.removeprefix("memory/")]
    again = Memory(tmp_path / "again", ada.today)
    for path in kept:
        again.write(path, ada.files()[path])
    shutil.rmtree(ada.root / "memory" / ".dreams")

    for memory in (ada, again):
        memory.dream("reindex", "--force")
        assert GLAZE in memory.recalled("which recipe is the celadon glaze?")
        assert TIDE in str(memory.found("tide table of Porto"))
