"""Authlib with FastAPI for sign-in, and an API that verifies access tokens with PyJWT."""

import os

import jwt
from authlib.integrations.starlette_client import OAuth
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.middleware.sessions import SessionMiddleware

ISSUER, API = os.environ["ISSUER"], os.environ["API"]
app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key="a-long-random-text-of-your-own")
oauth = OAuth()
oauth.register(
    "sinete",
    client_id="fastapi",
    client_secret=os.environ["SECRET"],
    server_metadata_url=ISSUER + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email invoices:read", "code_challenge_method": "S256"},
)
keys = jwt.PyJWKClient(ISSUER + "/.well-known/jwks.json")


def caller(credentials: HTTPAuthorizationCredentials = Depends(HTTPBearer())):
    """Verifies the access token and its permission, and returns its claims."""
    try:
        key = keys.get_signing_key_from_jwt(credentials.credentials)
        claims = jwt.decode(credentials.credentials, key, algorithms=["ES256"], audience=API, issuer=ISSUER)
    except jwt.PyJWTError as error:
        raise HTTPException(401, str(error))
    if "invoices:read" not in claims["scope"].split():
        raise HTTPException(403, "insufficient_scope")
    return claims


@app.get("/invoices")
def invoices(claims=Depends(caller)):
    return {"invoices": ["2026-001"], "sub": claims["sub"], "org": claims["org"]}


@app.get("/login")
async def login(request: Request):
    return await oauth.sinete.authorize_redirect(request, os.environ["APP"] + "/callback")


@app.get("/callback")
async def callback(request: Request):
    token = await oauth.sinete.authorize_access_token(request)
    userinfo = await oauth.sinete.userinfo(token=token)
    request.session["user"] = {"email": userinfo.get("email")}
    return {"user": userinfo, "access_token": token["access_token"]}


@app.get("/")
async def index(request: Request):
    return request.session.get("user")
