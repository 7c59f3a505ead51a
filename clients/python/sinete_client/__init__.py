"""Client library for Sinete: verify access tokens in an API, request tokens as a service, call the management API.

Everything is synchronous and safe to share between threads.
"""

from .access_token_verifier import (
    AccessTokenVerifier,
    RequestCredentials,
    TokenActor,
    VerifiedAccessToken,
    read_asgi_credentials,
    read_wsgi_credentials,
)
from .client_authentication import ClientAuthentication
from .dpop import MemoryReplayCache, ReplayCache
from .issuer_client import HttpRequest, HttpResponse, IssuerRequestError
from .management_client import FieldError, ManagementApiError, ManagementClient, PagedList
from .request_rejected import RequestRejectedError
from .token_client import TokenClient, TokenRequestError, TokenResponse

__all__ = [
    "AccessTokenVerifier",
    "ClientAuthentication",
    "FieldError",
    "HttpRequest",
    "HttpResponse",
    "IssuerRequestError",
    "ManagementApiError",
    "ManagementClient",
    "MemoryReplayCache",
    "PagedList",
    "ReplayCache",
    "RequestCredentials",
    "RequestRejectedError",
    "TokenActor",
    "TokenClient",
    "TokenRequestError",
    "TokenResponse",
    "VerifiedAccessToken",
    "read_asgi_credentials",
    "read_wsgi_credentials",
]
