"""The Debian package, written without dpkg, so that it is reproducible."""

import gzip
import hashlib
import lzma
import time

from files import EPOCH, Entry, folder, tar

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MAINTAINER = "Sinete maintainers <maintainers@sinete.invalid>"

# A first installation starts nothing, because there is no configuration yet. An upgrade restarts a running service.
AFTER_INSTALLATION = """#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload
    if [ -n "$2" ]; then
        deb-systemd-invoke try-restart sinete.service
    fi
fi
"""
BEFORE_REMOVAL = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop sinete.service
fi
"""
AFTER_REMOVAL = """#!/bin/sh
set -e
if [ "$1" = purge ] && command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper purge sinete.service
fi
if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload
fi
"""
OVERRIDES = """# It has to run on every distribution, and carries its libraries with their licences.
sinete: statically-linked-binary
sinete: embedded-library
"""


def archive(members: list[tuple[str, bytes]]) -> bytes:
    """An ar archive."""
    out = b"!<arch>\n"
    for name, data in members:
        out += f"{name:<16}{EPOCH:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data
        out += b"\n" if len(data) % 2 else b""
    return out


def packed(entries: list[Entry]) -> bytes:
    return lzma.compress(tar(entries), format=lzma.FORMAT_XZ, preset=9)


def zipped(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=9, mtime=0)


def package(version: str, architecture: str, contents: dict[str, bytes], unit: bytes, program: bytes) -> bytes:
    """The package. `contents` are the files of the archive that both have, by their paths there."""
    revision = f"{version}-1"
    changes = (
        f"sinete ({revision}) unstable; urgency=medium\n\n  * See changelog.gz.\n\n"
        f" -- {MAINTAINER}  {time.strftime('%a, %d %b %Y %H:%M:%S +0000', time.gmtime(EPOCH))}\n"
    )
    copyright_file = (
        b"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Sinete\n\n"
        b"Files: *\nCopyright: 2026 the contributors of Sinete\nLicense: Apache-2.0\n"
        b" On Debian systems the licence is in /usr/share/common-licenses/Apache-2.0.\n\n"
        b"Comment: What is compiled in has the licences in THIRD-PARTY-LICENSES.txt.gz beside this file.\n"
    )
    docs = "usr/share/doc/sinete"
    files = {
        "usr/bin/sinete": program,
        "usr/lib/systemd/system/sinete.service": unit.replace(b"/usr/local/bin/sinete", b"/usr/bin/sinete"),
        "usr/share/bash-completion/completions/sinete": contents["completions/sinete.bash"],
        "usr/share/zsh/vendor-completions/_sinete": contents["completions/_sinete"],
        "usr/share/fish/vendor_completions.d/sinete.fish": contents["completions/sinete.fish"],
        "usr/share/lintian/overrides/sinete": OVERRIDES.encode(),
        f"{docs}/copyright": copyright_file,
        f"{docs}/changelog.gz": zipped(contents["CHANGELOG.md"]),
        f"{docs}/changelog.Debian.gz": zipped(changes.encode()),
        f"{docs}/THIRD-PARTY-LICENSES.txt.gz": zipped(contents["THIRD-PARTY-LICENSES.txt"]),
        f"{docs}/rust-standard-library.html": contents["rust-standard-library.html"],
        f"{docs}/sinete.cdx.json": contents["sinete.cdx.json"],
        f"{docs}/examples/sinete.toml": contents["sinete.toml"],
    }
    files |= {f"usr/share/{path}.gz": zipped(data) for path, data in contents.items() if path.startswith("man/")}
    data = [Entry(f"./{path}", text, 0o755 if path == "usr/bin/sinete" else 0o644) for path, text in files.items()]
    data.append(folder("./etc/sinete"))
    sums = "".join(
        f"{hashlib.md5(text, usedforsecurity=False).hexdigest()}  {path}\n" for path, text in sorted(files.items())
    )
    size = sum(-(-len(text) // 1024) for text in files.values())
    control = (
        f"Package: sinete\nVersion: {revision}\nArchitecture: {ARCHITECTURES[architecture]}\n"
        f"Maintainer: {MAINTAINER}\nInstalled-Size: {size}\nRecommends: ca-certificates, procps\nSuggests: postgresql\n"
        "Section: net\nPriority: optional\nDescription: self-hosted identity provider\n"
        " Sinete is an OAuth 2.1 and OpenID Connect server for users, services and\n"
        " agents, with passkeys, organizations, single sign-on and a tamper-evident\n"
        " security log. It keeps its data in SQLite or PostgreSQL.\n"
    )
    scripts = {"postinst": AFTER_INSTALLATION, "prerm": BEFORE_REMOVAL, "postrm": AFTER_REMOVAL}
    about = [Entry("./control", control.encode()), Entry("./md5sums", sums.encode())]
    about += [Entry(f"./{name}", text.encode(), 0o755) for name, text in scripts.items()]
    return archive([("debian-binary", b"2.0\n"), ("control.tar.xz", packed(about)), ("data.tar.xz", packed(data))])
