"""Packs what `scripts/dist` built: archives, Debian packages, images, the Helm chart, release notes and checksums."""

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

import debian
import image
import man_pages
from bill import Bill
from files import Entry, compress, digest, read, tar

COMPLETIONS = {
    "bash": "sinete.bash",
    "elvish": "sinete.elv",
    "fish": "sinete.fish",
    "powershell": "_sinete.ps1",
    "zsh": "_sinete",
}
CHART = Path("deploy/helm/sinete")


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def shared_files(work: str, version: str) -> dict[str, bytes]:
    """The files that are the same for every architecture, by path in the archive."""
    files = {name: read(name) for name in ("LICENSE", "CHANGELOG.md")}
    files["sinete.service"] = read("deploy/systemd/sinete.service")
    files["sinete.toml"] = read("deploy/sinete.example.toml")
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = read(f"{work}/completions/{shell}")
    commands, settings = Path("docs/reference/commands.md").read_text(), Path("docs/reference/configuration.md").read_text()
    files |= {f"man/{path}": page for path, page in man_pages.pages(commands, settings, version).items()}
    return files


def chart(version: str) -> bytes:
    """The chart as `helm package` packs it, with links followed."""
    files = [path for path in sorted(CHART.rglob("*")) if path.is_file()]
    assert f"version: {version}\n" in (CHART / "Chart.yaml").read_text(), (
        "the chart has another version than the program"
    )
    return compress(tar([Entry(f"sinete/{path.relative_to(CHART)}", path.read_bytes()) for path in files]))


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("--work", "--tools", "--output", "--rust"):
        parser.add_argument(option, required=True)
    parser.add_argument("architectures", nargs="+")
    options = parser.parse_args()
    version = tomllib.loads(Path("Cargo.toml").read_text())["workspace"]["package"]["version"]
    revision = git("rev-parse", "HEAD")
    if git("status", "--porcelain"):
        print(
            "What is not committed is part of these artifacts, so another clone cannot make the same.", file=sys.stderr
        )
        revision += "-modified"
    has_health = "\n## `sinete health`\n" in Path("docs/reference/commands.md").read_text()
    licenses = Path(options.tools).glob("ziglang-*.dist-info/licenses/ziglang/lib/libc/musl/COPYRIGHT")
    musl_license = next(licenses).read_bytes()
    certificates = read(f"{options.tools}/certifi/cacert.pem")
    shared = shared_files(options.work, version)

    artifacts = {f"sinete-{version}-helm.tgz": chart(version)}
    for architecture in options.architectures:
        program = read(f"{options.work}/{architecture}/sinete")
        bill = Bill(f"{architecture}-unknown-linux-musl", options.rust, revision)
        contents = shared | {
            "sinete.cdx.json": bill.document(program),
            "THIRD-PARTY-LICENSES.txt": bill.licenses(musl_license),
            "rust-standard-library.html": bill.standard_library_licenses(),
        }
        name = f"sinete-{version}-{architecture}-linux"
        entries = [Entry(f"{name}/{path}", data) for path, data in contents.items()]
        entries.append(Entry(f"{name}/sinete", program, 0o755))
        artifacts[f"{name}.tar.gz"] = compress(tar(entries))
        artifacts[f"{name}.cdx.json"] = contents["sinete.cdx.json"]
        deb = debian.package(version, architecture, contents, shared["sinete.service"], program)
        artifacts[f"sinete_{version}-1_{debian.ARCHITECTURES[architecture]}.deb"] = deb
        layer = image.root_file_system(program, read("deploy/container/sinete.toml"), certificates)
        archive = image.archive(version, architecture, revision, layer, has_health)
        artifacts[f"sinete-{version}-{architecture}-image.tar"] = archive

    output = Path(options.output)
    output.mkdir()
    sums = "".join(f"{digest(data)}  {name}\n" for name, data in sorted(artifacts.items()))
    for name, data in artifacts.items():
        (output / name).write_bytes(data)
    (output / "SHA256SUMS").write_text(sums)
    notes = subprocess.run(
        ["./scripts/release-notes", version, "--checksums", str(output / "SHA256SUMS")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (output / "release-notes.txt").write_text(notes.stdout)


main()
