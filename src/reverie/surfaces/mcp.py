"""`dream mcp`: thirteen tools, three resources and two prompts for any agent, over standard input and output (extra `mcp`).

A program is never the owner: what it notes is an agent's word, and a purge is not for programs.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

import reverie
from reverie.errors import NotFound, ReverieError
from reverie.features.excerpt import excerpt, shown_memory
from reverie.features.forget import find_forgettable
from reverie.judge.brief import estimated_tokens
from reverie.store.disk import bytes_of
from reverie.store.logs import diary_path
from reverie.surfaces.show import as_text, safe
from reverie.text.clock import moment
from reverie.workspace.layout import Layout, open_workspace

MOST_TOKENS = 24_900  # of an answer: a whole brief with its instructions; Claude Code cuts at 25,000
_LONGEST = 20_000  # characters of what has no end: a token each at most
NIGHT = (
    "Do the memory's night now, in one turn. Call dream_brief and judge by what it says. Give your operations to dream_answer;"
    " correct what is refused and hand that in once more. Then answer with two sentences about what changed. If there is"
    " nothing to judge, call dream_review with apply and say so."
)
_RESOURCES = {
    "memory://MEMORY.md": "What memory says",
    "memory://last-night": "What the last night decided, and why",
    "memory://DREAMS.md": "The diary of the nights",
}
_PROMPTS = {"session_start": "What to read before a conversation", "night": "Do the memory's night now"}
_TEXT, _FLAG, _COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "integer", "minimum": 1, "maximum": 2_000}
_LIST = {"type": "array", "items": {"type": "object"}}
Wishes = Mapping[str, Any]


class Tool(NamedTuple):
    about: str
    run: Callable[[Layout, datetime, Wishes], Any]
    needs: dict[str, Any] = {}  # noqa: RUF012
    takes: dict[str, Any] = {}  # noqa: RUF012
    looks_only: bool = True


def _forget(layout: Layout, now: datetime, wishes: Wishes) -> Any:
    if wishes.get("dry_run"):
        return find_forgettable(layout, wishes["description"]).shown
    return reverie.forget(layout, now, wishes["description"], forever=wishes.get("forever", False))


def _inbox(layout: Layout, now: datetime, wishes: Wishes) -> Any:
    if "id" not in wishes:
        return reverie.inbox(layout, now)[:20]
    if wishes.get("answer") not in ("yes", "no", "later"):
        raise ReverieError("An answer is yes, no or later; ask the owner.")
    return reverie.answer_cards(layout, now, {wishes["id"]: wishes["answer"]})


def _recall(layout: Layout, now: datetime, wishes: Wishes) -> Any:
    turns = [(str(turn.get("role", "")), str(turn.get("text", ""))) for turn in wishes.get("turns", ())]
    return reverie.recall(layout, now, wishes["message"], turns=turns)


def _answer(layout: Layout, now: datetime, wishes: Wishes) -> Any:
    return reverie.answer(layout, now, json.dumps(wishes))


TOOLS = {
    "memory_search": Tool("Find what memory, notes and archive say; ask again in other words or the notes' language.",
        lambda layout, now, asked: reverie.search(layout, now, asked["query"], limit=asked.get("max_results", 6)), {"query": _TEXT}, {"max_results": _COUNT}),
    "memory_get": Tool("Read lines of a file of this memory.",
        lambda layout, _, asked: excerpt(layout, asked["path"], asked.get("from", 1), asked.get("lines", 120)), {"path": _TEXT}, {"from": _COUNT, "lines": _COUNT}),
    "memory_recall": Tool("What to remember before answering a message; empty where nothing fits.", _recall, {"message": _TEXT}, {"turns": _LIST}),
    "memory_note": Tool("Write one statement into today's note.",
        lambda layout, now, asked: reverie.note(layout, now, asked["text"], is_owner=False), {"text": _TEXT}, {}, False),
    "memory_forget": Tool("Take lines out of memory and notes; with dry_run only show them.", _forget,
        {"description": _TEXT}, {"dry_run": _FLAG, "forever": _FLAG}, False),
    "dream_session_start": Tool("What to read before a conversation.", lambda layout, now, _: reverie.session_start(layout, now, longest=_LONGEST)),
    "dream_status": Tool("How things stand, and what to do next.", lambda layout, now, _: reverie.status(layout, now)),
    "dream_why": Tool("The story of a line, or why a text is not in memory.", lambda layout, _, asked: reverie.why(layout, asked["text"]), {"text": _TEXT}),
    "dream_inbox": Tool("What waits for the owner's word; with id and answer (yes, no, later) hand in what the owner said.", _inbox,
        {}, {"id": _TEXT, "answer": {"type": "string", "enum": ["yes", "no", "later"]}}, False),
    "dream_brief": Tool("What the next night has to decide on, for you to judge.", lambda layout, now, _: reverie.brief(layout, now)),
    "dream_answer": Tool("Hand in the operations for the brief; refused ones come back with a sentence each.", _answer,
        {"operations": _LIST}, {"diary": _TEXT}, False),
    "dream_review": Tool("Run a night by form alone; without apply only show what it would do.",
        lambda layout, now, asked: reverie.review(layout, now, dry_run=not asked.get("apply")), {}, {"apply": _FLAG}, False),
    "dream_undo": Tool("Take back the last run, or the one that is named.",
        lambda layout, now, asked: reverie.undo(layout, now, asked.get("run", "")), {}, {"run": _TEXT}, False),
}  # fmt: skip


def called(workspace: str, name: str, wishes: Wishes) -> str:
    """The answer of a tool as JSON on one line; what cannot be done is one sentence."""
    tool = TOOLS.get(name)
    if tool is None:
        raise NotFound(f"There is no tool {name[:60]!r}.")
    known = tool.needs | tool.takes
    for key, value in wishes.items():
        if key not in known:
            raise ReverieError(f"{name} takes no {key[:60]!r}; it takes {', '.join(known) or 'nothing'}.")
        kinds: dict[str, Any] = {"string": str, "boolean": bool, "integer": int, "array": list}
        if type(value) is not kinds[known[key]["type"]] or (
            known[key] is _LIST and not all(isinstance(item, dict) for item in value)
        ):
            raise ReverieError(f"{key!r} must be a {known[key]['type']}.")
        if known[key] is _COUNT and not _COUNT["minimum"] <= value <= _COUNT["maximum"]:
            raise ReverieError(f"{key!r} must lie between {_COUNT['minimum']} and {_COUNT['maximum']}.")
    if missing := [key for key in tool.needs if key not in wishes]:
        raise ReverieError(f"{name} needs {missing[0]!r}.")
    value = tool.run(open_workspace(workspace), moment(), wishes)
    text = value if isinstance(value, str) else as_text(value)
    if not tool.looks_only and estimated_tokens(text) > MOST_TOKENS:  # it is done: an error would have it done twice
        run = getattr(value, "run", None)
        return as_text({"run": getattr(run, "id", run), "left_out": "Done; what was done is too long to show here."})
    return _within(text)


def _within(text: str) -> str:
    if estimated_tokens(text) > MOST_TOKENS:
        raise ReverieError("The answer is too long for one message; ask for less.")
    return text


def resource(workspace: str, uri: str) -> str:
    layout = open_workspace(workspace)
    if uri == "memory://MEMORY.md":
        return _within(safe("\n".join(shown_memory(layout).values())))
    if uri == "memory://last-night":
        return _within(as_text([run for run in reverie.runs(layout) if run.command == "review"][-1:]))
    if uri != "memory://DREAMS.md":
        raise NotFound(f"There is no resource {uri[:60]!r}.")
    return safe((bytes_of(diary_path(layout)) or b"").decode("utf-8", "replace"))[-_LONGEST:]


def prompt(workspace: str, name: str) -> str:
    if name not in _PROMPTS:
        raise NotFound(f"There is no prompt {name[:60]!r}.")
    return (
        NIGHT if name == "night" else reverie.session_start(open_workspace(workspace), moment(), longest=_LONGEST).text
    )


def serve(workspace: str) -> None:
    """Answer until the host closes its end."""
    asked = Asked(workspace)
    server: Server[Any] = Server(
        "reverie", on_list_tools=asked.list_tools, on_call_tool=asked.call_tool, on_list_resources=asked.list_resources,
        on_read_resource=asked.read_resource, on_list_prompts=asked.list_prompts, on_get_prompt=asked.get_prompt,
    )  # fmt: skip

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


class Asked(NamedTuple):
    """What a host may ask of one workspace, in the protocol's types."""

    workspace: str

    async def list_tools(self, _: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(name, tool) for name, tool in TOOLS.items()])

    async def call_tool(self, _: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            work = partial(called, self.workspace, params.name, params.arguments or {})
            text, failed = await anyio.to_thread.run_sync(work), False
        except ReverieError as error:
            text, failed = safe(str(error)), True
        except Exception as error:  # noqa: BLE001
            text, failed = f"This is a bug: {type(error).__name__}. Please report it.", True
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    async def list_resources(self, _: Any, __: Any) -> types.ListResourcesResult:
        named = ((uri, uri.partition("//")[2], about) for uri, about in _RESOURCES.items())
        resources = [types.Resource(uri=uri, name=name, description=about) for uri, name, about in named]
        return types.ListResourcesResult(resources=resources)

    async def read_resource(self, _: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = await _answered(partial(resource, self.workspace, str(params.uri)))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=str(params.uri), text=text)])

    async def list_prompts(self, _: Any, __: Any) -> types.ListPromptsResult:
        prompts = [types.Prompt(name=name, description=about) for name, about in _PROMPTS.items()]
        return types.ListPromptsResult(prompts=prompts)

    async def get_prompt(self, _: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = await _answered(partial(prompt, self.workspace, params.name))
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


async def _answered(work: Callable[[], str]) -> str:
    try:
        return await anyio.to_thread.run_sync(work)
    except ReverieError as error:
        raise MCPError(types.INVALID_PARAMS, safe(str(error))) from None


def _listed(name: str, tool: Tool) -> types.Tool:
    schema = {"type": "object", "properties": tool.needs | tool.takes, "additionalProperties": False}
    schema |= {"required": list(tool.needs)} if tool.needs else {}
    hints = types.ToolAnnotations(
        read_only_hint=tool.looks_only, destructive_hint=not tool.looks_only, open_world_hint=False
    )
    return types.Tool(name=name, description=tool.about, input_schema=schema, annotations=hints)
