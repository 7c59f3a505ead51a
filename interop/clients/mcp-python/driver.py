"""The official Python SDK of the Model Context Protocol, as a client that registers itself."""

from harness import install as get
from harness import mcp

NAME, SOURCE, QUICK = "MCP Python SDK", "PyPI", True
RECIPE = "mcp.md"
PACKAGES = {"mcp": "2.3.0"}


def install():
    get.pypi("mcp-python", PACKAGES)
    return PACKAGES["mcp"]


def run(world):
    world.start_sinete(settings=mcp.document_settings(world))
    # If the MCP server names no scope, this SDK requests all scopes_supported of the authorization server's metadata.
    cure = '"scopes_supported": ["notes:read"]'
    mcp.check_client(world, [get.pypi("mcp-python", PACKAGES), world.client_folder / "client.py"], silent_cure=cure)
