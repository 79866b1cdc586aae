import asyncio

from svc.runtime import mcp


async def test_tool_with_logging():
    await mcp.info("Tool execution started")
    await asyncio.sleep(0.05)
    await mcp.info("Tool processing data")
    await asyncio.sleep(0.05)
    await mcp.info("Tool execution completed")
    return "Done"
