"""openapi-python-client generates a library from /openapi.json, which then calls the management API."""

import re

from harness import install as get
from harness.world import expect, expect_in

NAME, SOURCE, QUICK = "openapi-python-client", "PyPI", False
RECIPE = None
PACKAGES = {"openapi-python-client": "0.29.1", "httpx": "0.28.1", "attrs": "25.4.0", "python-dateutil": "2.9.0.post0"}


def install():
    get.pypi("openapi-python-client", PACKAGES)
    return PACKAGES["openapi-python-client"]


def run(world):
    world.start_sinete()
    python = get.pypi("openapi-python-client", PACKAGES)
    description = world.write("openapi.json", world.get(f"{world.issuer}/openapi.json")[2])
    target = world.folder / "generated"
    said = ""
    with world.check("a library is generated from /openapi.json without a warning"):
        program = python.parent / "openapi-python-client"
        said = world.run([program, "generate", "--path", description, "--output-path", target, "--meta", "none"],
                         {"PATH": f"{python.parent}:/usr/bin:/bin"}, seconds=300)
        expect("WARNING" not in said.upper() and "ERROR" not in said.upper(), said[-2500:])
    with world.check("every module can be imported"):
        said = world.run([python, world.client_folder / "import_all.py", target])
        expect_in("imported", said, "the program")
    with world.check("it lists the members of an organization"):
        key = world.sinete("admin", "api-key", "--organization", "shop", "--client", "reader", "--scope", "members:read organization:read")
        values = {"ISSUER": world.issuer, "KEY": re.search(r"sn_[\w-]+", key)[0], "PYTHONPATH": str(world.folder)}
        said = world.run([python, world.client_folder / "list_members.py"], values)
        expect_in("reader", said, "the program")
