"""Django with Python Social Auth, in one file: settings, URLs and one page."""

import os
import sys

import django
from django.conf import settings
from django.core.management import execute_from_command_line

settings.configure(
    DEBUG=True,
    SECRET_KEY="a-long-random-text-of-your-own",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["localhost"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "social_django"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    LOGIN_REDIRECT_URL="/",
    # The settings of Python Social Auth.
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=os.environ["ISSUER"],
    SOCIAL_AUTH_OIDC_KEY="django",
    SOCIAL_AUTH_OIDC_SECRET=os.environ["SECRET"],
    SOCIAL_AUTH_OIDC_USE_PKCE=True,
)
django.setup()

from django.http import HttpResponse  # noqa: E402
from django.middleware.csrf import get_token  # noqa: E402
from django.urls import include, path  # noqa: E402


def index(request):
    if request.user.is_authenticated:
        return HttpResponse(f"signed in as {request.user.email} ({request.user.get_full_name()})")
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
    return HttpResponse(f'<form method="post" action="/login/oidc/">{token}<button>Sign in</button></form>')


urlpatterns = [path("", index), path("", include("social_django.urls", namespace="social"))]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
