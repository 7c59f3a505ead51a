// The access token vectors that every client library passes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AccessTokenVerifier, RequestRejectedError } from "../src/index.js";
import { mockIssuer } from "./mock_issuer.js";

const { now, issuer, audience, keys, cases } = JSON.parse(readFileSync(new URL("../../vectors/access_tokens.json", import.meta.url)));

async function outcomeOf(verifier, { credentials, requirements }) {
  try {
    const token = await verifier.verify(credentials, requirements);
    const { subject, organization, clientId, scopes, roles, actors, acr = null, expiresAt } = token;
    return { verified: { subject, organization, clientId, scopes, roles, actors, acr, expiresAt } };
  } catch (rejected) {
    if (!(rejected instanceof RequestRejectedError)) throw rejected;
    const { status, error = null, challenges } = rejected;
    return { rejected: { status, error, challenges } };
  }
}

test("access token verifier passes every vector", async () => {
  const wrong = [];
  for (const { name, settings, requests } of cases) {
    const verifier = new AccessTokenVerifier({ issuer, audience, now: () => now, fetch: mockIssuer({ issuer, keys }).fetch, ...settings });
    for (const request of requests) {
      const { verified, rejected } = request;
      try {
        assert.deepEqual(await outcomeOf(verifier, request), verified === undefined ? { rejected } : { verified });
      } catch (error) {
        wrong.push(`${name}: ${error.message}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(cases.length > 150, `${cases.length} cases`);
});
