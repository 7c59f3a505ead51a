"""HTTP requests to the issuer, and its metadata (RFC 8414)."""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .encoding import get_text, parse_json

_TIMEOUT_SECONDS = 5
_RESPONSE_BYTES_MAX = 1024 * 1024
_METADATA_SECONDS = 3600
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class IssuerRequestError(Exception):
    """The issuer could not be reached, or its response was unusable."""


@dataclass(frozen=True)
class HttpRequest:
    """A request that the library sends."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class HttpResponse:
    """The response to a request. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


Transport = Callable[[HttpRequest], HttpResponse]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def send_request(request: HttpRequest) -> HttpResponse:
    """Sends a request with urllib. Redirects are not followed; the response is read up to a limit."""
    outgoing = urllib.request.Request(request.url, request.body, dict(request.headers), method=request.method)
    try:
        with _opener.open(outgoing, timeout=_TIMEOUT_SECONDS) as response:
            return _read(response.status, response)
    except urllib.error.HTTPError as error:
        with error:
            return _read(error.code, error)


def _read(status: int, response: Any) -> HttpResponse:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpResponse(status, headers, response.read(_RESPONSE_BYTES_MAX + 1))


def is_secure_url(text: object) -> bool:
    """Whether this is an https URL, or http on loopback."""
    if not isinstance(text, str):
        return False
    try:
        url = urllib.parse.urlsplit(text)
        host = url.hostname
    except ValueError:
        return False
    return bool(host) and (url.scheme == "https" or (url.scheme == "http" and host in _LOOPBACK))


def is_within(seconds: float, then: float, now: float) -> bool:
    """Whether `then` is at most this many seconds ago. False for a future time, as after the clock was set back."""
    return 0 <= now - then < seconds


@dataclass(frozen=True)
class IssuerResponse:
    status: int
    headers: Mapping[str, str]
    json: Any


class IssuerClient:
    def __init__(self, issuer: str, transport: Transport | None = None, now: Callable[[], int] | None = None):
        if not is_secure_url(issuer) or "?" in issuer or "#" in issuer or issuer.endswith("/"):
            raise ValueError(f"not an issuer: {issuer}")
        self.issuer = issuer
        self._transport = transport or send_request
        self._now = now
        self._metadata: tuple[int, dict[str, Any]] | None = None
        self._lock = threading.Lock()

    def now(self) -> int:
        return int(time.time()) if self._now is None else self._now()

    def send(self, request: HttpRequest) -> IssuerResponse:
        """Sends a request and parses the JSON of the response."""
        try:
            response = self._transport(request)
        except Exception as error:
            raise IssuerRequestError(f"{request.url} did not answer: {error}") from error
        if len(response.body) > _RESPONSE_BYTES_MAX:
            raise IssuerRequestError("the response is too long")
        try:
            json = parse_json(response.body)
        except ValueError:
            json = None
        return IssuerResponse(response.status, response.headers, json)

    def fetch_json(self, url: str) -> dict[str, Any]:
        """Fetches a JSON object."""
        response = self.send(HttpRequest("GET", url, {"accept": "application/json"}))
        if response.status != 200 or not isinstance(response.json, dict):
            raise IssuerRequestError(f"{url} answered {response.status}")
        return response.json

    def metadata(self) -> dict[str, Any]:
        """The issuer's metadata, cached; its `issuer` must be this one (RFC 8414 §3.3)."""
        with self._lock:
            if self._metadata is not None and is_within(_METADATA_SECONDS, self._metadata[0], self.now()):
                return self._metadata[1]
            metadata = self.fetch_json(f"{self.issuer}/.well-known/openid-configuration")
            if metadata.get("issuer") != self.issuer:
                raise IssuerRequestError("the metadata is of another issuer")
            self._metadata = (self.now(), metadata)
            return metadata

    def endpoint(self, name: str) -> str:
        """An endpoint that the metadata names. It must be as secure as the issuer."""
        url = get_text(self.metadata(), name)
        if url is None:
            raise IssuerRequestError(f"the metadata has no {name}")
        if not is_secure_url(url):
            raise IssuerRequestError(f"{name} is not https")
        return url
