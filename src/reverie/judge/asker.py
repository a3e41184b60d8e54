"""The one who asks a model: within the owner's caps, never twice the same, and whatever happens, with a status and a receipt.

Answers are kept by their question (model, prompt version, instructions, data), so that unchanged input costs nothing. What
comes back is parsed and checked against the schema of its prompt; what it means is for others to check.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from functools import cache
from hashlib import sha256
from math import ceil
from typing import Any, Protocol

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status, Use, counted
from reverie.core.ports import Model
from reverie.core.settings import Mind
from reverie.judge.prompts import Parsed, data_in, fits, value_in
from reverie.lang.messages import say

_MILLION = 1_000_000


@cache
def _dense() -> re.Pattern[str]:
    return re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0003ffff]")  # and emoji


@cache
def _middle() -> re.Pattern[str]:
    return re.compile(r"[\u0370-\u10ff\u1200-\u1fff]")


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is, where nobody has counted them: a rule of thumb, not a tokeniser.

    Latin letters, digits and signs: four to a token. Cyrillic, Greek and other alphabets: two and a half. Chinese,
    Japanese, Korean and emoji: a token each.
    """
    if text.isascii():
        return ceil(len(text) / 4)
    dense, middle = len(_dense().findall(text)), len(_middle().findall(text))
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

    def since(self, before: Spent) -> Spent:
        pairs = zip(astuple(self), astuple(before), strict=True)
        return Spent(*(now - then for now, then in pairs))


def price(settings: Mind, tokens_in: int, tokens_out: int) -> float:
    return (tokens_in * settings.price_in + tokens_out * settings.price_out) / _MILLION


def cap_reached(settings: Mind, spent: Spent, tokens_in: int, tokens_out: int) -> str:
    """Which cap forbids one more call of this size, as a clause for people; empty if none does."""
    if spent.calls >= settings.max_calls:
        return say("answer.cap_calls", most=settings.max_calls)
    if spent.tokens_in + spent.tokens_out + tokens_in + tokens_out > settings.max_tokens:
        return say("answer.cap_tokens", most=settings.max_tokens)
    if spent.seconds >= settings.max_seconds:
        return say("answer.cap_seconds", most=f"{settings.max_seconds:g}")
    cost = price(settings, spent.tokens_in + tokens_in, spent.tokens_out + tokens_out)
    if cost > settings.max_cost:  # without prices it is nought
        return say("answer.cap_cost", most=f"{settings.max_cost:g}")
    return ""


_IN_VAIN = frozenset({Status.NO_MODEL, Status.RATE_LIMITED})  # nothing was answered, and nothing will be for a while
_ALL_WRITTEN = frozenset({Status.SLOW, Status.TRUNCATED})  # it may have written as much as it was allowed to
_PATIENCE = 2  # questions in vain, one after the other


class Answers(Protocol):
    """Where answers are kept between nights, and what was asked is written down."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, task: str, text: str) -> None: ...

    def log(self, record: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came of one question. Without a value the rules decide."""

    value: Any  # the parsed answer, which fits its schema; None if there is none
    status: Status
    why: str = ""  # a sentence for people


class Asker:
    """Asks one model for one night. Never raises for anything that a model or a network does."""

    def __init__(
        self, model: Model, settings: Mind, answers: Answers, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._model, self._settings, self._answers, self._timer = model, settings, answers, timer
        self._spent = Spent()
        self._statuses: list[Status] = []
        self._in_vain = 0
        self._ended: ModelAnswer | None = None  # what every further question gets that was not answered before

    def ask(self, ask: Ask) -> ModelAnswer:
        """The answer that was kept, else the model's within the caps, else the status that says why there is none."""
        key = self.key_of(ask)
        answered = self._kept(key, ask) or self._ended or self._forbidden(ask)
        if answered is None:
            answered = self._called(key, ask)
        else:
            self._log(key, ask, answered)
        self._statuses.append(answered.status)
        return answered

    def would_cost(self, asks: list[Ask]) -> Use:
        """What these questions would cost at most, without asking: calls that are not kept, tokens, money."""
        spent, statuses, seen = replace(self._spent), list[Status](), set[str]()
        for ask in asks:
            key, tokens = self.key_of(ask), _prompt_tokens(ask)
            if key in seen or self._kept(key, ask):
                statuses.append(Status.CACHED)
            elif Status.CAPPED in statuses or cap_reached(self._settings, spent, tokens, ask.most_tokens):
                statuses.append(Status.CAPPED)
            else:
                seen.add(key)
                spent.add(
                    tokens, ask.most_tokens, min(self._settings.timeout, self._settings.max_seconds - spent.seconds)
                )
        return self._receipt(spent.since(self._spent), statuses)

    def beside(self, model: Model) -> Asker:
        """Another model for the same night: within the same caps, on the same receipt."""
        other = Asker(model, self._settings, self._answers, timer=self._timer)
        other._spent, other._statuses = self._spent, self._statuses
        return other

    @property
    def use(self) -> Use:
        """The receipt so far."""
        return self._receipt(self._spent, self._statuses)

    def _receipt(self, spent: Spent, statuses: list[Status]) -> Use:
        return Use(
            self._model.identity, spent.calls, statuses.count(Status.CACHED), spent.tokens_in, spent.tokens_out,
            spent.seconds, price(self._settings, spent.tokens_in, spent.tokens_out), counted(statuses),
        )  # fmt: skip

    def _kept(self, key: str, ask: Ask) -> ModelAnswer | None:
        text = self._answers.get(key)
        if text is None:
            return None
        parsed = value_in(text)  # the file may have been damaged since
        if parsed.trouble or fits(parsed.value, ask.least or ask.schema):
            return None
        return ModelAnswer(parsed.value, Status.CACHED)

    def _forbidden(self, ask: Ask) -> ModelAnswer | None:
        why = cap_reached(self._settings, self._spent, _prompt_tokens(ask), ask.most_tokens)
        if why:
            self._ended = ModelAnswer(None, Status.CAPPED, why)
        return self._ended

    def _called(self, key: str, ask: Ask) -> ModelAnswer:
        settings, started = self._settings, self._timer()
        reply, text = Reply(""), ""
        try:
            reply = self._model.ask(ask, min(settings.timeout, settings.max_seconds - self._spent.seconds))
            answered = _checked(value_in(reply.text), ask)
            text = reply.text
        except ModelTrouble as trouble:
            answered = ModelAnswer(None, trouble.status, str(trouble))
        except Exception as error:  # noqa: BLE001  a provider's fault must cost an answer, never the night
            answered = ModelAnswer(None, Status.FAILED, say("answer.raised", error=type(error).__name__))
        taken = max(0.0, self._timer() - started)
        tokens_in, tokens_out = _tokens(ask, reply, text, answered.status)
        self._spent.add(tokens_in, tokens_out, taken)
        self._in_vain = self._in_vain + 1 if answered.status in _IN_VAIN else 0
        if self._in_vain >= _PATIENCE:
            self._ended = answered
        if answered.status is Status.ANSWERED:
            self._answers.put(key, ask.task, json.dumps(answered.value, ensure_ascii=False))
        self._log(key, ask, answered, tokens_in, tokens_out, taken, text)
        return answered

    def _log(
        self, key: str, ask: Ask, answered: ModelAnswer, tokens_in: int = 0, tokens_out: int = 0, seconds: float = 0.0, text: str = ""
    ) -> None:  # fmt: skip
        record: dict[str, Any] = {
            "question": key[:16], "task": ask.task, "version": ask.version, "model": self._model.identity,
            "status": str(answered.status), "why": answered.why, "tokens_in": tokens_in, "tokens_out": tokens_out,
            "seconds": round(seconds, 3), "cost": round(price(self._settings, tokens_in, tokens_out), 6),
        }  # fmt: skip
        if tokens_in or text:  # what was not sent stands in the record of the night that sent it
            record |= {"data": data_in(ask.user), "answer": text if answered.value is None else answered.value}
        self._answers.log(record)

    def key_of(self, ask: Ask) -> str:
        """The name of a question: the same for the same model, prompt and data, whenever it is asked."""
        parts = [self._model.identity, ask.task, ask.version, ask.system, ask.user, ask.schema]
        return sha256(json.dumps(parts, sort_keys=True, default=dict).encode()).hexdigest()


def _checked(parsed: Parsed, ask: Ask) -> ModelAnswer:
    if parsed.trouble:
        return ModelAnswer(None, parsed.trouble, parsed.why)
    wrong = fits(parsed.value, ask.least or ask.schema)
    return ModelAnswer(None, Status.INVALID, wrong) if wrong else ModelAnswer(parsed.value, Status.ANSWERED)


def _prompt_tokens(ask: Ask) -> int:
    return estimate_tokens(ask.system) + estimate_tokens(ask.user)


def _tokens(ask: Ask, reply: Reply, text: str, status: Status) -> tuple[int, int]:
    """What the provider counted, else what it must have been at most: a cap had better end too early."""
    if status in _IN_VAIN:
        return 0, 0
    written = ask.most_tokens if status in _ALL_WRITTEN and not text else estimate_tokens(text)
    return _counted(reply.tokens_in, _prompt_tokens(ask)), _counted(reply.tokens_out, written)


def _counted(told: object, otherwise: int) -> int:
    return told if isinstance(told, int) and not isinstance(told, bool) and told > 0 else otherwise
