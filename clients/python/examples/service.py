"""A service that calls an API, with its own tokens or on behalf of a user.

    CLIENT_ID=robot CLIENT_SECRET=… python3 examples/service.py http://localhost:8080 http://127.0.0.1:7001 /invoices invoices:read

Arguments: the issuer, the URI that the API is registered under, the path, the scope, and the base URL of the API if that is
another one. Instead of a secret it takes a key: CLIENT_KEY in PEM and CLIENT_ALGORITHM. With SUBJECT_TOKEN or API_KEY it acts
on behalf of their subject. With USE_DPOP its tokens are bound to a key.
"""

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from sinete_client import ClientAuthentication, TokenClient

issuer, resource, path, scope = sys.argv[1:5]
base_url = sys.argv[5] if len(sys.argv) > 5 else resource
environ = os.environ
if "CLIENT_KEY" in environ:
    client = ClientAuthentication.private_key_jwt(environ["CLIENT_ID"], environ["CLIENT_KEY"], environ["CLIENT_ALGORITHM"])
else:
    client = ClientAuthentication.client_secret_basic(environ["CLIENT_ID"], environ["CLIENT_SECRET"])
token_client = TokenClient(issuer, client, use_dpop="USE_DPOP" in environ)

# A subject that is passed and empty is an error, so that a missing one never becomes the service itself.
names = {"SUBJECT_TOKEN": "subject_token", "API_KEY": "api_key"}
subject = {names[name]: environ[name] for name in names if name in environ}
token = token_client.get_token(scope=scope, resource=resource, **subject)

url = f"{base_url}{path}"
request = urllib.request.Request(url, headers=token_client.authorization_headers(token, "GET", url))
try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
