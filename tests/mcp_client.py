"""The official SDK's own client: in this process (`asked`), or as a program that reads what to ask from standard input and prints
what came back as JSON. The program is for pipes and ports: the tests themselves may reach no network, not even this machine's.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer
from mcp.types import TextContent

WHOLE = ("dream_brief", "memory_get")
LIMITS = {"dream_more": 8_192}  # bytes of an answer; all others have 2,048


async def talk(client: Client, asked: list[list[Any]]) -> list[Any]:
    return [await one(client, verb, *rest) for verb, *rest in asked]


async def one(client: Client, verb: str, *rest: Any) -> Any:
    if verb == "tools":
        return {
            tool.name: (tool.annotations.read_only_hint, bool(tool.description))
            for tool in (await client.list_tools()).tools
        }
    if verb == "server":
        return client.server_info.model_dump() | {"instructions": client.instructions}
    if verb == "schemas":
        found = (await client.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in found]
    if verb == "prompts":
        return [prompt.name for prompt in (await client.list_prompts()).prompts]
    if verb == "resources":
        return [str(resource.uri) for resource in (await client.list_resources()).resources]
    if verb == "read":
        return (await client.read_resource(rest[0])).contents[0].text  # type: ignore[union-attr]
    if verb == "prompt":
        return (await client.get_prompt(rest[0])).messages[0].content.text  # type: ignore[union-attr]
    result = await client.call_tool(verb, rest[0] if rest else {})
    assert result.structured_content is None and isinstance(result.content[0], TextContent)
    text = result.content[0].text
    if verb not in WHOLE or result.is_error:
        assert len(text.encode()) <= LIMITS.get(verb, 2_048), f"{verb} says {len(text.encode())} bytes"
    return {"error": text} if result.is_error else json.loads(text)


def asked(server: MCPServer[Any], *ask: Any) -> list[Any]:
    """What a client in this process hears."""

    async def hear() -> list[Any]:
        async with Client(server) as client:
            return await talk(client, list(ask))

    return anyio.run(hear)


async def main(given: dict[str, Any]) -> list[Any]:
    if "command" in given:
        async with Client(StdioServerParameters(command=given["command"][0], args=given["command"][1:])) as client:
            return await talk(client, given["ask"])
    return [await over_http(given["url"], headers, given["ask"]) for headers in given["callers"]]


async def over_http(url: str, headers: dict[str, str], asked: list[list[Any]]) -> Any:
    try:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await talk(client, asked)
    except (MCPError, httpx2.HTTPError, ExceptionGroup):
        return "refused"


if __name__ == "__main__":
    print(json.dumps(anyio.run(main, json.load(sys.stdin))))
