"""Auth.js 5 with Express, configured with the issuer only."""

import json
import shutil

from harness import install as get
from harness.world import CLAIMS_LINE, expect

NAME, SOURCE, QUICK = "Auth.js 5 (@auth/express)", "npm", True
RECIPE = "auth-js.md"
PACKAGES = {"@auth/express": "0.12.3", "express": "4.22.1"}


def install():
    get.npm("auth-express", PACKAGES)
    return PACKAGES["@auth/express"]


def run(world):
    world.start_sinete()
    program = get.npm("auth-express", PACKAGES) / "app.mjs"
    shutil.copy(world.client_folder / "app.mjs", program)
    shown = {}
    values = {"ISSUER": world.issuer, "APP_PORT": str(world.app_port), "SECRET": world.secret}
    world.start("app", ["node", program], values, ready=world.app)

    def sign_in():
        world.new_browser().open(f"{world.app}/auth/signin")
        world.browser.click_text("Sign in with Sinete")
        world.browser.wait_until(lambda: world.browser.url().startswith(world.issuer), "Sinete's page", 15)
        world.browser.sign_in()
        world.browser.open(world.app)
        shown.update(json.loads(world.browser.text()))
        expect(shown.get("user") is not None, f"the session is {shown}; {world.log('app')}")

    with world.check("a user signs in"):
        sign_in()

    def read_profile():
        sign_in()
        expect(shown["user"] == {"name": "Ana Reis", "email": "ana@example.com"}, f"the session is {shown}")

    # It reads only the ID token, not userinfo.
    world.check_with_line("the session has the name and the e-mail address", read_profile, CLAIMS_LINE)
