"""Signs in and calls tools with the OAuth client of the Python SDK. The harness is the browser."""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from steps import causes, perform


class Memory:
    """Keeps tokens and the registration until the process ends."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def open_browser(url):
    print(f"visit {url}", flush=True)


async def read_callback():
    line = await asyncio.to_thread(sys.stdin.readline)
    answer = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    if "code" not in answer:
        raise RuntimeError(f"{answer.get('error')}: {answer.get('error_description')}")
    return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))


async def main():
    metadata = OAuthClientMetadata(client_name="Python SDK", redirect_uris=["http://127.0.0.1:1/back"])
    auth = OAuthClientProvider(sys.argv[1], metadata, Memory(), open_browser, read_callback)

    def expire():
        auth.context.token_expiry_time = 0.001

    async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
        async with Client(streamable_http_client(sys.argv[1], http_client=http)) as client:
            await perform(client, expire)


try:
    asyncio.run(main())
except BaseException as error:
    print(json.dumps("\n".join(causes(error))), flush=True)
