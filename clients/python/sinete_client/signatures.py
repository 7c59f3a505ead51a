"""Public keys and signatures. The algorithm is a property of the key, never a choice of the JWT."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from .encoding import decode, decode_object, get_text, sha256_base64url

ALGORITHMS = ("ES256", "EdDSA", "PS256", "RS256")

_RSA_BITS_MIN = 2048
_RSA_BITS_MAX = 8192
_PSS = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
_FORBIDDEN_HEADERS = ("crit", "jwk", "jku", "x5u", "x5c")


@dataclass(frozen=True)
class PublicKey:
    algorithm: str
    thumbprint: str
    _key: Any

    def verify(self, signed: bytes, signature: bytes) -> bool:
        try:
            if self.algorithm == "ES256":
                if len(signature) != 64:
                    return False
                r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
                self._key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
            elif self.algorithm == "EdDSA":
                self._key.verify(signature, signed)
            else:
                scheme = _PSS if self.algorithm == "PS256" else padding.PKCS1v15()
                self._key.verify(signature, signed, scheme, hashes.SHA256())
        except InvalidSignature:
            return False
        return True


def _coordinate(jwk: dict[str, Any], name: str) -> bytes:
    data = decode(get_text(jwk, name))
    if data is None or len(data) != 32:
        raise ValueError(f"{name} is not a coordinate")
    return data


def _integer(jwk: dict[str, Any], name: str) -> int:
    data = decode(get_text(jwk, name))
    if data is None:
        raise ValueError(f"{name} is not a number")
    return int.from_bytes(data, "big")


def _import_jwk(jwk: dict[str, Any], algorithm: str) -> tuple[Any, tuple[str, ...]]:
    """Returns the key and the names of the members that its thumbprint is made of."""
    kind = (jwk.get("kty"), jwk.get("crv"))
    if algorithm == "ES256" and kind == ("EC", "P-256"):
        x, y = (int.from_bytes(_coordinate(jwk, name), "big") for name in ("x", "y"))
        return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key(), ("crv", "kty", "x", "y")
    if algorithm == "EdDSA" and kind == ("OKP", "Ed25519"):
        return ed25519.Ed25519PublicKey.from_public_bytes(_coordinate(jwk, "x")), ("crv", "kty", "x")
    if algorithm in ("PS256", "RS256") and kind[0] == "RSA":
        numbers = rsa.RSAPublicNumbers(_integer(jwk, "e"), _integer(jwk, "n"))
        if not _RSA_BITS_MIN <= numbers.n.bit_length() <= _RSA_BITS_MAX:
            raise ValueError("the modulus has a length that is not accepted")
        return numbers.public_key(), ("e", "kty", "n")
    raise ValueError("not a key for this algorithm")


def public_key(jwk: object, algorithm: object) -> PublicKey | None:
    """Imports a JWK as a public key for this algorithm; returns None where it is not one."""
    if not isinstance(jwk, dict) or not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        return None
    try:
        key, names = _import_jwk(jwk, algorithm)
    except (ValueError, UnsupportedAlgorithm):
        return None
    # RFC 7638: the required members in lexicographic order, without white space.
    members = json.dumps({name: jwk[name] for name in names}, separators=(",", ":"))
    return PublicKey(algorithm, sha256_base64url(members), key)


class SigningKey:
    """A private key for one algorithm."""

    def __init__(self, key: Any, algorithm: str):
        self.algorithm = algorithm
        self._key = key

    @classmethod
    def from_pem(cls, pem: str, algorithm: str) -> SigningKey:
        """Reads a PKCS#8 key in PEM; raises ValueError where it is not one for this algorithm."""
        if algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm must be one of {', '.join(ALGORITHMS)}")
        if not pem.strip().startswith("-----BEGIN PRIVATE KEY-----"):
            raise ValueError("private_key must be a PKCS#8 key in PEM")
        try:
            key = serialization.load_pem_private_key(pem.encode("ascii"), password=None)
        except (TypeError, UnicodeEncodeError, UnsupportedAlgorithm) as error:
            raise ValueError("private_key must be a PKCS#8 key in PEM") from error
        fits = {
            "ES256": isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1),
            "EdDSA": isinstance(key, ed25519.Ed25519PrivateKey),
        }.get(algorithm, isinstance(key, rsa.RSAPrivateKey))
        if not fits:
            raise ValueError(f"private_key is not a key for {algorithm}")
        return cls(key, algorithm)

    @classmethod
    def generate(cls) -> SigningKey:
        """Generates a key for ES256."""
        return cls(ec.generate_private_key(ec.SECP256R1()), "ES256")

    def coordinates(self) -> tuple[bytes, bytes]:
        """The public point of an ES256 key."""
        numbers = self._key.public_key().public_numbers()
        return numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")

    def sign(self, data: bytes) -> bytes:
        if self.algorithm == "ES256":
            r, s = decode_dss_signature(self._key.sign(data, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        if self.algorithm == "EdDSA":
            return self._key.sign(data)
        return self._key.sign(data, _PSS if self.algorithm == "PS256" else padding.PKCS1v15(), hashes.SHA256())


@dataclass(frozen=True)
class SignedJwt:
    """A JWT in compact form that is not verified yet."""

    header: dict[str, Any]
    claims: dict[str, Any]
    signature: bytes
    signed: bytes


def parse_jwt(text: str, bytes_max: int) -> SignedJwt | None:
    """Parses a JWT; returns None where it is not one."""
    parts = text.split(".")
    if len(text) > bytes_max or len(parts) != 3:
        return None
    header, claims, signature = decode_object(parts[0]), decode_object(parts[1]), decode(parts[2])
    if header is None or claims is None or signature is None:
        return None
    return SignedJwt(header, claims, signature, f"{parts[0]}.{parts[1]}".encode("ascii"))


def has_forbidden_header(header: dict[str, Any], allowed: str | None = None) -> bool:
    """Whether the header contains a key, or requires an extension that is not implemented."""
    return any(name in header for name in _FORBIDDEN_HEADERS if name != allowed)
