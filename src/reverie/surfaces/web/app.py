"""The application: every request passes the guard, is led to its room, and leaves in the frame and with the headers of the page."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib import resources
from urllib.parse import parse_qs, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reverie.apply.runs import plan_from_dict
from reverie.core.errors import BadInput, ReverieError
from reverie.core.ports import Clock
from reverie.lang import ENGLISH, LANGUAGES, named, table
from reverie.lang.messages import say, speaking, spoken
from reverie.surfaces.configure import memory_language
from reverie.surfaces.slow_clients import KEEP_ALIVE, PatientProtocol
from reverie.surfaces.web import charts, files, memory, plans, questions, reading, runs, settings, tonight
from reverie.surfaces.web.guard import HEADERS, LARGEST, Guard, Password
from reverie.surfaces.web.html import Html, Inside, button, h, hidden, safe
from reverie.surfaces.web.state import BackgroundDream, Form, Progress, Site, Visit, given
from reverie.workspace.values import Workspace

Room = Callable[[Site, Visit], Html]
Act = Callable[[Site, Form], str | None]  # a sentence about what was done, or nothing where the room itself shows it
Notice = tuple[str, str]  # a kind (done, trouble) and a sentence

ROOMS: dict[str, tuple[str, Room]] = {
    "/": ("tonight", tonight.tonight),
    "/plan": ("plan", plans.plan),
    "/memory": ("memory", memory.memory),
    "/memory/why": ("memory", memory.why),
    "/forget": ("memory", memory.forget),
    "/scene": ("scene", reading.scene),
    "/scene/explain": ("scene", reading.explain),
    "/diary": ("diary", reading.diary),
    "/search": ("search", reading.search),
    "/runs": ("runs", runs.runs),
    "/questions": ("questions", questions.questions),
    "/palace": ("palace", memory.palace),
    "/doctor": ("doctor", tonight.doctor),
    "/notes": ("notes", files.notes),
    "/trends": ("trends", charts.trends),
    "/settings": ("settings", settings.settings),
}
ACTS: dict[str, tuple[Act, str]] = {  # what an address does, and the room it leads back to
    "/dream": (tonight.dream, "/"),
    "/note": (tonight.note, "/"),
    "/switch": (tonight.switch_over, "/"),
    "/plan/make": (plans.make_plan, "/plan"),
    "/plan/decide": (plans.decide, "/plan"),
    "/pin": (memory.pin, "/memory"),
    "/forget": (memory.forget_now, "/memory"),
    "/undo": (runs.undo, "/runs"),
    "/answer": (questions.answer, "/questions"),
    "/suggestion": (questions.answer_suggestion, "/questions"),
    "/palace/rebuild": (memory.rebuild, "/palace"),
    "/doctor/mend": (tonight.mend, "/doctor"),
    "/edit": (memory.edit, "/memory"),
    "/settings/change": (settings.change, "/settings"),
}
STATIC = {"style.css": "text/css", "page.js": "text/javascript", "moon.svg": "image/svg+xml"}
SPOKEN = tuple(language for language in LANGUAGES if table(language, "say.page"))  # languages that the page speaks
_KEPT = 20  # sentences for one session that nobody has read yet
_BEAT = 0.4  # seconds between two looks at a dream that runs
_LONGEST_WATCH = 1_800.0  # seconds after which a browser has to ask again
_LOOPBACK, _EVERYWHERE = "127.0.0.1", "0.0.0.0"  # the second only with a password
_YEAR = 31_536_000  # seconds


class WebApp:
    """The rooms of one workspace behind one guard."""

    def __init__(self, workspace: Workspace, clock: Clock, guard: Guard, now: str = "") -> None:
        self.guard, self._notices = guard, dict[str, list[Notice]]()
        self.site = Site(workspace, clock, BackgroundDream(workspace.root, now, self._dream_ended))

    def app(self) -> ASGIApp:
        """The guard before the rooms, and the headers behind them."""
        routes = [Route(path, self._show(name, room), methods=["GET"]) for path, (name, room) in ROOMS.items()]
        routes += [Route(path, self._do(act, back), methods=["POST"]) for path, (act, back) in ACTS.items()]
        routes += [
            Route("/enter", self._enter, methods=["GET", "POST"]),
            Route("/leave", self._leave, methods=["POST"]),
            Route("/language", self._choose_language, methods=["POST"]),
            Route("/live", self._live, methods=["GET"]),
            Route("/static/{name}", self._static, methods=["GET"]),
        ]
        rooms = Starlette(routes=routes)

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            async def with_headers(message: Message) -> None:
                if message["type"] == "http.response.start":
                    headers = MutableHeaders(scope=message)
                    for name, value in HEADERS.items():
                        if name != "Cache-Control" or name not in headers:
                            headers[name] = value
                await send(message)

            if scope["type"] == "http":
                request = Request(scope)
                with speaking(self._language(request)):
                    await (self._refusal(request) or rooms)(scope, receive, with_headers)

        return guarded

    def _refusal(self, request: Request) -> Response | None:
        """The answer to somebody who may not come in."""
        refused = self.guard.refusal(request.method, request.url.path, dict(request.headers), _who(request))
        if refused is None:
            return None
        if refused.status == 401 and request.method == "GET":
            return self._door(401)
        return PlainTextResponse(refused.why, refused.status)

    def _language(self, request: Request) -> str:
        """What the visitor chose, else what the owner set or writes, else the first language of the browser that we speak."""
        accepted = request.headers.get("accept-language", "").split(",")
        wanted = (
            request.cookies.get(f"{self.guard.cookie}-language", ""),
            self.site.workspace.settings.language,
            self.site.cache.get("language", lambda: memory_language(self.site.workspace.root), 60),
            *(part.split(";")[0].strip().lower()[:2] for part in accepted),
        )
        return next((language for language in wanted if language in SPOKEN), ENGLISH)

    def _session(self, request: Request) -> str:
        return self.guard.session(dict(request.headers))

    def _show(self, name: str, room: Room) -> Callable[[Request], object]:
        async def show(request: Request) -> Response:
            session = self._session(request)
            visit = Visit(self.guard.token(session), lambda key: request.query_params.get(key, ""))
            notices = self._notices.pop(session, [])
            try:
                inside, status = await run_in_threadpool(room, self.site, visit), 200
            except ReverieError as error:
                inside, status = h("p", safe(str(error)), class_="told trouble", role="alert"), 409
            return HTMLResponse(page(self.site, visit, name, inside, notices), status)

        return show

    def _do(self, act: Act, back: str) -> Callable[[Request], object]:
        async def do(request: Request) -> Response:
            session, form = self._session(request), await self._own_form(request)
            if form is None:
                return _foreign_form()
            try:
                done = await run_in_threadpool(act, self.site, form)
                if done is not None:
                    self._notify(session, "done", done or say("page.unchanged"))
            except ReverieError as error:
                self._notify(session, "trouble", safe(str(error)))
            finally:
                self.site.cache.clear()
            return RedirectResponse(back, 303)

        return do

    async def _own_form(self, request: Request) -> Form | None:
        """The fields of a form of this page; nothing when it is none, or not one of this session."""
        form = await _form(request)
        return form if form and self.guard.is_token(self._session(request), given(form, "token")) else None

    async def _enter(self, request: Request) -> Response:
        key = request.query_params.get("key", "")
        if request.method == "POST":
            key = given(await _form(request) or {}, "key")
        elif self.guard.password is not None:
            return self._door(200)
        session = await run_in_threadpool(self.guard.enter, key, _who(request))
        if not session:
            return self._door(401, wrong=True)
        # A page rather than a redirection: so the cookie is sent also after a link elsewhere.
        inside = h("main", h("h1", say("page.welcome")), h("p", h("a", say("page.enter"), href="/")), id="main")
        answer = HTMLResponse(_document("Reverie", h("body", inside, class_="door"), forward=True))
        answer.set_cookie(self.guard.cookie, session, httponly=True, samesite="strict", path="/")
        return answer

    def _door(self, status: int, *, wrong: bool = False) -> Response:
        """The page of those who are not in yet."""
        inside: list[Inside] = [h("h1", say("page.door"))]
        if wrong or self.guard.password is None:
            inside.append(h("p", say("page.wrong_key"), class_="told trouble", role="alert"))
        if self.guard.password is not None:
            field = h("input", type="password", name="key", id="key", required=True, autofocus=True, autocomplete="current-password")  # fmt: skip
            label = h("label", say("page.password"), for_="key")
            inside.append(h("form", label, field, button("enter"), method="post", action="/enter"))
        return HTMLResponse(_document("Reverie", h("body", h("main", inside, id="main"), class_="door")), status)

    async def _leave(self, request: Request) -> Response:
        if await self._own_form(request) is None:
            return _foreign_form()
        self.guard.leave(self._session(request))
        answer = self._door(200)
        answer.delete_cookie(self.guard.cookie, path="/")
        return answer

    async def _choose_language(self, request: Request) -> Response:
        form = await self._own_form(request)
        if form is None:
            return _foreign_form()
        room = urlsplit(request.headers.get("referer", "")).path
        answer = RedirectResponse(room if room in ROOMS else "/", 303)
        name, chosen = f"{self.guard.cookie}-language", given(form, "language")
        if chosen in SPOKEN:
            answer.set_cookie(name, chosen, httponly=True, samesite="strict", path="/", max_age=_YEAR)
        return answer

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            return PlainTextResponse(say("page.no_such_file"), 404)
        kept = {"Cache-Control": "private, max-age=86400"} if request.url.query else {}
        return Response(_static(name), media_type=STATIC[name], headers=kept)

    async def _live(self, request: Request) -> Response:
        return StreamingResponse(self._watch(request), media_type="text/event-stream")

    async def _watch(self, request: Request) -> AsyncIterator[str]:
        """How far a dream has come, until it has ended or nobody listens."""
        last = None
        for _ in range(int(_LONGEST_WATCH / _BEAT)):
            now = self.site.dream.progress
            if now != last:
                yield f"data: {json.dumps({'running': now.running, 'read': now.read})}\n\n"
            last = now
            if not now.running or await request.is_disconnected():
                return
            await asyncio.sleep(_BEAT)

    def _dream_ended(self, end: Progress) -> None:
        """Everybody who is in is told, and a preview is kept to be looked at."""
        plan = end.ended.get("plan")
        if plan is not None or end.kind == "review":
            self.site.preview = plan_from_dict(plan) if plan is not None else None
        self.site.cache.clear()
        sentence = str(end.ended.get("error") or end.ended.get("told") or end.ended.get("proposed") or "")
        for session in self.guard.sessions() if sentence else ():
            self._notify(session, "trouble" if "error" in end.ended else "done", safe(sentence))

    def _notify(self, session: str, kind: str, sentence: str) -> None:
        self._notices.setdefault(session, []).append((kind, sentence))
        del self._notices[session][:-_KEPT]


async def _form(request: Request) -> Form | None:
    """The fields of a plain form; nothing when it is no form or too large, whatever its header said."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return None
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                return None
        return parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=2_000)
    except (ValueError, ClientDisconnect):  # no form, or somebody who left in the middle of one
        return None


def _foreign_form() -> Response:
    return PlainTextResponse(say("page.foreign_form"), 403)


def _who(request: Request) -> str:
    return request.client.host if request.client else ""


def page(site: Site, visit: Visit, room: str, inside: Inside, notices: Sequence[Notice] = ()) -> str:
    """The frame around every room: head, navigation, what was just done, and the room itself."""
    title, running = say(f"page.{room}"), site.dream.progress.running
    told = [_progress(site) if running else None, [_notice(*notice) for notice in notices]]
    body = h(
        "body",
        h("a", say("page.skip"), href="#main", class_="skip"),
        h("header", _name(site), _navigation(room), _foot(visit)),
        h("main", told, h("h1", title), inside, id="main", tabindex="-1"),
        data_live="/live" if running else None,
        class_=f"room-{room}",
    )
    script = h("script", src=f"/static/page.js?{_stamp('page.js')}", defer=True)
    return _document(f"{title} · Reverie", body, script)


def _document(title: str, body: Html, *more: Html, forward: bool = False) -> str:
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("meta", http_equiv="refresh", content="0;url=/") if forward else None,
        h("title", title),
        h("link", rel="icon", href="/static/moon.svg", type="image/svg+xml"),
        h("link", rel="stylesheet", href=f"/static/style.css?{_stamp('style.css')}"),
        *more,
    )
    return f"<!doctype html>\n{h('html', head, body, lang='zh-Hans' if spoken() == 'zh' else spoken())}"


@cache
def _static(name: str) -> bytes:
    return (resources.files("reverie.surfaces.web") / "static" / name).read_bytes()


@cache
def _stamp(name: str) -> str:
    """Changes when the file does, so that a browser may keep it."""
    return sha256(_static(name)).hexdigest()[:10]


def _name(site: Site) -> Html:
    moon = h("img", src="/static/moon.svg", alt="", width=28, height=28)
    words = h("span", h("strong", "Reverie"), h("small", site.workspace.root.name))
    return h("a", moon, words, href="/", class_="name")


def _navigation(here: str) -> Html:
    links = []
    for n, room in enumerate(dict.fromkeys(name for name, _ in ROOMS.values()), 1):
        inside = h("kbd", n % 10, aria_hidden="true"), h("span", say(f"page.{room}"))
        current, href = "page" if room == here else None, "/" if room == "tonight" else f"/{room}"
        links.append(h("li", h("a", inside, href=href, aria_current=current, data_key=n % 10)))
    return h("nav", h("ul", links), aria_label=say("page.rooms"))


def _foot(visit: Visit) -> Html:
    others = [language for language in SPOKEN if language != spoken()]
    chosen = [
        visit.form(
            "/language", hidden("language", code), h("button", named(code), type="submit", class_="plain", lang=code)
        )
        for code in others
    ]
    keys = h("details", h("summary", "⌨", aria_label="?"), h("p", say("page.keys")))
    return h("div", chosen, visit.form("/leave", button("leave", "plain")), keys, class_="foot")


def _progress(site: Site) -> Html:
    read = h("span", f"{site.dream.progress.read:,}", id="read")
    pulse = h("span", class_="pulse", aria_hidden="true")
    words = say("page.busy_dreaming"), " ", read, " ", say("page.files_read")
    return h("p", pulse, words, class_="told live", role="status")


def _notice(kind: str, sentence: str) -> Html:
    role = "alert" if kind == "trouble" else "status"
    return h("p", h("strong", say(f"page.{kind}")), " ", sentence, class_=f"told {kind}", role=role)


@contextmanager
def open_page(
    workspace: Workspace, clock: Clock, port: int, password: str = "", now: str = ""
) -> Iterator[tuple[str, Callable[[], None]]]:
    """A page that is ready: the link to it, and the call that serves until it is interrupted."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_EVERYWHERE if password else _LOOPBACK, port))
        listening.listen(128)  # whoever opens the link at once waits instead of being refused
    except OSError as error:
        listening.close()
        raise BadInput(say("page.port_taken", port=port, error=error.strerror)) from None
    port, name = listening.getsockname()[1], socket.gethostname()
    if password:
        guard, link = Guard(port, password=Password.of(password), names=(name.lower(),)), f"http://{name}:{port}/"
    else:
        guard = Guard(port)
        link = f"http://{_LOOPBACK}:{port}/enter?key={guard.key}"
    web = WebApp(workspace, clock, guard, now)
    quietly = {"log_level": "warning", "access_log": False, "server_header": False, "proxy_headers": False}
    limits = {"limit_concurrency": 256, "timeout_graceful_shutdown": 2, "lifespan": "off"}
    patience = {"http": PatientProtocol, "ws": "none", "timeout_keep_alive": KEEP_ALIVE}
    server = uvicorn.Server(uvicorn.Config(web.app(), **quietly, **limits, **patience))  # type: ignore[arg-type]

    def run() -> None:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])

    try:
        yield link, run
    finally:
        web.site.dream.stop()
        listening.close()
