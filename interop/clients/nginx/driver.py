"""nginx, which authorizes every request at oauth2-proxy with auth_request."""

from harness import gateway
from harness import install as get

NAME, SOURCE, QUICK = "nginx auth_request with oauth2-proxy", "Debian, Go proxy", False
RECIPE = "nginx.md"
LINES = ['code_challenge_method = "S256"']


def install():
    proxy = gateway.install()
    return f"{get.debian('nginx-light')} (oauth2-proxy {proxy})"


def run(world):
    world.start_sinete()
    gateway.check_reverse_proxy(world, "nginx", lambda path: ["/usr/sbin/nginx", "-c", path], "nginx.conf")
