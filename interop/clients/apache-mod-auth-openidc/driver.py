"""Apache with mod_auth_openidc, as Debian packages it."""

from urllib.parse import quote

from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "Apache mod_auth_openidc", "Debian", True
RECIPE = "apache-mod-auth-openidc.md"
LINES = ["OIDCPKCEMethod S256"]
PAGE = "user=<!--#echo var='REMOTE_USER' --> name=<!--#echo var='OIDC_CLAIM_name' --> sub=<!--#echo var='OIDC_CLAIM_sub' -->"


def install():
    return get.debian("libapache2-mod-auth-openidc", "apache2")


def run(world):
    world.start_sinete()
    world.write("htdocs/index.shtml", PAGE)
    world.write("htdocs/role/index.shtml", "one role")
    world.write("htdocs/clerks/index.shtml", "clerks only")
    world.configure("site.conf")
    configuration = world.configure("apache2.conf")
    world.start("apache", ["/usr/sbin/apache2", "-X", "-f", configuration], ready=world.app_port)
    with world.check("a user signs in, REMOTE_USER is the e-mail address"):
        world.browser.open(world.app + "/")
        world.browser.sign_in()
        text = world.browser.text()
        expect_in("user=ana@example.com", text, "the page")
        expect_in("name=Ana Reis", text, "the page")
    with world.check("a location for those whose only role is clerk (`Require claim role:clerk`)"):
        world.browser.open(world.app + "/role/")
        expect_in("one role", world.browser.text(), "the page")
    with world.check("logout ends both sessions"):
        world.browser.open(f"{world.app}/oidc/callback?logout={quote(world.app + '/', safe='')}")
        # The logout redirects to a page that requires a sign-in, so Sinete shows the sign-in page.
        world.browser.wait_for("#sign-in-submit")
    with world.check("a location for the members of a group"):
        world.configure("site.conf")
        path = world.folder / "site.conf"
        path.write_text(path.read_text().replace('"openid profile email"', '"openid profile email groups"'))
        world.stop_process("apache")
        world.start("apache", ["/usr/sbin/apache2", "-X", "-f", configuration], ready=world.app_port)
        world.new_browser().open(world.app + "/clerks/")
        world.browser.sign_in()
        expect_in("clerks only", world.browser.text(), "the page")
