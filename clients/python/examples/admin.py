"""Administers an organization: creates a role, changes it, lists all roles, and removes it again.

    API_KEY=… python3 examples/admin.py http://localhost:8080 acme

The API key needs `roles:read` and `roles:manage`.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from sinete_client import ManagementApiError, ManagementClient

issuer, organization = sys.argv[1:]
client = ManagementClient(issuer, api_key=os.environ["API_KEY"])

# Repeated with the same Idempotency-Key, a request creates nothing twice.
idempotent = client.with_idempotency_key("create-reader-in-python")
created, again = (idempotent.create_role(organization, {"name": "reader", "permissions": ["members:read"]}) for _ in range(2))
print(f"created {created['name']} once: {str(created['id'] == again['id']).lower()}")

patch = {"permissions": ["members:read", "roles:read"]}
changed = client.update_role(organization, created["id"], created["version"], patch)
print(f"changed: {' '.join(changed['permissions'])}")

# A change based on the old version is rejected.
try:
    client.update_role(organization, created["id"], created["version"], {"name": "writer"})
except ManagementApiError as error:
    print(f"rejected: {error.status} {error.problem_type}")

print(f"roles: {' '.join(sorted(role['name'] for role in client.list_roles(organization, limit=2)))}")

client.remove_role(organization, created["id"], changed["version"])
try:
    client.get_role(organization, created["id"])
except ManagementApiError as error:
    print(f"removed: {error.status} {error.problem_type}")
