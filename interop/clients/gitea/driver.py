"""Gitea, built from its Go module. Its pages have no styles, because the front end is a separate build."""

import getpass

from harness import gateway
from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "Gitea", "Go proxy", False
RECIPE = "gitea.md"
MODULE, VERSION, TAGS = "code.gitea.io/gitea", "v1.26.0", "sqlite sqlite_unlock_notify"

GATEWAY = "ENABLE_REVERSE_PROXY_AUTHENTICATION = true, behind oauth2-proxy"


def install():
    gateway.install()
    get.go("gitea", MODULE, VERSION, cgo=True, tags=TAGS)
    return VERSION.removeprefix("v")


def run(world):
    world.start_sinete()
    program = get.go("gitea", MODULE, VERSION, cgo=True, tags=TAGS)
    configuration = world.configure("app.ini", USER=getpass.getuser(), SOURCE=program.parent / "src")
    gitea = [program, "--config", configuration]
    world.run([*gitea, "migrate"])

    def add_source(name, *scopes):
        world.run([
            *gitea, "admin", "auth", "add-oauth", "--name", name, "--provider", "openidConnect", "--key", "gitea",
            "--secret", world.secret, "--auto-discover-url", f"{world.issuer}/.well-known/openid-configuration",
            *(argument for scope in scopes for argument in ("--scopes", scope)),
        ])

    with world.check("the source is added, discovery works"):
        add_source("sinete", "email", "profile")
    world.start("gitea", [*gitea, "web"], ready=f"{world.app}/api/healthz", seconds=120)

    def sign_in(application, start):
        world.browser.open(application + start)
        world.browser.sign_in()
        world.browser.open(f"{application}/user/settings/account")
        expect_in("ana@example.com", world.browser.source(), "the account")

    # Gitea sends neither a PKCE challenge nor a nonce.
    with world.check("a user signs in by its own OpenID Connect source", cure=GATEWAY) as check:
        sign_in(world.app, "/user/oauth2/sinete")
    if not check.passed:
        world.new_browser()
        proxy = [gateway.program(), "--config", world.configure("oauth2-proxy.cfg")]
        world.start("oauth2-proxy", proxy, ready=world.port(4))
        with world.check("a user signs in behind oauth2-proxy, and has an account with the e-mail address"):
            sign_in(f"http://localhost:{world.port(4)}", "/")
