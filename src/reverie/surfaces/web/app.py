"""The application: every request passes the guard, is led to its room, and leaves with the headers that keep the page closed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reverie.apply.saved import plan_from_dict
from reverie.core.errors import BadPlanFile, ReverieError
from reverie.core.ports import Clock
from reverie.surfaces.web import (
    rooms_diary,
    rooms_doctor,
    rooms_memory,
    rooms_palace,
    rooms_plan,
    rooms_questions,
    rooms_runs,
    rooms_scene,
    rooms_search,
    rooms_tonight,
)
from reverie.surfaces.web.acts import ACTS, SILENT, STARTS, Act, Form, one
from reverie.surfaces.web.guard import HEADERS, LARGEST, Guard
from reverie.surfaces.web.house import House, Visit, said
from reverie.surfaces.web.pages import STATIC, Told, door, page, static, welcome
from reverie.surfaces.web.sleeper import Progress, Sleeper
from reverie.surfaces.web.tags import Html, h
from reverie.surfaces.web.words import LANGUAGES, language_for
from reverie.workspace.values import Plan, Workspace

Room = Callable[[House, Visit], Html]
ROOMS: dict[str, tuple[str, Room]] = {
    "/": ("tonight", rooms_tonight.tonight),
    "/plan": ("plan", rooms_plan.plan),
    "/memory": ("memory", rooms_memory.memory),
    "/memory/why": ("memory", rooms_memory.why),
    "/forget": ("memory", rooms_memory.forget),
    "/scene": ("scene", rooms_scene.scene),
    "/scene/explain": ("scene", rooms_scene.explain),
    "/diary": ("diary", rooms_diary.diary),
    "/search": ("search", rooms_search.search),
    "/runs": ("runs", rooms_runs.runs),
    "/questions": ("questions", rooms_questions.questions),
    "/palace": ("palace", rooms_palace.palace),
    "/doctor": ("doctor", rooms_doctor.doctor),
}
_KEPT = 20  # sentences for one session that nobody has read yet
_BEAT = 0.4  # seconds between two looks at a dream that runs
_LONGEST_WATCH = 1_800.0  # seconds after which a browser has to ask again


class Page:
    """The rooms of one workspace behind one guard."""

    def __init__(self, workspace: Workspace, clock: Clock, guard: Guard, now: str = "") -> None:
        self.guard, self.told = guard, dict[str, list[Told]]()
        self.house = House(workspace, clock, Sleeper(workspace.root, now, on_end=self._woken))

    def app(self) -> ASGIApp:
        routes = [Route(path, self._show(name, room), methods=["GET"]) for path, (name, room) in ROOMS.items()]
        routes += [Route(path, self._do(act, back), methods=["POST"]) for path, (act, back) in ACTS.items()]
        routes += [
            Route("/enter", self._enter, methods=["GET", "POST"]),
            Route("/leave", self._leave, methods=["POST"]),
            Route("/language", self._language, methods=["POST"]),
            Route("/live", self._live, methods=["GET"]),
            Route("/static/{name}", self._static, methods=["GET"]),
        ]
        return Guarded(Starlette(routes=routes), self)

    def visit(self, request: Request) -> Visit:
        chosen = request.cookies.get(f"{self.guard.cookie}-language", "")
        language = language_for(chosen, request.headers.get("accept-language", ""))
        token = self.guard.token(self.session(request))
        return Visit(language, token, lambda name: request.query_params.get(name, ""))

    def session(self, request: Request) -> str:
        return self.guard.session(dict(request.headers))

    def _show(self, name: str, room: Room) -> Callable[[Request], object]:
        async def show(request: Request) -> Response:
            visit = self.visit(request)
            told = self.told.pop(self.session(request), [])
            try:
                inside, status = await run_in_threadpool(room, self.house, visit), 200
            except ReverieError as error:
                inside, status = h("p", said(str(error)), class_="told trouble", role="alert"), 409
            return HTMLResponse(page(self.house, visit, name, inside, told), status)

        return show

    def _do(self, act: Act, back: str) -> Callable[[Request], object]:
        async def do(request: Request) -> Response:
            session, form = self.session(request), await _form(request)
            if form is None or not self.guard.is_token(session, one(form, "token")):
                return PlainTextResponse(
                    "The form is not from this page. Open the room again, then try once more.", 403
                )
            try:
                told = await run_in_threadpool(act, self.house, form)
                if told or act not in SILENT:
                    self._tell(session, "done", told or self.visit(request).say("unchanged"))
            except ReverieError as error:
                self._tell(session, "trouble", said(str(error)))
            finally:
                if act not in STARTS:
                    self.house.changed()
            return RedirectResponse(back, 303)

        return do

    async def _enter(self, request: Request) -> Response:
        visit, who = self.visit(request), _who(request.scope)
        given = request.query_params.get("key", "")
        if request.method == "POST":
            form = await _form(request)
            given = one(form, "key") if form else ""
        with_password = self.guard.password is not None
        if request.method == "GET" and with_password:
            return HTMLResponse(door(visit, wrong=False, with_password=True))
        session = await run_in_threadpool(self.guard.enter, given, who)
        if not session:
            return HTMLResponse(door(visit, wrong=True, with_password=with_password), 401)
        answer = HTMLResponse(welcome(visit))
        answer.set_cookie(self.guard.cookie, session, httponly=True, samesite="strict", path="/")
        return answer

    async def _leave(self, request: Request) -> Response:
        form = await _form(request)
        session = self.session(request)
        if form is None or not self.guard.is_token(session, one(form, "token")):
            return PlainTextResponse("The form is not from this page.", 403)
        self.guard.leave(session)
        answer = HTMLResponse(door(self.visit(request), wrong=False, with_password=self.guard.password is not None))
        answer.delete_cookie(self.guard.cookie, path="/")
        return answer

    async def _language(self, request: Request) -> Response:
        form = await _form(request)
        if form is None or not self.guard.is_token(self.session(request), one(form, "token")):
            return PlainTextResponse("The form is not from this page.", 403)
        answer = RedirectResponse(_path_of(request.headers.get("referer", "")), 303)
        if one(form, "language") in LANGUAGES:
            name = f"{self.guard.cookie}-language"
            answer.set_cookie(
                name, one(form, "language"), httponly=True, samesite="strict", path="/", max_age=31_536_000
            )
        return answer

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            return PlainTextResponse("There is no such file.", 404)
        kept = {"Cache-Control": "private, max-age=86400"} if request.url.query else {}
        return Response(static(name), media_type=STATIC[name], headers=kept)

    async def _live(self, request: Request) -> Response:
        return StreamingResponse(self._watch(request), media_type="text/event-stream")

    async def _watch(self, request: Request) -> AsyncIterator[str]:
        """How far a dream has come, until it has ended or nobody listens."""
        last = None
        for _ in range(int(_LONGEST_WATCH / _BEAT)):
            now = self.house.sleeper.progress
            if now != last:
                yield f"data: {json.dumps({'running': now.running, 'read': now.read})}\n\n"
            last = now
            if not now.running or await request.is_disconnected():
                return
            await asyncio.sleep(_BEAT)

    def _woken(self, end: Progress) -> None:
        """A child has ended: everybody who is in is told, and a preview is kept to be looked at."""
        plan = end.ended.get("plan")
        if plan is not None or end.kind == "review":
            self.house.preview = _plan(plan) if plan is not None else None
        self.house.changed()
        sentence = str(end.ended.get("error") or end.ended.get("told") or end.ended.get("proposed") or "")
        for session in self.guard.sessions():
            if sentence:
                self._tell(session, "trouble" if "error" in end.ended else "done", said(sentence))

    def _tell(self, session: str, kind: str, sentence: str) -> None:
        self.told.setdefault(session, []).append((kind, sentence))
        del self.told[session][:-_KEPT]


class Guarded:
    """The guard before the rooms, and the headers behind them."""

    def __init__(self, rooms: ASGIApp, page: Page) -> None:
        self.rooms, self.page = rooms, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.rooms(scope, receive, send)
            return

        async def closed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name != "Cache-Control" or name not in headers:
                        headers[name] = value
            await send(message)

        request = Request(scope)
        refused = self.page.guard.refusal(request.method, request.url.path, dict(request.headers), _who(scope))
        if refused is None:
            await self.rooms(scope, receive, closed)
            return
        with_password = self.page.guard.password is not None
        if refused.status == 401 and request.method == "GET":
            answer: Response = HTMLResponse(
                door(self.page.visit(request), wrong=False, with_password=with_password), 401
            )
        else:
            answer = PlainTextResponse(refused.why or "Come in through the door first.", refused.status)
        await answer(scope, receive, closed)


async def _form(request: Request) -> Form | None:
    """The fields of a plain form; nothing when it is no form or too large, whatever its header said."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return None
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            return None
    try:
        return parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=2_000)
    except ValueError:
        return None


def _plan(value: object) -> Plan | None:
    try:
        return plan_from_dict(value)  # type: ignore[arg-type]
    except (BadPlanFile, KeyError, TypeError, ValueError):
        return None


def _who(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _path_of(address: str) -> str:
    """The room of an address, without the machine: where somebody came from, if it was one of ours."""
    from urllib.parse import urlsplit

    path = urlsplit(address).path
    return path if path in ROOMS else "/"


__all__ = ["ROOMS", "Guarded", "Page"]
