"""What two published builds of OpenClaw answer, our functions answer too, under the profile of that build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import areas_of_numbers
import areas_of_recall
import areas_of_search
import areas_of_text
import pytest
from answering import ANSWERS, SKIPPED, same

from reverie.openclaw import backfill
from reverie.openclaw.score import OPENCLAW_2026_4, OPENCLAW_2026_9

AREAS = (areas_of_numbers, areas_of_text, areas_of_search, areas_of_recall)  # importing them fills the register
VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["vectors"]
PROFILES = {"2026.4.14": OPENCLAW_2026_4, "2026.9.6": OPENCLAW_2026_9}
# We tell the same reflection in words of our own.
THEIR_WORDS = "A stable rule or preference was stated explicitly, which suggests operating choices are being made legible instead of left implicit."


def cases() -> list[Any]:
    return [
        pytest.param(vector, version, expected, id=f"{vector['name']}-{version}")
        for vector in VECTORS
        if vector["area"] in ANSWERS
        for version, expected in by_version(vector).items()
    ]


def by_version(vector: dict[str, Any]) -> dict[str, Any]:
    """The expected answer for each build a vector speaks of."""
    expected, applies = vector["expected"], vector["applies"]
    if isinstance(expected, dict) and expected and set(expected) <= set(PROFILES):
        return expected
    if applies in ("all", "both"):
        return dict.fromkeys(PROFILES, expected)
    older = applies.startswith(("2026.4", "JSON", "file-lock"))
    return {"2026.4.14" if older else "2026.9.6": expected}


@pytest.mark.parametrize(("vector", "version", "expected"), cases())
def test_the_answer_is_the_peers(vector: dict[str, Any], version: str, expected: Any) -> None:
    found = ANSWERS[vector["area"]](vector["input"], PROFILES[version])

    if vector["area"] == "grounded":
        found["renderedMarkdown"] = found["renderedMarkdown"].replace(backfill.RULE_STATED, THEIR_WORDS)
    assert same(found, expected), f"{found!r} is not {expected!r}"


def test_every_area_is_answered_or_skipped_with_a_reason() -> None:
    areas = {vector["area"] for vector in VECTORS}

    assert areas == ANSWERS.keys() | SKIPPED.keys()
    assert not ANSWERS.keys() & SKIPPED.keys()
    assert sum(vector["area"] in ANSWERS for vector in VECTORS) == 217
