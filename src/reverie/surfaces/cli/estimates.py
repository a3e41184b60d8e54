"""What a night would cost at most, told before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reverie.core.model_calls import Use, use_as_dict
from reverie.core.ports import Clock
from reverie.night.expected_cost import Expected, expected_cost
from reverie.plan.receipt import AGENT
from reverie.workspace.values import Workspace


def estimated(workspace: Workspace, clock: Clock) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    found = expected_cost(workspace, clock)
    value = {
        "workspace": str(workspace.root),
        "estimate": use_as_dict(found.use) if found.use else None,
        "answered": found.use.cached if found.use else 0,
        "cap": found.cap or None,
        "left_to_rules": found.capped,
        "calls_if_slow": found.slow or None,
        "exam_calls": found.exam,
    }
    prices = bool(workspace.settings.model.price_in or workspace.settings.model.price_out)
    return value, list(_lines(found, prices=prices))


def _lines(found: Expected, *, prices: bool) -> Iterator[tuple[str, str]]:
    if found.use is None:
        yield "plain", "There is no model: the rules decide alone, and a night costs nothing."
        return
    if found.use.model == AGENT:
        yield "plain", "The host agent judges: a night calls nobody and costs nothing."
        yield "plain", "`dream brief` prints what waits for it."
        return
    yield "path", f"A night would ask the model {found.use.model}. Nobody was called now."
    yield from _most(found.use, prices=prices)
    if found.exam:
        yield "plain", f"Of these calls {found.exam:,} are its exam: once, before its first night."
    if found.cap:
        yield "cut", f"A cap would end the asking: {found.cap}. Questions left to the rules: {found.capped}."
    if found.slow:
        yield (
            "why",
            f"If every answer takes all the time it may, model.max_seconds ends the asking after {found.slow} calls.",
        )


def _most(use: Use, *, prices: bool) -> Iterator[tuple[str, str]]:
    yield "plain", f"Calls: at most {use.calls:,}; answered already: {use.cached:,}, which costs nothing."
    yield "plain", f"Tokens: at most {use.tokens_in:,} sent and {use.tokens_out:,} received."
    money = f"at most {use.cost:.4f}" if prices else "not known; set model.price_in and model.price_out"
    yield "plain", f"Money: {money}. Seconds: at most {use.seconds:,.0f}."
