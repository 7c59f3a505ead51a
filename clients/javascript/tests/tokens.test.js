// How tokens are asked for and kept, from the vectors that the libraries share.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TokenRefused, Tokens } from "../src/index.js";
import { answering } from "./instance.js";

const { now: NOW, issuer, cases } = JSON.parse(readFileSync(new URL("../../vectors/tokens.json", import.meta.url)));
const claimsOf = (text) => JSON.parse(Buffer.from(text.split(".")[1], "base64url"));
const headerOf = (text) => JSON.parse(Buffer.from(text.split(".")[0], "base64url"));

/** An instance whose token endpoint answers from a list, and a client of it. */
function scene(settings) {
  const [answers, requests, surprises, clock] = [[], [], [], { now: NOW }];
  const handler = ({ headers, body }) => {
    const { authorization = null, dpop } = headers;
    const request = { form: Object.fromEntries(body), authorization };
    if (dpop !== undefined) {
      const { htm, htu, nonce = null } = claimsOf(dpop);
      request.dpop = { htm, htu, nonce };
    }
    requests.push(request);
    if (answers.length === 0) surprises.push(request);
    const { status, json, headers: told, isEndless } = answers.shift();
    if (isEndless) return new Response(new Uint8Array(2 * 1024 * 1024));
    return new Response(json === null ? null : JSON.stringify(json), { status, headers: told });
  };
  const instance = answering({ issuer, keys: {}, handlers: { "/connect/token": handler } });
  const tokens = new Tokens({ issuer, fetch: instance.fetch, now: () => clock.now, ...settings });
  return { answers, requests, surprises, clock, instance, tokens };
}

async function outcomeOf(asking) {
  try {
    const { accessToken, type, expiresAt, scope = null, refreshToken = null } = await asking;
    return { token: { accessToken, type, expiresAt, scope, refreshToken } };
  } catch (refused) {
    if (!(refused instanceof TokenRefused)) throw refused;
    const { status = null, error = null, description = null, retryAfter = null, mayBeSpent } = refused;
    return { refused: { status, error, description, retryAfter, ...(mayBeSpent && { mayBeSpent }) } };
  }
}

async function take(step, { answers, requests, clock, tokens }) {
  const expected = step.token === undefined ? { refused: step.refused } : { token: step.token };
  if (step.answer !== undefined) answers.push(step.answer);
  else if (step.later !== undefined) clock.now += step.later;
  else if (step.asked !== undefined) assert.deepEqual(requests.splice(0), step.asked);
  else if (step.forget !== undefined) tokens.forget(step.forget);
  else {
    const { refresh, scope, times = 1 } = step;
    const ask = () => (refresh === undefined ? tokens.get(step.get) : tokens.refresh(refresh, { scope }));
    const outcomes = await Promise.all(Array.from({ length: times }, () => outcomeOf(ask())));
    for (const outcome of outcomes) assert.deepEqual(outcome, expected);
  }
}

for (const { name, client, bound, steps } of cases) {
  test(`tokens: ${name}`, async () => {
    const it = scene({ client, bound });
    for (const step of steps) await take(step, it);
    assert.deepEqual([it.answers, it.surprises], [[], []], "every answer was asked for, and nothing else");
  });
}

test("a client with a key signs an assertion for the instance, a new one each time", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  const it = scene({ client: { id: "robot", privateKey: pem, algorithm: "ES256", keyId: "k" } });
  const granted = { status: 200, json: { access_token: "t", token_type: "Bearer", expires_in: 0 } };
  it.answers.push(granted, granted);
  await it.tokens.get();
  await it.tokens.get();
  const [one, other] = it.requests.map(({ form }) => form);
  const { client_assertion: assertion } = one;
  assert.deepEqual(
    { ...one, client_assertion: undefined },
    {
      grant_type: "client_credentials", client_id: "robot", client_assertion: undefined,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    },
  );
  const { jti, ...claims } = claimsOf(assertion);
  assert.deepEqual(claims, { iss: "robot", sub: "robot", aud: issuer, iat: NOW, exp: NOW + 60 });
  assert.deepEqual(headerOf(assertion), { alg: "ES256", kid: "k", typ: "client-authentication+jwt" });
  assert.notEqual(jti, claimsOf(other.client_assertion).jti);
  const [head, body, signature] = assertion.split(".");
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" };
  assert.ok(verify("sha256", `${head}.${body}`, key, Buffer.from(signature, "base64url")));
});

test("a bound token is shown beside a proof for one request, and nobody else shows it", async () => {
  const [it, other] = [scene({ client: { id: "a" }, bound: true }), scene({ client: { id: "a" } })];
  it.answers.push({ status: 200, json: { access_token: "t", token_type: "DPoP", expires_in: 600 } });
  const token = await it.tokens.get();
  const request = { method: "POST", url: "https://books.example/invoices?page=1" };
  const { authorization, dpop } = await it.tokens.headers(token, request);
  assert.equal(authorization, "DPoP t");
  const { jti, ...claims } = claimsOf(dpop);
  assert.equal(jti.length, 36);
  const ath = createHash("sha256").update("t").digest("base64url");
  assert.deepEqual(claims, { htm: "POST", htu: "https://books.example/invoices", iat: NOW, ath });
  assert.deepEqual(Object.keys(headerOf(dpop).jwk).sort(), ["crv", "kty", "x", "y"]);
  // The nonce of one API is not shown to another.
  assert.equal(it.tokens.learn(request.url, new Headers({ "dpop-nonce": "n" })), true);
  assert.equal(it.tokens.learn(request.url, new Headers()), false);
  const nonceFor = async (url) => claimsOf((await it.tokens.headers(token, { url })).dpop).nonce;
  assert.deepEqual([await nonceFor("https://books.example/x"), await nonceFor("https://files.example/x")], ["n", undefined]);
  await assert.rejects(other.tokens.headers(token, request), TypeError);
});

test("an instance that is away, or calls itself something else, gives nothing and may be asked again", async () => {
  const it = scene({ client: { id: "a" } });
  const refused = { refused: { status: null, error: null, description: null, retryAfter: 5 } };
  it.instance.isAway = true;
  assert.deepEqual(await outcomeOf(it.tokens.get()), refused);
  it.instance.isAway = false;
  it.instance.calledItself = "https://evil.example";
  it.clock.now += 5;
  assert.deepEqual(await outcomeOf(it.tokens.get()), refused);
  it.instance.calledItself = undefined;
  it.clock.now += 5;
  it.answers.push({ status: 200, json: { access_token: "t", token_type: "Bearer", expires_in: 600 } });
  assert.equal((await it.tokens.get()).accessToken, "t");
});

test("a client is not set up with what proves nothing, or two things", async () => {
  const wrong = [
    {}, { id: "" }, { id: "a", secret: "s", privateKey: "p", algorithm: "ES256" }, { id: "a", secret: "s", secretIn: "address" },
    { id: "a", privateKey: "p", algorithm: "ES256" }, { id: "a", privateKey: "p", algorithm: "HS256" },
  ];
  for (const client of wrong) assert.throws(() => new Tokens({ issuer, client }), TypeError, JSON.stringify(client));
  assert.throws(() => new Tokens({ issuer: "http://id.example.com", client: { id: "a" } }), TypeError);
  await assert.rejects(new Tokens({ issuer, client: { id: "a" } }).get({ token: "a", apiKey: "b" }), TypeError);
});

test("what is said and is none is a mistake, and never another's token", async () => {
  const it = scene({ client: { id: "a" } });
  const wrong = [
    { apiKey: undefined }, { apiKey: null }, { apiKey: "" }, { apiKey: 1 }, { token: undefined }, { token: null }, { token: "" },
    { token: "t", apiKey: undefined }, { scope: null }, { scope: "" }, { resource: null }, { resource: 1 },
  ];
  for (const wanted of wrong) {
    await assert.rejects(it.tokens.get(wanted), TypeError, JSON.stringify(wanted));
    assert.throws(() => it.tokens.forget(wanted), TypeError, JSON.stringify(wanted));
  }
  for (const token of [undefined, null, "", 1]) await assert.rejects(it.tokens.refresh(token), TypeError);
  assert.deepEqual(it.instance.asked, {});
});

test("an endpoint that anybody could listen to is not asked", async () => {
  const settings = { client: { id: "a", secret: "s" } };
  for (const endpoint of ["http://id.example.com/connect/token", "ftp://localhost/connect/token", "connect/token"]) {
    const it = scene(settings);
    it.instance.more = { token_endpoint: endpoint };
    await assert.rejects(it.tokens.get(), TokenRefused, endpoint);
    assert.deepEqual(Object.keys(it.instance.asked), ["/.well-known/openid-configuration"]);
  }
});

test("the platform's own fetch is called as its own", async () => {
  const it = scene({ client: { id: "a" } });
  const fetch = function (...asked) {
    if (this !== undefined && this !== globalThis) throw new TypeError("Illegal invocation");
    return it.instance.fetch(...asked);
  };
  it.answers.push({ status: 200, json: { access_token: "t", token_type: "Bearer", expires_in: 600 } });
  assert.equal((await new Tokens({ issuer, client: { id: "a" }, fetch }).get()).accessToken, "t");
});
