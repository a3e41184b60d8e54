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
    site, lock = Site(layout, now or os.environ.get("REVERIE_NOW", ""), model), Lock()
    files = {name: (_HERE / "static" / name).read_bytes() for name in _TYPES}
    version = sha256(b"".join(files.values())).hexdigest()[:8]
    jinja = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, finalize=shown,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    jinja.filters |= FILTERS
    jinja.globals["version"] = version
    for name in jinja.list_templates():  # so that the first view waits for none
        jinja.get_template(name)

    def page(template: str, values: Value, status: int = 200) -> HTMLResponse:
        text = jinja.get_template(template).render(values | {"token": guard.token})
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def trouble(sentence: str, status: int) -> HTMLResponse:
        return page("trouble.html", {"sentence": sentence, "status": status, "name": layout.root.name}, status)

    async def view(request: Request) -> Response:
        def made() -> Response:
            method: View = getattr(site, _VIEWS[request.url.path])
            with lock:  # one after the other: what is shown is told once, and nothing is computed twice at a time
                try:
                    template, values = method(dict(request.query_params))
                    return page(template, values | {"path": request.url.path})
                except (Changed, NotFound) as error:
                    return trouble(str(error), 404)
                except Exception as error:  # noqa: BLE001
                    return failed(error)

        return await run_in_threadpool(made)

    async def act(request: Request) -> Response:
        def done() -> Response:
            form = request.scope["form"]
            try:
                with lock:
                    act_on(site, form, request.scope["fields"])
            except Exception as error:  # noqa: BLE001
                return failed(error)
            return RedirectResponse(back(form.get("back", "/")), 303)

        return await run_in_threadpool(done)

    async def live(_: Request) -> Response:
        return JSONResponse({"running": site.job.is_running, "step": site.job.step})

    async def enter(request: Request) -> Response:
        session = guard.enter(request.query_params.get("key", ""))
        if not session:
            return trouble("This link was opened before, or is none. `dream serve` prints a new one.", 401)
        # Not a redirect: a strict cookie is not sent on one that began at another site.
        response = page("enter.html", {})
        response.headers["refresh"] = "0; url=/"
        response.set_cookie(guard.cookie, session, httponly=True, samesite="strict", path="/")
        return response

    async def refused(request: Request) -> Response:
        if (found := request.scope.get("refused")) is None:
            raise HTTPException(404)
        return trouble(found.why, found.status)

    async def static(request: Request) -> Response:
        name = request.url.path.strip("/")
        kept = {"cache-control": "private, max-age=86400"} if request.query_params.get("v") == version else {}
        return Response(files[name], media_type=_TYPES[name], headers=kept)

    async def unknown(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return trouble("There is no such page." if status == 404 else "This cannot be asked for so.", status)

    def failed(error: Exception) -> Response:
        if isinstance(error, ReverieError | OSError):
            return trouble(str(error) if isinstance(error, ReverieError) else f"{error.strerror}.", 409)
        last = traceback.extract_tb(error.__traceback__)[-1]  # what the error says may hold words of the workspace
        where = f"{type(error).__name__} in {os.path.basename(last.filename)}:{last.lineno}"
        return trouble(f"This is a bug: {where}. Please report this line.", 500)

    routes = [Route(path, view, methods=["GET"]) for path in _VIEWS]
    routes += [Route(f"/{name}", static, methods=["GET"]) for name in _TYPES]
    routes += [Route("/act", act, methods=["POST"]), Route("/live", live, methods=["GET"])]
    routes += [Route("/enter", enter, methods=["GET"]), Route("/refused", refused, methods=["GET"])]
    return Starlette(routes=routes, exception_handlers={HTTPException: unknown})


def back(wanted: str) -> str:
    """A place on this page to go on at: one of its views, with plain characters behind it."""
    path = wanted.partition("?")[0].partition("#")[0]
    is_plain = len(wanted) < 300 and wanted.isascii() and wanted.isprintable() and not set(wanted) & set('\\"<> ')
    return wanted if path in _VIEWS and is_plain else "/"
