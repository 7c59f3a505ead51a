// Token requests and the token cache: the vectors that every client library passes.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TokenRequestError, TokenClient } from "../src/index.js";
import { mockIssuer } from "./mock_issuer.js";

const { now: NOW, issuer, cases } = JSON.parse(readFileSync(new URL("../../vectors/token_requests.json", import.meta.url)));
const claimsOf = (text) => JSON.parse(Buffer.from(text.split(".")[1], "base64url"));
const headerOf = (text) => JSON.parse(Buffer.from(text.split(".")[0], "base64url"));

/** A mock issuer whose token endpoint answers from a list, and a client of it. */
function setUp(settings) {
  const [responses, requests, unexpected, clock] = [[], [], [], { now: NOW }];
  const handler = ({ headers, body }) => {
    const { authorization = null, dpop } = headers;
    const request = { form: Object.fromEntries(body), authorization };
    if (dpop !== undefined) {
      const { htm, htu, nonce = null } = claimsOf(dpop);
      request.dpop = { htm, htu, nonce };
    }
    requests.push(request);
    if (responses.length === 0) unexpected.push(request);
    const { status, json, headers: responseHeaders, isTooLong } = responses.shift();
    if (isTooLong) return new Response(new Uint8Array(2 * 1024 * 1024));
    return new Response(json === null ? null : JSON.stringify(json), { status, headers: responseHeaders });
  };
  const mock = mockIssuer({ issuer, keys: {}, handlers: { "/connect/token": handler } });
  const tokenClient = new TokenClient({ issuer, fetch: mock.fetch, now: () => clock.now, ...settings });
  return { responses, requests, unexpected, clock, mock, tokenClient };
}

async function outcomeOf(request) {
  try {
    const { accessToken, tokenType, expiresAt, scope = null, refreshToken = null } = await request;
    return { token: { accessToken, tokenType, expiresAt, scope, refreshToken } };
  } catch (failure) {
    if (!(failure instanceof TokenRequestError)) throw failure;
    const { status = null, error = null, description = null, retryAfter = null, refreshTokenMayBeUsed } = failure;
    return { error: { status, error, description, retryAfter, ...(refreshTokenMayBeUsed && { refreshTokenMayBeUsed }) } };
  }
}

async function run(step, { responses, requests, clock, tokenClient }) {
  const expected = step.token === undefined ? { error: step.error } : { token: step.token };
  if (step.response !== undefined) responses.push(step.response);
  else if (step.advanceClock !== undefined) clock.now += step.advanceClock;
  else if (step.requests !== undefined) assert.deepEqual(requests.splice(0), step.requests);
  else if (step.invalidateToken !== undefined) tokenClient.invalidateToken(step.invalidateToken);
  else {
    const { refresh, scope, times = 1 } = step;
    const request = () => (refresh === undefined ? tokenClient.getToken(step.getToken) : tokenClient.refresh(refresh, { scope }));
    const outcomes = await Promise.all(Array.from({ length: times }, () => outcomeOf(request())));
    for (const outcome of outcomes) assert.deepEqual(outcome, expected);
  }
}

for (const { name, client, useDpop, steps } of cases) {
  test(`tokens: ${name}`, async () => {
    const it = setUp({ client, useDpop });
    for (const step of steps) await run(step, it);
    assert.deepEqual([it.responses, it.unexpected], [[], []], "every response was requested, and nothing else");
  });
}

test("private_key_jwt signs a new assertion for every request", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  const it = setUp({ client: { clientId: "robot", privateKey: pem, algorithm: "ES256", keyId: "k" } });
  const granted = { status: 200, json: { access_token: "t", token_type: "Bearer", expires_in: 0 } };
  it.responses.push(granted, granted);
  await it.tokenClient.getToken();
  await it.tokenClient.getToken();
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

test("a DPoP token is sent with a proof for one request, and only by the client that holds the key", async () => {
  const [it, other] = [setUp({ client: { clientId: "a" }, useDpop: true }), setUp({ client: { clientId: "a" } })];
  it.responses.push({ status: 200, json: { access_token: "t", token_type: "DPoP", expires_in: 600 } });
  const token = await it.tokenClient.getToken();
  const request = { method: "POST", url: "https://books.example/invoices?page=1" };
  const { authorization, dpop } = await it.tokenClient.authorizationHeaders(token, request);
  assert.equal(authorization, "DPoP t");
  const { jti, ...claims } = claimsOf(dpop);
  assert.equal(jti.length, 36);
  const ath = createHash("sha256").update("t").digest("base64url");
  assert.deepEqual(claims, { htm: "POST", htu: "https://books.example/invoices", iat: NOW, ath });
  assert.deepEqual(Object.keys(headerOf(dpop).jwk).sort(), ["crv", "kty", "x", "y"]);
  // A nonce is used for its own server only.
  assert.equal(it.tokenClient.updateDpopNonce(request.url, new Headers({ "dpop-nonce": "n" })), true);
  assert.equal(it.tokenClient.updateDpopNonce(request.url, new Headers()), false);
  const nonceFor = async (url) => claimsOf((await it.tokenClient.authorizationHeaders(token, { url })).dpop).nonce;
  assert.deepEqual([await nonceFor("https://books.example/x"), await nonceFor("https://files.example/x")], ["n", undefined]);
  await assert.rejects(other.tokenClient.authorizationHeaders(token, request), TypeError);
});

test("an issuer that is unavailable, or whose metadata names another issuer, is retried", async () => {
  const it = setUp({ client: { clientId: "a" } });
  const unavailable = { error: { status: null, error: null, description: null, retryAfter: 5 } };
  it.mock.isUnavailable = true;
  assert.deepEqual(await outcomeOf(it.tokenClient.getToken()), unavailable);
  it.mock.isUnavailable = false;
  it.mock.otherIssuer = "https://evil.example";
  it.clock.now += 5;
  assert.deepEqual(await outcomeOf(it.tokenClient.getToken()), unavailable);
  it.mock.otherIssuer = undefined;
  it.clock.now += 5;
  it.responses.push({ status: 200, json: { access_token: "t", token_type: "Bearer", expires_in: 600 } });
  assert.equal((await it.tokenClient.getToken()).accessToken, "t");
});

test("contradicting client settings are a TypeError", async () => {
  const wrong = [
    {}, { clientId: "" }, { clientId: "a", clientSecret: "s", privateKey: "p", algorithm: "ES256" }, { clientId: "a", clientSecret: "s", method: "none" },
    { clientId: "a", privateKey: "p", algorithm: "ES256" }, { clientId: "a", privateKey: "p", algorithm: "HS256" },
  ];
  for (const client of wrong) assert.throws(() => new TokenClient({ issuer, client }), TypeError, JSON.stringify(client));
  assert.throws(() => new TokenClient({ issuer: "http://id.example.com", client: { clientId: "a" } }), TypeError);
  await assert.rejects(new TokenClient({ issuer, client: { clientId: "a" } }).getToken({ subjectToken: "a", apiKey: "b" }), TypeError);
});

test("an empty subject is a TypeError and never the client itself", async () => {
  const it = setUp({ client: { clientId: "a" } });
  const wrong = [
    { apiKey: undefined }, { apiKey: null }, { apiKey: "" }, { apiKey: 1 }, { subjectToken: undefined }, { subjectToken: null }, { subjectToken: "" },
    { subjectToken: "t", apiKey: undefined }, { scope: null }, { scope: "" }, { resource: null }, { resource: 1 },
  ];
  for (const request of wrong) {
    await assert.rejects(it.tokenClient.getToken(request), TypeError, JSON.stringify(request));
    assert.throws(() => it.tokenClient.invalidateToken(request), TypeError, JSON.stringify(request));
  }
  for (const token of [undefined, null, "", 1]) await assert.rejects(it.tokenClient.refresh(token), TypeError);
  assert.deepEqual(it.mock.requests, {});
});

test("an endpoint without https is not used", async () => {
  const settings = { client: { clientId: "a", clientSecret: "s" } };
  for (const endpoint of ["http://id.example.com/connect/token", "ftp://localhost/connect/token", "connect/token"]) {
    const it = setUp(settings);
    it.mock.metadata = { token_endpoint: endpoint };
    await assert.rejects(it.tokenClient.getToken(), TokenRequestError, endpoint);
    assert.deepEqual(Object.keys(it.mock.requests), ["/.well-known/openid-configuration"]);
  }
});

test("the platform's fetch is not called as a method", async () => {
  const it = setUp({ client: { clientId: "a" } });
  const fetch = function (...parameters) {
    if (this !== undefined && this !== globalThis) throw new TypeError("Illegal invocation");
    return it.mock.fetch(...parameters);
  };
  it.responses.push({ status: 200, json: { access_token: "t", token_type: "Bearer", expires_in: 600 } });
  assert.equal((await new TokenClient({ issuer, client: { clientId: "a" }, fetch }).getToken()).accessToken, "t");
});
