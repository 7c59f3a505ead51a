"""Auth.js 5 with Express, configured with the issuer only."""

import json
import shutil

from harness import install as get
from harness.world import expect

NAME, SOURCE, QUICK = "Auth.js 5 (@auth/express)", "npm", True
RECIPE = "auth-js.md"
PACKAGES = {"@auth/express": "0.12.3", "express": "4.22.1"}

# It reads only the ID token, not userinfo.
CLAIMS = '{"id_token":{"name":null,"email":null}}'


def install():
    get.npm("auth-express", PACKAGES)
    return PACKAGES["@auth/express"]


def run(world):
    world.start_sinete()
    program = get.npm("auth-express", PACKAGES) / "app.mjs"
    shutil.copy(world.client_folder / "app.mjs", program)
    shown = {}

    def sign_in(**more):
        values = {"ISSUER": world.issuer, "APP_PORT": str(world.app_port), "SECRET": world.secret, **more}
        world.stop_process("app")
        world.start("app", ["node", program], values, ready=world.app)
        world.new_browser().open(f"{world.app}/auth/signin")
        world.browser.click_text("Sign in with Sinete")
        world.browser.wait_until(lambda: world.browser.url().startswith(world.issuer), "Sinete's page", 15)
        world.browser.sign_in()
        world.browser.open(world.app)
        shown.update(json.loads(world.browser.text()))
        expect(shown.get("user") is not None, f"the session is {shown}; {world.log('app')}")

    with world.check("a user signs in"):
        sign_in()
    with world.check("the session has the name and the e-mail address", cure="authorization: { params: { claims: { id_token: { name: null, email: null } } } }") as check:
        expect(shown["user"].get("email") == "ana@example.com", f"the session is {shown}")
    if not check.passed:
        with world.check("the session has the name and the e-mail address, with `claims`"):
            sign_in(CLAIMS=CLAIMS)
            expect(shown["user"] == {"name": "Ana Reis", "email": "ana@example.com"}, f"the session is {shown}")
