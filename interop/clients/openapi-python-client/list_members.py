"""Lists the members of an organization with the generated library."""

import os

from generated import AuthenticatedClient
from generated.api.members import list_members

client = AuthenticatedClient(base_url=os.environ["ISSUER"], token=os.environ["KEY"], verify_ssl=os.environ["SSL_CERT_FILE"])
answer = list_members.sync_detailed("shop", client=client)
print(answer.status_code, answer.content.decode(), type(answer.parsed).__name__)
