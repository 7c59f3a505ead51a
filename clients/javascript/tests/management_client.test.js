// Requests of the management client, and how it reads responses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ManagementClient, ManagementApiError, TokenClient } from "../src/index.js";
import { mockIssuer } from "./mock_issuer.js";

const issuer = "http://localhost:8080";

function setUp(respond, settings = { apiKey: "k" }) {
  const requests = [];
  const fetch = async (url, { method, headers, body }) => {
    requests.push({ method, path: url.slice(issuer.length), headers, body });
    return respond(requests.length, requests.at(-1));
  };
  return { requests, client: new ManagementClient({ issuer, fetch, ...settings }) };
}

test("a call sends path, version, body and credentials", async () => {
  const { requests, client } = setUp(() => Response.json({ id: "r" }));
  await client.updateRole("acme", "r/1 ?", 7, { name: null });
  const [{ method, path, headers, body }] = requests;
  assert.deepEqual([method, path, body], ["PATCH", "/manage/organizations/acme/roles/r%2F1%20%3F", '{"name":null}']);
  assert.deepEqual(headers, {
    accept: "application/json", "if-match": '"7"', "content-type": "application/merge-patch+json", authorization: "Bearer k",
  });
});

test("a name that would change the path is a TypeError", async () => {
  const { requests, client } = setUp(() => Response.json({}));
  for (const name of ["..", ".", ""]) {
    await assert.rejects(async () => client.getRole("acme", name), TypeError, name);
    await assert.rejects(async () => client.getRole(name, "r"), TypeError, name);
  }
  await assert.rejects(async () => client.getRole("acme"), TypeError);
  await assert.rejects(async () => client.updateRole("acme", "r", undefined, {}), TypeError);
  await assert.rejects(async () => client.getRole("acme", "r", "more"), TypeError);
  assert.deepEqual(requests, []);
});

test("a list is fetched page by page, as far as it is read", async () => {
  const pages = [{ items: [1, 2], next: "a b" }, { items: [], next: "c" }, { items: [3], next: null }];
  const { requests, client } = setUp((times) => Response.json(pages[times - 1]));
  const list = client.listRoles("acme", { limit: 2 });
  assert.equal(requests.length, 0);
  assert.deepEqual(await list.toArray(), [1, 2, 3]);
  assert.deepEqual(requests.map(({ path }) => path.split("?")[1]), ["limit=2", "limit=2&after=a+b", "limit=2&after=c"]);
  const other = setUp(() => Response.json({ items: [1, 2], next: "x" }));
  for await (const item of other.client.listRoles("acme")) if (item === 2) break;
  assert.equal(other.requests.length, 1);
});

test("Idempotency-Key is sent with calls that create something, and only with those", async () => {
  const { requests, client } = setUp(() => Response.json({ id: "r" }, { status: 201 }));
  await client.withIdempotencyKey("key").createRole("acme", { name: "a", permissions: [] });
  await client.createRole("acme", { name: "a", permissions: [] });
  assert.deepEqual(requests.map(({ headers }) => headers["idempotency-key"]), ["key", undefined]);
  assert.throws(() => client.withIdempotencyKey("key").getRole("acme", "r"), TypeError);
});

test("an error response becomes a ManagementApiError", async () => {
  const document = {
    type: "urn:sinete:problem:unprocessable", status: 422, detail: "no", errors: [{ pointer: "/name", detail: "missing" }], id: "x",
  };
  const headers = { "x-request-id": "q", "retry-after": "7" };
  const { client } = setUp(() => Response.json(document, { status: 422, headers }));
  const error = await client.getRole("acme", "r").catch((it) => it);
  assert.ok(error instanceof ManagementApiError);
  const { status, problemType, detail, requestId, errors, id, retryAfter } = error;
  assert.deepEqual({ status, problemType, detail, requestId, errors, id, retryAfter }, {
    status: 422, problemType: "unprocessable", detail: "no", requestId: "q", errors: [{ pointer: "/name", detail: "missing" }], id: "x", retryAfter: 7,
  });
  for (const strange of [() => new Response("<html>", { status: 502 }), () => new Response("[]"), () => Promise.reject(new Error("away"))]) {
    const other = await setUp(strange).client.getRole("acme", "r").catch((it) => it);
    assert.deepEqual([other instanceof ManagementApiError, other.problemType], [true, "no_response"]);
  }
});

test("a DPoP nonce is repeated, and a rejected token is requested again", async () => {
  const granted = (token) => Response.json({ access_token: token, token_type: "DPoP", expires_in: 600 });
  let times = 0;
  const handlers = { "/connect/token": () => granted(`t${(times += 1)}`) };
  const tokenClient = new TokenClient({ issuer, client: { clientId: "a" }, useDpop: true, fetch: mockIssuer({ issuer, keys: {}, handlers }).fetch });
  const nonceOf = ({ headers }) => JSON.parse(Buffer.from(headers.dpop.split(".")[1], "base64url")).nonce;
  const { requests, client } = setUp((time) => {
    if (time === 1) return Response.json({}, { status: 401, headers: { "dpop-nonce": "n" } });
    return time === 3 ? Response.json({}, { status: 401 }) : Response.json({ id: "r" });
  }, { tokenClient, scope: "roles:read" });
  assert.equal((await client.getRole("acme", "r")).id, "r");
  assert.deepEqual(requests.map(nonceOf), [undefined, "n"]);
  await assert.rejects(client.getRole("acme", "r"), ManagementApiError);
  await client.getRole("acme", "r");
  assert.deepEqual(requests.map(({ headers }) => headers.authorization), ["DPoP t1", "DPoP t1", "DPoP t1", "DPoP t2"]);
  assert.throws(() => new ManagementClient({ issuer }), TypeError);
  assert.throws(() => new ManagementClient({ issuer, apiKey: "k", tokenClient }), TypeError);
});
