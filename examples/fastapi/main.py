"""A web application with FastAPI and Authlib: authorization code flow with PKCE, userinfo, and logout."""

import os
import secrets
from html import escape
from urllib.parse import urlencode

from authlib.integrations.starlette_client import OAuth
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

ISSUER = os.environ.get("ISSUER", "http://localhost:8080")
BASE_URL = f"http://localhost:{os.environ.get('PORT', '3000')}"

app = FastAPI()
# Cookies ignore ports: with a development instance on localhost, this cookie needs a different name.
app.add_middleware(SessionMiddleware, secret_key=secrets.token_hex(32), session_cookie="quickstart")
oauth = OAuth()
sinete = oauth.register(
    "sinete",
    client_id="quickstart-fastapi",
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/")
def home(request: Request) -> HTMLResponse:
    user = request.session.get("user")
    if user is None:
        return HTMLResponse('<a href="/login">Sign in</a>')
    return HTMLResponse(f'<p>Signed in as {escape(user["name"])} ({escape(user["email"])})</p><a href="/logout">Sign out</a>')


@app.get("/login")
async def login(request: Request):
    return await sinete.authorize_redirect(request, f"{BASE_URL}/callback")


@app.get("/callback")
async def callback(request: Request) -> RedirectResponse:
    token = await sinete.authorize_access_token(request)
    user = await sinete.userinfo(token=token)
    request.session.clear()
    # The session is a signed cookie of at most 4 KiB that the browser can read: do not store access tokens in it.
    request.session.update(user={"name": user["name"], "email": user["email"]}, id_token=token["id_token"])
    return RedirectResponse("/")


@app.get("/logout")
async def logout(request: Request) -> RedirectResponse:
    metadata = await sinete.load_server_metadata()
    hint = request.session.pop("id_token", "")
    request.session.clear()
    query = urlencode({"id_token_hint": hint, "post_logout_redirect_uri": f"{BASE_URL}/"})
    return RedirectResponse(f"{metadata['end_session_endpoint']}?{query}")
