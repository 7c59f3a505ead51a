"""Django with Python Social Auth."""

from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "Django with Python Social Auth", "PyPI", True
RECIPE = "django.md"
LINES = ["SOCIAL_AUTH_OIDC_USE_PKCE = True"]
PACKAGES = {"social-auth-app-django": "8.0.0", "Django": "5.2.19"}


def install():
    get.pypi("django-social-auth", PACKAGES)
    return f"{PACKAGES['social-auth-app-django']} (Django {PACKAGES['Django']})"


def run(world):
    world.start_sinete()
    values = {
        "ISSUER": world.issuer, "APP": world.app, "SECRET": world.secret, "DATABASE": str(world.folder / "django.sqlite3"),
    }
    manage = [get.pypi("django-social-auth", PACKAGES), world.client_folder / "app.py"]
    world.run([*manage, "migrate", "--verbosity", "0"], values)
    world.start("app", [*manage, "runserver", "--noreload", f"127.0.0.1:{world.app_port}"], values, ready=world.app_port)

    def sign_in():
        world.browser.open(world.app + "/")
        world.browser.click("button")
        world.browser.sign_in()
        expect_in("signed in as ana@example.com", world.browser.text(), "the application")

    with world.check("a user signs in"):
        sign_in()
