"""Signs in and calls tools with fastmcp's client, which opens the browser and listens for the callback itself."""

import asyncio
import json
import sys
import webbrowser

from fastmcp import Client
from fastmcp.client.auth import OAuth
from steps import causes, perform


def visit(url):
    """Stands in for the desktop: the harness is the browser."""
    print(f"visit {url}", flush=True)
    return True


webbrowser.open = visit


async def main():
    auth = OAuth(callback_host="127.0.0.1", callback_timeout=60)

    def expire():
        auth.context.token_expiry_time = 0.001

    async with Client(sys.argv[1], auth=auth) as client:
        await perform(client, expire)


try:
    asyncio.run(main())
except BaseException as error:
    print(json.dumps("\n".join(causes(error))), flush=True)
