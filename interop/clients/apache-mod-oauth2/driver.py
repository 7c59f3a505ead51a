"""Apache with mod_oauth2 in front of an API: it verifies access tokens locally, or by introspection."""

import base64
import json
import urllib.parse

from harness import install as get
from harness.world import expect

NAME, SOURCE, QUICK = "Apache mod_oauth2 (resource server)", "Debian", True
RECIPE = "apache-mod-oauth2.md"
# The module trusts only the certificate authorities of the system.
SCHEME = "http"


def install():
    return get.debian("libapache2-mod-oauth2", "apache2")


def run(world):
    world.start_sinete()
    for name in ("jwt", "introspect", "operators"):
        world.write(f"htdocs/{name}/index.shtml", "invoices")
    world.configure("site.conf")
    world.start("apache", ["/usr/sbin/apache2", "-X", "-f", world.configure("apache2.conf")], ready=world.app_port)

    def new_token(api=world.api, scope="invoices:read"):
        form = urllib.parse.urlencode({"grant_type": "client_credentials", "resource": api, "scope": scope}).encode()
        basic = base64.b64encode(f"robot:{world.second_secret}".encode()).decode()
        headers = {"authorization": f"Basic {basic}", "content-type": "application/x-www-form-urlencoded"}
        return json.loads(world.get(f"{world.issuer}/connect/token", headers, form)[2])["access_token"]

    def call(path, token):
        return world.get(f"{world.app}/{path}/", {"authorization": f"Bearer {token}"})[0]

    token = new_token()
    with world.check("takes an access token by its signature, and none with a wrong one"):
        expect(call("jwt", token) == 200, f"Apache answers {call('jwt', token)}: {world.log('apache', 4)}")
        expect(call("jwt", token[:-8] + "AAAAAAAA") == 401, "Apache takes a token with a wrong signature")

    def introspect(path, token):
        status = call(path, token)
        expect(any(one.path == "/connect/introspect" for one in world.wire.exchanges), "Apache did not ask")
        expect(status == 200, f"Apache answers {status}: {world.log('apache', 1)}")

    # A new token each time: the module caches the result for a token across all locations.
    with world.check("accepts a token for an organization's API after introspection by a service of that organization"):
        introspect("introspect", new_token("https://stock.example", "stock:read"))
    with world.check("accepts a token for an API of the instance after introspection by a service of the operators"):
        introspect("operators", new_token())
