"""oidc-client-ts: a single-page application that calls Sinete from the browser."""

import json
import shutil
import sys

from harness import install as get
from harness.world import expect, expect_in

NAME, SOURCE, QUICK = "oidc-client-ts (single page)", "npm", True
RECIPE = "oidc-client-ts.md"
PACKAGES = {"oidc-client-ts": "3.5.0"}


def install():
    get.npm("oidc-client-ts", PACKAGES)
    return PACKAGES["oidc-client-ts"]


def run(world):
    world.start_sinete()
    world.configure("index.html", "htdocs/index.html")
    bundle = get.npm("oidc-client-ts", PACKAGES) / "node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js"
    shutil.copy(bundle, world.folder / "htdocs" / "oidc-client-ts.js")
    server = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", world.folder / "htdocs", world.app_port]
    world.start("app", server, ready=world.app)
    browser = world.browser
    text = lambda: browser.script("return document.getElementById('shown')?.textContent ?? ''")
    with world.check("a user signs in; discovery, token endpoint and userinfo are called across origins"):
        browser.open(world.app + "/")
        browser.wait_until(lambda: text() == "signed out", "the page")
        browser.script("window.login()")
        browser.wait_until(lambda: browser.url().startswith(world.issuer), "Sinete's page", 10)
        browser.sign_in()
        browser.wait_until(lambda: text() != "starting", "an answer", 15)
        expect_in('"profile"', text(), "the page")
        expect(json.loads(text())["profile"].get("email") == "ana@example.com", text())
    with world.check("renews with its refresh token"):
        browser.script("return window.renew()")
        expect_in("renewed", text(), "the page")
    with world.check("logout returns to the application"):
        browser.script("window.logout()")
        browser.wait_until(lambda: browser.url().startswith(world.app) and text() == "signed out", "the way back", 15)
