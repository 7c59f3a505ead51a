"""Token requests and the token cache: the vectors that every client library passes."""

from __future__ import annotations

import base64
import json
import time
import unittest
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from sinete_client import ClientAuthentication, HttpRequest, HttpResponse, TokenClient, TokenRequestError, TokenResponse
from sinete_client.signatures import public_key

from .mock_issuer import Clock, MockIssuer, json_response, load_vectors

VECTORS = load_vectors("token_requests.json")
ISSUER, NOW = VECTORS["issuer"], VECTORS["now"]


def part_of(jwt: str, at: int) -> Any:
    part = jwt.split(".")[at]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def client_of(vector: dict[str, Any]) -> ClientAuthentication:
    if "clientSecret" not in vector:
        return ClientAuthentication.none(vector["clientId"])
    make = getattr(ClientAuthentication, vector.get("method", "client_secret_basic"))
    return make(vector["clientId"], vector["clientSecret"])


def request_of(vector: dict[str, Any]) -> dict[str, str]:
    names = {"subjectToken": "subject_token", "apiKey": "api_key"}
    return {names.get(name, name): value for name, value in vector.items()}


class Fixture:
    def __init__(self, client: ClientAuthentication, use_dpop: bool = False):
        self.responses: list[HttpResponse] = []
        self.requests: list[dict[str, Any]] = []
        self.unexpected: list[dict[str, Any]] = []
        self.concurrent_calls = 1
        self.started_calls: list[dict[str, Any]] = []
        self.clock = Clock(NOW)
        self.mock = MockIssuer(ISSUER, handlers={"/connect/token": self._handle})
        self.token_client = TokenClient(ISSUER, client, use_dpop=use_dpop, transport=self.mock.send, now=self.clock)

    def _handle(self, request: HttpRequest) -> HttpResponse:
        form = dict(urllib.parse.parse_qsl((request.body or b"").decode(), keep_blank_values=True))
        recorded: dict[str, Any] = {"form": form, "authorization": request.headers.get("authorization")}
        if "dpop" in request.headers:
            claims = part_of(request.headers["dpop"], 1)
            recorded["dpop"] = {"htm": claims["htm"], "htu": claims["htu"], "nonce": claims.get("nonce")}
        self.requests.append(recorded)
        if not self.responses:
            self.unexpected.append(recorded)
        response = self.responses.pop(0)
        if self.concurrent_calls > 1:
            # The response waits until every concurrent caller has called, and may wait for this request.
            while len(self.started_calls) < self.concurrent_calls:
                time.sleep(0.001)
            time.sleep(0.2)
        return response

    def respond(self, vector: dict[str, Any]) -> None:
        if vector.get("isTooLong"):
            self.responses.append(HttpResponse(200, {}, b" " * (2 * 1024 * 1024)))
        else:
            self.responses.append(json_response(vector.get("json"), vector["status"], vector.get("headers")))

    def outcome(self, step: dict[str, Any]) -> dict[str, Any]:
        self.started_calls.append(step)
        try:
            if "refresh" in step:
                token = self.token_client.refresh(step["refresh"], scope=step.get("scope"))
            else:
                token = self.token_client.get_token(**request_of(step["getToken"]))
        except TokenRequestError as error:
            failure: dict[str, Any] = {
                "status": error.status, "error": error.error, "description": error.description, "retryAfter": error.retry_after,
            }
            if error.refresh_token_may_be_used:
                failure["refreshTokenMayBeUsed"] = True
            return {"error": failure}
        return {
            "token": {
                "accessToken": token.access_token, "tokenType": token.token_type, "expiresAt": token.expires_at,
                "scope": token.scope, "refreshToken": token.refresh_token,
            }
        }


class TokenClientTest(unittest.TestCase):
    def test_every_vector(self) -> None:
        self.assertGreaterEqual(len(VECTORS["cases"]), 40)
        for case in VECTORS["cases"]:
            with self.subTest(case["name"]):
                fixture = Fixture(client_of(case["client"]), case["useDpop"])
                for step in case["steps"]:
                    self.run_step(fixture, step)
                self.assertEqual((fixture.responses, fixture.unexpected), ([], []))

    def run_step(self, fixture: Fixture, step: dict[str, Any]) -> None:
        if "response" in step:
            fixture.respond(step["response"])
        elif "advanceClock" in step:
            fixture.clock.now += step["advanceClock"]
        elif "requests" in step:
            self.assertEqual(fixture.requests, step["requests"])
            fixture.requests.clear()
        elif "invalidateToken" in step:
            fixture.token_client.invalidate_token(**request_of(step["invalidateToken"]))
        else:
            expected = {name: step[name] for name in ("token", "error") if name in step}
            fixture.concurrent_calls = step.get("times", 1)
            fixture.started_calls.clear()
            with ThreadPoolExecutor(fixture.concurrent_calls) as pool:
                for outcome in pool.map(lambda _: fixture.outcome(step), range(fixture.concurrent_calls)):
                    self.assertEqual(outcome, expected)

    def test_private_key_jwt_signs_a_new_assertion_for_every_request(self) -> None:
        keys = {
            "ES256": ec.generate_private_key(ec.SECP256R1()), "EdDSA": ed25519.Ed25519PrivateKey.generate(),
            "PS256": rsa.generate_private_key(65537, 2048), "RS256": rsa.generate_private_key(65537, 2048),
        }
        for algorithm, key in keys.items():
            encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
            pem = key.private_bytes(encoding, form, serialization.NoEncryption()).decode()
            fixture = Fixture(ClientAuthentication.private_key_jwt("robot", pem, algorithm, "k"))
            for _ in range(2):
                fixture.respond({"status": 200, "json": {"access_token": "t", "token_type": "Bearer", "expires_in": 0}})
                fixture.token_client.get_token()
            assertions = [request["form"]["client_assertion"] for request in fixture.requests]
            self.assertEqual(part_of(assertions[0], 0), {"alg": algorithm, "typ": "client-authentication+jwt", "kid": "k"})
            claims = [part_of(assertion, 1) for assertion in assertions]
            self.assertNotEqual(claims[0].pop("jti"), claims[1].pop("jti"))
            self.assertEqual(claims[0], {"iss": "robot", "sub": "robot", "aud": ISSUER, "iat": NOW, "exp": NOW + 60})
            other = "EdDSA" if algorithm == "ES256" else "ES256"
            with self.assertRaises(ValueError):
                ClientAuthentication.private_key_jwt("robot", pem, other)
        with self.assertRaises(ValueError):
            ClientAuthentication.private_key_jwt("robot", "p", "ES256")

    def test_dpop_token_is_sent_with_a_proof_for_one_request(self) -> None:
        fixture, other = Fixture(ClientAuthentication.none("a"), True), Fixture(ClientAuthentication.none("a"))
        fixture.respond({"status": 200, "json": {"access_token": "t", "token_type": "DPoP", "expires_in": 600}})
        token, url = fixture.token_client.get_token(), "https://books.example/invoices?page=1"
        headers = fixture.token_client.authorization_headers(token, "POST", url)
        self.assertEqual(headers["authorization"], "DPoP t")
        claims, header = part_of(headers["dpop"], 1), part_of(headers["dpop"], 0)
        self.assertEqual((claims["htm"], claims["htu"], claims["iat"]), ("POST", "https://books.example/invoices", NOW))
        key = public_key(header["jwk"], "ES256")
        assert key is not None
        signed, _, signature = headers["dpop"].rpartition(".")
        self.assertTrue(key.verify(signed.encode(), base64.urlsafe_b64decode(signature + "==")))
        # A nonce is used for its own server only.
        self.assertTrue(fixture.token_client.update_dpop_nonce(url, {"DPoP-Nonce": "n"}))
        self.assertFalse(fixture.token_client.update_dpop_nonce(url, {}))
        nonces = [
            part_of(fixture.token_client.authorization_headers(token, "GET", it)["dpop"], 1).get("nonce")
            for it in ("https://books.example/x", "https://files.example/x")
        ]
        self.assertEqual(nonces, ["n", None])
        with self.assertRaises(ValueError):
            other.token_client.authorization_headers(token, "GET", url)

    def test_issuer_that_is_unavailable_or_names_another_issuer_is_retried(self) -> None:
        fixture = Fixture(ClientAuthentication.none("a"))
        unavailable = {"error": {"status": None, "error": None, "description": None, "retryAfter": 5}}
        fixture.mock.is_unavailable = True
        self.assertEqual(fixture.outcome({"getToken": {}}), unavailable)
        fixture.mock.is_unavailable = False
        fixture.mock.metadata["issuer"] = "https://evil.example"
        fixture.clock.now += 5
        self.assertEqual(fixture.outcome({"getToken": {}}), unavailable)
        fixture.mock.metadata["issuer"] = ISSUER
        fixture.clock.now += 5
        fixture.respond({"status": 200, "json": {"access_token": "t", "token_type": "Bearer", "expires_in": 600}})
        self.assertEqual(fixture.token_client.get_token().access_token, "t")

    def test_empty_subject_is_a_value_error_and_never_the_client_itself(self) -> None:
        fixture = Fixture(ClientAuthentication.none("a"))
        for request in (
            {"api_key": None}, {"api_key": ""}, {"api_key": 1}, {"subject_token": None}, {"subject_token": ""},
            {"subject_token": "t", "api_key": None}, {"subject_token": "t", "api_key": "k"}, {"scope": ""}, {"resource": 1},
        ):
            with self.assertRaises(ValueError, msg=request):
                fixture.token_client.get_token(**request)  # type: ignore[arg-type]
            with self.assertRaises(ValueError, msg=request):
                fixture.token_client.invalidate_token(**request)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            fixture.token_client.refresh("")
        self.assertEqual(dict(fixture.mock.requests), {})

    def test_endpoint_without_https_is_not_used(self) -> None:
        for endpoint in ("http://id.example.com/connect/token", "ftp://localhost/connect/token", "connect/token"):
            fixture = Fixture(ClientAuthentication.client_secret_basic("a", "s"))
            fixture.mock.metadata["token_endpoint"] = endpoint
            with self.assertRaises(TokenRequestError):
                fixture.token_client.get_token()
            self.assertEqual(fixture.requests, [])

    def test_debug_output_contains_no_token(self) -> None:
        self.assertNotIn("secret", repr(TokenResponse("secret", "Bearer", 1, None, "secret")))
