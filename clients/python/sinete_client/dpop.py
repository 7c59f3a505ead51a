"""Verifying DPoP proofs (RFC 9449)."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import Any, Protocol

from .encoding import get_text, get_time, sha256_base64url, to_bytes
from .signatures import PublicKey, has_forbidden_header, parse_jwt, public_key

_PROOF_BYTES_MAX = 8192
_URL_BYTES_MAX = 2048
_JTI_BYTES_MAX = 256
# The maximum age of a proof, and how far in the future it may be.
_AGE_SECONDS_MAX = 60
_FUTURE_SECONDS_MAX = 15
# One key may use a tenth of the replay cache.
_KEYS_TO_FILL_CACHE = 10

_PRIVATE_MEMBERS = ("d", "p", "q", "dp", "dq", "qi", "oth", "k")
_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{0,5}))?((?:/[^?#]*)?)(?:[?#].*)?", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ENCODED_IN_PATHS = frozenset('"<>^`{}')


def normalize_htu(text: str) -> str | None:
    """Normalizes a URL for comparison and drops query and fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3).

    Returns None where it is not an http URL with a plain host name.
    """
    is_plain = all("!" <= character <= "~" and character != "\\" for character in text)
    found = _URL.fullmatch(text) if is_plain and len(text) <= _URL_BYTES_MAX else None
    if found is None:
        return None
    scheme, host = found[1].lower(), found[2].lower()
    port = int(found[3]) if found[3] else _DEFAULT_PORTS[scheme]
    path = _normalize_path(found[4] or "/")
    if port > 65535 or path is None:
        return None
    return f"{scheme}://{host}{'' if port == _DEFAULT_PORTS[scheme] else f':{port}'}{path}"


def _normalize_path(path: str) -> str | None:
    normalized: list[str] = []
    at = 0
    while at < len(path):
        character = path[at]
        if character == "%":
            digits = path[at + 1 : at + 3]
            if re.fullmatch(r"[0-9A-Fa-f]{2}", digits) is None:
                return None
            decoded = chr(int(digits, 16))
            normalized.append(decoded if decoded in _UNRESERVED else f"%{digits.upper()}")
            at += 3
            continue
        normalized.append(f"%{ord(character):02X}" if character in _ENCODED_IN_PATHS else character)
        at += 1
    return _remove_dot_segments("".join(normalized))


def _remove_dot_segments(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for at, segment in enumerate(segments):
        is_last = at == len(segments) - 1
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
            continue
        if is_last:
            kept.append("")
    return "/" + "/".join(kept)


class ReplayCache(Protocol):
    """Records used DPoP proofs. An API that runs in several processes needs a shared implementation."""

    def record_first_use(self, id: str, until: int, now: int, key: str) -> bool:
        """Returns whether this id is used for the first time, and records it until that second.

        Raises where it cannot tell. The id is unique for its key; the key is passed so that one key cannot fill the cache.
        """


class MemoryReplayCache:
    """Records used DPoP proofs in this process."""

    def __init__(self, capacity: int = 100_000):
        self._capacity = capacity
        self._capacity_per_key = max(1, capacity // _KEYS_TO_FILL_CACHE)
        self._recorded: set[str] = set()
        # The recorded ids with their keys, by the second at which they expire.
        self._expiries: dict[int, list[tuple[str, str]]] = {}
        self._count_by_key: dict[str, int] = {}
        self._evicted_at: int | None = None
        self._lock = threading.Lock()

    def record_first_use(self, id: str, until: int, now: int, key: str) -> bool:
        with self._lock:
            self._evict_expired(now)
            if id in self._recorded:
                return False
            count = self._count_by_key.get(key, 0)
            if len(self._recorded) >= self._capacity or count >= self._capacity_per_key:
                raise RuntimeError("the replay cache is full")
            self._recorded.add(id)
            self._count_by_key[key] = count + 1
            self._expiries.setdefault(until, []).append((id, key))
            return True

    def _evict_expired(self, now: int) -> None:
        if self._evicted_at == now:
            return
        self._evicted_at = now
        for end in [end for end in self._expiries if end < now]:
            for id, key in self._expiries.pop(end):
                self._recorded.discard(id)
                self._count_by_key[key] -= 1
                if self._count_by_key[key] == 0:
                    del self._count_by_key[key]


class DpopRejection(Exception):
    """Why a proof is rejected."""

    def __init__(self, reason: str, is_key_mismatch: bool = False):
        super().__init__(reason)
        self.is_key_mismatch = is_key_mismatch


@dataclass(frozen=True)
class VerifiedProof:
    """What the replay cache records of a valid proof."""

    id: str
    until: int
    now: int
    key: str


def _parse_proof(text: str) -> tuple[PublicKey, dict[str, Any]] | None:
    """Parses a proof and verifies its signature with the key in its header."""
    jwt = parse_jwt(text, _PROOF_BYTES_MAX)
    if jwt is None or has_forbidden_header(jwt.header, "jwk") or jwt.header.get("typ") != "dpop+jwt":
        return None
    jwk = jwt.header.get("jwk")
    if not isinstance(jwk, dict) or any(name in jwk for name in _PRIVATE_MEMBERS):
        return None
    key = public_key(jwk, jwt.header.get("alg"))
    if key is None or not key.verify(jwt.signed, jwt.signature):
        return None
    return key, jwt.claims


def verify_proof(text: str, *, method: str | None, url: str, token: str, jkt: str, now: int) -> VerifiedProof:
    """Verifies a proof for this request; raises DpopRejection."""
    proof = _parse_proof(text)
    if proof is None:
        raise DpopRejection("not a signed DPoP proof")
    key, claims = proof
    htm, htu, jti = (get_text(claims, name) for name in ("htm", "htu", "jti"))
    iat, exp, nbf = (get_time(claims, name) for name in ("iat", "exp", "nbf"))
    is_malformed = ("exp" in claims and exp is None) or ("nbf" in claims and nbf is None)
    if jti is None or len(to_bytes(jti)) > _JTI_BYTES_MAX or iat is None or is_malformed:
        raise DpopRejection("a claim of the proof is missing or malformed")
    if htm is None or htm != method:
        raise DpopRejection("htm is another method")
    if htu is None or normalize_htu(htu) != url:
        raise DpopRejection("htu is another URL")
    if claims.get("ath") != sha256_base64url(token):
        raise DpopRejection("ath is of another token")
    until = iat + _AGE_SECONDS_MAX
    if until < now or (exp is not None and exp <= now):
        raise DpopRejection("the proof is too old")
    latest = now + _FUTURE_SECONDS_MAX
    if iat > latest or (nbf is not None and nbf > latest):
        raise DpopRejection("the proof is from the future")
    if key.thumbprint != jkt:
        raise DpopRejection("the proof is signed with another key", is_key_mismatch=True)
    return VerifiedProof(sha256_base64url(f"{jkt} {jti}"), until, now, jkt)
