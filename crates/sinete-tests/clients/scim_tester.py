"""Runs the published scim2-tester against the SCIM endpoints and prints the result.

It discovers the resource types, creates users and groups with every attribute of the schemas, and reads, replaces,
patches and deletes them with scim2-client. The environment names the server and the API key.
"""

import os
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

key = os.environ["SINETE_KEY"]
http = Client(base_url=os.environ["SINETE_ISSUER"] + "/scim/v2", headers={"Authorization": f"Bearer {key}"})
client = SyncSCIMClient(http)
results = check_server(client)

good = [result for result in results if result.status == Status.SUCCESS]
skipped = [result for result in results if result.status in (Status.SKIPPED, Status.ACCEPTABLE)]
wrong = [result for result in results if result not in good + skipped]
for result in wrong:
    print(f"{result.status.name} {result.title} {result.resource_type}: {result.reason}", file=sys.stderr)
print(f"{len(good)} good, {len(skipped)} skipped, {len(wrong)} wrong")
sys.exit(1 if wrong else 0)
