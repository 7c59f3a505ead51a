// What the calls of the management API send, and what becomes of answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Management, Problem, Tokens } from "../src/index.js";
import { answering } from "./instance.js";

const issuer = "http://localhost:8080";

function scene(answer, settings = { apiKey: "k" }) {
  const asked = [];
  const fetch = async (address, { method, headers, body }) => {
    asked.push({ method, path: address.slice(issuer.length), headers, body });
    return answer(asked.length, asked.at(-1));
  };
  return { asked, management: new Management({ issuer, fetch, ...settings }) };
}

test("a call says what it is about in its place", async () => {
  const { asked, management } = scene(() => Response.json({ id: "r" }));
  await management.updateRole("acme", "r/1 ?", 7, { name: null });
  const [{ method, path, headers, body }] = asked;
  assert.deepEqual([method, path, body], ["PATCH", "/manage/organizations/acme/roles/r%2F1%20%3F", '{"name":null}']);
  assert.deepEqual(headers, {
    accept: "application/json", "if-match": '"7"', "content-type": "application/merge-patch+json", authorization: "Bearer k",
  });
});

test("a name that would lead elsewhere leads nowhere", async () => {
  const { asked, management } = scene(() => Response.json({}));
  for (const name of ["..", ".", ""]) {
    await assert.rejects(async () => management.getRole("acme", name), TypeError, name);
    await assert.rejects(async () => management.getRole(name, "r"), TypeError, name);
  }
  await assert.rejects(async () => management.getRole("acme"), TypeError);
  await assert.rejects(async () => management.updateRole("acme", "r", undefined, {}), TypeError);
  await assert.rejects(async () => management.getRole("acme", "r", "more"), TypeError);
  assert.deepEqual(asked, []);
});

test("a list is read page by page, and only as far as it is needed", async () => {
  const pages = [{ items: [1, 2], next: "a b" }, { items: [], next: "c" }, { items: [3], next: null }];
  const { asked, management } = scene((times) => Response.json(pages[times - 1]));
  const list = management.listRoles("acme", { limit: 2 });
  assert.equal(asked.length, 0);
  assert.deepEqual(await list.all(), [1, 2, 3]);
  assert.deepEqual(asked.map(({ path }) => path.split("?")[1]), ["limit=2", "limit=2&after=a+b", "limit=2&after=c"]);
  const other = scene(() => Response.json({ items: [1, 2], next: "x" }));
  for await (const item of other.management.listRoles("acme")) if (item === 2) break;
  assert.equal(other.asked.length, 1);
});

test("what makes something is repeated under a key, and nothing else is", async () => {
  const { asked, management } = scene(() => Response.json({ id: "r" }, { status: 201 }));
  await management.once("key").createRole("acme", { name: "a", permissions: [] });
  await management.createRole("acme", { name: "a", permissions: [] });
  assert.deepEqual(asked.map(({ headers }) => headers["idempotency-key"]), ["key", undefined]);
  assert.throws(() => management.once("key").getRole("acme", "r"), TypeError);
});

test("a refusal is a problem with everything in its place", async () => {
  const document = {
    type: "urn:sinete:problem:unprocessable", status: 422, detail: "no", errors: [{ pointer: "/name", detail: "missing" }], id: "x",
  };
  const headers = { "x-request-id": "q", "retry-after": "7" };
  const { management } = scene(() => Response.json(document, { status: 422, headers }));
  const problem = await management.getRole("acme", "r").catch((it) => it);
  assert.ok(problem instanceof Problem);
  const { status, kind, detail, request, faults, id, retryAfter } = problem;
  assert.deepEqual({ status, kind, detail, request, faults, id, retryAfter }, {
    status: 422, kind: "unprocessable", detail: "no", request: "q", faults: [{ pointer: "/name", detail: "missing" }], id: "x", retryAfter: 7,
  });
  for (const strange of [() => new Response("<html>", { status: 502 }), () => new Response("[]"), () => Promise.reject(new Error("away"))]) {
    const other = await scene(strange).management.getRole("acme", "r").catch((it) => it);
    assert.deepEqual([other instanceof Problem, other.kind], [true, "unanswered"]);
  }
});

test("with tokens a nonce is repeated, and a token that is turned away is asked for again", async () => {
  const granted = (token) => Response.json({ access_token: token, token_type: "DPoP", expires_in: 600 });
  let times = 0;
  const handlers = { "/connect/token": () => granted(`t${(times += 1)}`) };
  const tokens = new Tokens({ issuer, client: { id: "a" }, bound: true, fetch: answering({ issuer, keys: {}, handlers }).fetch });
  const nonceOf = ({ headers }) => JSON.parse(Buffer.from(headers.dpop.split(".")[1], "base64url")).nonce;
  const { asked, management } = scene((time) => {
    if (time === 1) return Response.json({}, { status: 401, headers: { "dpop-nonce": "n" } });
    return time === 3 ? Response.json({}, { status: 401 }) : Response.json({ id: "r" });
  }, { tokens, scope: "roles:read" });
  assert.equal((await management.getRole("acme", "r")).id, "r");
  assert.deepEqual(asked.map(nonceOf), [undefined, "n"]);
  await assert.rejects(management.getRole("acme", "r"), Problem);
  await management.getRole("acme", "r");
  assert.deepEqual(asked.map(({ headers }) => headers.authorization), ["DPoP t1", "DPoP t1", "DPoP t1", "DPoP t2"]);
  assert.throws(() => new Management({ issuer }), TypeError);
  assert.throws(() => new Management({ issuer, apiKey: "k", tokens }), TypeError);
});
