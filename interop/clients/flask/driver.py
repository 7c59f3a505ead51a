"""Authlib with Flask."""

from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "Authlib with Flask", "PyPI", True
RECIPE = "authlib.md"
LINES = ['client_kwargs={"code_challenge_method": "S256"}']
PACKAGES = {"Authlib": "1.9.5", "Flask": "3.1.3", "requests": "2.32.5"}


def install():
    get.pypi("flask", PACKAGES)
    return f"{PACKAGES['Authlib']} (Flask {PACKAGES['Flask']})"


def run(world):
    world.start_sinete()
    values = {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret}
    python = get.pypi("flask", PACKAGES)
    world.start("app", [python, world.client_folder / "app.py"], values, ready=world.app)
    with world.check("a user signs in, userinfo has the name and the e-mail address"):
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        text = world.browser.text()
        expect_in("signed in as", text, "the application")
        expect_in("'email': 'ana@example.com'", text, "the application")
    with world.check("a second sign-in goes through without a question"):
        world.browser.open(f"{world.app}/login")
        expect_in("signed in as", world.browser.text(), "the application")
