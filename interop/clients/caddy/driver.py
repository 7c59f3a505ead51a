"""Caddy, which authorizes every request at oauth2-proxy with forward_auth."""

from harness import gateway
from harness import install as get

NAME, SOURCE, QUICK = "Caddy forward_auth with oauth2-proxy", "Debian, Go proxy", False
RECIPE = "caddy.md"
LINES = ['code_challenge_method = "S256"']


def install():
    proxy = gateway.install()
    return f"{get.debian('caddy')} (oauth2-proxy {proxy})"


def run(world):
    world.start_sinete()
    command = lambda path: ["caddy", "run", "--adapter", "caddyfile", "--config", path]
    gateway.check_reverse_proxy(world, "caddy", command, "Caddyfile")
