"""kubelogin (kubectl oidc-login). The authenticator of kube-apiserver verifies its ID tokens."""

import json
import time

from harness import install as get
from harness.world import decode_jwt, expect, expect_in

NAME, SOURCE, QUICK = "kubelogin", "Go proxy", False
RECIPE = "kubernetes.md"
MODULE, VERSION = "github.com/int128/kubelogin", "v1.28.0"
FILES = ["go.mod", "go.sum", "main.go"]


def install():
    get.go("kubelogin", MODULE, VERSION)
    get.go_program("kubernetes", FOLDER.parent / "kubernetes", FILES)
    return VERSION.removeprefix("v")


def run(world):
    world.start_sinete()
    program = get.go("kubelogin", MODULE, VERSION)
    apiserver = get.go_program("kubernetes", FOLDER.parent / "kubernetes", FILES)
    command = [
        program, "get-token", f"--oidc-issuer-url={world.issuer}", "--oidc-client-id=kubernetes", f"--oidc-client-secret={world.secret}",
        f"--certificate-authority={world.ca}", "--skip-open-browser", f"--listen-address=127.0.0.1:{world.port(2)}",
        f"--token-cache-dir={world.folder}/kubelogin",
    ]

    def get_token(*more):
        process = world.start("kubelogin", [*command, *more], ready=world.port(2))
        world.browser.open(f"http://localhost:{world.port(2)}")
        world.browser.sign_in()
        process.wait(30)
        return read_token((world.folder / "kubelogin.log").read_text())

    def read_token(said):
        credentials = [line for line in said.splitlines() if line.startswith("{")]
        expect(credentials, said)
        return json.loads(credentials[0])["status"]["token"]

    def authenticate(token, username="sub"):
        values = {"ISSUER": world.issuer, "CA": str(world.ca), "USERNAME_CLAIM": username, "GROUPS_CLAIM": "groups", "TOKEN": token}
        return world.run([apiserver], values)

    first = ""
    with world.check("a user signs in, kube-apiserver accepts the ID token"):
        first = get_token("--oidc-extra-scope=offline_access")
        expect_in("user=0", authenticate(first), "the authenticator")
    with world.check("renews without the user, kube-apiserver takes the new ID token"):
        expect(first, "no user signed in")
        time.sleep(1)  # so that the new token has another iat
        said = world.run([*command, "--oidc-extra-scope=offline_access", "--force-refresh"])
        again = read_token(said)
        expect(decode_jwt(again)["iat"] > decode_jwt(first)["iat"], "the ID token is the one from before")
        expect_in("user=0", authenticate(again), "the authenticator")
    with world.check("the user is the e-mail address, by the parameter `claims`"):
        claims = '--oidc-auth-request-extra-params=claims={"id_token":{"email":null,"email_verified":null}}'
        token = get_token("--oidc-extra-scope=email", claims)
        expect_in("user=ana@example.com", authenticate(token, "email"), "the authenticator")
