"""express-openid-connect, for Express applications."""

import json
import shutil

from harness import install as get
from harness.world import CLAIMS_LINE, expect, expect_in

NAME, SOURCE, QUICK = "express-openid-connect", "npm", True
RECIPE = "express-openid-connect.md"
LINES = ['authorizationParams: { response_type: "code" }']
PACKAGES = {"express-openid-connect": "3.4.0", "express": "5.3.0"}


def install():
    get.npm("express-openid-connect", PACKAGES)
    return PACKAGES["express-openid-connect"]


def run(world):
    world.start_sinete()
    program = get.npm("express-openid-connect", PACKAGES) / "app.mjs"
    shutil.copy(world.client_folder / "app.mjs", program)
    values = {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret}
    world.start("app", ["node", program], values, ready=world.app)

    def sign_in():
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        expect_in("signed in", world.browser.text(), "the application")

    with world.check("a user signs in"):
        sign_in()
    with world.check("userinfo has the name and the e-mail address"):
        world.browser.open(f"{world.app}/userinfo")
        shown = json.loads(world.browser.text())
        expect(shown.get("email") == "ana@example.com" and shown.get("name") == "Ana Reis", f"userinfo is {shown}")
    with world.check("a refreshed access token"):
        world.browser.open(f"{world.app}/refresh")
        expect_in("expires_in", world.browser.text(), "the application")

    def read_profile():
        world.new_browser()
        sign_in()
        world.browser.open(f"{world.app}/profile")
        shown = json.loads(world.browser.text())
        expect(shown.get("email") == "ana@example.com", f"the ID token says {shown}")

    world.check_with_line("req.oidc.user has the e-mail address", read_profile, CLAIMS_LINE)
    with world.check("logout returns to the application"):
        world.browser.open(f"{world.app}/logout")
        world.browser.sign_in()
        expect_in("signed out", world.browser.text(), "the application")
        world.browser.open(f"{world.app}/login")
        expect(world.browser.url().startswith(world.issuer), "the session at Sinete goes on")
