"""go-oidc with golang.org/x/oauth2, which most programs in Go use."""

import json

from harness import install as get
from harness.world import expect, expect_in

NAME, SOURCE, QUICK = "go-oidc", "Go proxy", False
RECIPE = "go-oidc.md"


def install():
    get.go_program("go-oidc", FOLDER, ["go.mod", "go.sum", "main.go"])
    return "3.21.0 (x/oauth2 0.37.0)"


def run(world):
    world.start_sinete()
    program = get.go_program("go-oidc", FOLDER, ["go.mod", "go.sum", "main.go"])
    values = {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret}
    world.start("app", [program], values, ready=world.app_port)
    with world.check("discovery, code with PKCE, ID token and at_hash, userinfo, refresh"):
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        text = world.browser.text()
        expect_in('"userinfo"', text, "the application")
        shown = json.loads(text)
        expect(shown["userinfo"].get("email") == "ana@example.com", f"userinfo is {shown['userinfo']}")
