"""Requests access tokens: for the client itself, by token exchange for a user, and for the owner of an API key."""

from __future__ import annotations

import re
import threading
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .client_authentication import ClientAuthentication, DpopKey
from .encoding import get_text
from .issuer_client import HttpRequest, IssuerClient, IssuerRequestError, IssuerResponse, Transport, is_within

_TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
_API_KEY = "urn:sinete:params:oauth:token-type:api-key"
# A token is renewed this many seconds before it expires, but not before the last tenth of its lifetime.
_REFRESH_BEFORE_EXPIRY_SECONDS = 30
_CACHED_TOKENS_MAX = 1000
_RETRY_SECONDS = 5
_RETRY_SECONDS_MAX = 3600

Form = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TokenResponse:
    access_token: str = field(repr=False)
    #: `Bearer` or `DPoP`.
    token_type: str
    #: In seconds since 1970.
    expires_at: int
    scope: str | None = None
    refresh_token: str | None = field(default=None, repr=False)


class TokenRequestError(Exception):
    """The issuer rejected a token request, or could not be reached."""

    def __init__(
        self,
        *,
        status: int | None = None,
        error: str | None = None,
        description: str | None = None,
        retry_after: int | None = None,
        refresh_token_may_be_used: bool = False,
    ):
        fallback = "the refresh token may have been used" if refresh_token_may_be_used else "the issuer is unavailable"
        super().__init__(": ".join(part for part in (error or fallback, description) if part))
        #: The status of the response, if there was one.
        self.status = status
        #: The OAuth error code: `invalid_client`, `invalid_scope`, … None where the issuer is unavailable.
        self.error = error
        self.description = description
        #: In how many seconds to retry. Where it is None, a retry does not help.
        self.retry_after = retry_after
        #: A refresh token was sent and no usable response arrived: it may have been used.
        self.refresh_token_may_be_used = refresh_token_may_be_used


class _CacheSlot:
    """The cache entry of one token request. The thread that holds the lock sends it; the others take its outcome."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.token: TokenResponse | None = None
        self.received_at = 0
        self.fresh_for = 0
        self.attempts = 0
        self.outcome: TokenResponse | TokenRequestError | None = None

    def fresh_token(self, now: int) -> TokenResponse | None:
        return self.token if self.token is not None and is_within(self.fresh_for, self.received_at, now) else None


class _RefreshFlight:
    """One refresh request and its outcome."""

    def __init__(self) -> None:
        self.finished = threading.Event()
        self.outcome: TokenResponse | TokenRequestError | None = None


class TokenClient:
    """Requests tokens for one client and caches them until shortly before they expire. Create one and share it.

    With `use_dpop` every token is bound to a key that is generated in the process.
    """

    def __init__(
        self,
        issuer: str,
        client: ClientAuthentication,
        *,
        use_dpop: bool = False,
        transport: Transport | None = None,
        now: Callable[[], int] | None = None,
    ):
        self._issuer = IssuerClient(issuer, transport, now)
        self._client = client
        self._dpop_key = DpopKey() if use_dpop else None
        self._cache: dict[Form, _CacheSlot] = {}
        self._refreshes: dict[str, _RefreshFlight] = {}
        self._lock = threading.Lock()
        # While the issuer is unavailable, or asked for a pause, no request is sent: since when, and for how many seconds.
        self._pause: tuple[int, int] | None = None

    def get_token(
        self,
        *,
        subject_token: str | None | object = ...,
        api_key: str | None | object = ...,
        scope: str | None = None,
        resource: str | None = None,
    ) -> TokenResponse:
        """Returns a token: the client's own, or one exchanged for `subject_token` or `api_key`; raises TokenRequestError.

        The same token is returned until shortly before it expires, and concurrent calls share one request. A subject that is
        passed and empty is a ValueError: it never becomes the client's own token.
        """
        form = _build_grant_form(subject_token, api_key, scope, resource)
        slot = self._slot(form)
        token = slot.fresh_token(self._issuer.now())
        if token is not None:
            return token
        attempts = slot.attempts
        with slot.lock:
            if slot.attempts == attempts:
                self._renew(slot, form)
            outcome = slot.outcome
        if isinstance(outcome, TokenRequestError):
            raise outcome
        assert outcome is not None
        return outcome

    def refresh(self, refresh_token: str, *, scope: str | None = None) -> TokenResponse:
        """Uses a refresh token; raises TokenRequestError.

        Store the new one before you use anything else of the response: the old one is invalid. Concurrent calls with the same
        refresh token share one request, because a second use would revoke the grant.
        """
        if not isinstance(refresh_token, str) or refresh_token == "":
            raise ValueError("refresh_token must be a non-empty string")
        with self._lock:
            flight = self._refreshes.get(refresh_token)
            is_first = flight is None
            if flight is None:
                flight = self._refreshes[refresh_token] = _RefreshFlight()
        if is_first:
            form = {"grant_type": "refresh_token", "refresh_token": refresh_token, **({"scope": scope} if scope else {})}
            try:
                flight.outcome = self._request_token(form)
            except TokenRequestError as error:
                flight.outcome = error
            finally:
                with self._lock:
                    del self._refreshes[refresh_token]
                flight.finished.set()
        flight.finished.wait()
        if isinstance(flight.outcome, TokenResponse):
            return flight.outcome
        raise flight.outcome or TokenRequestError(refresh_token_may_be_used=True)

    def invalidate_token(
        self,
        *,
        subject_token: str | None | object = ...,
        api_key: str | None | object = ...,
        scope: str | None = None,
        resource: str | None = None,
    ) -> None:
        """Removes a token from the cache, because an API rejected it."""
        form = _build_grant_form(subject_token, api_key, scope, resource)
        with self._lock:
            self._cache.pop(form, None)

    def authorization_headers(self, token: TokenResponse, method: str, url: str) -> dict[str, str]:
        """The `Authorization` and `DPoP` headers for one request to an API."""
        headers = {"authorization": f"{token.token_type} {token.access_token}"}
        if token.token_type == "DPoP":
            if self._dpop_key is None:
                raise ValueError("the token is bound to a key of another TokenClient")
            headers["dpop"] = self._dpop_key.create_proof(method, url, self._issuer.now(), token.access_token)
        return headers

    def update_dpop_nonce(self, url: str, headers: Mapping[str, str]) -> bool:
        """Stores the `DPoP-Nonce` of an API's response; returns whether there was one, so that a retry makes sense."""
        return self._dpop_key is not None and self._dpop_key.update_nonce(url, headers)

    def _slot(self, form: Form) -> _CacheSlot:
        with self._lock:
            if form not in self._cache and len(self._cache) >= _CACHED_TOKENS_MAX:
                self._evict()
            return self._cache.setdefault(form, _CacheSlot())

    def _evict(self) -> None:
        now = self._issuer.now()
        for form, slot in list(self._cache.items()):
            if not slot.lock.locked() and (slot.token is None or slot.token.expires_at <= now):
                del self._cache[form]
        if len(self._cache) >= _CACHED_TOKENS_MAX:
            del self._cache[min(self._cache, key=lambda form: self._cache[form].received_at + self._cache[form].fresh_for)]

    def _renew(self, slot: _CacheSlot, form: Form) -> None:
        try:
            token = self._request_token(dict(form))
            lifetime = token.expires_at - self._issuer.now()
            slot.received_at = self._issuer.now()
            slot.fresh_for = lifetime - min(_REFRESH_BEFORE_EXPIRY_SECONDS, lifetime // 10)
            slot.token = slot.outcome = token
        except TokenRequestError as error:
            # While the issuer is unavailable, a cached token is used until it expires. A rejection ends its use.
            is_usable = slot.token is not None and self._issuer.now() < slot.token.expires_at
            if error.retry_after is not None and is_usable:
                slot.outcome = slot.token
            else:
                slot.token, slot.outcome = None, error
        slot.attempts += 1

    def _request_token(self, form: Mapping[str, str]) -> TokenResponse:
        now = self._issuer.now()
        if self._pause is not None and is_within(self._pause[1], self._pause[0], now):
            raise TokenRequestError(retry_after=self._pause[0] + self._pause[1] - now)
        # A refresh token that was sent may have been used, whatever happened to the response.
        is_refresh = False
        try:
            url = self._issuer.endpoint("token_endpoint")
            is_refresh = form["grant_type"] == "refresh_token"
            response = self._send_request(url, form)
            error = response.json.get("error") if isinstance(response.json, dict) else None
            needs_nonce = response.status == 400 and error == "use_dpop_nonce"
            if self.update_dpop_nonce(url, response.headers) and needs_nonce:
                response = self._send_request(url, form)
        except IssuerRequestError as error:
            raise self._pause_requests(_RETRY_SECONDS, is_refresh) from error
        return self._parse_response(response, is_refresh)

    def _pause_requests(self, seconds: int, may_be_used: bool, status: int | None = None) -> TokenRequestError:
        """Sends no request for this many seconds, and returns the error for this one."""
        self._pause = (self._issuer.now(), seconds)
        retry_after = None if may_be_used else seconds
        return TokenRequestError(status=status, retry_after=retry_after, refresh_token_may_be_used=may_be_used)

    def _send_request(self, url: str, form: Mapping[str, str]) -> IssuerResponse:
        now = self._issuer.now()
        headers, authentication = self._client.authenticate(self._issuer.issuer, now)
        headers = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded", **headers}
        if self._dpop_key is not None:
            headers["dpop"] = self._dpop_key.create_proof("POST", url, now)
        body = urllib.parse.urlencode({**form, **authentication}).encode("ascii")
        return self._issuer.send(HttpRequest("POST", url, headers, body))

    def _parse_response(self, response: IssuerResponse, is_refresh: bool) -> TokenResponse:
        status = response.status
        body: dict[str, Any] = response.json if isinstance(response.json, dict) else {}
        error = get_text(body, "error")
        # Without an OAuth error code, the response is from a proxy, or the issuer failed.
        if status == 429 or status >= 500 or (status != 200 and error is None):
            may_be_used = is_refresh and status >= 500 and status != 503
            raise self._pause_requests(_read_retry_after(response.headers), may_be_used, status)
        if status != 200:
            raise TokenRequestError(status=status, error=error, description=get_text(body, "error_description"))
        token_type = "Bearer" if self._dpop_key is None else "DPoP"
        access_token, seconds = get_text(body, "access_token"), body.get("expires_in")
        is_lifetime = isinstance(seconds, int) and not isinstance(seconds, bool) and 0 <= seconds < 2**53
        if access_token is None or body.get("token_type") != token_type or not is_lifetime:
            raise TokenRequestError(status=status, error="server_error", description="the response is not the requested token")
        token = TokenResponse(access_token, token_type, self._issuer.now() + seconds)
        return replace(token, scope=get_text(body, "scope"), refresh_token=get_text(body, "refresh_token"))


def _build_grant_form(subject_token: object, api_key: object, scope: object, resource: object) -> Form:
    """A subject that is passed and empty must not become the client itself."""
    for name, value in (("subject_token", subject_token), ("api_key", api_key)):
        if value is not ... and (not isinstance(value, str) or value == ""):
            raise ValueError(f"{name} must not be empty")
    for name, value in (("scope", scope), ("resource", resource)):
        if value is not None and (not isinstance(value, str) or value == ""):
            raise ValueError(f"{name} must be a non-empty string")
    if subject_token is not ... and api_key is not ...:
        raise ValueError("subject_token and api_key exclude each other")
    form: list[tuple[str, Any]] = [("grant_type", "client_credentials")]
    if subject_token is not ... or api_key is not ...:
        subject, kind = (subject_token, _ACCESS_TOKEN) if subject_token is not ... else (api_key, _API_KEY)
        form = [("grant_type", _TOKEN_EXCHANGE), ("subject_token", subject), ("subject_token_type", kind)]
    form.extend((name, value) for name, value in (("scope", scope), ("resource", resource)) if value is not None)
    return tuple(form)


def _read_retry_after(headers: Mapping[str, str]) -> int:
    text = headers.get("retry-after", "")
    return min(int(text), _RETRY_SECONDS_MAX) if re.fullmatch(r"[0-9]{1,9}", text) else _RETRY_SECONDS
