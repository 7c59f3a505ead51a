"""Traefik, which authorizes every request at oauth2-proxy with forwardAuth."""

from harness import gateway
from harness import install as get

NAME, SOURCE, QUICK = "Traefik forwardAuth with oauth2-proxy", "Go proxy", False
RECIPE = "traefik.md"
LINES = ['code_challenge_method = "S256"']
MODULE, VERSION = "github.com/traefik/traefik/v3", "v3.6.12"


def install():
    proxy = gateway.install()
    get.go("traefik", MODULE, VERSION, "./cmd/traefik")
    return f"{VERSION.removeprefix('v')} (oauth2-proxy {proxy})"


def run(world):
    world.start_sinete()
    program = get.go("traefik", MODULE, VERSION, "./cmd/traefik")
    world.configure("routes.yaml")
    gateway.check_reverse_proxy(world, "traefik", lambda path: [program, f"--configfile={path}"], "traefik.yaml")
