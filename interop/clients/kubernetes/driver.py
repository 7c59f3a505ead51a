"""The OpenID Connect code of Kubernetes: the authenticator of kube-apiserver, and the refresh of ID tokens by kubectl."""

from harness import install as get
from harness.code_flow import authorize
from harness.world import CLAIMS_LINE, expect_in

NAME, SOURCE, QUICK = "kube-apiserver authenticator, kubectl renewal", "Go proxy", False
RECIPE = "kubernetes.md"
FILES = ["go.mod", "go.sum", "main.go"]


def install():
    get.go_program("kubernetes", FOLDER, FILES)
    return "1.37.2 (k8s.io/apiserver, client-go 0.37.2)"


def run(world):
    world.start_sinete()
    program = get.go_program("kubernetes", FOLDER, FILES)

    def authenticate(username="sub", groups="groups", **values):
        values |= {"ISSUER": world.issuer, "CA": str(world.ca), "SECRET": world.secret, "USERNAME_CLAIM": username, "GROUPS_CLAIM": groups}
        return world.run([program], values)

    with world.check("kube-apiserver accepts the ID token, the user is `sub`"):
        tokens = authorize(world, "kubernetes", "openid offline_access")
        expect_in("user=0", authenticate(TOKEN=tokens["id_token"]), "the authenticator")
    with world.check("kubectl refreshes the tokens, kube-apiserver accepts the new ID token"):
        expect_in("user=0", authenticate(REFRESH_TOKEN=tokens["refresh_token"]), "the authenticator")
    with world.check("the user is the e-mail address, by the parameter `claims`"):
        tokens = authorize(world, "kubernetes", "openid email offline_access", claims='{"id_token":{"email":null,"email_verified":null}}')
        expect_in("user=ana@example.com", authenticate("email", TOKEN=tokens["id_token"]), "the authenticator")
    with world.check("and still is after kubectl renewed"):
        expect_in("user=ana@example.com", authenticate("email", REFRESH_TOKEN=tokens["refresh_token"]), "the authenticator")
    with world.check("the groups are the roles, by the scope `groups`"):
        tokens = authorize(world, "kubernetes", "openid groups offline_access")
        expect_in("groups=[clerk]", authenticate(TOKEN=tokens["id_token"]), "the authenticator")

    def sign_in_by_email():
        tokens = authorize(world, "kubernetes", "openid email offline_access")
        expect_in("user=ana@example.com", authenticate("email", TOKEN=tokens["id_token"]), "the authenticator")
        expect_in("user=ana@example.com", authenticate("email", REFRESH_TOKEN=tokens["refresh_token"]), "the renewed token")

    world.check_with_line("the user is the e-mail address, by the scope `email`, and still is after kubectl renewed", sign_in_by_email, CLAIMS_LINE)
