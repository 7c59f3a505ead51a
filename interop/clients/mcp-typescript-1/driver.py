"""The first generation of the official TypeScript SDK of the Model Context Protocol, which most clients still use."""

import shutil

from harness import mcp

NAME, SOURCE, QUICK = "MCP TypeScript SDK 1", "npm", False
RECIPE = "mcp.md"


def install():
    mcp.node_packages()
    return mcp.NODE_PACKAGES["@modelcontextprotocol/sdk"]


def run(world):
    world.start_sinete()
    program = mcp.node_packages() / "client-1.mjs"
    shutil.copy(world.client_folder / "client.mjs", program)
    # With a refresh token this SDK refreshes instead of requesting more scopes, on any server: there is no step-up to check.
    mcp.check_client(world, ["node", program], step_up=False, documents=False)
