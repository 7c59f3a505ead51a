"""openid-client, the certified library for Node.js."""

import json
import shutil

from harness import install as get
from harness.world import expect, expect_in

NAME, SOURCE, QUICK = "openid-client (Node.js)", "npm", True
RECIPE = "openid-client.md"
VERSION = "6.8.9"


def install():
    get.npm("openid-client", {"openid-client": VERSION})
    return VERSION


def run(world):
    world.start_sinete()
    folder = get.npm("openid-client", {"openid-client": VERSION})
    program = folder / "app.mjs"
    shutil.copy(world.client_folder / "app.mjs", program)
    values = {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret}
    world.start("app", ["node", program], values, ready=world.app)
    shown = {}

    def sign_in():
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        text = world.browser.text()
        expect_in('"userinfo"', text, "the application")
        shown.update(json.loads(text))
        expect(shown["userinfo"].get("email") == "ana@example.com", f"userinfo is {shown['userinfo']}")
        expect(shown["introspected"].get("active") is True, f"introspection says {shown['introspected']}")

    with world.check("code with PKCE, userinfo, refresh, introspection, revocation"):
        sign_in()
    with world.check("logout returns to the application"):
        expect(shown, "no user signed in")
        world.browser.open(shown["logout"])
        world.browser.wait_until(lambda: world.browser.url().startswith(world.app), "the way back", 10)
        expect_in("signed out", world.browser.text(), "the application")
