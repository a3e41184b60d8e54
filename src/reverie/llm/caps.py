"""What asking has cost so far, what it would cost next, and where the owner said that it ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from reverie.setting_groups import Mind

_MILLION = 1_000_000
_DENSE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0003ffff]")  # and emoji
_MIDDLE = re.compile(r"[\u0370-\u10ff\u1200-\u1fff]")


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is, where nobody has counted them: a rule of thumb, not a tokeniser.

    Latin letters, digits and signs: four to a token. Cyrillic, Greek and other alphabets: two and a half. Chinese,
    Japanese, Korean and emoji: a token each.
    """
    if text.isascii():
        return ceil(len(text) / 4)
    dense, middle = len(_DENSE.findall(text)), len(_MIDDLE.findall(text))
    return ceil(dense + middle / 2.5 + (len(text) - dense - middle) / 4)


@dataclass(slots=True)
class Spent:
    """The sum of the calls so far. Where a provider counted nothing, it holds estimates."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def add(self, tokens_in: int, tokens_out: int, seconds: float) -> None:
        self.calls += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.seconds += seconds


def price(settings: Mind, tokens_in: int, tokens_out: int) -> float:
    return (tokens_in * settings.price_in + tokens_out * settings.price_out) / _MILLION


def cap_reached(settings: Mind, spent: Spent, tokens_in: int, tokens_out: int) -> str:
    """Which cap forbids one more call of this size, as a clause for people; empty if none does."""
    if spent.calls >= settings.max_calls:
        return f"model.max_calls is {settings.max_calls}"
    if spent.tokens_in + spent.tokens_out + tokens_in + tokens_out > settings.max_tokens:
        return f"model.max_tokens is {settings.max_tokens}, and the next question could go beyond it"
    if spent.seconds >= settings.max_seconds:
        return f"model.max_seconds is {settings.max_seconds:g}"
    cost = price(settings, spent.tokens_in + tokens_in, spent.tokens_out + tokens_out)
    if cost > settings.max_cost:  # without prices it is nought
        return f"model.max_cost is {settings.max_cost:g}, and the next question could go beyond it"
    return ""
