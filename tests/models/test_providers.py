"""One suite for every provider: what a night may rely on, whoever answers, and on whatever day."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from misbehaving import KEY, LATER, MOODS, NO_SUCH_FIELD, PROGRAM_MOODS, TEXT, Moody, program, serving

from reverie.core.model_calls import Ask, Reply, Status
from reverie.core.ports import Model, ScriptedModel
from reverie.core.settings import Mind
from reverie.evidence.http import is_near
from reverie.judge.asker import Asker
from reverie.models.choose import chosen_model
from reverie.models.programs import CommandModel
from reverie.models.remote import strict

REMOTE = ("openai", "anthropic", "ollama")
VARIABLE = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "ollama": "OLLAMA_API_KEY"}
SCHEMA = MappingProxyType(
    {
        "type": "object",
        "properties": {"keep": {"type": "boolean"}, "why": {"type": "string", "maxLength": 40}},
        "required": ("keep", "why"),
        "additionalProperties": False,
    }
)
QUESTION = Ask(
    "judge", "1", "Judge what stands in the data.", '<data>\n{"line": "她对榛子过敏 🌰"}\n</data>\n', SCHEMA, 300
)
posix = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")


class Drawer:
    """Keeps no answer, and remembers what was written down."""

    def __init__(self) -> None:
        self.records: list[Mapping[str, Any]] = []

    def get(self, key: str) -> str | None:
        return None

    def put(self, key: str, task: str, text: str) -> None: ...

    def log(self, record: Mapping[str, Any]) -> None:
        self.records.append(record)


@pytest.fixture
def server(loopback: None) -> Iterator[Moody]:
    with serving() as running:
        yield running


def remote(kind: str, url: str, key: str = KEY) -> Model:
    base = f"{url}/v1" if kind == "openai" else url
    model = chosen_model(Mind(kind=kind, url=base, model="m"), {VARIABLE[kind]: key})
    assert model is not None
    return model


def outcome(model: Model, seconds: float = 5.0) -> tuple[Status, str]:
    """What a night makes of it, and everything that a person could be shown of it."""
    drawer = Drawer()
    answered = Asker(model, Mind(timeout=seconds), drawer).ask(QUESTION)
    return answered.status, answered.why + json.dumps(drawer.records[0].get("why", ""))


# What every provider promises


@pytest.fixture(params=["scripted", "command", *REMOTE])
def well(request: pytest.FixtureRequest) -> Model:
    if request.param == "scripted":
        return ScriptedModel(TEXT, TEXT)
    if request.param == "command":
        return CommandModel(program("well"))
    return remote(request.param, request.getfixturevalue("server").url)


def test_an_answer_comes_back_word_for_word_in_any_script(well: Model) -> None:
    reply = well.ask(QUESTION, 10)

    assert json.loads(reply.text) == json.loads(TEXT)
    assert "榛子" in reply.text


def test_its_identity_is_a_name_that_stays_and_holds_no_key(well: Model) -> None:
    before = well.identity
    well.ask(QUESTION, 10)

    assert well.identity == before != ""
    assert KEY not in before


@pytest.mark.parametrize("kind", REMOTE)
def test_a_server_counts_and_reads_the_question_as_it_was(server: Moody, kind: str) -> None:
    reply = remote(kind, server.url).ask(QUESTION, 5)

    ((_, _, body),) = server.asked
    assert (reply.tokens_in, reply.tokens_out) == (11, 7)
    assert QUESTION.user in [message["content"] for message in body["messages"]]
    assert '"maxLength": 40' in json.dumps(body)  # the schema, whatever it is called there


# On a bad day


@pytest.mark.parametrize(("kind", "mood"), [each for each in product(REMOTE, MOODS) if each not in NO_SUCH_FIELD])
def test_each_trouble_of_a_server_has_its_own_name_within_its_time(server: Moody, kind: str, mood: str) -> None:
    server.mood, server.elsewhere = mood, f"{server.url}/other"
    patience = 0.4 if MOODS[mood] is Status.SLOW else 5.0
    began = time.monotonic()

    status, shown = outcome(remote(kind, server.url), patience)

    assert status is MOODS[mood]
    assert shown and KEY not in shown and "welcome" not in shown
    assert time.monotonic() - began < 4


@posix
@pytest.mark.parametrize("mood", PROGRAM_MOODS)
def test_each_trouble_of_a_command_has_its_own_name_within_its_time(mood: str) -> None:
    began = time.monotonic()

    status, shown = outcome(CommandModel(program(mood)), 0.7 if MOODS[mood] is Status.SLOW else 10)

    assert (status, bool(shown)) == (MOODS[mood], True)
    assert time.monotonic() - began < LATER / 2


@pytest.mark.parametrize("status", [s for s in Status if s not in (Status.ANSWERED, Status.CACHED)])
def test_the_published_fake_can_have_every_trouble(status: Status) -> None:
    assert outcome(ScriptedModel(status))[0] is status


@pytest.mark.parametrize("kind", REMOTE)
def test_where_nobody_listens_there_is_no_model(loopback: None, kind: str) -> None:
    with serving() as gone:
        pass

    assert outcome(remote(kind, gone.url))[0] is Status.NO_MODEL


@pytest.mark.parametrize(
    "url", ["", "localhost", "file:///etc/hostname", "http://", "http://[::1", "http://a:b@c:d/v1"]
)
def test_what_is_no_address_is_no_model(loopback: None, url: str) -> None:
    model = chosen_model(Mind(kind="openai", url=url, model="m"), {"OPENAI_API_KEY": "" if not url else "k"})

    assert model is not None and outcome(model)[0] is Status.NO_MODEL


def test_a_sound_answer_of_the_wrong_type_is_taken(server: Moody) -> None:
    server.mood = "wrong type"

    assert outcome(remote("openai", server.url))[0] is Status.ANSWERED


@pytest.mark.parametrize("kind", REMOTE)
def test_the_key_goes_to_the_owners_server_and_nowhere_else(server: Moody, kind: str) -> None:
    with serving() as other:
        server.mood, server.elsewhere = "elsewhere", f"{other.url}/v1/messages"

        assert outcome(remote(kind, server.url))[0] is Status.NO_MODEL

    assert KEY in str(server.asked[0][1]) and other.asked == []


def test_a_flood_is_not_read_to_its_end(server: Moody) -> None:
    server.mood = "huge"

    for model in (remote("openai", server.url), CommandModel(program("huge"))):
        assert "more than 4,000,000" in outcome(model)[1]


def test_a_server_nearby_is_reached_without_the_proxy(server: Moody, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    assert outcome(remote("ollama", server.url))[0] is Status.ANSWERED


# Once more, but not twice


@pytest.mark.parametrize("mood", ["500", "503", "429"])
def test_a_server_that_stumbled_is_asked_once_more(server: Moody, mood: str) -> None:
    server.moods = [mood]

    assert outcome(remote("openai", server.url))[0] is Status.ANSWERED
    assert len(server.asked) == 2


def test_a_pause_that_does_not_fit_is_not_waited_for(server: Moody) -> None:
    server.mood, server.headers = "429", {"Retry-After": "3600"}
    began = time.monotonic()

    status, shown = outcome(remote("openai", server.url))

    assert status is Status.RATE_LIMITED and "3600" in shown
    assert time.monotonic() - began < 1 and len(server.asked) == 1


def test_a_server_that_stays_down_is_asked_twice_in_all(server: Moody) -> None:
    server.mood = "500"

    outcome(remote("openai", server.url))

    assert len(server.asked) == 2


def test_a_server_without_schemas_is_asked_for_any_object_and_remembered(server: Moody) -> None:
    server.mood, model = "knows no schema", remote("openai", server.url)

    assert [outcome(model)[0], outcome(model)[0]] == [Status.ANSWERED] * 2
    assert [body["response_format"]["type"] for _, _, body in server.asked] == [
        "json_schema",
        "json_object",
        "json_object",
    ]


def test_a_strict_schema_has_no_lengths_but_may_have_a_field_of_that_name() -> None:
    field = {"type": "string", "maxLength": 9}

    found = strict({"properties": {"maxLength": field}, "required": ["maxLength"], "anyOf": [field]})

    assert found == {
        "properties": {"maxLength": {"type": "string"}},
        "required": ["maxLength"],
        "anyOf": [{"type": "string"}],
    }


# Keys


@pytest.mark.parametrize("key", ["sk\ntest", "sk-tést", "sk test"])
def test_a_key_with_a_slip_in_it_is_never_sent_and_never_shown(server: Moody, key: str) -> None:
    status, shown = outcome(remote("openai", server.url, key))

    assert status is Status.NO_MODEL and "OPENAI_API_KEY" in shown
    assert key not in shown and server.asked == []


def test_a_missing_key_is_said_before_anything_is_sent(server: Moody) -> None:
    assert outcome(remote("anthropic", server.url, ""))[0] is Status.NO_MODEL
    assert server.asked == []
    assert outcome(remote("openai", server.url, ""))[0] is Status.ANSWERED
    assert "authorization" not in server.asked[0][1]


def test_no_key_travels_over_plain_http_to_a_strange_machine(loopback: None) -> None:
    status, shown = outcome(remote("openai", "http://models.example.org"))

    assert status is Status.NO_MODEL and "plain http" in shown and KEY not in shown


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8000", True),
        ("http://192.168.1.20:8000", True),
        ("http://10.0.0.7", True),
        ("http://ollama:11434", True),
        ("http://gpu.local", True),
        ("http://host.docker.internal:8000", True),
        ("http://8.8.8.8", False),
        ("http://134744072", False),
        ("http://example.org", False),
        ("http://localhost.example.org", False),
        ("http://localhost@example.org", False),
        ("http://", False),
    ],
)
def test_what_counts_as_near(url: str, near: bool) -> None:
    assert is_near(url) is near


# Commands


def printing(text: str) -> Reply:
    return CommandModel((sys.executable, "-X", "utf8", "-c", f"print({text!r})")).ask(QUESTION, 10)


@pytest.mark.parametrize(
    "printed",
    [
        TEXT,
        json.dumps({"type": "result", "is_error": False, "result": TEXT, "usage": {"input_tokens": 5}}),
        json.dumps({"payloads": [{"text": TEXT, "mediaUrl": None}], "meta": {}}),
        json.dumps({"runId": "r", "status": "ok", "result": {"payloads": [{"text": TEXT}]}}),
        json.dumps({"text": TEXT}),
    ],
)
def test_what_programs_wrap_around_an_answer_is_taken_off(printed: str) -> None:
    assert printing(printed).text.strip() == TEXT


def test_an_answer_with_a_field_called_text_is_not_taken_for_a_wrapping() -> None:
    story = json.dumps({"text": "I walked through the day."})
    diary = Ask("diary", "1", "Tell it.", "{}", {"properties": {"text": {"type": "string"}}, "required": ["text"]})

    told = CommandModel((sys.executable, "-c", f"print({story!r})")).ask(diary, 10)

    assert told.text.strip() == story


def test_a_command_reads_the_whole_question_and_knows_nothing_of_our_folder(tmp_path: Path) -> None:
    script = "import os, sys; q = sys.stdin.buffer.read().decode(); print(repr([q, os.listdir('.'), os.environ['A']]))"

    reply = CommandModel((sys.executable, "-X", "utf8", "-c", script), "", {**os.environ, "A": "b"}).ask(QUESTION, 10)

    question, folder, passed = eval(reply.text)
    assert QUESTION.system in question and QUESTION.user in question and '"maxLength":40' in question
    assert (folder, passed) == ([], "b")


@posix
def test_a_command_that_is_ended_takes_its_children_with_it(tmp_path: Path) -> None:
    late = tmp_path / "late"
    script = f"(sleep 1.2; echo late > {late}) & sleep 30"

    assert outcome(CommandModel(("sh", "-c", script)), 0.4)[0] is Status.SLOW
    time.sleep(1.2)
    assert not late.exists()


def test_the_words_of_a_command_may_hold_the_name_of_the_model_and_a_key_that_nobody_sees() -> None:
    words = (sys.executable, "-c", f"print('{{model}}') #{KEY}")

    assert CommandModel(words, "small").ask(QUESTION, 10).text.strip() == "small"
    assert KEY not in CommandModel(words, "small").identity
    assert CommandModel(words, "small").identity != CommandModel(words, "large").identity
    assert outcome(CommandModel(words))[0] is Status.NO_MODEL
    assert outcome(CommandModel(()))[0] is Status.NO_MODEL
