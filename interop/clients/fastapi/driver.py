"""Authlib with FastAPI, and PyJWT for access tokens."""

import json

from harness import install as get
from harness.world import expect

NAME, SOURCE, QUICK = "Authlib with FastAPI, PyJWT for its API", "PyPI", True
RECIPE = "authlib.md"
LINES = ['client_kwargs={"code_challenge_method": "S256"}']
PACKAGES = {
    "Authlib": "1.9.5", "fastapi": "0.162.7", "httpx": "0.28.1", "itsdangerous": "2.2.0", "PyJWT[crypto]": "2.10.1",
    "uvicorn": "0.34.3",
}


def install():
    get.pypi("fastapi", PACKAGES)
    return f"{PACKAGES['Authlib']} (FastAPI {PACKAGES['fastapi']}, PyJWT {PACKAGES['PyJWT[crypto]']})"


def run(world):
    world.start_sinete()
    values = {"ISSUER": world.issuer, "APP": world.app, "SECRET": world.secret, "API": world.api}
    python = get.pypi("fastapi", PACKAGES)
    server = [python, "-m", "uvicorn", "--app-dir", world.client_folder, "--port", world.app_port, "app:app"]
    world.start("app", server, values, ready=world.app)
    shown = {}
    with world.check("a user signs in"):
        world.browser.open(f"{world.app}/login")
        world.browser.sign_in()
        shown.update(json.loads(world.browser.text()))
        expect(shown["user"].get("email") == "ana@example.com", f"userinfo is {shown['user']}")
    with world.check("the API takes the access token, and none that is not for it"):
        call = lambda token: world.get(f"{world.app}/invoices", {"authorization": f"Bearer {token}"})
        expect(call(shown["access_token"])[0] == 200, f"the API answers {call(shown['access_token'])}")
        expect(call(shown["access_token"][:-8] + "AAAAAAAA")[0] == 401, "the API takes a token with a wrong signature")
