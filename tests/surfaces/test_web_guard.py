"""Who is let in, and who is not. Each refusal happens before a room is entered."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from conftest import Build, tree
from reverie.core.ports import fixed
from reverie.surfaces.web.app import ACTS, ROOMS, WebApp, name_of
from reverie.surfaces.web.guard import Guard, Pace, Password
from reverie.surfaces.web.html import Html, h
from reverie.surfaces.web.state import Cache
from reverie.workspace.values import Workspace

HOME = "http://127.0.0.1:7337"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": "# Memory\n\n- The kiln is serviced every spring.\n"})


def visitor(workspace: Workspace, *, inside: bool, guard: Guard | None = None) -> tuple[TestClient, WebApp]:
    page = WebApp(workspace, fixed("2026-11-15T03:00:00+01:00"), guard or Guard(7337))
    client = TestClient(page.app(), base_url=HOME)
    if inside:
        client.get("/enter", params={"key": page.guard.key})
    return client, page


def token_of(client: TestClient, page: WebApp) -> str:
    return page.guard.token(client.cookies[page.guard.cookie], name_of(page.site.workspace.root))


@pytest.mark.parametrize("path", [*ROOMS, "/live", "/static/page.js", "/nowhere"])
def test_nobody_looks_without_the_key(workspace: Workspace, path: str) -> None:
    client, _ = visitor(workspace, inside=False)

    answer = client.get(path)

    assert answer.status_code == 401 and "kiln" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_wrong_key_opens_nothing(workspace: Workspace) -> None:
    client, page = visitor(workspace, inside=False)

    assert client.get("/enter", params={"key": page.guard.key[:-1]}).status_code == 401
    assert client.get("/enter", params={"key": ""}).status_code == 401
    assert client.get("/memory").status_code == 401


def test_the_cookie_is_hidden_from_scripts_and_from_other_sites(workspace: Workspace) -> None:
    client, page = visitor(workspace, inside=False)

    cookie = client.get("/enter", params={"key": page.guard.key}).headers["set-cookie"].lower()

    assert "httponly" in cookie and "samesite=strict" in cookie
    assert page.guard.key.lower() not in cookie


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7337",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1.evil.example:7337",
        "192.168.0.5:7337",
        "",
    ],
)
def test_another_host_is_refused(workspace: Workspace, host: str) -> None:
    client, _ = visitor(workspace, inside=True)

    assert client.get("/memory", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("path", [*ACTS, "/leave", "/language", "/theme", "/workspace"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8080"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_page_can_do_nothing(workspace: Workspace, path: str, headers: dict[str, str]) -> None:
    client, page = visitor(workspace, inside=True)
    before = tree(workspace.root, without=())

    answer = client.post(path, data={"token": token_of(client, page)}, headers=headers)

    assert answer.status_code == 403
    assert tree(workspace.root, without=()) == before


@pytest.mark.parametrize("path", [*ACTS, "/leave", "/language", "/theme", "/workspace"])
@pytest.mark.parametrize("token", [None, "", "0" * 64, "…"])
def test_a_form_without_its_token_does_nothing(workspace: Workspace, path: str, token: str | None) -> None:
    client, _ = visitor(workspace, inside=True)
    before = tree(workspace.root, without=())

    answer = client.post(path, data={"token": token} if token is not None else {"text": "x"}, headers={"origin": HOME})

    assert answer.status_code == 403
    assert tree(workspace.root, without=()) == before


def test_the_token_of_another_session_does_not_fit(workspace: Workspace) -> None:
    guard = Guard(7337)
    one, page = visitor(workspace, inside=True, guard=guard)
    other = guard.enter(guard.key, "127.0.0.2")

    answer = one.post("/switch", data={"token": guard.token(other, name_of(workspace.root))}, headers={"origin": HOME})

    assert answer.status_code == 403 and page.guard is guard


def test_no_address_changes_anything_by_being_looked_at(workspace: Workspace) -> None:
    client, page = visitor(workspace, inside=True)

    for path in set(ACTS) - set(ROOMS):
        assert client.get(path, params={"token": token_of(client, page)}).status_code == 405


def test_a_form_that_is_too_large_or_no_form_is_refused(workspace: Workspace) -> None:
    client, page = visitor(workspace, inside=True)
    token = token_of(client, page)

    large = client.post("/note", data={"token": token, "text": "x" * 70_000}, headers={"origin": HOME})
    as_json = client.post("/note", json={"token": token, "text": "x"}, headers={"origin": HOME})

    assert (large.status_code, as_json.status_code) == (413, 403)


def test_whoever_leaves_is_out(workspace: Workspace) -> None:
    client, page = visitor(workspace, inside=True)
    cookie = client.cookies[page.guard.cookie]

    client.post("/leave", data={"token": token_of(client, page)}, headers={"origin": HOME})

    client.cookies.set(page.guard.cookie, cookie)
    assert client.get("/memory").status_code == 401


def test_keys_cannot_be_tried_for_ever(workspace: Workspace) -> None:
    now = [0.0]
    guard = Guard(7337, ticks=lambda: now[0])
    client, _ = visitor(workspace, inside=False, guard=guard)

    assert {client.get("/enter", params={"key": str(n)}).status_code for n in range(8)} == {401}
    assert client.get("/enter", params={"key": guard.key}).status_code == 401  # the right one comes too late
    now[0] += 11
    assert client.get("/enter", params={"key": guard.key}).status_code == 200


def test_the_right_key_opens_as_often_as_it_is_shown() -> None:
    guard = Guard(7337, ticks=lambda: 0.0)

    assert all(guard.enter(guard.key, "here") for _ in range(50))


def test_too_many_requests_are_told_so(workspace: Workspace) -> None:
    guard = Guard(7337, ticks=lambda: 0.0)
    client, _ = visitor(workspace, inside=True, guard=guard)

    assert 429 in {client.get("/static/page.js").status_code for _ in range(410)}


def test_a_network_needs_its_password(workspace: Workspace) -> None:
    client, _ = visitor(workspace, inside=False, guard=Guard(7337, password=Password.of("correct horse battery")))
    client.base_url = "http://192.168.0.5:7337"

    assert client.get("/memory").status_code == 401
    assert client.post("/enter", data={"key": "wrong horse"}).status_code == 401
    assert client.get("/memory", headers={"host": "evil.example:7337"}).status_code == 421
    assert client.post("/enter", data={"key": "correct horse battery"}).status_code == 200
    assert "kiln" in client.get("/memory").text


def test_a_password_is_kept_as_a_hash_with_its_own_salt() -> None:
    one, other = Password.of("correct horse battery"), Password.of("correct horse battery")

    assert one.digest != other.digest and b"horse" not in one.digest
    assert one.is_it("correct horse battery") and not one.is_it("correct horse batterx")


def test_opening_to_a_network_without_a_password_is_refused(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from reverie.surfaces.cli import main

    (tmp_path / "MEMORY.md").write_text("# Memory\n")

    answer = CliRunner().invoke(main, ["serve", "--open-to-network", "--port", "0", "--workspace", str(tmp_path)])

    assert answer.exit_code == 14 and "password of at least 12" in answer.output


def test_only_files_of_the_page_are_served(workspace: Workspace) -> None:
    client, _ = visitor(workspace, inside=True)

    for name in ("..%2fapp.py", "%2e%2e/app.py", "app.py", "../../MEMORY.md", "style.css%00"):
        assert client.get(f"/static/{name}").status_code == 404
    assert client.get("/static/style.css").status_code == 200


@given(st.text())
def test_text_stays_text_whatever_it_is(words: str) -> None:
    built = h("p", words, title=words)

    assert built.count("<") == 2 and built.count(">") == 2
    assert built.count('"') == 2 and "'" not in built


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("onclick", "x"),
        ("style", "x"),
        ("href", "javascript:alert(1)"),
        ("href", "//evil.example"),
        ("src", "http://evil.example"),
        ("action", "data:x"),
    ],
)
def test_code_and_foreign_places_cannot_be_written(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"code|outside"):
        h("a", **{name: value})


def test_markup_that_was_joined_with_text_is_text_again() -> None:
    assert h("p", h("b", "x") + "<i>") == "<p>&lt;b&gt;x&lt;/b&gt;&lt;i&gt;</p>"
    assert isinstance(h("p"), Html)


def test_a_pace_gives_back_what_time_earned() -> None:
    now = [0.0]
    pace = Pace(2, 1, lambda: now[0])

    first = [pace.allows("a") for _ in range(3)]
    now[0] = 1.0

    assert (first, pace.allows("a"), pace.allows("a"), pace.allows("b")) == ([True, True, False], True, False, True)


def test_a_shelf_makes_a_value_once_and_anew_when_it_is_old_or_cleared() -> None:
    now, made = [0.0], []
    cache = Cache(lambda: now[0])

    def make() -> int:
        made.append(1)
        return len(made)

    assert [cache.get("a", make), cache.get("a", make)] == [1, 1]
    now[0] = 3.0
    assert cache.get("a", make) == 2
    cache.clear()
    assert cache.get("a", make) == 3


def test_what_changed_while_a_value_was_made_makes_it_anew() -> None:
    cache, made = Cache(lambda: 0.0), [0]

    def make() -> int:
        made[0] += 1
        if made[0] == 1:
            cache.clear()  # somebody pressed a button meanwhile
        return made[0]

    assert [cache.get("a", make) for _ in range(3)] == [1, 2, 2]


def test_while_one_reader_computes_the_others_read_on_where_the_old_will_do() -> None:
    cache, begun, go_on = Cache(), threading.Event(), threading.Event()
    cache.get("a", lambda: "old")
    cache.clear()

    def slowly() -> str:
        begun.set()
        go_on.wait(10)
        return "new"

    first = threading.Thread(target=lambda: cache.get("a", slowly, old_will_do=True))
    first.start()
    begun.wait(10)
    meanwhile = cache.get("a", slowly, old_will_do=True)
    go_on.set()
    first.join(10)

    assert (meanwhile, cache.get("a", slowly)) == ("old", "new")
