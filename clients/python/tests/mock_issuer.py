"""A mock issuer that counts requests by path."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from sinete_client import HttpRequest, HttpResponse

VECTORS = Path(__file__).parents[2] / "vectors"


def load_vectors(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def json_response(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(status, headers or {}, b"" if body is None else json.dumps(body).encode())


class MockIssuer:
    """`send` is a transport that answers with metadata and keys; `handlers` answer at other paths."""

    def __init__(self, issuer: str, keys: Any = None, handlers: dict[str, Any] | None = None):
        self.issuer = issuer
        self.keys = keys or {"keys": []}
        self.handlers = handlers or {}
        self.requests: Counter[str] = Counter()
        self.is_unavailable = False
        self.metadata: dict[str, str] = {
            "issuer": issuer,
            "jwks_uri": f"{issuer}/.well-known/jwks.json",
            "token_endpoint": f"{issuer}/connect/token",
            "introspection_endpoint": f"{issuer}/connect/introspect",
        }
        self._lock = threading.Lock()

    def send(self, request: HttpRequest) -> HttpResponse:
        path = request.url.removeprefix(self.issuer)
        with self._lock:
            self.requests[path] += 1
        if self.is_unavailable:
            raise OSError("connection refused")
        if path in self.handlers:
            return self.handlers[path](request)
        return json_response({"/.well-known/openid-configuration": self.metadata, "/.well-known/jwks.json": self.keys}[path])


class Clock:
    def __init__(self, now: int):
        self.now = now

    def __call__(self) -> int:
        return self.now
