"""Django with mozilla-django-oidc, in one file: settings, URLs and one page."""

import os
import sys

import django
from django.conf import settings
from django.core.management import execute_from_command_line

ISSUER, APP = os.environ["ISSUER"], os.environ["APP"]
settings.configure(
    DEBUG=True,
    SECRET_KEY="a-long-random-text-of-your-own",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["localhost"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    LOGIN_REDIRECT_URL="/",
    # The settings of mozilla-django-oidc.
    OIDC_RP_CLIENT_ID="django",
    OIDC_RP_CLIENT_SECRET=os.environ["SECRET"],
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_RP_SCOPES="openid profile email",
    OIDC_OP_AUTHORIZATION_ENDPOINT=ISSUER + "/connect/authorize",
    OIDC_OP_TOKEN_ENDPOINT=ISSUER + "/connect/token",
    OIDC_OP_USER_ENDPOINT=ISSUER + "/connect/userinfo",
    OIDC_OP_JWKS_ENDPOINT=ISSUER + "/.well-known/jwks.json",
    OIDC_USE_PKCE=True,
)
django.setup()

from django.contrib.auth.decorators import login_required  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402


@login_required(login_url="/oidc/authenticate/")
def index(request):
    return HttpResponse(f"signed in as {request.user.email}")


urlpatterns = [path("", index), path("oidc/", include("mozilla_django_oidc.urls"))]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
