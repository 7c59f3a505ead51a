"""The management API. Methods and types are generated from the OpenAPI description of the server."""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .encoding import get_text
from .issuer_client import HttpRequest, IssuerClient, IssuerRequestError, IssuerResponse, Transport
from .management_calls import ManagementCalls
from .token_client import TokenClient, TokenRequestError

_PREFIX = "urn:sinete:problem:"

T = TypeVar("T")


@dataclass(frozen=True)
class FieldError:
    """An invalid member of a request body."""

    #: Where it is (JSON Pointer).
    pointer: str
    detail: str


class ManagementApiError(Exception):
    """A call of the management API failed (RFC 9457)."""

    def __init__(
        self,
        problem_type: str,
        detail: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        errors: tuple[FieldError, ...] = (),
        id: str | None = None,
        retry_after: int | None = None,
    ):
        super().__init__(f"{problem_type}: {detail}")
        #: The last part of the problem `type`: `not_found`, `insufficient_scope`, … `no_response` and
        #: `token_request_failed` are the library's own: the server did not decide on the call.
        self.problem_type = problem_type
        self.detail = detail
        #: The status of the response, if there was one.
        self.status = status
        #: The id of the request, as in the server's log.
        self.request_id = request_id
        #: What is wrong with the body, and where.
        self.errors = errors
        #: For `already_created`: the id of what an earlier request created.
        self.id = id
        self.retry_after = retry_after


class PagedList(Generic[T]):
    """A list that is fetched page by page, on demand. Iterate over it."""

    def __init__(self, fetch: Callable[[str | None], Any]):
        self._fetch = fetch

    def fetch_page(self, after: str | None = None) -> tuple[list[T], str | None]:
        """Fetches one page; the second value is `after` of the following one, or None."""
        page = self._fetch(after)
        return page["items"], page.get("next")

    def __iter__(self) -> Iterator[T]:
        items, after = self.fetch_page()
        yield from items
        while after is not None:
            items, after = self.fetch_page(after)
            yield from items


class ManagementClient(ManagementCalls):
    """Calls the management API of one issuer, with an API key or with access tokens for the issuer itself."""

    def __init__(
        self,
        issuer: str,
        *,
        api_key: str | None = None,
        token_client: TokenClient | None = None,
        scope: str | None = None,
        transport: Transport | None = None,
    ):
        if (api_key is None) == (token_client is None):
            raise ValueError("either api_key or token_client is required")
        self._issuer = IssuerClient(issuer, transport)
        self._api_key = api_key
        self._token_client = token_client
        self._scope = scope
        self._idempotency_key: str | None = None

    def with_idempotency_key(self, key: str) -> ManagementClient:
        """The same methods with an `Idempotency-Key`: repeated within a day, a call creates nothing twice."""
        other = object.__new__(ManagementClient)
        other.__dict__.update(self.__dict__, _idempotency_key=key)
        return other

    def _call(
        self,
        method: str,
        path: str,
        names: tuple[str, ...],
        *,
        version: int | None = None,
        body: Any = ...,
        is_patch: bool = False,
        query: Mapping[str, Any] | None = None,
        is_paged: bool = False,
        accepts_idempotency_key: bool = False,
        has_response: bool = False,
    ) -> Any:
        for name in names:
            if not isinstance(name, str) or name in ("", ".", ".."):
                raise ValueError(f"not a name in a path: {name!r}")
        path = path.format(*(urllib.parse.quote(name, safe="") for name in names))
        headers = {"accept": "application/json"}
        if version is not None:
            if isinstance(version, bool) or not isinstance(version, int) or version < 1:
                raise ValueError("version must be the version of what is changed")
            headers["if-match"] = f'"{version}"'
        content = None
        if body is not ...:
            headers["content-type"] = "application/merge-patch+json" if is_patch else "application/json"
            content = json.dumps(body).encode()
        if self._idempotency_key is not None:
            if not accepts_idempotency_key:
                raise ValueError("this call does not take an Idempotency-Key")
            headers["idempotency-key"] = self._idempotency_key

        def send(after: str | None = None) -> Any:
            parameters = {**(query or {}), "after": after}
            pairs = [(name, _query_value(value)) for name, value in parameters.items() if value is not None]
            url = f"{self._issuer.issuer}{path}{'?' if pairs else ''}{urllib.parse.urlencode(pairs)}"
            return self._send_with_retry(HttpRequest(method, url, headers, content), has_response or is_paged)

        return PagedList(send) if is_paged else send()

    def _send_with_retry(self, request: HttpRequest, has_response: bool) -> Any:
        """Sends a request, and once more where the server asks for its DPoP nonce."""
        try:
            response = self._send(request)
            tokens = self._token_client
            if response.status == 401 and tokens is not None and tokens.update_dpop_nonce(request.url, response.headers):
                response = self._send(request)
        except IssuerRequestError as error:
            raise ManagementApiError("no_response", str(error)) from error
        except TokenRequestError as error:
            detail = error.description or str(error)
            raise ManagementApiError(
                "token_request_failed", detail, status=error.status, retry_after=error.retry_after
            ) from error
        if 200 <= response.status < 300:
            if not has_response:
                return None
            if isinstance(response.json, dict):
                return response.json
            raise ManagementApiError("no_response", "the response is not a JSON object", status=response.status)
        if response.status == 401 and tokens is not None:
            tokens.invalidate_token(scope=self._scope, resource=self._issuer.issuer)
        raise _parse_problem(response)

    def _send(self, request: HttpRequest) -> IssuerResponse:
        credentials = {"authorization": f"Bearer {self._api_key}"}
        if self._token_client is not None:
            token = self._token_client.get_token(scope=self._scope, resource=self._issuer.issuer)
            credentials = self._token_client.authorization_headers(token, request.method, request.url)
        return self._issuer.send(HttpRequest(request.method, request.url, {**request.headers, **credentials}, request.body))


def _query_value(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _parse_problem(response: IssuerResponse) -> ManagementApiError:
    document: dict[str, Any] = response.json if isinstance(response.json, dict) else {}
    name = get_text(document, "type") or ""
    errors = document.get("errors")
    found = [it for it in errors if isinstance(it, dict)] if isinstance(errors, list) else []
    seconds = response.headers.get("retry-after", "")
    return ManagementApiError(
        name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else "no_response",
        get_text(document, "detail") or f"the response was {response.status}",
        status=response.status,
        request_id=response.headers.get("x-request-id"),
        errors=tuple(FieldError(str(it.get("pointer", "")), str(it.get("detail", ""))) for it in found),
        id=get_text(document, "id"),
        retry_after=int(seconds) if re.fullmatch(r"[0-9]{1,9}", seconds) else None,
    )
