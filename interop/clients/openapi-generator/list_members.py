"""Lists the members of an organization with the generated library."""

import os

import generated

configuration = generated.Configuration(host=os.environ["ISSUER"], access_token=os.environ["KEY"], ssl_ca_cert=os.environ["SSL_CERT_FILE"])
with generated.ApiClient(configuration) as client:
    print(generated.MembersApi(client).list_members("shop"))
