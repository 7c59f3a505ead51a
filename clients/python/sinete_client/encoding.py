"""Base64url, SHA-256 and JSON, parsed strictly."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)
_INTEGER_MAX = 2**53 - 1


def encode(data: bytes) -> str:
    """Encodes as base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: object) -> bytes | None:
    """Decodes base64url without padding; returns None for any other spelling."""
    if not isinstance(text, str) or _ALPHABET.fullmatch(text) is None or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if encode(data) == text else None


def to_bytes(text: str) -> bytes:
    """JSON strings may contain lone surrogates, which have no UTF-8 form."""
    return text.encode("utf-8", "surrogatepass")


def sha256_base64url(text: str) -> str:
    return encode(hashlib.sha256(to_bytes(text)).digest())


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def parse_json(data: bytes) -> Any:
    """Parses JSON; raises ValueError for everything else, deep nesting included."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_reject_constant)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def decode_object(part: str) -> dict[str, Any] | None:
    """Decodes a part of a JWT that is a JSON object."""
    data = decode(part)
    if data is None:
        return None
    try:
        value = parse_json(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def get_text(members: dict[str, Any], name: str) -> str | None:
    """A member that is a non-empty string."""
    value = members.get(name)
    return value if isinstance(value, str) and value != "" else None


def get_time(members: dict[str, Any], name: str) -> int | None:
    """A member that is a time in whole seconds since 1970."""
    value = members.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float):
        if not value.is_integer():
            return None
        value = int(value)
    return value if abs(value) <= _INTEGER_MAX else None
