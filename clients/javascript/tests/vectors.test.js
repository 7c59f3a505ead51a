// What every client library lets in and what it turns away, from the vectors they share.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Guard, Refused } from "../src/index.js";
import { answering } from "./instance.js";

const { now, issuer, audience, keys, cases } = JSON.parse(readFileSync(new URL("../../vectors/guard.json", import.meta.url)));

async function answerOf(guard, { shown, needs }) {
  try {
    const { subject, organization, client, scopes, roles, actors, assurance = null, expiresAt } = await guard.check(shown, needs);
    return { identity: { subject, organization, client, scopes, roles, actors, assurance, expiresAt } };
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    const { status, error = null, challenges } = refused;
    return { refused: { status, error, challenges } };
  }
}

test("the guard does with every vector what it must", async () => {
  const wrong = [];
  for (const { name, settings, requests } of cases) {
    const guard = new Guard({ issuer, audience, now: () => now, fetch: answering({ issuer, keys }).fetch, ...settings });
    for (const request of requests) {
      const { identity, refused } = request;
      try {
        assert.deepEqual(await answerOf(guard, request), identity === undefined ? { refused } : { identity });
      } catch (error) {
        wrong.push(`${name}: ${error.message}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(cases.length > 150, `${cases.length} cases`);
});
