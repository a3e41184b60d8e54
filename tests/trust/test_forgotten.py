"""What is forgotten for ever does not come back: in other letters, other words, other files, or by another hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import NIGHT, Build, tree
from tests.wishes import Wishing, add

from reverie.core.errors import BadInput, RefusedSuggestion
from reverie.core.ports import FixedClock, fixed
from reverie.evidence.embedders import StaticEmbedder
from reverie.features.forget.forget import forget
from reverie.features.note import note
from reverie.features.search import ask
from reverie.features.sessions import begin, end
from reverie.features.why_not import why_not
from reverie.judge.forgotten import Recognised, from_records, recognised, tombstone
from reverie.night.commands import undo, why
from reverie.night.night import review
from reverie.night.suggesting import accept, suggestions
from reverie.plan.show import as_diff
from reverie.text.lookalikes import unmasked
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
FACT = "The mooring of the Swallow at Falmouth costs 48 euro a week"
AGAIN = [
    f"Correction: {FACT}",
    "".join(f"{char}\u200b" for char in FACT),
    FACT.replace("o", "\u043e").replace("a", "\u0430"),
    FACT.replace("48", "\uff14\uff18"),
    "At Falmouth the Swallow's mooring costs 48 EUR per week",
    "The mooring of the Swallow at Falmouth costs forty-eight euros a week",
    "Weekly cost of the Swallow's mooring at Falmouth: €48",
]
OTHERS = [
    "The mooring of the Swallow at Falmouth costs 53 euro a week",
    "The Swallow needs new ropes before May",
    "A new sail for the dinghy costs 480 euro",
    "Falmouth has a market on Saturday",
]


@pytest.mark.parametrize("text", AGAIN)
def test_the_same_fact_is_known_in_whatever_letters_and_words(text: str) -> None:
    assert recognised(text, (tombstone(FACT, whole=True),))[0] is Recognised.SAME


@pytest.mark.parametrize("text", OTHERS)
def test_another_fact_about_the_same_things_is_not_the_forgotten_one(text: str) -> None:
    assert recognised(text, (tombstone(FACT, whole=True),))[0] is not Recognised.SAME


def test_what_looks_alike_is_spelt_alike_and_scripts_stay_themselves() -> None:
    assert unmasked("\u0420\u0430y\u0440al \u200bcosts \uff15") == "Paypal costs 5"
    assert unmasked("Брат Павла") == "Брат Павла"
    assert unmasked("が ぱ é") == "が ぱ é"


def test_tombstones_of_older_versions_are_read_and_hold() -> None:
    old = {"id": "1", "at": "2026-01-01", "hash": "x", "forever": True, "negated": False}
    new = tombstone(FACT)
    (stone,) = from_records([old | {"words": sorted(new.words), "values": [sorted(one)[0] for one in new.values]}])

    assert stone.covers(f"Correction: {FACT}")


@pytest.fixture
def harbour(build: Build) -> Workspace:
    """A memory that a night has told of, with the fact in a note, the log, the diary and an open suggestion."""
    workspace = build(
        {
            "MEMORY.md": f"# Ada\n\n## Boat\n\n- {FACT}\n- keeps bees\n",
            "memory/2026-11-12.md": f"# Day\n\n- {FACT}\n- rain\n",
            "memory/dream-log-2026-11-13.md": f"# Log\n\n- added: {FACT}\n- added: keeps bees\n",
            "DREAMS.md": f"It rained. {FACT}. Then it was quiet.\n",
            "dream-vault/meta/suggestions.json": json.dumps(
                [{"id": "11111111", "op": "add", "why": "w", "text": FACT}]
            ),
            "dream-vault/meta/questions.json": json.dumps([{"id": "2", "first": FACT, "second": "other"}]),
        }
    )
    return replace(workspace, embedder=StaticEmbedder(Path(workspace.root.parent)))


Night = Callable[[str], str]


@pytest.fixture
def dreams(harbour: Workspace) -> Iterator[Night]:
    """Says something in the note of the next day and lets a judge who wants every line dream; returns MEMORY.md."""
    number = iter(range(1, 100))

    def night(text: str) -> str:
        day = CLOCK.now() + timedelta(days=next(number))
        (harbour.root / f"memory/{day - timedelta(days=1):%Y-%m-%d}.md").write_text(f"# Day\n\n- {text}\n")
        judge = Wishing(lambda brief: [replace(add(one.claim.text), cites=(one.claim,)) for one in brief.notes])
        review(harbour, FixedClock(day), judge=judge)
        return (harbour.root / "MEMORY.md").read_text()

    yield night


def everything(workspace: Workspace) -> str:
    """All that anybody would read; runs keep what undo needs and are shown without it."""
    told = [path for path in workspace.root.rglob("*") if path.is_file() and ".dreams" not in path.parts]
    return "\n".join(path.read_text(errors="replace") for path in told)


def test_it_leaves_everything_that_was_told_of_it_in_one_run_and_undo_brings_it_all_back(harbour: Workspace) -> None:
    before = tree(harbour.root)
    forget(harbour, CLOCK, "mooring of the Swallow", forever=True)

    assert "mooring" not in everything(harbour) and "keeps bees" in everything(harbour)
    undo(harbour, CLOCK)
    after = tree(harbour.root)
    assert {path: data for path, data in after.items() if ".dreams" not in path} == {
        path: data for path, data in before.items() if ".dreams" not in path
    }


def test_no_wording_of_it_is_promoted_found_or_told(harbour: Workspace, dreams: Night) -> None:
    forget(harbour, CLOCK, "mooring of the Swallow", forever=True)

    for text in AGAIN:
        assert "ooring" not in unmasked(dreams(text))
    assert "dinghy" in dreams("A new sail for the dinghy costs 480 euro")
    found = ask(harbour, harbour.embedder, CLOCK, "what does the mooring of the Swallow at Falmouth cost?")
    assert [hit.claim.text for hit in found.hits if "ooring" in unmasked(hit.claim.text)] == []
    pages = begin(harbour, FixedClock(CLOCK.now() + timedelta(days=len(AGAIN)))).pages
    assert not any("ooring" in unmasked(page.text) for page in pages)


@pytest.mark.parametrize("days", [40, 400])
def test_neither_a_new_index_nor_a_year_brings_it_back(harbour: Workspace, days: int) -> None:
    forget(harbour, CLOCK, "mooring of the Swallow", forever=True)
    later = CLOCK.now() + timedelta(days=days)
    (harbour.root / f"memory/{later - timedelta(days=1):%Y-%m-%d}.md").write_text(
        f"- {FACT}\n- The Swallow needs paint\n"
    )
    shutil.rmtree(harbour.root / "memory/.dreams/cache", ignore_errors=True)
    wants_all = Wishing(lambda brief: [replace(add(one.claim.text), cites=(one.claim,)) for one in brief.notes])

    review(harbour, FixedClock(later), judge=wants_all)

    assert "needs paint" in (harbour.root / "MEMORY.md").read_text()
    assert "mooring" not in (harbour.root / "MEMORY.md").read_text()


def test_what_is_only_near_is_asked_and_only_the_owner_may_say_yes(harbour: Workspace, dreams: Night) -> None:
    forget(harbour, CLOCK, "mooring of the Swallow", forever=True)
    near = "The mooring of the Swallow at Falmouth does not cost 48 euro a week"

    assert near not in dreams(near)
    (card,) = suggestions(harbour, CLOCK)
    assert (card.text, card.why.split(":")[0]) == (near, "near something that was to be forgotten (2026-11-15)")
    with pytest.raises(RefusedSuggestion):
        accept(harbour, CLOCK, card.id, "agent")
    accept(harbour, CLOCK, card.id)
    assert near in (harbour.root / "MEMORY.md").read_text()


def test_a_note_of_it_is_refused_and_the_owner_may_want_it_again(harbour: Workspace) -> None:
    forget(harbour, CLOCK, "mooring of the Swallow", forever=True)

    with pytest.raises(BadInput, match="forgotten for ever on 2026-11-15"):
        note(harbour, CLOCK, AGAIN[4])
    with pytest.raises(BadInput):
        end(harbour, CLOCK, f"- {AGAIN[5]}")
    assert "ooring" not in everything(harbour)
    note(harbour, CLOCK, f"I decided: {FACT}", again=True)
    assert FACT in everything(harbour) and note(harbour, CLOCK, FACT).run


def test_why_not_says_one_thing_and_old_runs_do_not_show_it(harbour: Workspace) -> None:
    forget(harbour, CLOCK, "mooring of the Swallow", forever=True)

    (reason,) = why_not(harbour, CLOCK, AGAIN[4])
    assert reason.detail.startswith("it was forgotten for ever on 2026-11-15")
    snapshot, (run,) = read_workspace(harbour), _runs(harbour)
    assert "mooring" not in "\n".join(
        text for _, text in as_diff(snapshot, run.plan, everything=True) if "dream-log" not in text
    )
    assert "mooring" not in str(why(harbour, "mooring of the Swallow").chapters)


def test_why_not_says_what_is_kept_of_what_was_forgotten(harbour: Workspace) -> None:
    forget(harbour, CLOCK, "mooring of the Swallow")

    (reason,) = why_not(harbour, CLOCK, FACT)
    assert reason.detail.startswith("it was forgotten on 2026-11-15") and "removed-entries.json" in reason.detail
    assert "ooring" in (harbour.vault / "meta/removed-entries.json").read_text("utf-8")


def _runs(workspace: Workspace):  # type: ignore[no-untyped-def]
    from reverie.apply.runs import runs

    return runs(workspace)


def test_lines_elsewhere_that_say_the_same_are_shown_with_an_id(harbour: Workspace) -> None:
    (harbour.root / "memory/2026-11-10.md").write_text(f"# Day\n\n- {AGAIN[4]}\n- {OTHERS[3]}\n")

    gone = forget(harbour, CLOCK, "MEMORY.md:5", forever=True)
    assert ("memory/2026-11-10.md", AGAIN[4]) in [(one.path, one.text) for one in gone.near]
    assert OTHERS[3] not in [one.text for one in gone.near]
