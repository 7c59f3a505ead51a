"""Requests of the management client, and how it reads responses."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

from sinete_client import (
    ClientAuthentication,
    FieldError,
    HttpRequest,
    HttpResponse,
    ManagementApiError,
    ManagementClient,
    TokenClient,
)

from .mock_issuer import MockIssuer, json_response

ISSUER = "http://localhost:8080"


class Fixture:
    def __init__(self, respond: Callable[[int], HttpResponse], **settings: Any):
        self.requests: list[HttpRequest] = []
        self._respond = respond
        self.client = ManagementClient(ISSUER, transport=self._send, **(settings or {"api_key": "k"}))

    def _send(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        return self._respond(len(self.requests))


class ManagementClientTest(unittest.TestCase):
    def test_call_sends_path_version_body_and_credentials(self) -> None:
        fixture = Fixture(lambda _: json_response({"id": "r"}))
        fixture.client.update_role("acme", "r/1 ?", 7, {"name": "x"})
        [request] = fixture.requests
        self.assertEqual((request.method, request.url), ("PATCH", f"{ISSUER}/manage/organizations/acme/roles/r%2F1%20%3F"))
        self.assertEqual(request.body, b'{"name": "x"}')
        self.assertEqual(
            request.headers,
            {"accept": "application/json", "if-match": '"7"', "content-type": "application/merge-patch+json", "authorization": "Bearer k"},
        )

    def test_name_that_would_change_the_path_is_a_value_error(self) -> None:
        fixture = Fixture(lambda _: json_response({}))
        for name in ("..", ".", "", None):
            with self.assertRaises(ValueError, msg=name):
                fixture.client.get_role("acme", name)  # type: ignore[arg-type]
            with self.assertRaises(ValueError, msg=name):
                fixture.client.get_role(name, "r")  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            fixture.client.update_role("acme", "r", 0, {})
        self.assertEqual(fixture.requests, [])

    def test_list_is_fetched_page_by_page_as_far_as_it_is_read(self) -> None:
        pages = [{"items": [1, 2], "next": "a b"}, {"items": [], "next": "c"}, {"items": [3], "next": None}]
        fixture = Fixture(lambda count: json_response(pages[count - 1]))
        roles = fixture.client.list_roles("acme", limit=2)
        self.assertEqual(fixture.requests, [])
        self.assertEqual(list(roles), [1, 2, 3])
        queries = [request.url.partition("?")[2] for request in fixture.requests]
        self.assertEqual(queries, ["limit=2", "limit=2&after=a+b", "limit=2&after=c"])
        other = Fixture(lambda _: json_response({"items": [1, 2], "next": "x"}))
        for role in other.client.list_roles("acme"):
            if role == 2:
                break
        self.assertEqual(len(other.requests), 1)

    def test_idempotency_key_is_sent_only_with_calls_that_create_something(self) -> None:
        fixture = Fixture(lambda _: json_response({"id": "r"}, 201))
        fixture.client.with_idempotency_key("key").create_role("acme", {"name": "a"})
        fixture.client.create_role("acme", {"name": "a"})
        self.assertEqual([request.headers.get("idempotency-key") for request in fixture.requests], ["key", None])
        with self.assertRaises(ValueError):
            fixture.client.with_idempotency_key("key").get_role("acme", "r")

    def test_error_response_becomes_a_management_api_error(self) -> None:
        document = {
            "type": "urn:sinete:problem:unprocessable", "status": 422, "detail": "no", "id": "x",
            "errors": [{"pointer": "/name", "detail": "missing"}],
        }
        headers = {"x-request-id": "q", "retry-after": "7"}
        fixture = Fixture(lambda _: json_response(document, 422, headers))
        with self.assertRaises(ManagementApiError) as raised:
            fixture.client.get_role("acme", "r")
        error = raised.exception
        self.assertEqual((error.status, error.problem_type, error.detail), (422, "unprocessable", "no"))
        self.assertEqual((error.request_id, error.id, error.retry_after), ("q", "x", 7))
        self.assertEqual(error.errors, (FieldError("/name", "missing"),))

        def unavailable(_: int) -> HttpResponse:
            raise OSError("away")

        for respond in (lambda _: HttpResponse(502, {}, b"<html>"), lambda _: json_response([]), unavailable):
            with self.assertRaises(ManagementApiError) as raised:
                Fixture(respond).client.get_role("acme", "r")
            self.assertEqual(raised.exception.problem_type, "no_response")

    def test_dpop_nonce_is_repeated_and_a_rejected_token_is_requested_again(self) -> None:
        tokens = iter(("t1", "t2"))
        handlers = {"/connect/token": lambda _: json_response({"access_token": next(tokens), "token_type": "DPoP", "expires_in": 600})}
        mock = MockIssuer(ISSUER, handlers=handlers)
        token_client = TokenClient(ISSUER, ClientAuthentication.none("a"), use_dpop=True, transport=mock.send)
        responses = {1: json_response({}, 401, {"dpop-nonce": "n"}), 3: json_response({}, 401)}
        fixture = Fixture(lambda count: responses.get(count, json_response({"id": "r"})), token_client=token_client, scope="roles:read")
        self.assertEqual(fixture.client.get_role("acme", "r"), {"id": "r"})
        with self.assertRaises(ManagementApiError):
            fixture.client.get_role("acme", "r")
        fixture.client.get_role("acme", "r")
        sent = [request.headers["authorization"] for request in fixture.requests]
        self.assertEqual(sent, ["DPoP t1", "DPoP t1", "DPoP t1", "DPoP t2"])
        with self.assertRaises(ValueError):
            ManagementClient(ISSUER)
        with self.assertRaises(ValueError):
            ManagementClient(ISSUER, api_key="k", token_client=token_client)
