"""Authlib with Flask beside a development instance: both on localhost, where cookies ignore ports."""

from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "Authlib with Flask, both on http://localhost", "PyPI", True
RECIPE = "authlib.md"
SCHEME = "http"
LINES = ['client_kwargs={"code_challenge_method": "S256"}']
PACKAGES = {"Authlib": "1.9.5", "Flask": "3.1.3", "requests": "2.32.5"}


def install():
    get.pypi("flask", PACKAGES)
    return f"{PACKAGES['Authlib']} (Flask {PACKAGES['Flask']})"


def run(world):
    world.start_sinete()
    python = get.pypi("flask", PACKAGES)

    values = {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret}
    # Flask names its own cookie `session`; those of Sinete in development have other names.
    with world.check("a user signs in"):
        world.start("app", [python, world.client_folder / "app.py"], values, ready=world.app)
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        expect_in("signed in as", world.browser.text(), "the application")
