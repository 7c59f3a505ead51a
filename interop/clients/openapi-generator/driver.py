"""openapi-generator generates libraries for Go, Python and Java from /openapi.json; each is then built."""

import os
import re

from harness import install as get
from harness.world import expect_in

NAME, SOURCE, QUICK = "openapi-generator", "Maven Central", False
RECIPE = None
VERSION = "7.25.0"
PYTHON = {
    "pydantic": "2.11.7", "urllib3": "2.5.0", "python-dateutil": "2.9.0.post0", "typing-extensions": "4.14.1",
}


def install():
    get.maven_file("org.openapitools", "openapi-generator-cli", VERSION)
    get.pypi("openapi-generator", PYTHON)
    return VERSION


def run(world):
    world.start_sinete()
    generator = get.maven_file("org.openapitools", "openapi-generator-cli", VERSION)
    description = world.write("openapi.json", world.get(f"{world.issuer}/openapi.json")[2])

    def generate(language, *more):
        target = world.folder / language
        world.run(["java", "-jar", generator, "generate", "-g", language, "-i", description, "-o", target, *more], seconds=300)
        return target

    with world.check("Python: a library is generated, and every module can be imported"):
        target = generate("python", "--package-name", "generated")
        python = get.pypi("openapi-generator", PYTHON)
        checker = world.client_folder.parent / "openapi-python-client" / "import_all.py"
        expect_in("imported", world.run([python, checker, target / "generated"]), "the program")
        key = world.sinete("admin", "api-key", "--organization", "shop", "--client", "reader", "--scope", "members:read organization:read")
        values = {"ISSUER": world.issuer, "KEY": re.search(r"sn_[\w-]+", key)[0], "PYTHONPATH": str(target)}
        expect_in("reader", world.run([python, world.client_folder / "list_members.py"], values), "the program")
    with world.check("Go: a library is generated and compiles"):
        get.need("go", "install a current Go toolchain")
        target = generate("go", "--package-name", "generated", "--git-user-id", "example", "--git-repo-id", "generated")
        environment = {"GOFLAGS": "-mod=mod -buildvcs=false", "SSL_CERT_FILE": os.environ.get("SSL_CERT_FILE", "")}
        world.run(["go", "build", "./..."], environment, cwd=target, seconds=400)
    with world.check("Java: a library is generated and compiles"):
        target = generate("java", "--library", "native")
        world.run(["mvn", "-q", "-B", "-DskipTests", "compile"], cwd=target, seconds=500)
