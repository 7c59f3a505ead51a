"""Vault's OIDC auth method: the plugin built into Vault and its forks, with the requests of `vault login -method=oidc`."""

from harness import install as get
from harness.world import CheckFailed, expect_in

NAME, SOURCE, QUICK = "Vault's OIDC auth method (vault-plugin-auth-jwt)", "Go proxy", False
RECIPE = "vault.md"
FILES = ["go.mod", "go.sum", "main.go"]


def install():
    get.go_program("vault-plugin", FOLDER, FILES)
    return "0.26.1"


def run(world):
    world.start_sinete()
    program = get.go_program("vault-plugin", FOLDER, FILES)

    def login(**values):
        values |= {"ISSUER": world.issuer, "APP": world.app, "APP_PORT": str(world.app_port), "SECRET": world.secret, "CA": str(world.ca)}
        world.start("vault", [program], values, ready=world.app_port)
        address = [line for line in (world.folder / "vault.log").read_text().splitlines() if line.startswith("OPEN ")]
        if not address:
            raise CheckFailed(world.log("vault"))
        try:
            world.browser.open(address[0].split(" ", 1)[1])
            world.browser.sign_in()
            return world.browser.text()
        finally:
            world.stop_process("vault")

    with world.check("a user logs in, the alias is `sub`"):
        expect_in("alias=0", login(USER_CLAIM="sub"), "Vault")
    with world.check("the alias is the e-mail address, by the scope `email`"):
        expect_in("alias=ana@example.com", login(USER_CLAIM="email", SCOPES="email"), "Vault")
    with world.check("groups are the roles, by the scope `groups`"):
        expect_in("groups=clerk", login(USER_CLAIM="sub", SCOPES="groups", GROUPS_CLAIM="groups"), "Vault")
