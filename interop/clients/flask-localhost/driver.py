"""Authlib with Flask beside a development instance: both on localhost, where cookies ignore ports."""

from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "Authlib with Flask, both on http://localhost", "PyPI", True
RECIPE = "authlib.md"
SCHEME = "http"
LINES = ['client_kwargs={"code_challenge_method": "S256"}']
PACKAGES = {"Authlib": "1.9.5", "Flask": "3.1.3", "requests": "2.32.5"}
COOKIE = 'app.config["SESSION_COOKIE_NAME"] = "app_session"'


def install():
    get.pypi("flask", PACKAGES)
    return f"{PACKAGES['Authlib']} (Flask {PACKAGES['Flask']})"


def run(world):
    world.start_sinete()
    python = get.pypi("flask", PACKAGES)

    def sign_in(**more):
        values = {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret, **more}
        world.start("app", [python, world.client_folder / "app.py"], values, ready=world.app)
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        expect_in("signed in as", world.browser.text(), "the application")

    # Sinete's cookie in development is named `session` like Flask's, and replaces it.
    with world.check("a user signs in", cure=COOKIE) as check:
        sign_in()
    if not check.passed:
        world.stop_process("app")
        world.new_browser()
        with world.check(f"a user signs in, with `{COOKIE}`"):
            sign_in(COOKIE="app_session")
