"""An MCP client like the one in the SDK's documentation: it registers itself, requests no scope by name, and follows challenges.

It prints each address that a browser must open, and then what the tools answered.
"""

import asyncio
import os
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

SERVER = f"http://localhost:{os.environ['SERVER_PORT']}/mcp"
PORT = int(os.environ["CALLBACK_PORT"])
arrived: asyncio.Queue = asyncio.Queue()


class Memory:
    """Stores the registration and the tokens in memory."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def receive(reader, writer):
    target = (await reader.readline()).split()[1].decode()
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 25\r\nconnection: close\r\n\r\nYou can close this window")
    await writer.drain()
    writer.close()
    if target.startswith("/callback"):
        await arrived.put({name: values[0] for name, values in parse_qs(urlsplit(target).query).items()})


async def open_browser(url):
    print(f"OPEN {url}", flush=True)


async def wait_for_code():
    answer = await asyncio.wait_for(arrived.get(), 50)
    if "error" in answer:
        raise RuntimeError(f"{answer['error']}: {answer.get('error_description')}")
    return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))


async def main():
    await asyncio.start_server(receive, "127.0.0.1", PORT)
    metadata = OAuthClientMetadata(
        client_name="MCP Python SDK",
        redirect_uris=[f"http://127.0.0.1:{PORT}/callback"],
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    # The client_id if it is set and the server supports client ID metadata documents; then the client does not register.
    document = os.environ.get("CLIENT_METADATA_URL")
    provider = OAuthClientProvider(SERVER, metadata, Memory(), open_browser, wait_for_code, client_metadata_url=document)
    async with httpx2.AsyncClient(auth=provider, timeout=60) as http_client:
        async with streamable_http_client(SERVER, http_client=http_client) as (read, write, *_):
            async with ClientSession(read, write) as session:
                await session.initialize()
                for name in sys.argv[1:]:
                    answer = await session.call_tool(name, {})
                    print(f"TOOL {name}: {answer.content[0].text}", flush=True)


def innermost(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


try:
    asyncio.run(main())
except BaseException as error:
    print(f"FAILED {type(innermost(error)).__name__}: {innermost(error)}", flush=True)
    sys.exit(1)
