"""The response to a rejected request: status and `WWW-Authenticate`."""

from __future__ import annotations

from collections.abc import Sequence

from .signatures import ALGORITHMS


class RequestRejectedError(Exception):
    """A request is rejected. Answer with `status` and `headers()`; `reason` is for your log only."""

    def __init__(
        self,
        status: int,
        reason: str,
        error: str | None = None,
        challenges: Sequence[str] = (),
        retry_after: int | None = None,
    ):
        super().__init__(reason)
        #: 401, 403, or 503 where the token could not be verified now.
        self.status = status
        #: `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`; None where the request has no token.
        self.error = error
        #: The values of `WWW-Authenticate`.
        self.challenges = tuple(challenges)
        self.retry_after = retry_after
        #: For your log. Do not send it to the client.
        self.reason = reason

    def headers(self) -> list[tuple[str, str]]:
        """The response headers as pairs: there may be two challenges."""
        pairs = [("www-authenticate", challenge) for challenge in self.challenges]
        if self.retry_after is not None:
            pairs.append(("retry-after", str(self.retry_after)))
        return pairs


def unavailable(reason: object) -> RequestRejectedError:
    """The token could not be verified now: the client keeps it and retries."""
    return RequestRejectedError(503, str(reason), retry_after=5)


def reject(
    error: str | None, reason: str, *, scheme: str | None, scopes: Sequence[str], metadata: str | None
) -> RequestRejectedError:
    """Makes the error with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1)."""
    parameters = {"error": error, "resource_metadata": metadata, "scope": " ".join(scopes) or None}
    written = [f'{name}="{value}"' for name, value in parameters.items() if value is not None]
    algorithms = f'algs="{" ".join(ALGORITHMS)}"'
    if scheme == "dpop":
        challenges = [f"DPoP {', '.join([*written, algorithms])}"]
    else:
        challenges = [f"Bearer {', '.join(written)}".rstrip()]
        if error in (None, "invalid_token"):
            challenges.append(f"DPoP {algorithms}")
    return RequestRejectedError(403 if error == "insufficient_scope" else 401, reason, error, challenges)
