"""A web application with Django and Authlib: authorization code flow with PKCE, userinfo, and logout."""

import os
import secrets
import sys
from urllib.parse import urlencode

from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.utils.html import format_html

ISSUER = os.environ.get("ISSUER", "http://localhost:8080")
BASE_URL = f"http://localhost:{os.environ.get('PORT', '3000')}"

settings.configure(
    SECRET_KEY=secrets.token_hex(32),
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.security.SecurityMiddleware", "django.contrib.sessions.middleware.SessionMiddleware"],
    # The session is a signed cookie. Cookies ignore ports: next to an instance on localhost it needs a name of its own.
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    SESSION_COOKIE_NAME="quickstart",
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    AUTHLIB_OAUTH_CLIENTS={},
)
oauth = OAuth()
sinete = oauth.register(
    "sinete",
    client_id="quickstart-django",
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


def home(request: HttpRequest) -> HttpResponse:
    user = request.session.get("user")
    if user is None:
        return HttpResponse('<a href="/login">Sign in</a>')
    page = '<p>Signed in as {} ({})</p><a href="/logout">Sign out</a>'
    return HttpResponse(format_html(page, user["name"], user["email"]))


def login(request: HttpRequest) -> HttpResponse:
    return sinete.authorize_redirect(request, f"{BASE_URL}/callback")


def callback(request: HttpRequest) -> HttpResponse:
    token = sinete.authorize_access_token(request)
    user = sinete.userinfo(token=token)
    request.session.flush()
    request.session.update({"user": {"name": user["name"], "email": user["email"]}, "id_token": token["id_token"]})
    return HttpResponseRedirect("/")


def logout(request: HttpRequest) -> HttpResponse:
    hint = request.session.get("id_token", "")
    request.session.flush()
    query = urlencode({"id_token_hint": hint, "post_logout_redirect_uri": f"{BASE_URL}/"})
    return HttpResponseRedirect(f"{sinete.load_server_metadata()['end_session_endpoint']}?{query}")


urlpatterns = [path("", home), path("login", login), path("callback", callback), path("logout", logout)]

if __name__ == "__main__":
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", BASE_URL.removeprefix("http://")])
