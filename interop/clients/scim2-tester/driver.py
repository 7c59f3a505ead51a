"""scim2-tester, which checks a SCIM 2.0 service provider with its own client."""

import re

from harness import install as get
from harness.world import expect

NAME, SOURCE, QUICK = "scim2-tester", "PyPI", False
RECIPE = None
PACKAGES = {"scim2-tester": "0.5.2", "scim2-client[httpx2]": "0.13.2", "scim2-models": "0.12.3"}


def install():
    get.pypi("scim2-tester", PACKAGES)
    return PACKAGES["scim2-tester"]


def run(world):
    world.start_sinete()
    key = world.sinete("admin", "api-key", "--organization", "shop", "--client", "directory", "--scope", "scim:provision")
    key = re.search(r"sn_[\w-]+", key)[0]
    python = get.pypi("scim2-tester", PACKAGES)
    with world.check("every check passes") as check:
        said = world.run([python, world.client_folder / "check.py"], {"ISSUER": world.issuer, "KEY": key})
        good, all_of_them = re.search(r"SUMMARY (\d+) of (\d+)", said).groups()
        patches = [one for one in world.wire.exchanges if one.method == "PATCH" and b'"remove"' in one.request_body and b"active" in one.request_body]
        check.exchange = patches[-1].render() if patches else None
        expect(good == all_of_them, said.strip())
