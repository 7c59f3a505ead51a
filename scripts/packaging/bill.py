"""The bill of materials (CycloneDX 1.6) and the licences of everything that is compiled into the program."""

import json
import re
import subprocess
import time
import tomllib
import uuid
from pathlib import Path

from files import EPOCH, digest

LICENSE_FILES = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
# C libraries inside crates: the crate, the header that says the version, and what the library is called elsewhere.
EMBEDDED = [
    ("libsqlite3-sys", "sqlite3/sqlite3.h", r'define SQLITE_VERSION +"([^"]+)"', "sqlite", "blessing"),
    (
        "aws-lc-sys",
        "aws-lc/include/openssl/base.h",
        r'AWSLC_VERSION_NUMBER_STRING "([^"]+)"',
        "aws-lc",
        "Apache-2.0 OR ISC",
    ),
    (
        "libmimalloc-sys",
        "c_src/mimalloc/v{mimalloc}/include/mimalloc.h",
        r"define MI_MALLOC_VERSION (\d+)",
        "mimalloc",
        "MIT",
    ),
]


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Bill:
    """The components of the program for one target."""

    def __init__(self, target: str, rust: str, revision: str) -> None:
        self.rust, self.revision = rust, revision
        self.sysroot = Path(run("rustc", "--print", "sysroot").strip())
        self.target = target
        metadata = json.loads(
            run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target)
        )
        packages = {package["id"]: package for package in metadata["packages"]}
        lock = tomllib.loads(Path("Cargo.lock").read_text())
        self.checksums = {(it["name"], it["version"]): it.get("checksum") for it in lock["package"]}
        self.linked = self.tree("normal,no-proc-macro")
        every = self.tree("normal,build")
        self.packages = {it["id"]: it for it in packages.values() if (it["name"], it["version"]) in every}
        self.nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        self.root = next(it for it in self.packages.values() if it["name"] == "sinete")
        missing = every - {(it["name"], it["version"]) for it in self.packages.values()}
        assert not missing, f"cargo metadata does not know {missing}"

    def tree(self, edges: str) -> set[tuple[str, str]]:
        """The packages that cargo builds for this target with these edges, by name and version."""
        listing = run(
            "cargo", "tree", "--locked", "--package", "sinete", "--target", self.target,
            "--edges", edges, "--prefix", "none", "--format", "{p}",
        )  # fmt: skip
        words = (line.split() for line in listing.splitlines() if line.strip())
        return {(word[0], word[1].removeprefix("v")) for word in words}

    def is_linked(self, package: dict) -> bool:
        return (package["name"], package["version"]) in self.linked

    @staticmethod
    def reference(package: dict) -> str:
        return f"pkg:cargo/{package['name']}@{package['version']}"

    def component(self, package: dict) -> dict:
        component = {
            "type": "library",
            "bom-ref": self.reference(package),
            "name": package["name"],
            "version": package["version"],
            "scope": "required" if self.is_linked(package) else "excluded",
        }
        if package.get("description"):
            component["description"] = " ".join(package["description"].split())
        checksum = self.checksums[package["name"], package["version"]]
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package.get("license"):
            component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        component["purl"] = self.reference(package)
        if package.get("repository"):
            component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return component

    def embedded(self) -> list[dict]:
        """Libraries that are not crates, with the versions from their own files."""
        features = set()
        for identity, package in self.packages.items():
            if package["name"] == "libmimalloc-sys":
                features = set(self.nodes[identity]["features"])
        found = []
        for crate, header, pattern, name, license in EMBEDDED:
            package = next((it for it in self.packages.values() if it["name"] == crate), None)
            assert package and self.is_linked(package), f"{crate} is not linked: take it from the list"
            header = header.format(mimalloc="2" if "v2" in features else "3")
            match = re.search(pattern, (Path(package["manifest_path"]).parent / header).read_text(errors="replace"))
            assert match, f"{crate} does not say its version in {header}"
            version = match[1]
            if name == "mimalloc":
                version = f"{int(version) // 10000}.{int(version) // 100 % 100}.{int(version) % 100}"
            found.append((name, version, license, self.reference(package)))
        libc = (self.sysroot / "lib/rustlib" / self.target / "lib/self-contained/libc.a").read_bytes()
        musl = re.search(rb"\0(1\.\d+\.\d+)\0", libc)
        assert musl, "the musl of the Rust toolchain does not say its version"
        found.append(("musl", musl[1].decode(), "MIT", None))
        found.append(("rust-std", self.rust, "Apache-2.0 OR MIT", None))
        return [
            {
                "type": "library",
                "bom-ref": f"pkg:generic/{name}@{version}",
                "name": name,
                "version": version,
                "scope": "required",
                "licenses": [{"license": {"id": license}} if " " not in license else {"expression": license}],
                "purl": f"pkg:generic/{name}@{version}",
                **({"properties": [{"name": "sinete:embedded-in", "value": inside}]} if inside else {}),
            }
            for name, version, license, inside in found
        ]

    def document(self, program: bytes) -> bytes:
        others = [it for it in self.packages.values() if it is not self.root]
        others.sort(key=lambda it: (it["name"], it["version"]))
        embedded = self.embedded()
        edges = []
        for package in sorted(self.packages.values(), key=self.reference):
            below = {
                self.reference(self.packages[dep["pkg"]])
                for dep in self.nodes[package["id"]]["deps"]
                if dep["pkg"] in self.packages and any(kind["kind"] != "dev" for kind in dep["dep_kinds"])
            }
            reference = self.reference(package)
            below |= {
                it["bom-ref"] for it in embedded
                if any(its["value"] == reference for its in it.get("properties", []))
            }  # fmt: skip
            if package is self.root:
                below |= {it["bom-ref"] for it in embedded if "properties" not in it}
            edges.append({"ref": reference, "dependsOn": sorted(below)})
        edges += [{"ref": it["bom-ref"], "dependsOn": []} for it in embedded]
        root = {key: value for key, value in self.component(self.root).items() if key != "scope"}
        root |= {"type": "application", "hashes": [{"alg": "SHA-256", "content": digest(program)}]}
        document = {
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, f"sinete:{digest(program)}")),
            "version": 1,
            "metadata": {
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)),
                "component": root,
                "properties": [
                    {"name": "sinete:target", "value": self.target},
                    {"name": "sinete:revision", "value": self.revision},
                ],
            },
            "components": [self.component(it) for it in others] + embedded,
            "dependencies": edges,
        }
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()

    def licenses(self, musl_license: bytes) -> bytes:
        """The licence files of everything that is compiled in, each text once."""
        texts: dict[str, list[str]] = {}
        bare = []
        for package in sorted(self.packages.values(), key=self.reference):
            if not self.is_linked(package) or package["source"] is None:
                continue
            name = f"{package['name']} {package['version']}"
            home = Path(package["manifest_path"]).parent
            own = [it for it in sorted(home.iterdir()) if it.is_file() and LICENSE_FILES.match(it.name)]
            # Code of other projects inside the crate has its own licence.
            own += [
                it for it in sorted(home.glob("*/LICENSE*")) + sorted(home.glob("c_src/*/*/LICENSE*")) if it.is_file()
            ]
            for file in own:
                texts.setdefault(file.read_text(errors="replace").strip(), []).append(name)
            if not own:
                bare.append(f"{name}: {package['license']}")
        texts.setdefault(musl_license.decode(errors="replace").strip(), []).append("musl")
        parts = [
            "The program is made with the software of others. Their licences follow, each with the packages that carry it.",
            "Those of Rust's standard library are in rust-standard-library.html.",
        ]
        if bare:
            parts.append(
                "These packages say their licence in their manifest and carry no text of it:\n" + "\n".join(bare)
            )
        for text, names in sorted(texts.items(), key=lambda it: it[1]):
            listed = sorted(set(names))
            parts.append("=" * 80 + "\n" + "\n".join(listed) + "\n" + "=" * 80 + "\n\n" + text)
        return ("\n\n".join(parts) + "\n").encode()

    def standard_library_licenses(self) -> bytes:
        return (self.sysroot / "share/doc/rust/COPYRIGHT-library.html").read_bytes()
