"""Lets an MCP client call tools, and opens in the browser whatever addresses it prints."""

import shutil
import time
from pathlib import Path

from . import install as get
from .world import CheckFailed

WAIT_SECONDS = 60
NODE_PACKAGES = {
    "@modelcontextprotocol/client": "2.4.0", "@modelcontextprotocol/sdk": "1.32.2", "express": "5.3.0", "jose": "6.2.17",
}


def node_packages():
    """Both generations of the TypeScript SDK, and what the MCP server is made of."""
    return get.npm("mcp-typescript", NODE_PACKAGES)


def _start_server(world, **values):
    program = node_packages() / "server.mjs"
    shutil.copy(Path(__file__).with_name("mcp-server.mjs"), program)
    values |= {"ISSUER": world.issuer, "SERVER_PORT": str(world.port(1))}
    world.stop_process("server")
    world.start("server", ["node", program], values, ready=world.port(1))


def check_client(world, command, step_up=True, silent_cure=None):
    """A client that registers itself: where scopes are named, where none is, and where one more is needed later."""
    _start_server(world)
    with world.check("registers itself with the scope of the challenge, and calls a tool"):
        _converse(world, [*command, "read"], ["TOOL read: one note"])
    if step_up:
        world.new_browser()
        with world.check("steps up to a second permission (insufficient_scope)",
                         known="The scope of a registration is a ceiling that consent cannot raise."):
            _converse(world, [*command, "read", "write"], ["TOOL read: one note", "TOOL write: written"])
    world.new_browser()
    _start_server(world, SILENT="yes")
    with world.check("registers itself where no scope is named anywhere, and gets the API's default scope",
                     known=None if silent_cure else "A client that registers without `scope` gets identity scopes only.",
                     cure=silent_cure):
        _converse(world, [*command, "read"], ["TOOL read: one note"])


def _converse(world, command, wanted):
    values = {"SERVER_PORT": str(world.port(1)), "CALLBACK_PORT": str(world.port(2)), "PYTHONUNBUFFERED": "1"}
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
