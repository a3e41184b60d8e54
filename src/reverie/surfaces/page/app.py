"""The page as an application: which path shows which view. What may come in is decided by the guard around it."""

import os
import traceback
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Lock

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from reverie.errors import Changed, NotFound, ReverieError
from reverie.surfaces.page.acts import act as act_on
from reverie.surfaces.page.filters import FILTERS, shown
from reverie.surfaces.page.guard import Guard
from reverie.surfaces.page.site import Site, Value
from reverie.workspace.layout import Layout

_HERE = Path(__file__).parent
_VIEWS = {"/": "memory", "/line": "line", "/inbox": "inbox", "/night": "night", "/search": "search", "/file": "file"}
_TYPES = {"style.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
View = Callable[[dict[str, str]], tuple[str, Value]]


def application(layout: Layout, guard: Guard, now: str = "", model: str = "") -> Starlette:
    """The page of one workspace."""
    page = Page(Site(layout, now, model), guard)
    routes = [Route(path, page.view, methods=["GET"]) for path in _VIEWS]
    routes += [Route(f"/{name}", page.static, methods=["GET"]) for name in _TYPES]
    routes += [Route("/act", page.act, methods=["POST"]), Route("/live", page.live, methods=["GET"])]
    routes += [Route("/enter", page.enter, methods=["GET"]), Route("/refused", page.refused, methods=["GET"])]
    return Starlette(routes=routes, exception_handlers={HTTPException: page.unknown})


class Page:
    """What answers each path, with templates and files that are read once."""

    def __init__(self, site: Site, guard: Guard) -> None:
        self._site, self._guard, self._lock = site, guard, Lock()
        self._files = {name: (_HERE / "static" / name).read_bytes() for name in _TYPES}
        self._version = sha256(b"".join(self._files.values())).hexdigest()[:8]
        self._jinja = Environment(
            loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, finalize=shown,
            trim_blocks=True, lstrip_blocks=True, auto_reload=False,
        )  # fmt: skip
        self._jinja.filters |= FILTERS
        self._jinja.globals["version"] = self._version
        for name in self._jinja.list_templates():  # so that the first view waits for none
            self._jinja.get_template(name)

    async def view(self, request: Request) -> Response:
        method: View = getattr(self._site, _VIEWS[request.url.path])

        def made() -> Response:
            with self._lock:  # one after the other: nothing is said twice, and nothing is computed twice at a time
                try:
                    template, values = method(dict(request.query_params))
                    return self._page(template, values | {"path": request.url.path})
                except (Changed, NotFound) as error:
                    return self._trouble(str(error), 404)
                except Exception as error:  # noqa: BLE001
                    return self._failed(error)

        return await run_in_threadpool(made)

    async def act(self, request: Request) -> Response:
        form = request.scope["form"]

        def done() -> Response:
            try:
                with self._lock:
                    act_on(self._site, form, request.scope["fields"])
            except Exception as error:  # noqa: BLE001
                return self._failed(error)
            return RedirectResponse(back(form.get("back", "/")), 303)

        return await run_in_threadpool(done)

    async def live(self, _: Request) -> Response:
        return JSONResponse({"running": self._site.job.is_running, "step": self._site.job.step})

    async def enter(self, request: Request) -> Response:
        session = self._guard.enter(request.query_params.get("key", ""))
        if not session:
            return self._trouble("This link was opened before, or is none. `dream serve` prints a new one.", 401)
        # Not a redirect: a strict cookie is not sent on one that began at another site.
        response = self._page("enter.html", {})
        response.headers["refresh"] = "0; url=/"
        response.set_cookie(self._guard.cookie, session, httponly=True, samesite="strict", path="/")
        return response

    async def refused(self, request: Request) -> Response:
        if (found := request.scope.get("refused")) is None:
            raise HTTPException(404)
        return self._trouble(found.why, found.status)

    async def static(self, request: Request) -> Response:
        name = request.url.path.strip("/")
        is_this = request.query_params.get("v") == self._version
        kept = {"cache-control": "private, max-age=86400"} if is_this else {}
        return Response(self._files[name], media_type=_TYPES[name], headers=kept)

    async def unknown(self, _: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return self._trouble("There is no such page." if status == 404 else "This cannot be asked for so.", status)

    def _page(self, template: str, values: Value, status: int = 200) -> HTMLResponse:
        text = self._jinja.get_template(template).render(values | {"token": self._guard.token})
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def _trouble(self, sentence: str, status: int) -> HTMLResponse:
        values = {"sentence": sentence, "status": status, "name": self._site.layout.root.name}
        return self._page("trouble.html", values, status)

    def _failed(self, error: Exception) -> Response:
        if isinstance(error, ReverieError | OSError):
            return self._trouble(str(error) if isinstance(error, ReverieError) else f"{error.strerror}.", 409)
        last = traceback.extract_tb(error.__traceback__)[-1]  # what the error says may hold words of the workspace
        where = f"{type(error).__name__} in {os.path.basename(last.filename)}:{last.lineno}"
        return self._trouble(f"This is a bug: {where}. Please report this line.", 500)


def back(wanted: str) -> str:
    """A place on this page to go on at: one of its views, with plain characters behind it."""
    path = wanted.partition("?")[0].partition("#")[0]
    is_plain = len(wanted) < 300 and wanted.isascii() and wanted.isprintable() and not set(wanted) & set('\\"<> ')
    return wanted if path in _VIEWS and is_plain else "/"
