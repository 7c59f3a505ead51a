"""Installs the clients from their registries into the user's cache, each at a fixed version."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sinete" / "interop"


class NotInstallable(Exception):
    """A registry does not have the client, or a required tool is missing."""


def run(arguments, **options):
    """Runs a program and waits for it; on failure its output is the reason."""
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode:
        said = re.sub(r"\x1b\[[0-9;]*m", "", f"{done.stdout}\n{done.stderr}").strip().splitlines()
        wrong = [line for line in said if "error" in line.lower()] or said
        raise NotInstallable(f"{Path(str(arguments[0])).name}: {' / '.join(wrong[:2])}"[:400])
    return done.stdout


def need(program, hint):
    if not shutil.which(program):
        raise NotInstallable(f"there is no {program}: {hint}")


def debian(*packages):
    """Installs packages as root; as another user prints the missing ones. Returns the version of the first."""
    def version(package):
        shown = subprocess.run(["dpkg-query", "-W", "-f", "${Status}\t${Version}", package], capture_output=True, text=True)
        return shown.stdout.split("\t")[1] if shown.stdout.startswith("install ok installed") else None

    missing = [package for package in packages if not version(package)]
    if missing and os.geteuid() != 0:
        raise NotInstallable(f"sudo apt-get install {' '.join(missing)}")
    if missing:
        say(f"Installing {' '.join(missing)}")
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
        if subprocess.run(command, env=environment, capture_output=True).returncode:
            run(["apt-get", "update", "-qq"], env=environment)
            run(command, env=environment)
    return version(packages[0])


def npm(name, dependencies):
    """A folder with these npm packages in node_modules; `dependencies` is name to exact version."""
    need("npm", "on Debian apt-get install nodejs npm")
    folder = CACHE / "npm" / _named(name, dependencies)
    if not (folder / "complete").exists():
        say(f"Fetching {name} from npm")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"private": True, "type": "module", "dependencies": dependencies}))
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder], cwd=folder)
        (folder / "complete").touch()
    return folder


def pypi(name, requirements):
    """The Python of a virtual environment with these packages; `requirements` is name to exact version."""
    folder = CACHE / "pypi" / _named(name, requirements)
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        say(f"Fetching {name} from PyPI")
        shutil.rmtree(folder, ignore_errors=True)
        run([sys.executable, "-m", "venv", folder])
        pins = [f"{package}=={version}" for package, version in requirements.items()]
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *pins])
        (folder / "complete").touch()
    return python


def go(name, module, version, package=".", cgo=False, tags=""):
    """A program from the Go proxy, built from its unmodified module."""
    need("go", "install a current Go toolchain")
    folder = CACHE / "go" / f"{name}-{version}"
    program = folder / name
    if not program.exists():
        say(f"Building {module} {version} from the Go proxy; this can take minutes")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        where = json.loads(_go_download(f"{module}@{version}"))["Dir"]
        # `go install` rejects modules that replace dependencies; a copy of the module can be built with its own go.mod.
        shutil.copytree(where, folder / "src")
        run(["chmod", "-R", "u+w", folder / "src"])
        environment = os.environ | {"CGO_ENABLED": "1" if cgo else "0", "GOFLAGS": "-buildvcs=false"}
        run(["go", "build", "-tags", tags, "-o", program, package], cwd=folder / "src", env=environment)
    return program


def go_program(name, source, sources):
    """A program of this repository with dependencies from the Go proxy: the folder contains go.mod and go.sum."""
    need("go", "install a current Go toolchain")
    digest = hashlib.sha256(b"".join((source / file).read_bytes() for file in sources)).hexdigest()[:12]
    program = CACHE / "go" / f"{name}-{digest}"
    if not program.exists():
        say(f"Building {name} with modules from the Go proxy")
        program.parent.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {"GOFLAGS": "-buildvcs=false -mod=mod"}
        run(["go", "build", "-o", program, "."], cwd=source, env=environment)
    return program


def maven_file(group, artifact, version, classifier=""):
    """One file from Maven Central, by its coordinates."""
    need("mvn", "on Debian apt-get install maven default-jdk-headless")
    name = f"{artifact}-{version}{'-' + classifier if classifier else ''}.jar"
    target = CACHE / "maven" / name
    if not target.exists():
        say(f"Fetching {artifact} {version} from Maven Central")
        target.parent.mkdir(parents=True, exist_ok=True)
        coordinates = f"{group}:{artifact}:{version}:jar{':' + classifier if classifier else ''}"
        run(["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
             f"-Dartifact={coordinates}", f"-DoutputDirectory={target.parent}"])
    return target


def maven_build(name, source, jar, told):
    """Builds a project of this repository with dependencies from Maven Central; returns the version of one of them."""
    need("mvn", "on Debian apt-get install maven default-jdk-headless")
    folder = CACHE / "maven" / name
    files = sorted(path for path in source.rglob("*") if path.is_file() and path.name != "driver.py")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    mark = folder / "complete"
    if not mark.exists() or mark.read_text() != digest:
        say(f"Building {name} with dependencies from Maven Central")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        run(["mvn", "-q", "-B", "-DskipTests", "package"], cwd=folder)
        mark.write_text(digest)
    with zipfile.ZipFile(folder / "target" / jar) as archive:
        found = [entry for entry in archive.namelist() if re.search(rf"/{told}-[0-9][^/]*\.jar$", entry)]
    return re.search(rf"{told}-(.*)\.jar", found[0])[1] if found else "?"


def say(text):
    print(text, file=sys.stderr, flush=True)


def _go_download(what):
    # Outside of any module, so that no go.mod applies.
    done = subprocess.run(["go", "mod", "download", "-json", what], capture_output=True, text=True, cwd="/")
    if done.returncode:
        try:
            reason = json.loads(done.stdout)["Error"]
        except (ValueError, KeyError):
            reason = done.stderr.strip()
        raise NotInstallable(" ".join(reason.split()))
    return done.stdout


def _named(name, versions):
    digest = hashlib.sha256(json.dumps(versions, sort_keys=True).encode()).hexdigest()[:8]
    return f"{name}-{digest}"
