// Administers an organization: makes a role, changes it, lists all of them, and removes it again.
//
//   API_KEY=… node examples/admin.js http://localhost:8080 acme
//
// The key takes `roles:read` and `roles:manage`.

import { Management, Problem } from "../src/index.js";

const [issuer, organization] = process.argv.slice(2);
const management = new Management({ issuer, apiKey: process.env.API_KEY });

// Repeated under one key, a request makes nothing twice.
const wanted = { name: "reader", permissions: ["members:read"] };
const once = management.once("make-the-reader");
const [made, again] = [await once.createRole(organization, wanted), await once.createRole(organization, wanted)];
console.log(`made ${made.name} once: ${made.id === again.id}`);

const changed = await management.updateRole(organization, made.id, made.version, { permissions: ["members:read", "roles:read"] });
console.log(`changed: ${changed.permissions.join(" ")}`);

// Somebody who has not seen that change is told.
try {
  await management.updateRole(organization, made.id, made.version, { name: "writer" });
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.log(`refused: ${error.status} ${error.kind}`);
}

const names = [];
for await (const role of management.listRoles(organization, { limit: 2 })) names.push(role.name);
console.log(`roles: ${names.sort().join(" ")}`);

await management.removeRole(organization, made.id, changed.version);
try {
  await management.getRole(organization, made.id);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.log(`gone: ${error.status} ${error.kind}`);
}
