"""The container image: the program, a configuration for containers and the certificates of public authorities, on nothing
else. The archive is an OCI image layout and has what `docker load` reads, too."""

import json
import time

from files import EPOCH, Entry, compress, digest, folder, tar

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
USER = 65532
PROGRAM = "/usr/local/bin/sinete"


def encode(value: object) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True).encode()


def root_file_system(program: bytes, configuration: bytes, certificates: bytes) -> bytes:
    return tar(
        [
            Entry("etc/group", f"root:x:0:\nsinete:x:{USER}:\n".encode()),
            Entry("etc/passwd", f"root:x:0:0:root:/:/\nsinete:x:{USER}:{USER}:Sinete:/var/lib/sinete:/\n".encode()),
            Entry("etc/sinete/sinete.toml", configuration),
            Entry("etc/ssl/certs/ca-certificates.crt", certificates),
            folder("tmp", 0o1777),
            Entry(PROGRAM.lstrip("/"), program, 0o755),
            folder("var/lib/sinete", 0o700, USER),
        ]
    )


def configuration(version: str, architecture: str, revision: str, layer: bytes, has_health: bool) -> dict:
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    run = {
        "User": f"{USER}:{USER}",
        "ExposedPorts": {"8080/tcp": {}},
        "Env": ["SINETE_CONFIG=/etc/sinete/sinete.toml"],
        "Entrypoint": [PROGRAM],
        "Cmd": ["serve"],
        "Volumes": {"/var/lib/sinete": {}},
        "WorkingDir": "/var/lib/sinete",
        "StopSignal": "SIGTERM",
        "Labels": {
            "org.opencontainers.image.title": "Sinete",
            "org.opencontainers.image.description": "Self-hosted identity provider",
            "org.opencontainers.image.licenses": "Apache-2.0",
            "org.opencontainers.image.version": version,
            "org.opencontainers.image.revision": revision,
        },
    }
    if has_health:
        second = 1_000_000_000
        run["Healthcheck"] = {
            "Test": ["CMD", PROGRAM, "health"],
            "Interval": 10 * second,
            "Timeout": 5 * second,
            "StartPeriod": 60 * second,
            "Retries": 3,
        }
    return {
        "architecture": ARCHITECTURES[architecture],
        "os": "linux",
        "created": created,
        "config": run,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer)}"]},
        "history": [{"created": created, "created_by": "scripts/dist"}],
    }


def archive(version: str, architecture: str, revision: str, layer: bytes, has_health: bool) -> bytes:
    packed = compress(layer)
    described = encode(configuration(version, architecture, revision, layer, has_health))
    blobs = {}

    def blob(data: bytes, media_type: str) -> dict:
        blobs[f"blobs/sha256/{digest(data)}"] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest(data)}", "size": len(data)}

    kind = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{kind}.manifest.v1+json",
        "config": blob(described, f"{kind}.config.v1+json"),
        "layers": [blob(packed, f"{kind}.layer.v1.tar+gzip")],
    }
    listed = blob(encode(manifest), f"{kind}.manifest.v1+json")
    listed["platform"] = {"os": "linux", "architecture": ARCHITECTURES[architecture]}
    listed["annotations"] = {
        "io.containerd.image.name": f"docker.io/library/sinete:{version}",
        "org.opencontainers.image.ref.name": version,
    }
    index = {"schemaVersion": 2, "mediaType": f"{kind}.index.v1+json", "manifests": [listed]}
    loadable = [
        {
            "Config": f"blobs/sha256/{digest(described)}",
            "RepoTags": [f"sinete:{version}"],
            "Layers": [f"blobs/sha256/{digest(packed)}"],
        }
    ]
    entries = [Entry(path, data) for path, data in blobs.items()]
    entries.append(Entry("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'))
    entries.append(Entry("index.json", encode(index)))
    entries.append(Entry("manifest.json", encode(loadable)))
    return tar(entries)
