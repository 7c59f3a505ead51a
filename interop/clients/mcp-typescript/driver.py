"""The official TypeScript SDK of the Model Context Protocol, as a client that registers itself."""

import shutil

from harness import mcp

NAME, SOURCE, QUICK = "MCP TypeScript SDK 2", "npm", True
RECIPE = "mcp.md"


def install():
    mcp.node_packages()
    return mcp.NODE_PACKAGES["@modelcontextprotocol/client"]


def run(world):
    world.start_sinete(settings=mcp.document_settings(world))
    program = mcp.node_packages() / "client.mjs"
    shutil.copy(world.client_folder / "client.mjs", program)
    mcp.check_client(world, ["node", program])
