"""Runs vendors' converters over MCP tools.

The arguments name the converters. Reads a JSON list of tools from stdin. Writes one JSON list: for each
converter its version, and for each tool the converted schema or the error that the vendor's code raised.
"""

import copy
import importlib.metadata
import json
import sys

from mcp.types import Tool


def google_genai():
    from google.genai import types
    from google.genai._mcp_utils import mcp_to_gemini_tool

    def convert(tool):
        converted = mcp_to_gemini_tool(tool)
        return converted.model_dump(mode="json", exclude_none=True)["function_declarations"][0]["parameters"]

    return convert


def anthropic():
    from anthropic.lib.tools.mcp import async_mcp_tool

    return lambda tool: async_mcp_tool(tool, None).to_dict()["input_schema"]


def openai_agents(strict):
    from agents.mcp import MCPServerStreamableHttp
    from agents.mcp.util import MCPUtil

    server = MCPServerStreamableHttp(params={"url": "http://127.0.0.1:9/mcp"})

    def convert(tool):
        made = MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=strict)
        if strict and not made.strict_json_schema:
            raise ValueError("the converter left the schema as it is, without strict mode")
        return made.params_json_schema

    return convert


def langchain(strict):
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool

    connection = {"transport": "streamable_http", "url": "http://127.0.0.1:9/mcp"}

    def convert(tool):
        made = convert_mcp_tool_to_langchain_tool(None, tool, connection=connection)
        return convert_to_openai_tool(made, strict=strict or None)["function"]["parameters"]

    return convert


def llama_index():
    from llama_index.tools.mcp import McpToolSpec

    def convert(tool):
        spec = McpToolSpec(None)
        return spec.create_model_from_json_schema(schema_of(tool), model_name=f"{tool.name}_Schema").model_json_schema()

    return convert


def pydantic_ai(name, strict):
    if name == "openai":
        from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer as Transformer
    elif name == "google":
        from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer as Transformer
    else:
        from pydantic_ai.providers.anthropic import AnthropicJsonSchemaTransformer as Transformer

    return lambda tool: Transformer(schema_of(tool), strict=strict).walk()


CONVERTERS = {
    "google-genai": ("google-genai", google_genai),
    "anthropic": ("anthropic", anthropic),
    "openai-agents": ("openai-agents", lambda: openai_agents(False)),
    "openai-agents, strict": ("openai-agents", lambda: openai_agents(True)),
    "langchain-mcp-adapters": ("langchain-mcp-adapters", lambda: langchain(False)),
    "langchain-mcp-adapters, strict": ("langchain-mcp-adapters", lambda: langchain(True)),
    "llama-index-tools-mcp": ("llama-index-tools-mcp", llama_index),
    "pydantic-ai, OpenAI": ("pydantic-ai-slim", lambda: pydantic_ai("openai", None)),
    "pydantic-ai, OpenAI strict": ("pydantic-ai-slim", lambda: pydantic_ai("openai", True)),
    "pydantic-ai, Google": ("pydantic-ai-slim", lambda: pydantic_ai("google", None)),
    "pydantic-ai, Anthropic": ("pydantic-ai-slim", lambda: pydantic_ai("anthropic", None)),
}


def schema_of(tool):
    return copy.deepcopy(getattr(tool, "input_schema", None) or tool.inputSchema)


def outcome(convert, tool):
    try:
        return {"schema": convert(tool)}
    except Exception as error:  # whatever the vendor raises is the finding
        return {"error": f"{type(error).__name__}: {error}".split("\n")[0][:300]}


def main():
    tools = json.load(sys.stdin)
    results = []
    for name in sys.argv[1:]:
        package, create = CONVERTERS[name]
        convert = create()
        outcomes = [outcome(convert, Tool.model_validate(tool)) for tool in tools]
        results.append({"name": name, "package": package, "version": importlib.metadata.version(package), "outcomes": outcomes})
    json.dump(results, sys.stdout)


main()
