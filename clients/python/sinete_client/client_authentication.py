"""Client authentication at the token and introspection endpoints, and the key of a DPoP client."""

from __future__ import annotations

import base64
import json
import threading
import urllib.parse
import uuid
from collections.abc import Mapping
from typing import Any

from .dpop import normalize_htu
from .encoding import encode, sha256_base64url
from .signatures import SigningKey

_ASSERTION_SECONDS = 60
_ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def _sign_jwt(key: SigningKey, header: dict[str, Any], claims: dict[str, Any]) -> str:
    parts = (encode(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    signed = ".".join(parts)
    return f"{signed}.{encode(key.sign(signed.encode('ascii')))}"


class ClientAuthentication:
    """A client and its registered authentication method. Use one of the class methods."""

    def __init__(self, client_id: str, method: str, secret: str | None = None, key: SigningKey | None = None, key_id: str | None = None):
        if not isinstance(client_id, str) or client_id == "":
            raise ValueError("client_id is required")
        if method in ("client_secret_basic", "client_secret_post") and (not isinstance(secret, str) or secret == ""):
            raise ValueError("client_secret is required")
        self.client_id = client_id
        self._method = method
        self._secret = secret
        self._key = key
        self._key_id = key_id

    @classmethod
    def none(cls, client_id: str) -> ClientAuthentication:
        """A public client."""
        return cls(client_id, "none")

    @classmethod
    def client_secret_basic(cls, client_id: str, client_secret: str) -> ClientAuthentication:
        """A client whose secret is sent in the `Authorization` header."""
        return cls(client_id, "client_secret_basic", client_secret)

    @classmethod
    def client_secret_post(cls, client_id: str, client_secret: str) -> ClientAuthentication:
        """A client whose secret is sent in the form."""
        return cls(client_id, "client_secret_post", client_secret)

    @classmethod
    def private_key_jwt(cls, client_id: str, private_key: str, algorithm: str, key_id: str | None = None) -> ClientAuthentication:
        """A client that signs assertions with a PKCS#8 key in PEM; `key_id` where the client has several keys."""
        return cls(client_id, "private_key_jwt", key=SigningKey.from_pem(private_key, algorithm), key_id=key_id)

    def authenticate(self, issuer: str, now: int) -> tuple[dict[str, str], dict[str, str]]:
        """Returns the headers and form fields that authenticate one request."""
        if self._key is not None:
            header = {"alg": self._key.algorithm, "typ": "client-authentication+jwt"}
            if self._key_id is not None:
                header["kid"] = self._key_id
            claims = {
                "iss": self.client_id, "sub": self.client_id, "aud": issuer, "iat": now,
                "exp": now + _ASSERTION_SECONDS, "jti": str(uuid.uuid4()),
            }
            assertion = _sign_jwt(self._key, header, claims)
            form = {"client_id": self.client_id, "client_assertion_type": _ASSERTION_TYPE, "client_assertion": assertion}
            return {}, form
        if self._secret is None:
            return {}, {"client_id": self.client_id}
        if self._method == "client_secret_post":
            return {}, {"client_id": self.client_id, "client_secret": self._secret}
        # RFC 6749 §2.3.1: both are form-encoded before they are joined.
        pair = ":".join(_form_encode(text) for text in (self.client_id, self._secret))
        return {"authorization": f"Basic {base64.b64encode(pair.encode('ascii')).decode('ascii')}"}, {}


def _form_encode(text: str) -> str:
    return urllib.parse.quote_plus(text, safe="*").replace("~", "%7E")


class DpopKey:
    """The key pair that access tokens are bound to (RFC 9449). It is generated here and not exported."""

    def __init__(self) -> None:
        self._key = SigningKey.generate()
        x, y = self._key.coordinates()
        self._jwk = {"crv": "P-256", "kty": "EC", "x": encode(x), "y": encode(y)}
        # The latest nonce of each server, by origin.
        self._nonces: dict[str, str] = {}
        self._lock = threading.Lock()

    def create_proof(self, method: str, url: str, now: int, token: str | None = None) -> str:
        """Creates a proof for one request; with a token it includes `ath`."""
        htu = normalize_htu(url)
        if htu is None:
            raise ValueError(f"not an http URL: {url}")
        claims: dict[str, Any] = {"htm": method, "htu": htu, "iat": now, "jti": str(uuid.uuid4())}
        if token is not None:
            claims["ath"] = sha256_base64url(token)
        with self._lock:
            nonce = self._nonces.get(_origin(htu))
        if nonce is not None:
            claims["nonce"] = nonce
        return _sign_jwt(self._key, {"typ": "dpop+jwt", "alg": "ES256", "jwk": self._jwk}, claims)

    def update_nonce(self, url: str, headers: Mapping[str, str]) -> bool:
        """Stores the `DPoP-Nonce` of a response; returns whether there was one."""
        nonce = next((value for name, value in headers.items() if name.lower() == "dpop-nonce"), None)
        htu = normalize_htu(url)
        if nonce is None or htu is None:
            return False
        with self._lock:
            self._nonces[_origin(htu)] = nonce
        return True


def _origin(htu: str) -> str:
    return "/".join(htu.split("/")[:3])
