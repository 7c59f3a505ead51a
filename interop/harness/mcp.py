"""Runs an MCP client that calls tools, and opens the URLs that it prints in the browser."""

import json
import shutil
import sys
import time
from pathlib import Path

from . import install as get
from .world import DOCUMENT_HOST, CheckFailed, expect

WAIT_SECONDS = 60
NODE_PACKAGES = {
    "@modelcontextprotocol/client": "2.4.0", "@modelcontextprotocol/sdk": "1.32.2", "express": "5.3.0", "jose": "6.2.17",
}

DOCUMENT_SERVER = """
import functools, http.server, ssl, sys
port, folder, certificate, key = sys.argv[1:]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def document_settings(world):
    """Settings with which Sinete fetches client metadata documents from this machine, as in a network of one's own."""
    return {"SINETE_OUTBOUND_OWN_NETWORKS": "127.0.0.0/8,::1/128", "SINETE_OUTBOUND_CA_FILE": str(world.ca)}


def node_packages():
    """Both major versions of the TypeScript SDK, and the dependencies of the MCP server."""
    return get.npm("mcp-typescript", NODE_PACKAGES)


def start_server(world, **values):
    """Starts the MCP server that the clients call."""
    program = node_packages() / "server.mjs"
    shutil.copy(Path(__file__).with_name("mcp-server.mjs"), program)
    values |= {"ISSUER": world.issuer, "SERVER_PORT": str(world.port(1))}
    world.stop_process("server")
    world.start("server", ["node", program], values, ready=world.port(1))


def check_client(world, command, step_up=True, silent_cure=None, documents=True):
    """A client that registers itself: if the server names scopes, if it names none, and if a later call needs one more."""
    start_server(world)
    with world.check("registers itself with the scope of the challenge, and calls a tool"):
        converse(world, [*command, "read"], ["TOOL read: one note"])
    world.new_browser()
    start_server(world, SILENT="yes")
    with world.check("registers itself where no scope is named anywhere, and gets the API's default scope", cure=silent_cure):
        converse(world, [*command, "read"], ["TOOL read: one note"])
    start_server(world)
    if documents:
        _check_metadata_document(world, command)
    if step_up:
        _check_step_up(world, command)


def _check_step_up(world, command):
    """A later call needs one more permission than the client registered with."""
    def call_both():
        world.new_browser()
        converse(world, [*command, "read", "write"], ["TOOL read: one note", "TOOL write: written"])

    name, line = "steps up to a second permission (insufficient_scope)", 'registration.scope_ceiling = "consent"'
    with world.check(name, cure=line) as check:
        call_both()
    if not check.passed:
        world.restart_sinete({"SINETE_REGISTRATION_SCOPE_CEILING": "consent"})
        with world.check(f"{name}, with `{line}`"):
            call_both()


def _check_metadata_document(world, command):
    """The client_id is the URL of a client ID metadata document, which Sinete fetches."""
    files = [world.folder / "documents", world.folder / "server.pem", world.folder / "server.key"]
    files[0].mkdir(exist_ok=True)
    world.start("documents", [sys.executable, "-c", DOCUMENT_SERVER, world.port(3), *files], ready=world.port(3))
    with world.check("is known by a Client ID Metadata Document without `scope`, without registering"):
        _converse_by_document(world, command, "client.json")
    with world.check("is known by a Client ID Metadata Document with `scope`"):
        _converse_by_document(world, command, "client-with-scope.json", scope="notes:read offline_access")


def _converse_by_document(world, command, file, **more):
    world.new_browser()
    address = f"https://{DOCUMENT_HOST}:{world.port(3)}/{file}"
    document = {
        "client_id": address, "client_name": "MCP client by document", "token_endpoint_auth_method": "none",
        "redirect_uris": [f"http://127.0.0.1:{world.port(2)}/callback"], "grant_types": ["authorization_code", "refresh_token"],
    }
    world.write(f"documents/{file}", json.dumps(document | more))
    position = world.wire.position()
    converse(world, [*command, "read"], ["TOOL read: one note"], {"CLIENT_METADATA_URL": address})
    registered = [one for one in world.wire.since(position) if one.path == "/connect/register"]
    expect(not registered, "the client registered itself")


def converse(world, command, wanted, environment=None):
    """Runs a client, opens the URLs that it prints in the browser, and checks the results of its tool calls."""
    values = {"SERVER_PORT": str(world.port(1)), "CALLBACK_PORT": str(world.port(2)), "PYTHONUNBUFFERED": "1", **(environment or {})}
    process = world.start("client", command, values)
    path, opened = world.folder / "client.log", 0
    deadline = time.monotonic() + WAIT_SECONDS
    try:
        while time.monotonic() < deadline:
            lines = path.read_text(errors="replace").splitlines()
            addresses = [line.split(" ", 1)[1] for line in lines if line.startswith("OPEN ")]
            if len(addresses) > opened:
                opened += 1
                world.browser.open(addresses[opened - 1])
                world.browser.sign_in()
            elif process.poll() is not None:
                break
            time.sleep(0.1)
        said = [line for line in path.read_text(errors="replace").splitlines() if not line.startswith("OPEN ")]
        if [line for line in said if line.startswith("TOOL ")] != wanted:
            told = [line for line in said if line.startswith(("TOOL ", "FAILED "))]
            raise CheckFailed("the client says: " + "\n".join(told or said[-12:]))
    finally:
        world.stop_process("client")
