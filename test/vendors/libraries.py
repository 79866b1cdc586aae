"""Connects an MCP client library to a server and tries what people do with it.

Usage: libraries.py <library> <http|sse|stdio> <reach> <steps>. Reach is JSON, {"url": ...} or {"command": ..., "args":
[...]}; steps names a tool, a resource and two prompts. Writes JSON: for each step the text that arrived, {"error": ...}, or
null where the library has no such function.
"""

import asyncio
import importlib.metadata
import json
import sys

STEPS = json.loads(sys.argv[4])
TOOL, ARGUMENTS = STEPS["tool"]["name"], STEPS["tool"]["arguments"]
RESOURCE = STEPS["resource"]["uri"]


def reason(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return {"error": f"{type(error).__name__}: {error}".split("\n")[0][:300]}


async def tried(step):
    try:
        return str(await step())
    except BaseException as error:  # what the library raises is the finding
        return reason(error)


async def prompts(get):
    """Both prompts, through a function of the library that takes a name and arguments."""
    return {
        name: await tried(lambda: get(STEPS[step]["name"], STEPS[step]["arguments"]))
        for name, step in (("prompt", "prompt"), ("prompt with a resource", "embedding"))
    }


async def official(transport, reach):
    """The class of mcp 2, the official SDK."""
    from mcp import Client
    from mcp.client.sse import sse_client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    servers = {
        "http": lambda: reach["url"],
        "sse": lambda: sse_client(reach["url"]),
        "stdio": lambda: stdio_client(StdioServerParameters(**reach)),
    }
    async with Client(servers[transport]()) as client:
        return {
            "list": await tried(client.list_tools),
            "call": await tried(lambda: client.call_tool(TOOL, ARGUMENTS)),
            "read": await tried(lambda: client.read_resource(RESOURCE)),
            **await prompts(client.get_prompt),
        }


async def fastmcp(transport, reach):
    from fastmcp import Client
    from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport

    servers = {
        "http": lambda: StreamableHttpTransport(reach["url"]),
        "sse": lambda: SSETransport(reach["url"]),
        "stdio": lambda: StdioTransport(**reach),
    }
    async with Client(servers[transport]()) as client:
        return {
            "list": await tried(client.list_tools),
            "call": await tried(lambda: client.call_tool(TOOL, ARGUMENTS)),
            "read": await tried(lambda: client.read_resource(RESOURCE)),
            **await prompts(client.get_prompt),
        }


async def langchain(transport, reach):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    name = {"http": "streamable_http"}.get(transport, transport)
    client = MultiServerMCPClient({"shop": {"transport": name, **reach}})

    async def call():
        tools = {tool.name: tool for tool in await client.get_tools()}
        return await tools[TOOL].ainvoke(ARGUMENTS)

    async def read():
        return [blob.as_string() for blob in await client.get_resources("shop", uris=RESOURCE)]

    return {
        "list": await tried(client.get_tools),
        "call": await tried(call),
        "read": await tried(read),
        **await prompts(lambda name, arguments: client.get_prompt("shop", name, arguments=arguments)),
    }


async def openai_agents(transport, reach):
    from agents.mcp import MCPServerSse, MCPServerStdio, MCPServerStreamableHttp

    make = {"http": MCPServerStreamableHttp, "sse": MCPServerSse, "stdio": MCPServerStdio}[transport]
    async with make(params=reach, client_session_timeout_seconds=60) as server:
        return {
            "list": await tried(server.list_tools),
            "call": await tried(lambda: server.call_tool(TOOL, ARGUMENTS)),
            "read": await tried(lambda: server.read_resource(RESOURCE)),
            **await prompts(server.get_prompt),
        }


async def pydantic_ai(transport, reach):
    from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport
    from pydantic_ai.mcp import MCPToolset

    servers = {
        "http": lambda: StreamableHttpTransport(reach["url"]),
        "sse": lambda: SSETransport(reach["url"]),
        "stdio": lambda: StdioTransport(**reach),
    }
    async with MCPToolset(servers[transport]()) as toolset:
        return {
            "list": await tried(toolset.list_tools),
            "call": await tried(lambda: toolset.direct_call_tool(TOOL, ARGUMENTS)),
            "read": await tried(lambda: toolset.read_resource(RESOURCE)),
            **await prompts(toolset.get_prompt),
        }


async def llama_index(transport, reach):
    from llama_index.tools.mcp import BasicMCPClient

    client = BasicMCPClient(reach["url"]) if "url" in reach else BasicMCPClient(**{"command_or_url": reach["command"], "args": reach["args"]})
    return {
        "list": await tried(client.list_tools),
        "call": await tried(lambda: client.call_tool(TOOL, ARGUMENTS)),
        "read": await tried(lambda: client.read_resource(RESOURCE)),
        **await prompts(client.get_prompt),
    }


LIBRARIES = {
    "mcp": official,
    "fastmcp": fastmcp,
    "langchain-mcp-adapters": langchain,
    "openai-agents": openai_agents,
    "pydantic-ai-slim": pydantic_ai,
    "llama-index-tools-mcp": llama_index,
}


async def main(library, transport, reach):
    try:
        outcomes = await LIBRARIES[library](transport, json.loads(reach))
    except BaseException as error:  # as above; connecting failed
        outcomes = {"connect": reason(error)}
    json.dump({"version": importlib.metadata.version(library), "outcomes": outcomes}, sys.stdout)


asyncio.run(main(*sys.argv[1:4]))
