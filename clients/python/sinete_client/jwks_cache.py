"""Cache of the issuer's published keys (JWKS)."""

from __future__ import annotations

import threading

from .encoding import get_text
from .issuer_client import IssuerClient, IssuerRequestError, is_within
from .signatures import PublicKey, public_key

# After this the keys are fetched again, so that a revoked key stops being accepted.
_FRESH_SECONDS = 300
# How long cached keys are used while the issuer does not answer.
_STALE_SECONDS_MAX = 3600
# The minimum time between two fetches, regardless of the `kid` in tokens; then the same before the first success.
_REFRESH_INTERVAL_SECONDS = 30
_FIRST_REFRESH_INTERVAL_SECONDS = 1


class JwksCache:
    """The keys of one issuer. One thread fetches them; the others wait for it."""

    def __init__(self, issuer: IssuerClient):
        self._issuer = issuer
        self._keys: dict[str, PublicKey] | None = None
        self._fetched_at = float("-inf")
        self._requested_at = float("-inf")
        self._lock = threading.Lock()

    def find(self, kid: str) -> PublicKey | None:
        """Returns the key with this id, or None; raises IssuerRequestError where no usable keys could be fetched."""
        if not self._has_fresh_key(kid):
            with self._lock:
                self._refresh(kid)
        keys = self._keys
        if keys is None or not is_within(_STALE_SECONDS_MAX, self._fetched_at, self._issuer.now()):
            raise IssuerRequestError("the keys of the issuer could not be fetched")
        return keys.get(kid)

    def _has_fresh_key(self, kid: str) -> bool:
        keys = self._keys
        return keys is not None and kid in keys and is_within(_FRESH_SECONDS, self._fetched_at, self._issuer.now())

    def _refresh(self, kid: str) -> None:
        interval = _FIRST_REFRESH_INTERVAL_SECONDS if self._keys is None else _REFRESH_INTERVAL_SECONDS
        if self._has_fresh_key(kid) or is_within(interval, self._requested_at, self._issuer.now()):
            return
        self._requested_at = self._issuer.now()
        try:
            jwks = self._issuer.fetch_json(self._issuer.endpoint("jwks_uri"))
        except IssuerRequestError:
            # Cached keys stay in use until they are stale.
            return
        if isinstance(jwks.get("keys"), list):
            self._keys = dict(entry for entry in map(_read_key, jwks["keys"]) if entry is not None)
            self._fetched_at = self._issuer.now()


def _read_key(jwk: object) -> tuple[str, PublicKey] | None:
    if not isinstance(jwk, dict) or jwk.get("use", "sig") != "sig":
        return None
    kid, key = get_text(jwk, "kid"), public_key(jwk, jwk.get("alg"))
    return None if kid is None or key is None else (kid, key)
