"""An API that accepts access tokens. Reading invoices requires a permission.

    python3 examples/api.py http://localhost:8080 http://127.0.0.1:7001

Arguments: the issuer, the URI that the API is registered under, and its base URL if that is another one. With SERVICE_ID
and SERVICE_SECRET in the environment it introspects every token.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))
from sinete_client import AccessTokenVerifier, ClientAuthentication, RequestCredentials, RequestRejectedError

issuer, audience, base_url = (sys.argv[1:] + sys.argv[2:])[:3]
service_id = os.environ.get("SERVICE_ID")
introspection = None if service_id is None else ClientAuthentication.client_secret_basic(service_id, os.environ["SERVICE_SECRET"])
verifier = AccessTokenVerifier(issuer, audience, base_url=base_url, introspection=introspection)


def whoami(token):
    actors = [{"subject": actor.subject, "profile": actor.profile} for actor in token.actors]
    return {"subject": token.subject, "organization": token.organization, "actors": actors}


def invoices(token):
    return {"organization": token.organization, "invoices": ["2026-001"]}


ROUTES = {"/whoami": ([], whoami), "/invoices": (["invoices:read"], invoices)}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        route = ROUTES.get(self.path.partition("?")[0])
        if route is None:
            return self.respond(404)
        scopes, body = route
        # Several headers are joined, and are rejected, so that none is hidden.
        header = lambda name: ", ".join(self.headers.get_all(name, [])) or None  # noqa: E731
        credentials = RequestCredentials(self.command, self.path, header("authorization"), header("dpop"))
        try:
            token = verifier.verify(credentials, scopes=scopes)
        except RequestRejectedError as rejected:
            print(rejected.status, rejected.reason, file=sys.stderr)
            return self.respond(rejected.status, rejected.headers())
        self.respond(200, [("content-type", "application/json")], json.dumps(body(token)).encode())

    def respond(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in [*headers, ("content-length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


url = urlsplit(base_url)
server = ThreadingHTTPServer((url.hostname, url.port), Handler)
print(f"The API listens at http://{url.hostname}:{server.server_port}", flush=True)
server.serve_forever()
