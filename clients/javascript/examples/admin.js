// Administers an organization: creates a role, changes it, lists all roles, and removes it again.
//
//   API_KEY=… node examples/admin.js http://localhost:8080 acme
//
// The API key needs `roles:read` and `roles:manage`.

import { ManagementClient, ManagementApiError } from "../src/index.js";

const [issuer, organization] = process.argv.slice(2);
const client = new ManagementClient({ issuer, apiKey: process.env.API_KEY });

// Repeated with the same Idempotency-Key, a request creates nothing twice.
const role = { name: "reader", permissions: ["members:read"] };
const idempotent = client.withIdempotencyKey("make-the-reader");
const [created, again] = [await idempotent.createRole(organization, role), await idempotent.createRole(organization, role)];
console.log(`created ${created.name} once: ${created.id === again.id}`);

const changed = await client.updateRole(organization, created.id, created.version, { permissions: ["members:read", "roles:read"] });
console.log(`changed: ${changed.permissions.join(" ")}`);

// A change based on the old version is rejected.
try {
  await client.updateRole(organization, created.id, created.version, { name: "writer" });
} catch (error) {
  if (!(error instanceof ManagementApiError)) throw error;
  console.log(`rejected: ${error.status} ${error.problemType}`);
}

const names = [];
for await (const role of client.listRoles(organization, { limit: 2 })) names.push(role.name);
console.log(`roles: ${names.sort().join(" ")}`);

await client.removeRole(organization, created.id, changed.version);
try {
  await client.getRole(organization, created.id);
} catch (error) {
  if (!(error instanceof ManagementApiError)) throw error;
  console.log(`removed: ${error.status} ${error.problemType}`);
}
