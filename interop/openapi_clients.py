"""Generates client libraries from the OpenAPI description, compiles them, and prints a table."""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from harness import install as get

FOLDER = Path(__file__).resolve().parent
GENERATOR = "7.25.0"
GENERATED_PYTHON = {"pydantic": "2.11.7", "urllib3": "2.5.0", "python-dateutil": "2.9.0.post0", "typing-extensions": "4.14.1"}
PYTHON_CLIENT = {"openapi-python-client": "0.29.1", "httpx": "0.28.1", "attrs": "25.4.0", "python-dateutil": "2.9.0.post0"}
VALIDATOR = {"jsonschema": "4.25.1", "rfc3339-validator": "0.1.4"}
IMPORT_ALL = FOLDER / "clients" / "openapi-python-client" / "import_all.py"


class GenerationFailed(Exception):
    """A generator or a compiler refused."""


def run(arguments, cwd=None, **environment):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, cwd=cwd,
                          env=os.environ | environment)
    said = f"{done.stdout}\n{done.stderr}".strip()
    if done.returncode:
        wrong = [line for line in said.splitlines() if re.search(r"error|cannot|redeclared", line, re.IGNORECASE)]
        raise GenerationFailed((wrong or said.splitlines() or ["no output"])[0].strip()[:200])
    return said


def generate(language, document, target, *more):
    jar = get.maven_file("org.openapitools", "openapi-generator-cli", GENERATOR)
    run(["java", "-jar", jar, "generate", "-g", language, "-i", document, "-o", target, *more])


def make_go(document, target):
    generate("go", document, target, "--package-name", "generated", "--git-user-id", "example", "--git-repo-id", "generated")
    run(["go", "build", "./..."], target, GOFLAGS="-mod=mod -buildvcs=false")
    return "compiles"


def make_java(document, target):
    generate("java", document, target, "--library", "native")
    run(["mvn", "-q", "-B", "-DskipTests", "compile"], target)
    return "compiles"


def make_python(document, target):
    generate("python", document, target, "--package-name", "generated")
    return run([get.pypi("openapi-generator", GENERATED_PYTHON), IMPORT_ALL, target / "generated"]).splitlines()[-1]


def make_python_client(document, target):
    python = get.pypi("openapi-python-client", PYTHON_CLIENT)
    program = python.parent / "openapi-python-client"
    said = run([program, "generate", "--path", document, "--output-path", target / "generated", "--meta", "none"],
               PATH=f"{python.parent}:{os.environ['PATH']}")
    if "WARNING" in said.upper() or "UNABLE" in said.upper():
        raise GenerationFailed(next(line for line in said.splitlines() if re.search("warning|unable", line, re.IGNORECASE)))
    return run([python, IMPORT_ALL, target / "generated"]).splitlines()[-1]


def check_examples(document, target):
    return run([get.pypi("jsonschema", VALIDATOR), FOLDER / "openapi_examples.py", document]).splitlines()[-1]


STEPS = {
    "go": ("openapi-generator", GENERATOR, "Go", make_go),
    "java": ("openapi-generator", GENERATOR, "Java (native)", make_java),
    "python": ("openapi-generator", GENERATOR, "Python", make_python),
    "openapi-python-client": ("openapi-python-client", PYTHON_CLIENT["openapi-python-client"], "Python", make_python_client),
    "examples": ("jsonschema", VALIDATOR["jsonschema"], "examples", check_examples),
}


def served_document(folder):
    """The document that a fresh instance serves."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    own = {name: value for name, value in os.environ.items() if not name.startswith("SINETE_")}
    own |= {"SINETE_BASE_URL": f"http://localhost:{port}", "SINETE_LISTEN": f"127.0.0.1:{port}",
            "SINETE_ADMIN_LISTEN": "127.0.0.1:0", "SINETE_DATA_DIR": str(folder / "sinete-data")}
    with (folder / "sinete.log").open("wb") as log:
        server = subprocess.Popen([os.environ["SINETE_BINARY"], "serve"], env=own, cwd=folder, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=10) as answer:
                    target = folder / "openapi.json"
                    target.write_bytes(answer.read())
                    return target
            except (urllib.error.URLError, OSError):
                if server.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"scripts/openapi-clients: Sinete does not answer:\n{(folder / 'sinete.log').read_text()}")
                time.sleep(0.2)
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(prog="scripts/openapi-clients", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="step", help=f"of {', '.join(STEPS)}; left out, all")
    parser.add_argument("--document", type=Path, help="an OpenAPI document, instead of the one that a fresh instance serves")
    parser.add_argument("--keep", action="store_true", help="keep what was generated")
    options = parser.parse_args()
    unknown = set(options.steps) - set(STEPS)
    if unknown:
        raise SystemExit(f"scripts/openapi-clients: there is no {', '.join(sorted(unknown))}: {', '.join(STEPS)}")

    folder = Path(tempfile.mkdtemp(prefix="sinete-openapi."))
    rows, failed = [], False
    try:
        document = options.document.resolve() if options.document else served_document(folder)
        operations = sum(len(methods) for methods in json.loads(document.read_text())["paths"].values())
        for name, (program, version, made, step) in STEPS.items():
            if options.steps and name not in options.steps:
                continue
            target = folder / name
            target.mkdir()
            try:
                outcome = step(document, target)
            except (GenerationFailed, get.NotInstallable) as error:
                outcome, failed = f"**fails**: {str(error).replace(str(folder), '')}", True
            rows.append((program, version, made, outcome))
    finally:
        if options.keep:
            print(f"Libraries are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{operations} operations\n\n| Generator | Version | Makes | Result |\n|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
