"""oauth2-proxy in front of an application without its own sign-in."""

import time

from harness import gateway
from harness import install as get
from harness.world import expect, expect_in

NAME, SOURCE, QUICK = "oauth2-proxy", "Go proxy", False
RECIPE = "oauth2-proxy.md"
LINES = ['code_challenge_method = "S256"']
# Longer than cookie_refresh in the configuration.
REFRESH_SECONDS = 3
# Sessions in cookies cannot be locked, and a refresh token works once.
REDIS = 'session_store_type = "redis"'


def install():
    get.debian("redis-server")
    return gateway.install()


def run(world):
    world.start_sinete()
    gateway.start_upstream(world)
    program = gateway.program()
    world.start("oauth2-proxy", [program, "--config", world.configure("oauth2-proxy.cfg")], ready=world.app_port)
    with world.check("a user signs in, the application gets the e-mail address"):
        world.browser.open(world.app + "/")
        world.browser.sign_in()
        expect_in("X-Forwarded-Email: ana@example.com", world.browser.text(), "the application")
    with world.check("the session is refreshed"):
        time.sleep(REFRESH_SECONDS)
        world.browser.open(world.app + "/")
        expect_in("X-Forwarded-Email: ana@example.com", world.browser.text(), "the application")

    def refresh_together():
        world.browser.open(world.app + "/")
        world.browser.sign_in()
        time.sleep(REFRESH_SECONDS)
        world.browser.script("return Promise.all([1, 2, 3, 4].map(n => fetch('/?' + n).then(r => r.status, () => 0)))")
        time.sleep(REFRESH_SECONDS)
        status = world.browser.script("return fetch('/').then(r => r.status, () => 0)")
        expect(status == 200, "the session is over: a refresh token was used twice")

    with world.check("the session is refreshed by four requests at a time", cure=REDIS) as check:
        refresh_together()
    if not check.passed:
        world.start("redis", ["redis-server", "--port", world.port(3), "--save", "", "--dir", world.folder], ready=world.port(3))
        path = world.configure("oauth2-proxy.cfg")
        path.write_text(path.read_text() + f'{REDIS}\nredis_connection_url = "redis://127.0.0.1:{world.port(3)}"\n')
        world.stop_process("oauth2-proxy")
        world.start("oauth2-proxy", [program, "--config", path], ready=world.app_port)
        world.new_browser()
        with world.check(f"the session is refreshed by four requests at a time, with `{REDIS}`"):
            refresh_together()
    with world.check("groups are the roles, by the scope `groups`"):
        path = world.configure("oauth2-proxy.cfg")
        path.write_text(path.read_text().replace("openid profile email", "openid profile email groups") + 'allowed_groups = ["clerk"]\n')
        world.stop_process("oauth2-proxy")
        world.start("oauth2-proxy", [program, "--config", path], ready=world.app_port)
        world.new_browser().open(world.app + "/")
        world.browser.sign_in()
        expect_in("X-Forwarded-Groups: clerk", world.browser.text(), "the application")
