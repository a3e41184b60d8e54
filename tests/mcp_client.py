"""The official SDK's own client, as a program: reads what to ask from standard input, prints what came back as JSON.

A process of its own, because the tests themselves may reach no network, not even this machine's.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def talk(client: Client, asked: list[list[Any]]) -> list[Any]:
    return [await one(client, verb, *rest) for verb, *rest in asked]


async def one(client: Client, verb: str, *rest: Any) -> Any:
    if verb == "tools":
        return {
            tool.name: (tool.annotations.read_only_hint, bool(tool.description))
            for tool in (await client.list_tools()).tools
        }
    if verb == "resources":
        return [str(resource.uri) for resource in (await client.list_resources()).resources]
    if verb == "read":
        return (await client.read_resource(rest[0])).contents[0].text  # type: ignore[union-attr]
    if verb == "prompt":
        return (await client.get_prompt(rest[0])).messages[0].content.text  # type: ignore[union-attr]
    result = await client.call_tool(verb, rest[0] if rest else {})
    return {"error": result.content[0].text} if result.is_error else result.structured_content  # type: ignore[union-attr]


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


print(json.dumps(anyio.run(main, json.load(sys.stdin))))
