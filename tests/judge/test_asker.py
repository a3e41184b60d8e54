"""One night of questions: what is asked, what is not asked again, where it ends, and what each failure is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status
from reverie.core.ports import Model, ScriptedModel
from reverie.core.settings import Mind
from reverie.judge.asker import Asker, estimate_tokens

SCHEMA = {
    "type": "object",
    "properties": {"keep": {"type": "boolean"}},
    "required": ["keep"],
    "additionalProperties": False,
}
QUESTION = Ask("judge", "1-abc", "Judge it.", '<data>\n{"line": "Ada moved to Bern"}\n</data>\n', SCHEMA, 100)
YES = '{"keep": true}'


class Drawer:
    """Answers kept in a dict."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.records: list[Mapping[str, Any]] = []

    def get(self, key: str) -> str | None:
        return self.kept.get(key)

    def put(self, key: str, task: str, text: str) -> None:
        self.kept[key] = text

    def log(self, record: Mapping[str, Any]) -> None:
        self.records.append(record)


class Broken:
    """A provider that raises what it may not raise."""

    identity = "broken"

    def ask(self, ask: Ask, seconds: float) -> Reply:
        raise ZeroDivisionError("the secret of the owner")


class Patient:
    """A model that takes its time, by a clock that only it moves."""

    identity = "patient"

    def __init__(self, takes: float) -> None:
        self.now, self.takes, self.allowed = 0.0, takes, list[float]()

    def ask(self, ask: Ask, seconds: float) -> Reply:
        self.allowed.append(seconds)
        self.now += self.takes
        return Reply(YES)


def numbered(n: int) -> Ask:
    return replace(QUESTION, user=f"line {n}")


def asker(model: Model, drawer: Drawer | None = None, **settings: Any) -> Asker:
    return Asker(model, Mind(**settings), drawer or Drawer())


def test_an_answer_that_fits_is_given_and_counted() -> None:
    night = asker(ScriptedModel(YES))

    assert night.ask(QUESTION).value == {"keep": True}
    assert (night.use.model, night.use.calls, dict(night.use.statuses)) == ("scripted", 1, {"answered": 1})
    assert night.use.tokens_in > 0 and night.use.tokens_out > 0


def test_the_same_question_the_next_night_is_not_asked() -> None:
    drawer, tomorrow = Drawer(), ScriptedModel()
    asker(ScriptedModel(YES), drawer).ask(QUESTION)
    night = asker(tomorrow, drawer)

    assert night.ask(QUESTION).status is Status.CACHED and night.ask(QUESTION).value == {"keep": True}
    assert tomorrow.asked == [] and (night.use.calls, night.use.cached, night.use.tokens_in) == (0, 2, 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"version": "2-abc"},
        {"system": "Judge it well."},
        {"user": "another line"},
        {"task": "diary"},
        {"schema": {**SCHEMA, "title": "new"}},
    ],
)
def test_a_changed_question_is_asked_anew(changed: dict[str, Any]) -> None:
    model, drawer = ScriptedModel(YES, YES), Drawer()
    asker(model, drawer).ask(QUESTION)

    assert asker(model, drawer).ask(replace(QUESTION, **changed)).status is Status.ANSWERED


def test_another_model_is_asked_anew() -> None:
    drawer = Drawer()
    asker(ScriptedModel(YES), drawer).ask(QUESTION)

    assert asker(ScriptedModel(YES, identity="another"), drawer).ask(QUESTION).status is Status.ANSWERED


@pytest.mark.parametrize("damaged", ["", "{", '{"keep": 1}', "[]"])
def test_a_kept_answer_that_was_damaged_is_asked_anew(damaged: str) -> None:
    drawer = Drawer()
    asker(ScriptedModel(YES), drawer).ask(QUESTION)
    drawer.kept = dict.fromkeys(drawer.kept, damaged)

    assert asker(ScriptedModel(YES), drawer).ask(QUESTION).status is Status.ANSWERED


FAILURES = [
    (Status.SLOW, Status.SLOW),
    (Status.NO_MODEL, Status.NO_MODEL),
    (Status.RATE_LIMITED, Status.RATE_LIMITED),
    ("", Status.INVALID),
    ("Sure! " + YES, Status.INVALID),
    (YES + " I hope this helps.", Status.INVALID),
    ("true", Status.INVALID),
    ('{"keep": "yes"}', Status.INVALID),
    ('{"keep": true, "and": 1}', Status.INVALID),
    ('{"keep": false, "keep": true}', Status.INVALID),
    ('{"keep": NaN}', Status.INVALID),
    ("[" * 100_000, Status.INVALID),
    ('{"keep": true' + " " * 10_000_000 + "}", Status.INVALID),
    ('{"keep": tr', Status.TRUNCATED),
    ('{"keep": true, "why": "she mov', Status.TRUNCATED),
    ('```json\n{"keep": tr', Status.TRUNCATED),
    ("I can't help with that.", Status.REFUSED),
    ("I’m sorry, but I cannot judge private notes.", Status.REFUSED),
    ("抱歉，我无法处理这些内容。", Status.REFUSED),
    ("Das kann ich leider nicht tun.", Status.REFUSED),
    ("Lo siento, no puedo ayudar con eso.", Status.REFUSED),
    ("Je ne peux pas répondre à cette demande.", Status.REFUSED),
    ("Desculpe, não posso ajudar.", Status.REFUSED),
    ("К сожалению, я не могу помочь.", Status.REFUSED),
    ("申し訳ありませんが、お手伝いできません。", Status.REFUSED),
    ("죄송하지만 도와드릴 수 없습니다.", Status.REFUSED),
]


@pytest.mark.parametrize(
    ("said", "status"), FAILURES, ids=[f"{n}-{status.name}" for n, (_, status) in enumerate(FAILURES)]
)
def test_each_failure_has_its_name_and_no_value_and_is_not_kept(said: str | Status, status: Status) -> None:
    drawer = Drawer()
    answered = asker(ScriptedModel(said), drawer).ask(QUESTION)

    assert (answered.status, answered.value) == (status, None)
    assert answered.why and drawer.kept == {} and len(drawer.records) == 1


@pytest.mark.parametrize("said", [f" \n{YES}\n ", f"```json\n{YES}\n```", f"```\n{YES}\n```\n"])
def test_a_fence_and_white_space_are_forgiven(said: str) -> None:
    assert asker(ScriptedModel(said)).ask(QUESTION).status is Status.ANSWERED


def test_a_provider_that_breaks_costs_an_answer_and_tells_nothing() -> None:
    answered = asker(Broken()).ask(QUESTION)

    assert answered.status is Status.FAILED and "ZeroDivisionError" in answered.why
    assert "secret" not in answered.why


@pytest.mark.parametrize("said", [Status.NO_MODEL, Status.RATE_LIMITED])
def test_after_two_questions_in_vain_no_third_is_sent(said: Status) -> None:
    model = ScriptedModel(said, said, YES)
    night = asker(model)

    assert [night.ask(numbered(n)).status for n in range(4)] == [said] * 4
    assert len(model.asked) == 2


def test_one_question_in_vain_between_answers_ends_nothing() -> None:
    night = asker(ScriptedModel(Status.RATE_LIMITED, YES, Status.RATE_LIMITED, YES))

    assert [night.ask(numbered(n)).value is None for n in range(4)] == [True, False, True, False]


# Each cap alone: the settings, and how many of five questions are sent. A question here is 14 tokens at the most.
@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"max_calls": 3}, 3),
        ({"max_calls": 0}, 0),
        ({"max_tokens": 30}, 2),
        ({"max_tokens": 13}, 0),
        ({"max_seconds": 25.0}, 3),
        ({"max_cost": 0.000049, "price_in": 1.0, "price_out": 1.0}, 4),
        ({"max_cost": 0.0}, 5),
        ({}, 5),
    ],
)
def test_a_cap_ends_the_asking_and_says_so(settings: dict[str, Any], sent: int) -> None:
    model = Patient(takes=10)
    night = Asker(model, Mind(**settings), Drawer(), timer=lambda: model.now)

    statuses = [
        night.ask(replace(QUESTION, system="", user=f"question {n} of five", most_tokens=9)).status for n in range(5)
    ]
    assert statuses == [Status.ANSWERED] * sent + [Status.CAPPED] * (5 - sent)
    assert night.use.calls == sent == len(model.allowed)


def test_a_call_gets_no_more_time_than_the_night_has_left() -> None:
    model = Patient(takes=40)
    night = Asker(model, Mind(timeout=60, max_seconds=100), Drawer(), timer=lambda: model.now)
    for n in range(4):
        night.ask(numbered(n))

    assert model.allowed == [60, 60, 20] and night.use.seconds == 120


def test_behind_a_cap_kept_answers_are_still_given() -> None:
    drawer = Drawer()
    asker(ScriptedModel(YES), drawer).ask(QUESTION)
    night = asker(ScriptedModel(), drawer, max_calls=0)

    assert night.ask(numbered(1)).status is Status.CAPPED
    assert night.ask(QUESTION).status is Status.CACHED


def test_a_call_that_ran_out_of_time_may_have_written_all_it_was_allowed() -> None:
    night = asker(ScriptedModel(Status.SLOW), price_in=1.0, price_out=2.0)
    night.ask(QUESTION)

    assert night.use.tokens_out == QUESTION.most_tokens and night.use.cost > 0.0002


def test_what_it_would_cost_is_told_without_asking() -> None:
    drawer, model = Drawer(), ScriptedModel()
    asker(ScriptedModel(YES), drawer).ask(QUESTION)
    use = asker(model, drawer, max_calls=2, price_out=1.0).would_cost([QUESTION, *map(numbered, range(3)), numbered(0)])

    assert (use.calls, use.cached, use.tokens_out, use.cost) == (2, 2, 200, 0.0002)
    assert use.statuses == {"answered before": 2, "cap reached": 1} and model.asked == []


def test_the_log_has_the_data_and_the_answer_of_what_was_sent() -> None:
    drawer = Drawer()
    for _ in range(2):
        asker(ScriptedModel(YES), drawer).ask(QUESTION)

    sent, cached = drawer.records
    assert sent["data"] == {"line": "Ada moved to Bern"} and sent["answer"] == {"keep": True}
    assert (sent["version"], sent["model"], cached["status"]) == ("1-abc", "scripted", "answered before")
    assert "data" not in cached and cached["cost"] == 0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a line", 2), ("abcd" * 5, 5), ("长期记忆", 4), ("하루", 2), ("память", 3), ("über uns", 2)],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


answers = st.one_of(
    st.text(),
    st.text(alphabet='{}[]":,\\ `ntrue1eE+-.json\n\ud800'),
    st.builds(lambda text, end: text[:end], st.just('{"keep": true, "why": "\\u4e2d[{"}'), st.integers(0, 40)),
    st.sampled_from(list(Status)),
)


@given(answers)
def test_whatever_a_model_says_the_night_goes_on(said: str | Status) -> None:
    answered = asker(ScriptedModel(said)).ask(QUESTION)

    assert (answered.value is None) or (answered.status is Status.ANSWERED and isinstance(answered.value["keep"], bool))


@given(
    st.one_of(st.none(), st.integers(), st.binary(), st.lists(st.text())),
    st.one_of(st.none(), st.text(), st.integers()),
)
def test_whatever_a_provider_hands_over_the_night_goes_on(text: Any, tokens: Any) -> None:
    class Strange:
        identity = "strange"

        def ask(self, ask: Ask, seconds: float) -> Reply:
            return Reply(text, tokens, tokens)

    assert asker(Strange()).ask(QUESTION).value is None


def test_a_trouble_tells_its_own_words() -> None:
    def declines(ask: Ask) -> str:
        raise ModelTrouble(Status.NO_MODEL, "No key is set.")

    said: Callable[[Ask], str] = declines
    assert asker(ScriptedModel(said)).ask(QUESTION).why == "No key is set."
