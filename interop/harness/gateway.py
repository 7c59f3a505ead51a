"""oauth2-proxy and the application behind it, for reverse proxies that authorize requests at it."""

import sys

from . import install as get
from .world import expect, expect_in

VERSION = "v7.15.3"
UPSTREAM = """
import http.server, sys
class Application(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = "APPLICATION\\n" + "".join(f"{name}: {value}\\n" for name, value in self.headers.items())
        body = body.encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Application).serve_forever()
"""


def program():
    return get.go("oauth2-proxy", "github.com/oauth2-proxy/oauth2-proxy/v7", VERSION)


def install():
    program()
    return VERSION.removeprefix("v")


def start_upstream(world):
    """An application that shows the headers of the request."""
    world.start("upstream", [sys.executable, "-c", UPSTREAM, world.port(1)], ready=world.port(1))


def check_reverse_proxy(world, name, command, configuration):
    """A reverse proxy at the application's URL that authorizes every request at oauth2-proxy."""
    start_upstream(world)
    world.start("oauth2-proxy", [program(), "--config", world.configure("oauth2-proxy.cfg")], ready=world.port(2))
    world.start(name, command(world.configure(configuration)), ready=world.app_port)
    with world.check("a user signs in, the application gets the e-mail address"):
        world.browser.open(world.app + "/page")
        world.browser.sign_in()
        expect_in("ana@example.com", world.browser.text(), "the application")
    with world.check("without a session nothing reaches the application"):
        status, _, body = world.get(world.app + "/page")
        expect("APPLICATION" not in body, f"the application answered {status}: {body}")
