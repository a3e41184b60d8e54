"""A night on a copy of an object store: cut between any two steps, the next one finishes or forgets it."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.errors import Busy
from reverie.fleet import night as nights
from reverie.fleet.places import Copy, _is_safe

obstore = pytest.importorskip("obstore")
NOW = datetime(2026, 11, 19, 4, 0)
FILES = {
    "MEMORY.md": "# Me\r\n## Notes\r\n- likes tea\r\n- likes tea\r\n- the boat lies in Bergen\r\n",
    "memory/2026-11-18.md": "- Decision: the kitchen becomes blue\n",
}
AFTER = "# Me\r\n## Notes\r\n- likes tea\r\n- the boat lies in Bergen\r\n- Decision: the kitchen becomes blue\r\n"


class Cut(Exception):
    """The machine is gone."""


class Store:
    """A real store in memory whose machine goes away before a step; `meanwhile` happens before it."""

    def __init__(self, real: Any, steps: int = 1_000, meanwhile: Any = None) -> None:
        self.real, self.left, self.meanwhile = real, steps, meanwhile

    def _step(self) -> None:
        self.left -= 1
        if self.left == 0 and self.meanwhile:
            self.meanwhile(self.real)
        elif self.left <= 0 and not self.meanwhile:
            raise Cut

    def put(self, *given: Any, **more: Any) -> Any:
        self._step()
        return self.real.put(*given, **more)

    def delete(self, path: str) -> None:
        self._step()
        self.real.delete(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The address of an object store that speaks as S3 does."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/fleet", method="PUT")).close()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["memory", "s3"])
def real(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "memory":
        store: Any = obstore.store.MemoryStore()
    else:
        how = {
            "endpoint": request.getfixturevalue("bucket"),
            "region": "us-east-1",
            "client_options": {"allow_http": True},
        }
        keys = {"access_key_id": "none", "secret_access_key": "none"}
        store = obstore.store.from_url(f"s3://fleet/{tmp_path.name}", **how, **keys)
    for path, text in FILES.items():
        store.put(path, text.encode())
    return store


def dream(store: Any, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> nights.Told:
    monkeypatch.setattr("obstore.store.from_url", lambda _: store)
    return nights.dreamt_at("s3://somewhere", scratch, NOW)


def text_of(store: Any, path: str) -> str:
    return bytes(store.get(path).bytes()).decode()


def test_a_night_is_put_back_and_the_next_look_puts_nothing(
    real: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dream(real, tmp_path, monkeypatch).run == "0001" and text_of(real, "MEMORY.md") == AFTER
    assert "likes tea" in text_of(real, "dream-vault/ledger.md")
    assert not [path for path in _paths(real) if "dream-tmp" in path or path.endswith(".commit")]
    silent = Store(real, 1)
    assert dream(silent, tmp_path, monkeypatch).do == "wait" and silent.left == 1
    assert dream(silent, tmp_path / "elsewhere", monkeypatch).do == "wait"


@pytest.mark.parametrize("steps", range(1, 30))
def test_a_cut_between_any_two_steps_is_finished_or_forgotten_by_another_machine(
    steps: int, real: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        dream(Store(real, steps), tmp_path / "one", monkeypatch)
    except Cut:
        assert text_of(real, "MEMORY.md") in (FILES["MEMORY.md"], AFTER)
    dream(real, tmp_path / "other", monkeypatch)
    assert text_of(real, "MEMORY.md") == AFTER
    assert text_of(real, "dream-vault/ledger.md").count("- likes tea") == 1
    assert not [path for path in _paths(real) if path.endswith(".commit")]
    assert dream(real, tmp_path / "third", monkeypatch).do == "wait"


@pytest.mark.parametrize("step", range(1, 20))
def test_what_the_owner_writes_at_any_step_stays(
    step: int, real: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(store: Any) -> None:
        store.put("MEMORY.md", (text_of(store, "MEMORY.md") + "- typed by hand\r\n").encode())

    store = Store(real, step, typed)
    dream(store, tmp_path / "one", monkeypatch)
    dream(real, tmp_path / "other", monkeypatch)
    memory, state = text_of(real, "MEMORY.md"), text_of(real, "memory/.dreams/state.json")
    assert memory.count("- typed by hand") == (store.left <= 0) and memory.count("- likes tea") == 1
    assert "Bergen" in memory and (
        "kitchen" in memory or "kitchen" in state
    )  # where both wrote at one place it is asked


def test_names_that_lead_out_of_the_copy_are_left_in_the_store(
    real: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any(map(_is_safe, ("../x", "a/../../x", "/etc/x", "a//b", "a/./b", "a\nb", "")))
    dream(real, tmp_path, monkeypatch)
    copy = Copy(real, tmp_path)
    with copy.held(), pytest.raises(Busy), Copy(real, tmp_path).held():
        pass


def _paths(store: Any) -> list[str]:
    return [about["path"] for page in store.list() for about in page]
