"""The published Authlib (https://authlib.org) against a test server, as a public client. The test acts as the user: it
reads the URL that the browser opens, and writes the URL of the redirect back."""

import os
import sys

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

CALLBACK = "http://127.0.0.1:49153/callback"
done = []


def ask(what, value):
    print(what, value, flush=True)
    return sys.stdin.readline().strip()


issuer = os.environ["SINETE_ISSUER"]
server = requests.get(issuer + "/.well-known/oauth-authorization-server", timeout=10).json()
assert server["issuer"] == issuer
done.append("discovery")

registered = requests.post(
    server["registration_endpoint"],
    json={
        "client_name": "Authlib",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        "scope": "openid profile",
    },
    timeout=10,
)
assert registered.status_code == 201, registered.text
client_id = registered.json()["client_id"]
done.append("registration")
ask("registered", client_id)

session = OAuth2Session(
    client_id,
    token_endpoint_auth_method="none",
    revocation_endpoint_auth_method="none",
    scope="openid profile",
    redirect_uri=CALLBACK,
    code_challenge_method="S256",
    token_endpoint=server["token_endpoint"],
)
verifier, nonce = generate_token(48), generate_token(16)
address, state = session.create_authorization_url(
    server["authorization_endpoint"], code_verifier=verifier, nonce=nonce
)
answered = ask("authorize", address)
done.append("authorize")

first = session.fetch_token(
    server["token_endpoint"], authorization_response=answered, state=state, code_verifier=verifier
)
keys = JsonWebKey.import_key_set(requests.get(server["jwks_uri"], timeout=10).json())
claims = jwt.decode(
    first["id_token"],
    keys,
    claims_cls=CodeIDToken,
    claims_options={"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
    claims_params={"nonce": nonce, "client_id": client_id},
)
claims.validate(leeway=30)
done.append("token")

second = session.refresh_token(server["token_endpoint"], refresh_token=first["refresh_token"])
assert second["refresh_token"] != first["refresh_token"]
done.append("refresh")

if "userinfo_endpoint" in server:
    person = session.get(server["userinfo_endpoint"]).json()
    assert person["sub"] == claims["sub"], person
    done.append("userinfo")

answer = session.revoke_token(
    server["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token"
)
assert answer.status_code == 200, answer.text
done.append("revoke")
print("done", *done, flush=True)
