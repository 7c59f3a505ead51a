// JWKS cache, replay cache, introspection and settings of the access token verifier.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { AccessTokenVerifier, MemoryReplayCache, RequestRejectedError, readCredentials } from "../src/index.js";
import { mockIssuer } from "./mock_issuer.js";

const vectors = JSON.parse(readFileSync(new URL("../../vectors/access_tokens.json", import.meta.url)));
const { issuer, audience, keys, longLivedTokens } = vectors;
const KEYS = "/.well-known/jwks.json";
const METADATA = "/.well-known/openid-configuration";
const bearer = (token) => ({ method: "GET", path: "/invoices", authorization: `Bearer ${token}` });
const requestOf = (name) => vectors.cases.find((it) => it.name === name).requests[0].credentials;

function setUp(settings = {}, handlers = {}) {
  const mock = mockIssuer({ issuer, keys, handlers });
  const clock = { now: vectors.now };
  const verifier = new AccessTokenVerifier({ issuer, audience, now: () => clock.now, fetch: mock.fetch, ...settings });
  const outcome = async (credentials, requirements) => {
    try {
      await verifier.verify(credentials, requirements);
      return 200;
    } catch (rejected) {
      if (!(rejected instanceof RequestRejectedError)) throw rejected;
      return rejected.status;
    }
  };
  return { mock, clock, verifier, outcome };
}

test("concurrent requests fetch the keys once", async () => {
  const { mock, outcome } = setUp();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(bearer(longLivedTokens.current))));
  assert.deepEqual(new Set(outcomes), new Set([200]));
  assert.deepEqual(mock.requests, { [METADATA]: 1, [KEYS]: 1 });
});

test("an unknown kid refreshes the keys at most twice a minute", async () => {
  const { mock, clock, outcome } = setUp();
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
  for (let times = 0; times < 10; times += 1) assert.equal(await outcome(bearer(longLivedTokens.next)), 401);
  assert.equal(mock.requests[KEYS], 1);
  clock.now += 30;
  for (let times = 0; times < 10; times += 1) assert.equal(await outcome(bearer(longLivedTokens.next)), 401);
  assert.equal(mock.requests[KEYS], 2);
  mock.keys = vectors.rotatedKeys;
  clock.now += 29;
  assert.equal(await outcome(bearer(longLivedTokens.next)), 401);
  clock.now += 1;
  assert.equal(await outcome(bearer(longLivedTokens.next)), 200);
  assert.equal(mock.requests[KEYS], 3);
});

test("a revoked key is accepted for five minutes at most", async () => {
  const { mock, clock, outcome } = setUp();
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
  mock.keys = vectors.rotatedKeys;
  clock.now += 299;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
  clock.now += 1;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 401);
});

test("while the issuer is unavailable its keys are used for an hour, then requests get 503", async () => {
  const { mock, clock, verifier, outcome } = setUp();
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
  mock.isUnavailable = true;
  clock.now += 3599;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
  clock.now += 1;
  const rejected = await verifier.verify(bearer(longLivedTokens.current)).catch((it) => it);
  assert.deepEqual([rejected.status, rejected.headers()], [503, [["retry-after", "5"]]]);
  mock.isUnavailable = false;
  clock.now += 30;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
});

test("an issuer that is unavailable from the start, or whose metadata names another issuer, is not trusted", async () => {
  const { mock, clock, outcome } = setUp();
  mock.isUnavailable = true;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 503);
  assert.equal(await outcome(bearer(longLivedTokens.current)), 503);
  assert.equal(mock.requests[METADATA], 1);
  mock.isUnavailable = false;
  mock.otherIssuer = "https://evil.example";
  clock.now += 1;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 503);
  mock.otherIssuer = undefined;
  clock.now += 1;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
});

test("of sixteen concurrent requests with one proof one is accepted", async () => {
  const { outcome } = setUp();
  const credentials = requestOf("DPoP proof is accepted once");
  const outcomes = await Promise.all(Array.from({ length: 16 }, () => outcome(credentials)));
  assert.deepEqual(outcomes.sort(), [200, ...Array(15).fill(401)]);
});

test("a full replay cache rejects with 503 until proofs expire", async () => {
  const cache = new MemoryReplayCache(1);
  assert.equal(await cache.recordFirstUse("a", 60, 0, "k"), true);
  await assert.rejects(cache.recordFirstUse("b", 60, 60, "k"));
  assert.equal(await cache.recordFirstUse("a", 60, 60, "k"), false);
  assert.equal(await cache.recordFirstUse("b", 121, 61, "k"), true);
  const full = { recordFirstUse: () => Promise.reject(new Error("full")) };
  assert.equal(await setUp({ replayCache: full }).outcome(requestOf("DPoP proof is accepted once")), 503);
});

test("introspection overrides the token, its scope included", async () => {
  const said = { active: true, iss: issuer, sub: "ana", aud: audience, org: "acme", scope: "invoices:read", role: "clerk" };
  let answer = said;
  const asked = [];
  const introspect = (options) => {
    asked.push([options.headers.authorization, new URLSearchParams(options.body).get("token")]);
    return answer === undefined ? new Response("", { status: 500 }) : Response.json(answer);
  };
  const introspection = { clientId: "books api", clientSecret: "a:b+c" };
  const { outcome } = setUp({ introspection }, { "/connect/introspect": introspect });
  const requirements = { scopes: ["invoices:read"] };
  assert.equal(await outcome(bearer(longLivedTokens.current), requirements), 200);
  assert.deepEqual(asked, [[`Basic ${btoa("books+api:a%3Ab%2Bc")}`, longLivedTokens.current]]);
  for (const [changed, status] of [
    [{ active: false }, 401], [{ ...said, active: "true" }, 401], [{ ...said, sub: "eve" }, 401], [{ ...said, org: "globex" }, 401],
    [{ ...said, aud: "https://files.example" }, 401], [{ ...said, scope: "openid" }, 403], [{ ...said, scope: undefined }, 403], [undefined, 503],
  ]) {
    answer = changed;
    assert.equal(await outcome(bearer(longLivedTokens.current), requirements), status, JSON.stringify(changed));
  }
  // A token that is not for this API is not introspected.
  assert.equal(await outcome(bearer("x.y.z"), requirements), 401);
  assert.equal(asked.length, 9);
});

test("settings that cannot be enforced are a TypeError", () => {
  const wrong = [
    { issuer: "http://id.example.com" }, { issuer: `${issuer}/` }, { issuer: "id" }, { issuer: `${issuer}?a` },
    { audience: "books" }, { audience: "urn:books" }, { audience: undefined }, { baseUrl: "books" }, { issuer: `${issuer}?` }, { issuer: `${issuer}#` },
    { baseUrl: "https://books.example?" }, { baseUrl: "https://books.example/?a=b" }, { baseUrl: "https://books.example/#" },
    { algorithms: [] },
    { algorithms: ["none"] }, { algorithms: ["HS256"] }, { clockLeeway: -1 }, { clockLeeway: 61 }, { clockLeeway: 0.5 },
  ];
  for (const settings of wrong) {
    assert.throws(() => new AccessTokenVerifier({ issuer, audience, ...settings }), TypeError, JSON.stringify(settings));
  }
  new AccessTokenVerifier({ issuer: "https://id.example.com", audience: "urn:books", baseUrl: "https://books.example" });
});

test("readCredentials reads web and Node requests alike and does not hide a second header", () => {
  const expected = { method: "GET", path: "/invoices", authorization: "Bearer a", dpop: undefined, certificateThumbprint: "c" };
  const headers = { authorization: "Bearer a" };
  assert.deepEqual(readCredentials(new Request("http://inside/invoices?x=1", { headers }), "c"), expected);
  const node = { method: "GET", url: "/invoices", headers, headersDistinct: { authorization: ["Bearer a"] } };
  assert.deepEqual(readCredentials(node, "c"), expected);
  const twice = { ...node, headersDistinct: { authorization: ["Bearer a", "Bearer b"] } };
  assert.equal(readCredentials(twice).authorization, "Bearer a, Bearer b");
});

test("readCredentials throws for no request target", () => {
  const requestPath = (target, more) => readCredentials({ method: "GET", headers: {}, url: target, ...more }).path;
  for (const target of ["*", "http://[/", "books.example:443", "", undefined, "data:whoami"]) assert.equal(requestPath(target), "", target);
  assert.deepEqual(["//", "/%", "http://inside/invoices?a"].map((target) => requestPath(target)), ["//", "/%", "/invoices"]);
  // A mounted router removes its path from `url`.
  assert.equal(requestPath("/invoices", { originalUrl: "/books/invoices" }), "/books/invoices");
});

test("an empty requirement is a TypeError", async () => {
  const { verifier, mock } = setUp();
  const wrong = [
    { organization: undefined }, { organization: null }, { organization: "" }, { scopes: undefined }, { scopes: null },
    { scopes: "invoices:read" }, { scopes: [undefined] }, { scopes: [""] },
  ];
  for (const requirements of wrong) await assert.rejects(verifier.verify(bearer(longLivedTokens.current), requirements), TypeError, JSON.stringify(requirements));
  assert.deepEqual(mock.requests, {});
});

test("a proof without htm is rejected even if the method is unknown", async () => {
  const { outcome } = setUp();
  assert.equal(await outcome({ ...requestOf("DPoP proof without htm"), method: undefined }), 401);
});

test("keys are stale after the clock was set back", async () => {
  const { mock, clock, outcome } = setUp();
  assert.equal(await outcome(bearer(longLivedTokens.current)), 200);
  mock.keys = vectors.rotatedKeys;
  clock.now -= 1;
  assert.equal(await outcome(bearer(longLivedTokens.current)), 401);
  assert.equal(mock.requests[KEYS], 2);
  clock.now -= 1;
  mock.isUnavailable = true;
  assert.equal(await outcome(bearer(longLivedTokens.next)), 503);
});

test("one key cannot fill the replay cache, and expired proofs are evicted", async () => {
  const cache = new MemoryReplayCache(20);
  assert.equal(await cache.recordFirstUse("a1", 60, 0, "a"), true);
  assert.equal(await cache.recordFirstUse("a2", 60, 0, "a"), true);
  await assert.rejects(cache.recordFirstUse("a3", 60, 0, "a"));
  assert.equal(await cache.recordFirstUse("b1", 1000, 0, "b"), true);
  assert.equal(await cache.recordFirstUse("b2", 50, 0, "b"), true);
  assert.equal(await cache.recordFirstUse("b3", 111, 51, "b"), true);
  assert.equal(await cache.recordFirstUse("a3", 121, 61, "a"), true);
  for (let at = 0; at < 17; at += 1) assert.equal(await cache.recordFirstUse(`c${at}`, 121, 61, `c${at}`), true);
  await assert.rejects(cache.recordFirstUse("d", 121, 61, "d"));
});

test("an endpoint without https is not used", async () => {
  const introspection = { clientId: "books", clientSecret: "s" };
  for (const name of ["jwks_uri", "introspection_endpoint"]) {
    const { mock, outcome } = setUp({ introspection });
    mock.metadata = { [name]: "http://id.example.com/there" };
    assert.equal(await outcome(bearer(longLivedTokens.current)), 503, name);
    assert.ok(!Object.keys(mock.requests).some((path) => path.endsWith("there")));
  }
});

test("the example survives requests with odd targets", async () => {
  const example = new URL("../examples/api.js", import.meta.url).pathname;
  const api = spawn(process.execPath, [example, issuer, audience, "http://127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [said] = await once(api.stdout, "data");
    const port = Number(/:(\d+)\s*$/.exec(said)[1]);
    const answered = [];
    for (const target of ["*", "http://[/", "//", "data:constructor", "/constructor", "/whoami", "//whoami"]) {
      const socket = connect(port, "127.0.0.1");
      socket.write(`OPTIONS ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      const answer = (await text(socket)).split(" ")[1];
      answered.push([target, answer]);
    }
    assert.deepEqual(answered.at(-2), ["/whoami", "401"]);
    for (const [target, status] of answered) if (target !== "/whoami") assert.match(status, /^40[04]$/, target);
    assert.equal(api.exitCode, null);
  } finally {
    api.kill();
  }
});

test("every export is declared, and nothing else", async () => {
  const declared = readFileSync(new URL("../src/index.d.ts", import.meta.url), "utf8");
  const names = [...declared.matchAll(/^export (?:declare )?(?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(await import("../src/index.js")).sort());
});
