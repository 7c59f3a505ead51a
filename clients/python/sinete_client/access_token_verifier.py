"""Verifies access tokens of a Sinete issuer (RFC 9068).

Checks signature, type, issuer, audience, time and sender constraint, then the organization and the permissions that the
request requires.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .client_authentication import ClientAuthentication
from .dpop import DpopRejection, MemoryReplayCache, ReplayCache, VerifiedProof, normalize_htu, verify_proof
from .encoding import get_text, get_time
from .issuer_client import HttpRequest, IssuerClient, IssuerRequestError, Transport
from .jwks_cache import JwksCache
from .request_rejected import RequestRejectedError, reject, unavailable
from .signatures import ALGORITHMS, has_forbidden_header, parse_jwt

_TOKEN_BYTES_MAX = 16_384
_ACTORS_MAX = 5
_LEEWAY_SECONDS_MAX = 60
_CONFIRMATION_METHODS = ("jkt", "x5t#S256")

Rejection = Callable[[str | None, str], RequestRejectedError]


@dataclass(frozen=True)
class RequestCredentials:
    """The credentials of a request. `read_asgi_credentials` and `read_wsgi_credentials` read them."""

    method: str | None
    #: The path, with or without the query.
    path: str | None
    authorization: str | None = field(default=None, repr=False)
    dpop: str | None = field(default=None, repr=False)
    #: The SHA-256 thumbprint of the client certificate, in base64url.
    certificate_thumbprint: str | None = None


@dataclass(frozen=True)
class TokenActor:
    """An actor that acts for the subject (`act`)."""

    subject: str
    #: `ai_agent`, `service` or `operator`.
    profile: str | None = None


@dataclass(frozen=True)
class VerifiedAccessToken:
    """The claims of a verified access token."""

    subject: str
    #: The one organization that the token is for.
    organization: str
    client_id: str
    scopes: tuple[str, ...]
    #: Role names, for display: they grant nothing. Check permissions instead.
    roles: tuple[str, ...]
    #: The actors, the current one first.
    actors: tuple[TokenActor, ...]
    #: The id of the token (`jti`).
    token_id: str
    #: The authentication context class of the user, if the subject is one.
    acr: str | None
    #: In seconds since 1970.
    expires_at: int
    #: All claims.
    claims: Mapping[str, Any] = field(repr=False)

    def has_permission(self, permission: str) -> bool:
        """Whether the scope contains this permission, or every action of its resource (`invoices:*`)."""
        resource, colon, _ = permission.partition(":")
        return permission in self.scopes or (colon != "" and f"{resource}:*" in self.scopes)


class AccessTokenVerifier:
    """Verifies the access tokens of one API (OAuth resource server). Create one and share it.

    `issuer` is the issuer exactly as in `iss`, `audience` the URI that the API is registered under. `base_url` is the URL at
    which clients reach the API, by default the origin of `audience`. `introspection` is a client as which every token is
    introspected, so that a revoked token is rejected at once.
    """

    def __init__(
        self,
        issuer: str,
        audience: str,
        *,
        base_url: str | None = None,
        resource_metadata: str | None = None,
        algorithms: Sequence[str] = ("ES256",),
        clock_leeway: int = 5,
        replay_cache: ReplayCache | None = None,
        introspection: ClientAuthentication | None = None,
        transport: Transport | None = None,
        now: Callable[[], int] | None = None,
    ):
        self._issuer = IssuerClient(issuer, transport, now)
        self._jwks = JwksCache(self._issuer)
        origin, wellknown = _read_audience(audience)
        base_url = origin if base_url is None else base_url
        if base_url is None or "?" in base_url or "#" in base_url or normalize_htu(base_url) is None:
            raise ValueError("base_url must be the URL at which clients reach the API: DPoP proofs contain it")
        if isinstance(algorithms, str) or not algorithms or any(name not in ALGORITHMS for name in algorithms):
            raise ValueError(f"algorithms must be some of {', '.join(ALGORITHMS)}")
        if isinstance(clock_leeway, bool) or not isinstance(clock_leeway, int) or not 0 <= clock_leeway <= _LEEWAY_SECONDS_MAX:
            raise ValueError(f"clock_leeway must be a number of seconds from 0 to {_LEEWAY_SECONDS_MAX}")
        self._audience = audience
        self._base_url = base_url.removesuffix("/")
        self._metadata = wellknown if resource_metadata is None else resource_metadata
        self._algorithms = tuple(algorithms)
        self._leeway = clock_leeway
        self._replay_cache = MemoryReplayCache() if replay_cache is None else replay_cache
        self._introspection = introspection

    def verify(
        self, credentials: RequestCredentials, *, scopes: Sequence[str] = (), organization: str | None | object = ...
    ) -> VerifiedAccessToken:
        """Returns the verified token if the request may proceed; raises RequestRejectedError otherwise.

        The token must have all `scopes` (permissions) and be for `organization`. A requirement that is passed and empty is a
        ValueError, so that a name that was not found never grants access.
        """
        _validate_requirements(scopes, organization)
        scheme, token = _parse_authorization(credentials.authorization)

        def rejection(error: str | None, reason: str) -> RequestRejectedError:
            return reject(error, reason, scheme=scheme, scopes=scopes, metadata=self._metadata)

        if scheme is None:
            raise rejection(None, "the request has no access token")
        claims = self._verify_token(token, rejection)
        verified = _read_claims(claims)
        if verified is None:
            raise rejection("invalid_token", "a claim is missing or malformed")
        proof = self._verify_binding(credentials, scheme, token, claims, rejection)
        if self._introspection is not None:
            verified = self._introspect(self._introspection, token, claims)
            if verified is None:
                raise rejection("invalid_token", "the token is not active")
        if organization is not ... and verified.organization != organization:
            raise rejection("insufficient_scope", "the token is for another organization")
        if not all(verified.has_permission(scope) for scope in scopes):
            raise rejection("insufficient_scope", "the token lacks a required permission")
        if proof is not None:
            self._record_proof(proof, rejection)
        return verified

    def _verify_token(self, token: str, rejection: Rejection) -> dict[str, Any]:
        def invalid(reason: str) -> RequestRejectedError:
            return rejection("invalid_token", reason)

        jwt = parse_jwt(token, _TOKEN_BYTES_MAX)
        if jwt is None:
            raise invalid("not a signed JWT")
        if has_forbidden_header(jwt.header) or jwt.header.get("typ") != "at+jwt":
            raise invalid("not an access token (typ)")
        algorithm, kid = get_text(jwt.header, "alg"), get_text(jwt.header, "kid")
        if algorithm not in self._algorithms:
            raise invalid("the signature algorithm is not accepted")
        if kid is None:
            raise invalid("the token has no kid")
        try:
            key = self._jwks.find(kid)
        except IssuerRequestError as error:
            raise unavailable(error) from error
        if key is None:
            raise invalid("the kid is unknown")
        if key.algorithm != algorithm:
            raise invalid("alg is not the algorithm of the key")
        if not key.verify(jwt.signed, jwt.signature):
            raise invalid("the signature is wrong")
        if jwt.claims.get("iss") != self._issuer.issuer:
            raise invalid("the token is from another issuer")
        if jwt.claims.get("aud") != self._audience:
            raise invalid("the token is for another audience")
        wrong = _check_times(jwt.claims, self._issuer.now(), self._leeway)
        if wrong is not None:
            raise invalid(wrong)
        return jwt.claims

    def _verify_binding(
        self, credentials: RequestCredentials, scheme: str, token: str, claims: dict[str, Any], rejection: Rejection
    ) -> VerifiedProof | None:
        """Checks that the sender holds the key or certificate of the token; returns what the replay cache must record."""
        binding = _read_binding(claims)
        if binding is None:
            raise rejection("invalid_token", "the token has an unknown confirmation method (cnf)")
        key, certificate = binding.get("jkt"), binding.get("x5t#S256")
        if (scheme == "dpop") != (key is not None):
            raise rejection("invalid_token", "the authentication scheme does not match the sender constraint")
        if certificate is not None and certificate != credentials.certificate_thumbprint:
            raise rejection("invalid_token", "the client certificate of the token was not presented")
        if key is None:
            return None
        if not credentials.dpop:
            raise rejection("invalid_dpop_proof", "the DPoP header is missing")
        path = credentials.path or ""
        url = normalize_htu(f"{self._base_url}{path}") if path.startswith("/") else None
        if url is None:
            raise rejection("invalid_dpop_proof", "the request has no URL")
        now = self._issuer.now()
        try:
            return verify_proof(credentials.dpop, method=credentials.method, url=url, token=token, jkt=key, now=now)
        except DpopRejection as error:
            raise rejection("invalid_token" if error.is_key_mismatch else "invalid_dpop_proof", str(error)) from error

    def _record_proof(self, proof: VerifiedProof, rejection: Rejection) -> None:
        """Comes last, so that only an accepted request consumes its proof."""
        try:
            is_first = self._replay_cache.record_first_use(proof.id, proof.until, proof.now, proof.key)
        except Exception as error:
            raise unavailable(error) from error
        if is_first is not True:
            raise rejection("invalid_dpop_proof", "the proof was used before")

    def _introspect(self, client: ClientAuthentication, token: str, claims: dict[str, Any]) -> VerifiedAccessToken | None:
        """Asks the issuer whether the token is active now (RFC 7662)."""
        try:
            url = self._issuer.endpoint("introspection_endpoint")
            headers, form = client.authenticate(self._issuer.issuer, self._issuer.now())
            body = urllib.parse.urlencode({"token": token, "token_type_hint": "access_token", **form}).encode("ascii")
            headers = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded", **headers}
            response = self._issuer.send(HttpRequest("POST", url, headers, body))
        except IssuerRequestError as error:
            raise unavailable(error) from error
        answer = response.json
        if response.status != 200 or not isinstance(answer, dict):
            raise unavailable(f"the introspection endpoint answered {response.status}")
        is_same = all(answer.get(name) == claims.get(name) for name in ("iss", "sub", "aud", "org"))
        if answer.get("active") is not True or not is_same:
            return None
        return _read_claims({**claims, "scope": answer.get("scope", ""), "role": answer.get("role", "")})


def _read_audience(audience: object) -> tuple[str | None, str | None]:
    """Returns the origin and the well-known metadata URL of an audience that is an http URL."""
    try:
        url = urllib.parse.urlsplit(audience) if isinstance(audience, str) else None
    except ValueError:
        url = None
    if url is None or not url.scheme:
        raise ValueError("audience must be the URI of the API")
    if url.scheme not in ("http", "https"):
        return None, None
    root = normalize_htu(f"{url.scheme}://{url.netloc}")
    if root is None:
        raise ValueError("audience must be the URI of the API")
    origin = root.removesuffix("/")
    path = "" if url.path in ("", "/") else url.path
    query = f"?{url.query}" if url.query else ""
    return origin, f"{origin}/.well-known/oauth-protected-resource{path}{query}"


def _validate_requirements(scopes: object, organization: object) -> None:
    is_list = isinstance(scopes, Sequence) and not isinstance(scopes, str)
    if not is_list or not all(isinstance(scope, str) and scope != "" for scope in scopes):
        raise ValueError("scopes must be a list of permissions")
    if organization is not ... and (not isinstance(organization, str) or organization == ""):
        raise ValueError("organization must not be empty")


def _parse_authorization(authorization: str | None) -> tuple[str | None, str]:
    """Splits `Authorization` into its scheme and token."""
    scheme, _, token = (authorization or "").partition(" ")
    scheme = scheme.lower()
    return (scheme, token.strip()) if scheme in ("bearer", "dpop") else (None, "")


def _check_times(claims: dict[str, Any], now: int, leeway: int) -> str | None:
    """Returns what is wrong with `exp`, `iat` or `nbf`. Expiry has no leeway."""
    exp, iat, nbf = (get_time(claims, name) for name in ("exp", "iat", "nbf"))
    if exp is None or iat is None or ("nbf" in claims and nbf is None):
        return "a time is missing or malformed"
    if exp <= now:
        return "the token has expired"
    if iat > now + leeway or (nbf is not None and nbf > now + leeway):
        return "the token is not valid yet"
    return None


def _read_claims(claims: dict[str, Any]) -> VerifiedAccessToken | None:
    """Returns None where a claim that every access token has is missing."""
    subject, organization, client_id, token_id = (get_text(claims, name) for name in ("sub", "org", "client_id", "jti"))
    scope, role, actors, expires_at = claims.get("scope"), claims.get("role"), _read_actors(claims), get_time(claims, "exp")
    if subject is None or organization is None or client_id is None or token_id is None:
        return None
    if not isinstance(scope, str) or not isinstance(role, str) or actors is None or expires_at is None:
        return None
    scopes, roles = (tuple(word for word in text.split(" ") if word) for text in (scope, role))
    acr = get_text(claims, "acr")
    return VerifiedAccessToken(subject, organization, client_id, scopes, roles, actors, token_id, acr, expires_at, claims)


def _read_actors(claims: dict[str, Any]) -> tuple[TokenActor, ...] | None:
    """Reads the chain of actors, the current one first (RFC 8693 §4.1)."""
    actors: list[TokenActor] = []
    holder: Any = claims
    while "act" in holder:
        holder = holder["act"]
        subject = get_text(holder, "sub") if isinstance(holder, dict) else None
        if subject is None or len(actors) == _ACTORS_MAX:
            return None
        actors.append(TokenActor(subject, get_text(holder, "sub_profile")))
    return tuple(actors)


def _read_binding(claims: dict[str, Any]) -> dict[str, str] | None:
    """Returns what the token is bound to, or None where `cnf` contains a method that cannot be checked here."""
    if "cnf" not in claims:
        return {}
    cnf = claims["cnf"]
    if not isinstance(cnf, dict) or not cnf:
        return None
    is_known = all(name in _CONFIRMATION_METHODS and get_text(cnf, name) is not None for name in cnf)
    return cnf if is_known else None


def read_asgi_credentials(scope: Mapping[str, Any], certificate_thumbprint: str | None = None) -> RequestCredentials:
    """Reads the credentials of an ASGI request: `request.scope` in FastAPI and Starlette."""

    def header(name: bytes) -> str | None:
        values = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
        # Several are joined, and are rejected, so that none is hidden.
        return ", ".join(values) if values else None

    raw = scope.get("raw_path")
    path = raw.decode("latin-1") if raw else scope["path"]
    return RequestCredentials(scope["method"], path, header(b"authorization"), header(b"dpop"), certificate_thumbprint)


def read_wsgi_credentials(environ: Mapping[str, Any], certificate_thumbprint: str | None = None) -> RequestCredentials:
    """Reads the credentials of a WSGI request: `request.environ` in Flask, `request.META` in Django."""
    # WSGI servers decode the path; quoting it again gives a form that normalizes to what the client sent.
    decoded = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    path = environ.get("RAW_URI") or environ.get("REQUEST_URI") or urllib.parse.quote(decoded, safe="/:@!$&'()*+,;=", encoding="latin-1")
    return RequestCredentials(
        environ["REQUEST_METHOD"], path, environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_DPOP"), certificate_thumbprint
    )
