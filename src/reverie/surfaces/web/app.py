"""The application: every request passes the guard, is led to its room, and leaves in the frame and with the headers of the page."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

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
from reverie.core.progress import STEPS
from reverie.lang import ENGLISH, named
from reverie.lang.messages import say, speaking, spoken
from reverie.night import commands
from reverie.night.workspaces import FoundWorkspace, discover
from reverie.plan.timeline import moved_by
from reverie.surfaces.configure import chosen_clock, configured, memory_language, owners_settings
from reverie.surfaces.slow_clients import KEEP_ALIVE, PatientProtocol
from reverie.surfaces.web import charts, files, memory, plans, questions, reading, runs, settings, tonight
from reverie.surfaces.web.guard import HEADERS, LARGEST, Guard, Password
from reverie.surfaces.web.html import Attribute, Html, Inside, button, h, hidden, safe
from reverie.surfaces.web.settings import SPOKEN
from reverie.surfaces.web.state import BackgroundDream, Done, Form, Progress, Site, Visit, given
from reverie.workspace.values import Workspace, short_id

Room = Callable[[Site, Visit], Html]
Act = Callable[[Site, Form], Done | None]  # what was done, or nothing where the room itself shows it
Notice = tuple[str, Done]  # a kind (done, trouble) and what is told

ROOMS: dict[str, tuple[str, Room]] = {
    "/": ("tonight", tonight.tonight),
    "/lines": ("tonight", tonight.lines),
    "/questions": ("questions", questions.questions),
    "/memory": ("memory", memory.memory),
    "/memory/why": ("memory", memory.why),
    "/forget": ("memory", memory.forget),
    "/runs": ("runs", runs.runs),
    "/search": ("search", reading.search),
    "/plan": ("plan", plans.plan),
    "/diary": ("diary", reading.diary),
    "/diary/backfill": ("diary", reading.backfill),
    "/palace": ("palace", memory.palace),
    "/scene": ("scene", reading.scene),
    "/scene/explain": ("scene", reading.explain),
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
    "/plan/decide": (plans.decide, "/"),
    "/pin": (memory.pin, "/memory"),
    "/forget": (memory.forget_now, "/memory"),
    "/undo": (runs.undo, "/runs"),
    "/answer": (questions.answer, "/questions"),
    "/suggestion": (questions.answer_suggestion, "/questions"),
    "/diary/backfill": (reading.backfill_now, "/diary"),
    "/diary/reset": (reading.reset, "/diary"),
    "/scene/clear": (reading.clear, "/scene"),
    "/palace/rebuild": (memory.rebuild, "/palace"),
    "/doctor/mend": (tonight.mend, "/doctor"),
    "/edit": (memory.edit, "/memory"),
    "/settings/change": (settings.change, "/settings"),
}
FIRST = 5  # rooms that are always in sight; the others stand behind one word
THEMES = ("system", "light", "dark")
STATIC = {"style.css": "text/css", "page.js": "text/javascript", "moon.svg": "image/svg+xml"}
_FRAGMENT = re.compile(r"[A-Za-z][\w-]{0,80}", re.A)
_KEYS = 10  # rooms that a digit opens
_BADGES_FRESH = 20.0  # seconds
_KEPT = 20  # sentences for one session that nobody has read yet
_BEAT = 0.4  # seconds between two looks at a dream that runs
_LONGEST_WATCH = 1_800.0  # seconds after which a browser has to ask again
_LOOPBACK, _EVERYWHERE = "127.0.0.1", "0.0.0.0"  # the second only with a password
_YEAR = 31_536_000  # seconds


class WebApp:
    """The rooms of one workspace, or of all that its owner has, behind one guard.

    A visitor changes to another workspace by a short name of ours, which is looked up among those that the owner listed or that
    were discovered: no path ever comes from a request. A form holds for the workspace it was shown for.
    """

    def __init__(
        self,
        workspace: Workspace,
        clock: Clock,
        guard: Guard,
        now: str = "",
        others: Callable[[], Sequence[FoundWorkspace]] = tuple,
    ) -> None:
        self.guard, self._now, self._others, self._lock = guard, now, others, threading.Lock()
        self._notices = dict[tuple[str, str], list[Notice]]()
        self._chosen = dict[str, str]()  # by session, the workspace it is in
        self.site = self._opened(workspace, clock)
        self._sites = {name_of(workspace.folder): self.site}

    def _opened(self, workspace: Workspace, clock: Clock) -> Site:
        name = name_of(workspace.folder)
        return Site(
            workspace, clock, BackgroundDream(workspace.folder, self._now, lambda end: self._dream_ended(name, end))
        )

    def _site(self, session: str) -> Site:
        return self._sites.get(self._chosen.get(session, ""), self.site)

    def known(self) -> dict[str, FoundWorkspace]:
        """Every workspace that this page may show, by its short name; the one it was opened for is always among them."""
        here = self.site.workspace.folder
        found = self.site.cache.get("workspaces", self._others, 60)
        return {name_of(one.root): one for one in (FoundWorkspace(here, self.site.workspace.name, ""), *found)}

    def stop(self) -> None:
        for site in self._sites.values():
            site.dream.stop()

    def app(self) -> ASGIApp:
        """The guard before the rooms, and the headers behind them."""
        routes = [Route(path, self._show(name, room), methods=["GET"]) for path, (name, room) in ROOMS.items()]
        routes += [Route(path, self._do(act, back), methods=["POST"]) for path, (act, back) in ACTS.items()]
        routes += [
            Route("/enter", self._enter, methods=["GET", "POST"]),
            Route("/leave", self._leave, methods=["POST"]),
            Route("/language", self._choose_language, methods=["POST"]),
            Route("/theme", self._choose_theme, methods=["POST"]),
            Route("/workspace", self._choose_workspace, methods=["POST"]),
            Route("/live", self._live, methods=["GET"]),
            Route("/static/{name}", self._static, methods=["GET"]),
        ]
        rooms = Starlette(routes=routes, exception_handlers={404: self._lost})

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
        accepted, site = request.headers.get("accept-language", "").split(","), self._site(self._session(request))
        wanted = (
            request.cookies.get(f"{self.guard.cookie}-language", ""),
            site.workspace.settings.language,
            site.cache.get("language", lambda: memory_language(site.workspace.folder), 60),
            *(part.split(";")[0].strip().lower()[:2] for part in accepted),
        )
        return next((language for language in wanted if language in SPOKEN), ENGLISH)

    def _session(self, request: Request) -> str:
        return self.guard.session(dict(request.headers))

    def _visit(self, request: Request) -> Visit:
        session = self._session(request)
        name = name_of(self._site(session).workspace.folder)
        theme = request.cookies.get(f"{self.guard.cookie}-theme", "")
        return Visit(
            self.guard.token(session, name),
            lambda key: request.query_params.get(key, ""),
            theme if theme in THEMES else THEMES[0],
            self.known(),
        )

    def _show(self, name: str, room: Room) -> Callable[[Request], object]:
        def shown(request: Request) -> Response:
            site, visit = self._site(session := self._session(request)), self._visit(request)
            notices = self._notices.pop((session, name_of(site.workspace.folder)), [])
            try:
                inside, status = room(site, visit), 200
            except ReverieError as error:
                inside, status = h("p", safe(str(error)), class_="told trouble", role="alert"), 409
            return HTMLResponse(page(site, visit, name, inside, notices), status)

        async def show(request: Request) -> Response:
            return await run_in_threadpool(shown, request)

        return show

    async def _lost(self, request: Request, error: Exception) -> Response:
        """An address that is no room."""

        def shown() -> str:
            site, visit = self._site(self._session(request)), self._visit(request)
            return page(site, visit, "lost", h("p", h("a", say("page.tonight"), href="/")))

        return HTMLResponse(await run_in_threadpool(shown), 404)

    def _do(self, act: Act, back: str) -> Callable[[Request], object]:
        async def do(request: Request) -> Response:
            session, form = self._session(request), await self._own_form(request)
            if form is None:
                return _foreign_form()
            site = self._site(session)
            try:
                done = await run_in_threadpool(act, site, form)
                if done is not None:
                    self._notify(session, site, "done", done if done.words else Done(say("page.unchanged")))
            except ReverieError as error:
                self._notify(session, site, "trouble", Done(safe(str(error))))
            finally:
                site.cache.clear()
            return RedirectResponse(_room(given(form, "back")) or back, 303)

        return do

    async def _own_form(self, request: Request) -> Form | None:
        """The fields of a form of this page; nothing when it is none, or not one of this session."""
        form, session = await _form(request), self._session(request)
        name = name_of(self._site(session).workspace.folder)
        return form if form and self.guard.is_token(session, given(form, "token"), name) else None

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

    def _door(self, status: int, *, wrong: bool = False, left: bool = False) -> Response:
        """The page of those who are not in yet, or not any more."""
        inside: list[Inside] = [h("h1", say("page.goodbye" if left else "page.door"))]
        if left:
            inside.append(h("p", say("page.no_key" if self.guard.password is None else "page.left")))
        elif wrong or self.guard.password is None:
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
        answer = self._door(200, left=True)
        answer.delete_cookie(self.guard.cookie, path="/")
        return answer

    async def _choose_language(self, request: Request) -> Response:
        return await self._choose(request, "language", SPOKEN)

    async def _choose_theme(self, request: Request) -> Response:
        return await self._choose(request, "theme", THEMES)

    async def _choose(self, request: Request, what: str, among: Sequence[str]) -> Response:
        """Keep what a visitor chose in a cookie, and show the room again where they were."""
        form = await self._own_form(request)
        if form is None:
            return _foreign_form()
        came = urlsplit(request.headers.get("referer", ""))
        answer = RedirectResponse(_room(f"{came.path}?{came.query}") or "/", 303)
        if (chosen := given(form, what)) in among:
            name = f"{self.guard.cookie}-{what}"
            answer.set_cookie(name, chosen, httponly=True, samesite="strict", path="/", max_age=_YEAR)
        return answer

    async def _choose_workspace(self, request: Request) -> Response:
        form, session = await self._own_form(request), self._session(request)
        if form is None:
            return _foreign_form()
        try:
            await run_in_threadpool(self._change_to, session, given(form, "to"))
        except ReverieError as error:
            self._notify(session, self._site(session), "trouble", Done(safe(str(error))))
        return RedirectResponse("/", 303)

    def _change_to(self, session: str, name: str) -> None:
        found = self.known().get(name)
        if found is None:
            raise BadInput(say("front.no_workspace"))
        with self._lock:
            if name not in self._sites:
                workspace = configured(found.root, os.environ)
                self._sites[name] = self._opened(workspace, chosen_clock(workspace.settings.timezone, self._now))
            self._chosen[session] = name

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
        last, site = None, self._site(self._session(request))
        for _ in range(int(_LONGEST_WATCH / _BEAT)):
            now = site.dream.seen()
            if now != last:
                yield f"data: {json.dumps({'running': now.running, 'step': now.step, 'read': now.read})}\n\n"
            last = now
            if not now.running or await request.is_disconnected():
                return
            await asyncio.sleep(_BEAT)

    def _dream_ended(self, name: str, end: Progress) -> None:
        """Everybody who is in is told, and a preview is kept to be looked at."""
        site, plan = self._sites[name], end.ended.get("plan")
        if plan is not None or end.kind == "review":
            site.preview = plan_from_dict(plan) if plan is not None else None
        site.cache.clear()
        run = next((one for one in commands.list_runs(site.workspace) if one.id == end.ended.get("run")), None)
        moved = runs.moved_words(run) if run and moved_by(run) else ""
        waits = say("front.plan_waits") if end.ended.get("proposed") else ""
        sentence = str(end.ended.get("error") or moved or waits or end.ended.get("told") or "")
        told = Done(safe(sentence), run.id if run else "")
        for session in self.guard.sessions() if sentence else ():
            self._notify(session, site, "trouble" if "error" in end.ended else "done", told)

    def _notify(self, session: str, site: Site, kind: str, done: Done) -> None:
        kept = self._notices.setdefault((session, name_of(site.workspace.folder)), [])
        kept.append((kind, done))
        del kept[:-_KEPT]


def name_of(root: Path) -> str:
    """A short name for a workspace: its path stays on this machine."""
    return short_id(str(root))


def _room(asked: str) -> str:
    """The address of a room of ours that somebody wants to be led back to; empty for any other."""
    parts = urlsplit(asked)
    if parts.scheme or parts.netloc or parts.path not in ROOMS:
        return ""
    query = f"?{urlencode(parse_qs(parts.query), doseq=True)}" if parts.query else ""
    return f"{parts.path}{query}{f'#{parts.fragment}' if _FRAGMENT.fullmatch(parts.fragment) else ''}"


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
    title, dream, here = say(f"page.{room}"), site.dream.seen(), "/" if room == "tonight" else f"/{room}"
    told = [_progress(dream) if dream.running else None, [_notice(visit, here, *notice) for notice in notices]]
    heading = None if room == "tonight" else h("h1", title)  # the first room begins with a sentence of its own
    body = h(
        "body",
        h("a", say("page.skip"), href="#main", class_="skip"),
        h("header", _name(site, visit), _navigation(site, room)),
        h("main", told, heading, inside, id="main", tabindex="-1"),
        _foot(visit),
        data_live="/live" if dream.running else None,
        class_=f"room-{room}",
    )
    script = h("script", src=f"/static/page.js?{_stamp('page.js')}", defer=True)
    return _document(f"{title} · Reverie", body, script, theme=visit.theme)


def _document(title: str, body: Html, *more: Html, forward: bool = False, theme: str = THEMES[0]) -> str:
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
    lang = "zh-Hans" if spoken() == "zh" else spoken()
    return f"<!doctype html>\n{h('html', head, body, lang=lang, class_=None if theme == THEMES[0] else theme)}"


@cache
def _static(name: str) -> bytes:
    return (resources.files("reverie.surfaces.web") / "static" / name).read_bytes()


@cache
def _stamp(name: str) -> str:
    """Changes when the file does, so that a browser may keep it."""
    return sha256(_static(name)).hexdigest()[:10]


def _name(site: Site, visit: Visit) -> Html:
    moon = h("img", src="/static/moon.svg", alt="", width=28, height=28)
    here = name_of(site.workspace.folder)
    alone = len(visit.workspaces) < 2
    words = h("strong", "Reverie"), h("small", site.workspace.name) if alone else None
    link = h("a", moon, h("span", words), href="/", class_="name")
    if alone:
        return link
    doors = [
        h(
            "li",
            button_of(
                one.label, "to", name, "plain", aria_current="true" if name == here else None, title=str(one.root)
            ),
        )
        for name, one in visit.workspaces.items()
    ]
    chosen = h(
        "details", h("summary", visit.workspaces[here].label), visit.form("/workspace", h("ul", doors)), class_="where"
    )
    return h("div", link, chosen, class_="name-and-where")


def _navigation(site: Site, here: str) -> Html:
    """The first rooms in sight, the others behind one word; a badge where something waits."""
    waits = tonight.desk(site, _BADGES_FRESH)
    badges = {"questions": waits.waiting, "plan": int(waits.plan or site.preview is not None)}
    names = list(dict.fromkeys(name for name, _ in ROOMS.values()))

    def link(n: int, room: str) -> Html:
        count = badges.get(room)
        told = h("span", count, class_="count", aria_label=say("front.waiting", n=count)) if count else None
        inside = h("kbd", n % 10, aria_hidden="true") if n <= _KEYS else None, h("span", say(f"page.{room}")), told
        current, href = "page" if room == here else None, "/" if room == "tonight" else f"/{room}"
        return h("li", h("a", inside, href=href, aria_current=current, data_key=n % 10 if n <= _KEYS else None))

    links = [link(n, room) for n, room in enumerate(names, 1)]
    waiting = sum(badges.get(room, 0) for room in names[FIRST:])
    summary = h(
        "summary", say("front.more"), h("span", waiting, class_="count", aria_hidden="true") if waiting else None
    )
    more = h("details", summary, h("ul", links[FIRST:]), open=here in names[FIRST:], class_="more")
    return h("nav", h("ul", links[:FIRST]), more, aria_label=say("page.rooms"))


def button_of(words: str, name: str, value: str, kind: str = "", **attributes: Attribute) -> Html:
    """A button that sends one value of its form."""
    return h("button", words, type="submit", name=name, value=value, class_=kind or None, **attributes)


def _foot(visit: Visit) -> Html:
    """How the page looks and speaks, its keys, and the way out."""
    themes = [
        button_of(
            say(f"front.theme_{theme}"),
            "theme",
            theme,
            "plain",
            aria_pressed="true" if theme == visit.theme else "false",
        )
        for theme in THEMES
    ]
    tongues = [
        button_of(
            named(code), "language", code, "plain", lang=code, aria_pressed="true" if code == spoken() else "false"
        )
        for code in SPOKEN
    ]
    keys = h("details", h("summary", say("front.keys")), h("p", say("page.keys")))
    return h(
        "footer",
        h("div", visit.form("/theme", themes, class_="choice"), role="group", aria_label=say("front.theme")),
        h("div", visit.form("/language", tongues, class_="choice"), role="group", aria_label=say("front.language")),
        keys,
        visit.form("/leave", button("leave", "plain")),
    )


def _progress(dream: Progress) -> Html:
    """What a dream is at, step by step; the script moves it on without loading the page again."""
    pulse = h("span", class_="pulse", aria_hidden="true")
    if dream.by:
        words = say("front.somebody_dreams", by=safe(dream.by))
        return h("div", h("p", pulse, words), class_="told live", role="status")
    done = STEPS.index(dream.step) if dream.step in STEPS else 0
    steps = [
        h("li", say(f"front.at_{step}"), data_step=step, class_="done" if n < done else "now" if n == done else None)
        for n, step in enumerate(STEPS)
        if step != "write" or dream.kind != "plan"  # a preview writes nothing
    ]
    read = h("span", h("span", f"{dream.read:,}", id="read"), " ", say("page.files_read"), hidden=not dream.read)
    again = h("a", say("front.look_again"), href="/", class_="unscripted")
    told = say("front.previewing" if dream.kind == "plan" else "page.busy_dreaming")
    seen = h("a", say("front.dream_over"), href="/plan" if dream.kind == "plan" else "/", hidden=True, id="over")
    return h("div", h("p", pulse, told, " ", read, " ", again, seen), h("ol", steps), class_="told live", role="status")


def _notice(visit: Visit, here: str, kind: str, done: Done) -> Html:
    """What was just done, in a note that fades and can be closed; a run is taken back where it is told. What went wrong stays."""
    if kind == "trouble":
        said = h("p", h("strong", say("page.trouble")), " ", done.words)
        return h("div", said, class_="told trouble", role="alert")
    run = h("a", say("front.details"), href=f"/runs?run={done.run}#R{done.run}") if done.run else None
    back = visit.form("/undo", hidden("run", done.run), hidden("back", here), button("front.take_back", "plain"))
    close = h("form", h("button", "×", class_="plain", aria_label=say("front.close")), method="dialog")
    told = h("dialog", h("p", done.words, " ", run), back if done.run else None, close, open=True, class_="told done")
    return h("div", told, role="status", class_="toast")


def _workspaces_of_this_machine() -> Sequence[FoundWorkspace]:
    try:
        return discover(os.environ, owners_settings(os.environ))
    except ReverieError:  # settings that cannot be read any more: the workspace that is open stays open
        return ()


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
        others: Callable[[], Sequence[FoundWorkspace]] = (
            tuple  # who opened one workspace to the network did not mean all of them
        )
    else:
        guard, others = Guard(port), _workspaces_of_this_machine
        link = f"http://{_LOOPBACK}:{port}/enter?key={guard.key}"
    web = WebApp(workspace, clock, guard, now, others)
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
        web.stop()
        listening.close()
