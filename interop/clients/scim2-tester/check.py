"""Runs all checks of scim2-tester, and prints one line for each failure, then a summary."""

import os

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

headers = {"Authorization": f"Bearer {os.environ['KEY']}"}
http = Client(base_url=os.environ["ISSUER"] + "/scim/v2", headers=headers, verify=os.environ["SSL_CERT_FILE"])
results = check_server(SyncSCIMClient(http))
good = [result for result in results if result.status == Status.SUCCESS]
passed_over = [result for result in results if result.status in (Status.SKIPPED, Status.ACCEPTABLE)]
for result in results:
    if result not in good + passed_over:
        print(f"{result.status.name} {result.title} {result.resource_type}: {result.reason}")
print(f"SUMMARY {len(good)} of {len(results) - len(passed_over)}")
