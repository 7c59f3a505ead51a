"""mcp-remote, which connects desktop applications without OAuth to remote MCP servers."""

import sys

from harness import install as get
from harness import mcp

NAME, SOURCE, QUICK = "mcp-remote", "npm", False
RECIPE = "mcp.md"
PACKAGES = {"mcp-remote": "0.15.1"}


def install():
    get.npm("mcp-remote", PACKAGES)
    return PACKAGES["mcp-remote"]


def run(world):
    world.start_sinete()
    program = get.npm("mcp-remote", PACKAGES) / "node_modules/mcp-remote/dist/proxy.js"
    mcp.start_server(world)
    command = [
        sys.executable, world.client_folder / "bridge.py", "node", program, f"http://localhost:{world.port(1)}/mcp", world.port(2),
        "--transport", "http-only", "--allow-http",
    ]
    environment = {"MCP_REMOTE_CONFIG_DIR": str(world.folder / "mcp-auth"), "BROWSER": "true"}
    with world.check("registers itself, and calls a tool"):
        mcp.converse(world, [*command, "read"], ["TOOL read: one note"], environment)
