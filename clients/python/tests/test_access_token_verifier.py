"""The access token vectors that every client library passes; JWKS cache, replay cache, introspection and settings."""

from __future__ import annotations

import base64
import unittest
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sinete_client import (
    AccessTokenVerifier,
    ClientAuthentication,
    HttpRequest,
    MemoryReplayCache,
    RequestCredentials,
    RequestRejectedError,
    read_asgi_credentials,
    read_wsgi_credentials,
)
from sinete_client.dpop import normalize_htu

from .mock_issuer import Clock, MockIssuer, json_response, load_vectors

VECTORS = load_vectors("access_tokens.json")
ISSUER, AUDIENCE = VECTORS["issuer"], VECTORS["audience"]
CURRENT, NEXT = VECTORS["longLivedTokens"]["current"], VECTORS["longLivedTokens"]["next"]
KEYS, METADATA = "/.well-known/jwks.json", "/.well-known/openid-configuration"
SETTINGS = {"baseUrl": "base_url", "clockLeeway": "clock_leeway", "algorithms": "algorithms", "audience": "audience"}


def credentials_of(vector: dict[str, Any]) -> RequestCredentials:
    names = {"certificateThumbprint": "certificate_thumbprint"}
    return RequestCredentials(**{names.get(name, name): value for name, value in vector.items()})


def first_credentials(name: str) -> RequestCredentials:
    return credentials_of(next(case for case in VECTORS["cases"] if case["name"] == name)["requests"][0]["credentials"])


def bearer(token: str) -> RequestCredentials:
    return RequestCredentials("GET", "/invoices", f"Bearer {token}")


def outcome_of(verifier: AccessTokenVerifier, request: dict[str, Any]) -> dict[str, Any]:
    try:
        token = verifier.verify(credentials_of(request["credentials"]), **request["requirements"])
    except RequestRejectedError as rejected:
        return {"rejected": {"status": rejected.status, "error": rejected.error, "challenges": list(rejected.challenges)}}
    actors = [{"subject": it.subject, **({} if it.profile is None else {"profile": it.profile})} for it in token.actors]
    return {
        "verified": {
            "subject": token.subject, "organization": token.organization, "clientId": token.client_id,
            "scopes": list(token.scopes), "roles": list(token.roles), "actors": actors, "acr": token.acr,
            "expiresAt": token.expires_at,
        }
    }


class Fixture:
    def __init__(self, handlers: dict[str, Any] | None = None, **settings: Any):
        self.mock = MockIssuer(ISSUER, VECTORS["keys"], handlers)
        self.clock = Clock(VECTORS["now"])
        settings = {"audience": AUDIENCE, "transport": self.mock.send, "now": self.clock, **settings}
        self.verifier = AccessTokenVerifier(ISSUER, **settings)

    def status(self, credentials: RequestCredentials, **requirements: Any) -> int:
        try:
            self.verifier.verify(credentials, **requirements)
        except RequestRejectedError as rejected:
            return rejected.status
        return 200


class AccessTokenVerifierTest(unittest.TestCase):
    def test_every_vector(self) -> None:
        self.assertGreater(len(VECTORS["cases"]), 150)
        for case in VECTORS["cases"]:
            fixture = Fixture(**{SETTINGS[name]: value for name, value in case["settings"].items()})
            for request in case["requests"]:
                with self.subTest(case["name"]):
                    expected = {name: request[name] for name in ("verified", "rejected") if name in request}
                    self.assertEqual(outcome_of(fixture.verifier, request), expected)

    def test_concurrent_requests_fetch_the_keys_once(self) -> None:
        fixture = Fixture()
        with ThreadPoolExecutor(20) as pool:
            outcomes = set(pool.map(lambda _: fixture.status(bearer(CURRENT)), range(20)))
        self.assertEqual(outcomes, {200})
        self.assertEqual(dict(fixture.mock.requests), {METADATA: 1, KEYS: 1})

    def test_unknown_kid_refreshes_the_keys_at_most_twice_a_minute(self) -> None:
        fixture = Fixture()
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)
        for count in (1, 2):
            for _ in range(10):
                self.assertEqual(fixture.status(bearer(NEXT)), 401)
            self.assertEqual(fixture.mock.requests[KEYS], count)
            fixture.clock.now += 30
        fixture.mock.keys = VECTORS["rotatedKeys"]
        fixture.clock.now -= 1
        self.assertEqual(fixture.status(bearer(NEXT)), 401)
        fixture.clock.now += 1
        self.assertEqual(fixture.status(bearer(NEXT)), 200)
        self.assertEqual(fixture.mock.requests[KEYS], 3)

    def test_revoked_key_is_accepted_for_five_minutes_at_most(self) -> None:
        fixture = Fixture()
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)
        fixture.mock.keys = VECTORS["rotatedKeys"]
        fixture.clock.now += 299
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)
        fixture.clock.now += 1
        self.assertEqual(fixture.status(bearer(CURRENT)), 401)

    def test_keys_are_used_for_an_hour_while_the_issuer_is_unavailable(self) -> None:
        fixture = Fixture()
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)
        fixture.mock.is_unavailable = True
        fixture.clock.now += 3599
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)
        fixture.clock.now += 1
        with self.assertRaises(RequestRejectedError) as raised:
            fixture.verifier.verify(bearer(CURRENT))
        self.assertEqual((raised.exception.status, raised.exception.headers()), (503, [("retry-after", "5")]))
        fixture.mock.is_unavailable = False
        fixture.clock.now += 30
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)

    def test_issuer_that_is_unavailable_or_names_another_issuer_is_not_trusted(self) -> None:
        fixture = Fixture()
        fixture.mock.is_unavailable = True
        self.assertEqual([fixture.status(bearer(CURRENT)) for _ in range(2)], [503, 503])
        self.assertEqual(fixture.mock.requests[METADATA], 1)
        fixture.mock.is_unavailable = False
        fixture.mock.metadata["issuer"] = "https://evil.example"
        fixture.clock.now += 1
        self.assertEqual(fixture.status(bearer(CURRENT)), 503)
        fixture.mock.metadata["issuer"] = ISSUER
        fixture.clock.now += 1
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)

    def test_keys_are_stale_after_the_clock_was_set_back(self) -> None:
        fixture = Fixture()
        self.assertEqual(fixture.status(bearer(CURRENT)), 200)
        fixture.mock.keys = VECTORS["rotatedKeys"]
        fixture.clock.now -= 1
        self.assertEqual(fixture.status(bearer(CURRENT)), 401)
        fixture.clock.now -= 1
        fixture.mock.is_unavailable = True
        self.assertEqual(fixture.status(bearer(NEXT)), 503)

    def test_dpop_proof_is_accepted_once_of_sixteen_concurrent_requests(self) -> None:
        fixture = Fixture()
        credentials = first_credentials("DPoP proof is accepted once")
        with ThreadPoolExecutor(16) as pool:
            outcomes = sorted(pool.map(lambda _: fixture.status(credentials), range(16)))
        self.assertEqual(outcomes, [200] + [401] * 15)

    def test_full_replay_cache_rejects_with_503_until_proofs_expire(self) -> None:
        cache = MemoryReplayCache(1)
        self.assertTrue(cache.record_first_use("a", 60, 0, "k"))
        with self.assertRaises(RuntimeError):
            cache.record_first_use("b", 60, 60, "k")
        self.assertFalse(cache.record_first_use("a", 60, 60, "k"))
        self.assertTrue(cache.record_first_use("b", 121, 61, "k"))
        full = MemoryReplayCache(1)
        full.record_first_use("a", VECTORS["now"] + 60, VECTORS["now"], "k")
        self.assertEqual(Fixture(replay_cache=full).status(first_credentials("DPoP proof is accepted once")), 503)

    def test_one_key_cannot_fill_the_replay_cache(self) -> None:
        cache = MemoryReplayCache(20)
        self.assertTrue(cache.record_first_use("a1", 60, 0, "a"))
        self.assertTrue(cache.record_first_use("a2", 60, 0, "a"))
        with self.assertRaises(RuntimeError):
            cache.record_first_use("a3", 60, 0, "a")
        self.assertTrue(cache.record_first_use("b1", 60, 0, "b"))
        self.assertTrue(cache.record_first_use("a3", 121, 61, "a"))

    def test_introspection_overrides_the_token_its_scope_included(self) -> None:
        active = {"active": True, "iss": ISSUER, "sub": "ana", "aud": AUDIENCE, "org": "acme", "scope": "invoices:read", "role": "clerk"}
        answers: list[Any] = [active]
        requests: list[HttpRequest] = []

        def introspect(request: HttpRequest) -> Any:
            requests.append(request)
            return json_response(answers[0]) if answers[0] is not None else json_response({}, 500)

        client = ClientAuthentication.client_secret_basic("books api", "a:b+c")
        fixture = Fixture({"/connect/introspect": introspect}, introspection=client)
        for answer, status in (
            (active, 200), ({"active": False}, 401), ({**active, "active": "true"}, 401), ({**active, "sub": "eve"}, 401),
            ({**active, "org": "globex"}, 401), ({**active, "aud": "https://files.example"}, 401),
            ({**active, "scope": "openid"}, 403), (None, 503),
        ):
            answers[0] = answer
            self.assertEqual(fixture.status(bearer(CURRENT), scopes=["invoices:read"]), status, answer)
        self.assertEqual(fixture.status(bearer("x.y.z")), 401)
        self.assertEqual(len(requests), 8)
        basic = base64.b64encode(b"books+api:a%3Ab%2Bc").decode()
        self.assertEqual(requests[0].headers["authorization"], f"Basic {basic}")
        self.assertEqual(urllib.parse.parse_qs((requests[0].body or b"").decode())["token"], [CURRENT])

    def test_endpoint_without_https_is_not_used(self) -> None:
        for name in ("jwks_uri", "introspection_endpoint"):
            fixture = Fixture(introspection=ClientAuthentication.client_secret_basic("books", "s"))
            fixture.mock.metadata[name] = "http://id.example.com/there"
            self.assertEqual(fixture.status(bearer(CURRENT)), 503, name)
            self.assertFalse(any(path.endswith("there") for path in fixture.mock.requests))

    def test_settings_that_cannot_be_enforced_are_a_value_error(self) -> None:
        for settings in (
            {"issuer": "http://id.example.com"}, {"issuer": f"{ISSUER}/"}, {"issuer": "id"}, {"issuer": f"{ISSUER}?a"},
            {"issuer": f"{ISSUER}?"}, {"issuer": f"{ISSUER}#"}, {"audience": "books"}, {"audience": "urn:books"}, {"audience": None},
            {"base_url": "books"}, {"base_url": "https://books.example?"}, {"base_url": "https://books.example/?a=b"},
            {"base_url": "https://books.example/#"}, {"algorithms": []}, {"algorithms": ["none"]}, {"algorithms": ["HS256"]},
            {"algorithms": "ES256"}, {"clock_leeway": -1}, {"clock_leeway": 61}, {"clock_leeway": 0.5},
        ):
            with self.assertRaises(ValueError, msg=settings):
                AccessTokenVerifier(**{"issuer": ISSUER, "audience": AUDIENCE, **settings})  # type: ignore[arg-type]
        AccessTokenVerifier("https://id.example.com", "urn:books", base_url="https://books.example")

    def test_empty_requirement_is_a_value_error(self) -> None:
        fixture = Fixture()
        for requirements in (
            {"organization": None}, {"organization": ""}, {"scopes": None}, {"scopes": "invoices:read"}, {"scopes": [None]}, {"scopes": [""]},
        ):
            with self.assertRaises(ValueError, msg=requirements):
                fixture.verifier.verify(bearer(CURRENT), **requirements)  # type: ignore[arg-type]
        self.assertEqual(dict(fixture.mock.requests), {})

    def test_deeply_nested_json_is_rejected(self) -> None:
        part = base64.urlsafe_b64encode(b'{"a":' * 2000 + b"1" + b"}" * 2000).rstrip(b"=").decode()
        self.assertEqual(Fixture().status(bearer(f"{part}.e30.AA")), 401)

    def test_credentials_are_read_from_asgi_and_wsgi_requests(self) -> None:
        expected = RequestCredentials("GET", "/a%2Fb", "Bearer a", None, "c")
        scope = {"method": "GET", "path": "/a/b", "raw_path": b"/a%2Fb", "headers": [(b"authorization", b"Bearer a")]}
        self.assertEqual(read_asgi_credentials(scope, "c"), expected)
        scope["headers"] = [(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b")]
        self.assertEqual(read_asgi_credentials(scope).authorization, "Bearer a, Bearer b")
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/b c", "SCRIPT_NAME": "/a", "HTTP_AUTHORIZATION": "Bearer a"}
        self.assertEqual(read_wsgi_credentials(environ, "c"), RequestCredentials("GET", "/a/b%20c", "Bearer a", None, "c"))
        self.assertNotIn("Bearer", repr(expected))

    def test_urls_are_normalized(self) -> None:
        for text, expected in (
            ("HTTPS://Books.Example:443/x/../%69nvoices?a#b", "https://books.example/invoices"),
            ("http://books.example:8080", "http://books.example:8080/"),
            ("https://books.example/a/./b/..", "https://books.example/a/"),
            ("https://books.example/%2e%2e/a", "https://books.example/a"),
            ("https://books.example/../../a//b", "https://books.example/a//b"),
            ("https://books.example/a%2fb{", "https://books.example/a%2Fb%7B"),
            ("http://[::1]:80/a", "http://[::1]/a"),
            ("https://ana@books.example/", None), ("https://books.example/%2", None), ("https://books.example:99999/", None),
            ("ftp://books.example/", None), ("https://", None), ("https:/books.example", None), ("https://books.example/ ", None),
            ("https://books%2eexample/", None), ("https://books.example\\a", None), ("/invoices", None),
        ):
            self.assertEqual(normalize_htu(text), expected, text)
