"""Who may come in: this machine, with the key, from the page itself, in time, and not too much of it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW, Make, answering, memory_of, review
from page.served import VIEWS, Elements, Page

Serve = Callable[..., Page]
MEMORY = "## House\n- The boiler is serviced by Okafor\n- black tea\n"
FORM = {"content-type": "application/x-www-form-urlencoded"}


def refused(answer: Any, status: int) -> None:
    """With this status, with every header of the door, and without a word of the workspace."""
    assert answer.status_code == status, answer.text
    assert "Okafor" not in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY" and answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:{}", "[::1]:1", "a@localhost:{}", "127.0.0.1:{}.evil.example", "0.0.0.0:{}"])  # fmt: skip
def test_another_host_is_refused(workspace: Make, page: Serve, host: str) -> None:
    open_page = page(workspace(MEMORY)).enter()
    refused(open_page.client.get("/", headers={"host": host.format(open_page.guard.port)}), 421)


def test_without_the_key_nothing_is_seen_and_the_key_opens_once(workspace: Make, page: Serve) -> None:
    open_page = page(workspace(MEMORY))
    for path in (*VIEWS, "/line?at=MEMORY.md:2", "/file?path=MEMORY.md", "/live", "/page.js", "/refused", "/nothing"):
        refused(open_page.client.get(path), 401)
    refused(open_page.client.get("/enter?key=wrong"), 401)
    refused(open_page.client.get("/enter"), 401)
    refused(open_page.client.get("/", headers={"cookie": f"{open_page.guard.cookie}=x"}), 401)
    entered = open_page.client.get(open_page.link)
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and open_page.link[-20:].lower() not in cookie
    refused(open_page.client.get(open_page.link), 401)
    assert "Okafor" in open_page.get("/")


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "https://127.0.0.1"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}])  # fmt: skip
def test_another_page_can_do_nothing(workspace: Make, page: Serve, headers: dict[str, str]) -> None:
    open_page = page(workspace(MEMORY)).enter()
    form = {"token": open_page.guard.token, "do": "note", "words": "a strange line"}
    refused(open_page.client.post("/act", data=form, headers=headers), 403)
    assert memory_of(open_page.layout) == MEMORY


@pytest.mark.parametrize("token", ["", "x", "0" * 64, None])
def test_a_form_without_the_token_does_nothing(workspace: Make, page: Serve, token: str | None) -> None:
    open_page = page(workspace(MEMORY)).enter()
    form = {"do": "note", "words": "a strange line"} | ({} if token is None else {"token": token})
    refused(open_page.client.post("/act", data=form), 403)
    assert memory_of(open_page.layout) == MEMORY


def test_forms_are_short_plain_and_as_long_as_they_say(workspace: Make, page: Serve) -> None:
    open_page = page(workspace(MEMORY)).enter()
    post = open_page.client.post
    token = f"token={open_page.guard.token}&do=note&words="
    refused(post("/act", content=token + "x" * 65_536, headers=FORM), 413)
    refused(post("/act", content=iter([token.encode()]), headers=FORM), 411)  # in chunks, without a length
    refused(post("/act", json={"token": open_page.guard.token}), 415)
    refused(post("/act", content=token + "&a=" * 2_001, headers=FORM), 415)
    assert open_page.client.get("/act").status_code == 405
    assert open_page.client.put("/", content=token, headers=FORM).status_code == 405
    assert memory_of(open_page.layout) == MEMORY
    for back in ("//evil.example", "http://evil.example/", "/\\evil.example", "/inbox\r\nx: y", "/nothing", "x" * 400):
        answer = post("/act", data={"token": open_page.guard.token, "back": back}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/"), back


def test_slow_clients_are_cut_off(workspace: Make, page: Serve) -> None:
    open_page = page(workspace(MEMORY), head=0.6, body=0.4).enter()
    cookie = f"{open_page.guard.cookie}={open_page.client.cookies[open_page.guard.cookie]}"
    head = f"POST /act HTTP/1.1\r\nhost: 127.0.0.1:{open_page.guard.port}\r\ncookie: {cookie}\r\ncontent-length: 99\r\n"
    with socket.create_connection(("127.0.0.1", open_page.guard.port)) as dripping:
        dripping.settimeout(0.05)
        begun = time.monotonic()
        with pytest.raises(OSError):
            for letter in head:
                dripping.sendall(letter.encode())
                try:
                    if not dripping.recv(100):
                        raise ConnectionResetError
                except TimeoutError:
                    continue
        assert time.monotonic() - begun < 5
    with socket.create_connection(("127.0.0.1", open_page.guard.port)) as half:
        half.settimeout(5)
        half.sendall(f"{head}content-type: {FORM['content-type']}\r\n\r\ntoken=".encode())
        assert b" 408 " in half.recv(1_000)
    assert "Okafor" in open_page.get("/")


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "memory/../../secret.txt", "memory/.dreams/state.json", "..\\secret.txt", "MEMORY.md/../../secret.txt", "%2e%2e/secret.txt", "MEMORY.md\0.txt", "memory/link.md", "memory/2026-03-29.md", "file:///etc/passwd", "~/secret.txt", "dream-vault/../../secret.txt", "openclaw.json"])  # fmt: skip
def test_no_path_leads_out_of_the_memory(workspace: Make, page: Serve, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("Okafor's secret")
    layout = workspace("- a\n")
    (layout.root / "memory/2026-03-29.md").symlink_to(tmp_path / "secret.txt")
    (layout.root / "openclaw.json").write_text('{"Okafor": 1}')
    open_page = page(layout).enter()
    for asked in (("/file", {"path": path}), ("/line", {"at": f"{path}:1", "mark": "x"})):
        refused(open_page.client.get(asked[0], params=asked[1]), 404)
    assert open_page.client.get(f"/{path.replace(chr(0), '%00')}").status_code == 404


# 300 payloads: what an attacker writes × where a careless page would put it.
_DOES = ["{{ 7*7 }}{% raw %}", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<iframe src=javascript:alert(1)>",
         "<a href=javascript:alert(1)>x</a>", "<style>*{display:none}</style>", "<form action=//evil.example><button>x", "<base href=//evil.example>",
         "<meta http-equiv=refresh content=0;//evil.example>", "<object data=//evil.example>",  "<math><mtext onmouseover=alert(1)>",
         "<input autofocus onfocus=alert(1)>", "<details open ontoggle=alert(1)>", "<body onload=alert(1)>", "&lt;script&gt;alert(1)&lt;/script&gt;",
         "<ScRiPt src=//evil.example>", "<link rel=stylesheet href=//evil.example>", "<video><source onerror=alert(1)>", "<template><script>alert(1)</script>"]  # fmt: skip
_AROUND = ["{}", '">{}', "'>{}", "</title>{}", "</textarea>{}", "<!-- {}", "**{}**", "`{}`", "[{}](x)", '" onmouseover=alert(1) x="{}',
           "' style=color:red x='{}", "</li></ul>{}", "| {} |", "javascript:{}", "\u202e{}"]  # fmt: skip
PAYLOADS = [
    form.format(what) if "{" not in what else form.replace("{}", what) for what, form in product(_DOES, _AROUND)
]
_KNOWN = {"html", "head", "meta", "title", "link", "script", "body", "a", "header", "p", "svg", "path", "span", "nav", "b", "form", "label",
          "input", "kbd", "div", "button", "section", "time", "g", "rect", "output", "noscript", "meter", "ul", "ol", "li", "main", "h1",
          "h2", "h3", "h4", "h5", "h6", "small", "ins", "del", "code", "pre", "q", "i", "u", "table", "thead", "tbody", "tr", "th", "td",
          "details", "summary", "aside", "footer", "dialog", "dl", "dt", "dd", "blockquote", "textarea", "article", "mark"}  # fmt: skip


def harmless(text: str) -> None:
    """Only elements of ours, no code but our file, no address but ours."""
    for tag, about in Elements.of(text).found:
        assert tag in _KNOWN, (tag, about)
        assert not any(name.startswith("on") or name in ("style", "srcdoc", "srcset") for name in about), (tag, about)
        assert tag != "title" or not about
        if tag == "script":
            assert about["src"].startswith("/page.js?v=")
        for name in ("href", "src", "action", "formaction", "data"):
            assert (about.get(name) or "/").startswith(("/", "#")) and not (about.get(name) or "").startswith("//")
    assert text.count("<script") == text.count('<script src="/page.js')


def test_nobodys_words_become_markup(workspace: Make, page: Serve) -> None:
    assert len(set(PAYLOADS)) == 300
    lines = [f"- boiler {number} {words}\n" for number, words in enumerate(PAYLOADS)]
    evil = 'memory/2026-03-29-"><img src=x onerror=alert(1)>.md'
    files = {"memory/2026-03-30.md": "".join(lines), evil: "- boiler: in a strange file\n"}
    files['memory/project/"><svg onload=alert(1)>.md'] = (
        f"---\nname: {PAYLOADS[1]}\ndescription: x\n---\n\n- boiler {PAYLOADS[2]}\n"
    )
    layout = workspace(
        f"# {PAYLOADS[0]}\n\n## {PAYLOADS[3]}\n"
        + "".join(lines[:150])
        + f"\n| {PAYLOADS[4]} | b |\n|---|---|\n| {PAYLOADS[5]} | c |\n",
        files,
    )
    wishes: list[dict[str, Any]] = [
        {"op": "add", "from": [f"n{number}"], "section": PAYLOADS[number], "text": words, "why": PAYLOADS[-number]}
        for number, words in enumerate(PAYLOADS[:60], 1)
    ]
    wishes += [{"op": "update", "memory": [f"m{number}"], "from": [f"n{number}"], "text": PAYLOADS[number], "why": PAYLOADS[number]} for number in range(60, 90)]  # fmt: skip
    wishes += [{"op": "ask", "memory": ["m100"], "question": f"Is it {PAYLOADS[7]}?", "why": PAYLOADS[8]}]
    review(layout, NOW, answering(*wishes))
    open_page = page(layout).enter()
    for path in VIEWS:
        harmless(open_page.get(path))
    for path in (evil, "MEMORY.md", 'memory/project/"><svg onload=alert(1)>.md', "dream-vault/ledger.md"):
        harmless(open_page.client.get("/file", params={"path": path}).text)
    for words in PAYLOADS[::10]:
        harmless(open_page.client.get("/search", params={"q": words}).text)
    assert "{{ 7*7 }}" in open_page.get("/")
    for words in PAYLOADS[::40]:
        harmless(open_page.do(words, back="/inbox"))
        harmless(open_page.do("take-back " + words, back=f"/search?q={words}"))
        harmless(open_page.client.get("/line", params={"at": f"MEMORY.md:{words}", "mark": words}).text)
        harmless(open_page.client.get("/night", params={"run": words, "year": words}).text)
        harmless(open_page.do("note", back="/inbox", words=words))


def test_a_secret_is_on_no_view(workspace: Make, page: Serve) -> None:
    secret = "- the password of the gate is Moorhuhn-88\n"
    layout = workspace(MEMORY + secret, {"memory/2026-03-30.md": secret + "- Decision: invoices go out on the first\n"})
    review(layout)
    open_page = page(layout).enter()
    views = [
        open_page.get(path)
        for path in (*VIEWS, "/search?q=password+gate", "/file?path=MEMORY.md", "/file?path=memory/2026-03-30.md")
    ]
    assert not any("Moorhuhn" in view for view in views) and "withheld" in views[0]
    number = MEMORY.count("\n")
    assert f"MEMORY.md:{number + 1}" not in views[0], "a line with a secret has no button"
