"""One suite for every embedder: what a search may rely on, whoever makes the vectors. And servers on a bad day."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from vector_server import VectorServer, serving

from conftest import Build
from reverie.core.errors import BadSettings
from reverie.core.ports import Embedder, FixedClock, HashEmbedder
from reverie.core.settings import Search
from reverie.evidence.embedders import RemoteEmbedder, StaticEmbedder
from reverie.evidence.tables import load
from reverie.features.search import ask, chosen_embedder, reindex

KEY = "sk-test-0001"
KINDS = ("openai", "ollama")
TEXTS = [
    "Marta is allergic to hazelnuts",
    "对榛子过敏",
    "Der Öllack trocknet",
    "привет мир",
    "مرحبا",
    "한국어",
    "port 8443",
    "a",
]


@pytest.fixture
def server(loopback: None) -> Iterator[VectorServer]:
    with serving() as running:
        yield running


def remote(server: VectorServer, kind: str = "openai", key: str = KEY, timeout: float = 5.0) -> RemoteEmbedder:
    url = f"{server.url}/v1" if kind == "openai" else server.url
    return RemoteEmbedder(Search(embedder=kind, url=url, model="m", timeout=timeout), key)


@pytest.fixture(params=["hash", "static", "static, cache unwritable", *KINDS])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Embedder:
    if request.param == "hash":
        return HashEmbedder()
    if request.param == "static":
        return StaticEmbedder(tmp_path_factory.getbasetemp() / "vectors")
    if request.param.startswith("static"):
        (tmp_path / "a file").write_text("no folder")
        return unwritable(tmp_path / "a file" / "cache")
    return remote(request.getfixturevalue("server"), request.param)


_MADE: dict[str, StaticEmbedder] = {}


def unwritable(cache: Path) -> StaticEmbedder:
    """Making the tables takes two seconds, so the one without a cache is made once for all tests."""
    if "made" not in _MADE:
        _MADE["made"] = StaticEmbedder(cache)
        _MADE["made"].embed(["once"])
        assert not cache.exists()
    return _MADE["made"]


# What every embedder promises


def test_each_text_has_one_row_of_length_one(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)

    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-3)


def test_the_same_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)

    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])

    assert together == pytest.approx(alone, abs=1e-5)


def test_three_hundred_texts_keep_their_order(embedder: Embedder) -> None:
    texts = [f"note number {n} about 榛子" for n in range(300)]

    rows = embedder.embed(texts)

    assert rows.shape[0] == 300
    assert rows[::-1] == pytest.approx(embedder.embed(texts[::-1]), abs=1e-5)


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("text", ["", " ", "\n", "🎂", "\ud800", "x" * 50_000, "\0"])
def test_a_strange_text_has_a_row_of_length_one_or_none(embedder: Embedder, text: str) -> None:
    (length,) = np.linalg.norm(embedder.embed([text]), axis=1)

    assert length == pytest.approx(1, abs=1e-3) or length == 0


def test_its_identity_is_a_name_that_stays(embedder: Embedder) -> None:
    before = embedder.identity

    embedder.embed(TEXTS)

    assert embedder.identity == before != ""


# The embedded one and its cache


def test_a_second_start_reads_the_cache_and_gives_the_same_vectors(tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.getbasetemp() / "vectors"
    first = StaticEmbedder(cache).embed(TEXTS)
    folders = list(cache.iterdir())
    load.cache_clear()

    assert (StaticEmbedder(cache).embed(TEXTS) == first).all()
    assert [folder.name for folder in cache.iterdir()] == [folder.name for folder in folders]
    assert (unwritable(cache / "never").embed(TEXTS) == first).all()


@pytest.mark.parametrize("damage", ["vectors.npy", "scores.npy", "pieces.txt", "rows.npy", "layers.npz"])
def test_a_damaged_cache_is_made_anew(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, damage: str) -> None:
    sound = tmp_path_factory.getbasetemp() / "vectors"
    first = StaticEmbedder(sound).embed(TEXTS)
    (folder,) = sound.iterdir()
    hurt = tmp_path / folder.name
    hurt.mkdir()
    for item in folder.iterdir():
        (hurt / item.name).write_bytes(item.read_bytes()[: 1000 if item.name == damage else None])

    assert (StaticEmbedder(tmp_path).embed(TEXTS) == first).all()


# Servers on a bad day


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mood", ["broken", "garbage", "strange", "few", "not-numbers", "ragged"])
def test_a_server_that_answers_nonsense_is_an_error_without_the_key(server: VectorServer, kind: str, mood: str) -> None:
    server.mood = mood

    with pytest.raises((OSError, ValueError)) as caught:
        remote(server, kind).embed(TEXTS)

    assert str(caught.value) and KEY not in whole(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_hangs_is_left_after_the_timeout(server: VectorServer, kind: str) -> None:
    server.mood = "hangs"
    started = time.monotonic()

    with pytest.raises(OSError) as caught:
        remote(server, kind, timeout=0.3).embed(["x"])

    assert time.monotonic() - started < 2
    assert KEY not in whole(caught.value)


def test_a_server_that_is_not_there_is_an_error(loopback: None) -> None:
    with serving() as gone:
        pass

    with pytest.raises(OSError):
        remote(gone).embed(["x"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_changes_its_width_is_noticed(server: VectorServer, kind: str) -> None:
    embedder = remote(server, kind)
    embedder.embed(["x"])
    server.width = 7

    with pytest.raises(ValueError, match="7 numbers a text; it used to be 12"):
        embedder.embed(["x"])


def test_an_answer_in_another_order_is_put_right(server: VectorServer) -> None:
    right = remote(server).embed(TEXTS)
    server.mood = "shuffled"

    assert remote(server).embed(TEXTS) == pytest.approx(right)


@pytest.mark.parametrize("key", ["sk-test-0001\r", "sk-test-0001\n", "sk-test\n0001", "sk-tést-0001", "sk-test-0001 "])
def test_a_key_with_a_slip_in_it_is_never_shown(server: VectorServer, key: str) -> None:
    try:
        remote(server, key=key).embed(["x"])
    except (OSError, ValueError) as error:
        assert "sk-t" not in whole(error)


def test_the_key_goes_to_the_owners_server_and_nowhere_else(server: VectorServer) -> None:
    with serving() as other:
        server.mood, server.elsewhere = "elsewhere", f"{other.url}/v1/embeddings"

        with pytest.raises(OSError):
            remote(server).embed(["x"])

        assert [request[1] for request in server.requests] == [f"Bearer {KEY}"]
        assert other.requests == []


def test_three_hundred_texts_are_asked_in_parts(server: VectorServer) -> None:
    remote(server).embed([str(n) for n in range(300)])

    assert [request[2] for request in server.requests] == [64, 64, 64, 64, 44]
    assert {request[0] for request in server.requests} == {"/v1/embeddings"}


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_key_there_is_no_authorization(server: VectorServer, kind: str) -> None:
    remote(server, kind, key="").embed(["x"])

    assert server.requests[0][1] is None


# What a search makes of them


Mood = Callable[[VectorServer], None]


@pytest.mark.parametrize("when", ["from the start", "later"])
@pytest.mark.parametrize("mood", ["broken", "garbage", "strange", "few", "hangs", "not-numbers"])
def test_a_search_answers_by_words_whatever_the_server_does(
    server: VectorServer, build: Build, clock: FixedClock, mood: str, when: str
) -> None:
    workspace = build({"memory/2026-11-01.md": "- Marta is allergic to hazelnuts\n- delivery on Monday\n"})
    if when == "later":
        reindex(workspace, remote(server))
        (workspace.root / "memory/2026-11-02.md").write_text("- a new note about hazelnuts\n")
    server.mood = mood

    answer = ask(workspace, remote(server, timeout=0.3), clock, "hazelnut allergy")

    assert "Marta is allergic to hazelnuts" in [hit.claim.text for hit in answer.hits]
    assert answer.degraded and KEY not in answer.degraded


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_another_width_under_the_same_name_is_noticed(
    server: VectorServer, build: Build, clock: FixedClock, kind: str
) -> None:
    workspace = build({"memory/2026-11-01.md": "".join(f"- note number {n}\n" for n in range(20))})
    reindex(workspace, remote(server, kind))
    server.width = 20

    done = reindex(workspace, remote(server, kind))
    answer = ask(workspace, remote(server, kind), clock, "note number 7")

    assert done.updated.embedded == 20
    assert answer.degraded == ""
    fresh = build({"memory/2026-11-01.md": "".join(f"- note number {n}\n" for n in range(20))})
    assert answer.hits == ask(fresh, remote(server, kind), clock, "note number 7").hits


def test_the_width_of_a_server_is_asked_for_once(server: VectorServer, build: Build, clock: FixedClock) -> None:
    workspace = build({"memory/2026-11-01.md": "- Marta is allergic to hazelnuts\n"})
    reindex(workspace, remote(server))
    server.requests.clear()

    ask(workspace, remote(server), clock, "hazelnuts")

    assert len(server.requests) == 1  # the question


def test_a_question_notices_another_width_and_goes_on_by_words(
    server: VectorServer, build: Build, clock: FixedClock
) -> None:
    workspace = build({"memory/2026-11-01.md": "- Marta is allergic to hazelnuts\n"})
    reindex(workspace, remote(server))
    server.width = 20

    first, second = (ask(workspace, remote(server), clock, "hazelnuts") for _ in range(2))

    assert [hit.claim.text for hit in first.hits] == ["Marta is allergic to hazelnuts"]
    assert [hit.vector_score for hit in first.hits] == [0.0] and "width" in first.degraded
    assert second.degraded == "" and second.hits[0].vector_score != 0


def test_the_key_is_in_no_file_of_the_workspace(server: VectorServer, build: Build, clock: FixedClock) -> None:
    workspace = build({"memory/2026-11-01.md": "- Marta is allergic to hazelnuts\n"})

    ask(workspace, remote(server), clock, "hazelnuts")

    files = [path for path in workspace.root.rglob("*") if path.is_file()]
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


def test_the_setting_chooses_the_embedder(tmp_path: Path) -> None:
    search = Search(url="http://127.0.0.1:9/v1", model="m", key_variable="K")

    assert chosen_embedder(replace(search, embedder="off"), tmp_path, {}) is None
    assert isinstance(chosen_embedder(search, tmp_path, {}), StaticEmbedder)
    chosen = chosen_embedder(replace(search, embedder="openai"), tmp_path, {"K": KEY})
    assert isinstance(chosen, RemoteEmbedder) and chosen.identity == "openai:http://127.0.0.1:9/v1:m"
    with pytest.raises(BadSettings, match="embedded, openai, ollama or off"):
        chosen_embedder(replace(search, embedder="magic"), tmp_path, {})


def whole(error: BaseException) -> str:
    """Everything a person could be shown of an error: its words and those of what caused it."""
    said = []
    at: BaseException | None = error
    while at is not None:
        said.append(f"{at} {json.dumps([str(arg) for arg in at.args])}")
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return " ".join(said)
