"""Reproducible archives: fixed times, owners, order and compression."""

import gzip
import hashlib
import io
import os
import tarfile
from dataclasses import dataclass

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])


@dataclass(frozen=True)
class Entry:
    """A file or, without contents, a folder of an archive."""

    path: str
    contents: bytes | None = None
    mode: int = 0o644
    owner: int = 0


def folder(path: str, mode: int = 0o755, owner: int = 0) -> Entry:
    return Entry(path, None, mode, owner)


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def tar(entries: list[Entry]) -> bytes:
    """A tar archive with the entries in the order of their paths, and the folders that they need."""
    wanted = {entry.path.rstrip("/"): entry for entry in entries}
    assert len(wanted) == len(entries), "two entries have the same path"
    for path in list(wanted):
        parts = path.split("/")
        for length in range(1, len(parts)):
            above = "/".join(parts[:length])
            if above not in ("", "."):
                wanted.setdefault(above, folder(above))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(wanted):
            entry = wanted[path]
            info = tarfile.TarInfo(path)
            info.mtime, info.mode = EPOCH, entry.mode
            info.uid = info.gid = entry.owner
            if entry.contents is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(entry.contents)
                archive.addfile(info, io.BytesIO(entry.contents))
    return buffer.getvalue()


def compress(data: bytes) -> bytes:
    """gzip without a name and a time."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
