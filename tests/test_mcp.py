"""The MCP server, spoken to by the SDK's own client over standard input and output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from conftest import NOW, Make, memory_of
from reverie.workspace.layout import Layout

MEMORY = "## House\n- The boiler is serviced by Okafor\n- black tea\n- black tea\n- the password of the gate is Moorhuhn-88\n"
Call = Callable[..., Awaitable[Any]]


def spoken(layout: Layout, talk: Callable[[Client], Awaitable[None]]) -> None:
    code = "from reverie.surfaces.cli import main; main()"
    environ = {name: os.environ[name] for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "PATH")} | {
        "REVERIE_NOW": f"{NOW}"
    }
    environ |= {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    server = StdioServerParameters(
        command=sys.executable, args=["-c", code, "mcp", "-w", str(layout.root)], env=environ
    )

    async def run() -> None:
        async with Client(server) as client:
            await talk(client)

    anyio.run(run)


async def said(client: Client, name: str, **wishes: Any) -> Any:
    result = await client.call_tool(name, wishes)
    text = result.content[0].text  # type: ignore[union-attr]
    return text if result.is_error or not text.startswith(("{", "[")) else json.loads(text)


def test_a_whole_night_is_led_by_an_agent_and_taken_back(workspace: Make) -> None:
    layout = workspace(MEMORY, {"memory/2026-03-30.md": "- Decision: invoices go out on the first\n"})

    async def talk(client: Client) -> None:
        brief = await said(client, "dream_brief")
        assert "[n1] Decision: invoices" in brief and "Moorhuhn" not in brief
        wishes = [
            {"op": "add", "from": ["n1"], "section": "House", "text": "invoices go out on the first"},
            {"op": "end", "memory": ["m99"]},
        ]
        report = await said(
            client,
            "dream_answer",
            operations=wishes,
            diary="Tonight the invoices found their day, and nothing else moved.",
        )
        assert (report["done"][0]["text"], report["refused"][0][1]) == (
            "invoices go out on the first",
            "There is no line m99.",
        )
        assert (await said(client, "memory_search", query="invoices"))["hits"]
        assert "Okafor" in (await said(client, "memory_recall", message="Who services the boiler?"))["text"]
        await said(client, "dream_undo")

    spoken(layout, talk)
    assert memory_of(layout) == MEMORY


def test_tools_look_note_ask_and_refuse_what_they_do_not_know(workspace: Make) -> None:
    layout = workspace(MEMORY)

    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert (
            len(tools) == 13 and sum(bool(tool.annotations and tool.annotations.read_only_hint) for tool in tools) == 7
        )
        assert len(json.dumps([tool.model_dump(exclude_none=True) for tool in tools])) < 8_000
        shown = await said(client, "memory_get", path="MEMORY.md", **{"from": 2, "lines": 4})
        assert "Okafor" in shown["text"] and "Moorhuhn" not in shown["text"]
        for path in ("../secret", "memory/.dreams/state.json", "/etc/passwd"):
            assert "is no file of this memory" in await said(client, "memory_get", path=path)
        assert "takes no 'start'" in await said(client, "memory_get", path="MEMORY.md", start=3)
        assert "must be a string" in await said(client, "memory_note", text=7)
        assert "needs 'text'" in await said(client, "memory_note")
        noted = await said(client, "memory_note", text="Correction: the boiler is serviced by Mallory, not Okafor")
        assert not noted["in_memory"]
        dry = await said(client, "dream_review")
        assert dry["run"] == "" and [wish["op"] for wish in dry["done"]] == ["merge", "update"]
        assert (await said(client, "dream_status"))["characters"] == len(MEMORY)

    spoken(layout, talk)
    assert memory_of(layout) == MEMORY


def test_what_a_heading_says_to_be_a_secret_reaches_no_model(workspace: Make) -> None:
    layout = workspace(MEMORY + "\n## Passwords\n- the cellar: Quiethouse77\n")

    async def talk(client: Client) -> None:
        resource = (await client.read_resource("memory://MEMORY.md")).contents[0].text  # type: ignore[union-attr]
        others = [
            await said(client, "memory_forget", description="cellar", dry_run=True),
            await said(client, "memory_get", path="MEMORY.md"),
            await said(client, "memory_search", query="cellar"),
            await said(client, "dream_brief"),
        ]
        assert "Quiethouse77" not in resource + str(others) and "Okafor" in resource

    spoken(layout, talk)


@pytest.mark.parametrize("uri", ["memory://MEMORY.md", "memory://last-night", "memory://DREAMS.md"])
def test_resources_and_prompts_hold_no_secret(workspace: Make, uri: str) -> None:
    async def talk(client: Client) -> None:
        shown = await client.read_resource(uri)
        assert "Moorhuhn" not in shown.contents[0].text  # type: ignore[union-attr]
        for odd in ("memory://odd", "file:///etc/passwd"):
            with pytest.raises(Exception, match="no resource"):
                await client.read_resource(odd)
        with pytest.raises(Exception, match="no prompt"):
            await client.get_prompt("odd")
        assert "session_memory" in (await client.get_prompt("session_start")).messages[0].content.text  # type: ignore[union-attr]
        night = await client.get_prompt("night")
        assert "dream_brief" in night.messages[0].content.text  # type: ignore[union-attr]

    spoken(workspace(MEMORY), talk)
