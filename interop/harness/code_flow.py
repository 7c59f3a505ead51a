"""The authorization code flow of a command-line program, for clients whose own login code is not available here."""

import base64
import hashlib
import json
import secrets
import urllib.parse

from .world import CheckFailed


def authorize(world, client_id, scope, **more):
    """Runs the flow in the browser with PKCE and returns the token response."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    redirect_uri = f"http://localhost:{world.port(2)}/callback"
    query = {
        "response_type": "code", "client_id": client_id, "redirect_uri": redirect_uri, "scope": scope,
        "state": secrets.token_urlsafe(12), "nonce": secrets.token_urlsafe(12), "code_challenge": challenge,
        "code_challenge_method": "S256", **more,
    }
    browser = world.browser
    try:
        browser.open(f"{world.issuer}/connect/authorize?{urllib.parse.urlencode(query)}")
    except Exception as error:  # Nothing listens at the redirect URI; only the URL is needed.
        if "ERR_CONNECTION_REFUSED" not in str(error):
            raise
    try:
        browser.sign_in()
    except Exception as error:
        if "ERR_CONNECTION_REFUSED" not in str(error):
            raise
    back = urllib.parse.parse_qs(urllib.parse.urlsplit(browser.url()).query)
    if "code" not in back:
        raise CheckFailed(f"{back.get('error', ['?'])[0]}: {back.get('error_description', [''])[0]}")
    form = {
        "grant_type": "authorization_code", "code": back["code"][0], "redirect_uri": redirect_uri, "code_verifier": verifier,
    }
    basic = base64.b64encode(f"{client_id}:{world.secret}".encode()).decode()
    headers = {"authorization": f"Basic {basic}", "content-type": "application/x-www-form-urlencoded"}
    status, _, body = world.get(f"{world.issuer}/connect/token", headers, urllib.parse.urlencode(form).encode())
    if status != 200:
        raise CheckFailed(f"the token endpoint answers {status}: {body}")
    return json.loads(body)
