"""The registration requests that editors send as MCP clients, with redirect URIs of private-use schemes. No editor runs."""

import json

from harness.world import expect

NAME, SOURCE, QUICK = "Registrations as Cursor and VS Code send them", "request bodies", True
RECIPE = "mcp.md"
COMMON = {"grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none"}
BODIES = {
    "Cursor": {"client_name": "Cursor", "redirect_uris": ["cursor://anysphere.cursor-mcp/oauth/callback"]},
    "VS Code": {"client_name": "Visual Studio Code", "redirect_uris": ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"]},
}


def install():
    return "–"


def run(world):
    world.start_sinete(documents=())
    for name, body in BODIES.items():
        with world.check(f"{name} is registered"):
            data = json.dumps(body | COMMON).encode()
            status, _, answer = world.get(f"{world.issuer}/connect/register", {"content-type": "application/json"}, data)
            expect(status == 201, f"{status}: {answer}")
    with world.check("a redirect URI that runs a script is refused"):
        data = json.dumps({"client_name": "Bad", "redirect_uris": ["javascript:alert(1)"]} | COMMON).encode()
        status, _, answer = world.get(f"{world.issuer}/connect/register", {"content-type": "application/json"}, data)
        expect(status == 400, f"{status}: {answer}")
