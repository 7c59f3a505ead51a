// What a guard asks of the instance and when, and what it does when nobody answers.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Guard, MemoryReplays, Refused, shownBy } from "../src/index.js";
import { answering } from "./instance.js";

const vectors = JSON.parse(readFileSync(new URL("../../vectors/guard.json", import.meta.url)));
const { issuer, audience, keys, lasting } = vectors;
const KEYS = "/.well-known/jwks.json";
const METADATA = "/.well-known/openid-configuration";
const bearer = (token) => ({ method: "GET", path: "/invoices", authorization: `Bearer ${token}` });
const requestOf = (name) => vectors.cases.find((it) => it.name === name).requests[0].shown;

function scene(settings = {}, handlers = {}) {
  const instance = answering({ issuer, keys, handlers });
  const clock = { now: vectors.now };
  const guard = new Guard({ issuer, audience, now: () => clock.now, fetch: instance.fetch, ...settings });
  const outcome = async (shown, needs) => {
    try {
      await guard.check(shown, needs);
      return 200;
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      return refused.status;
    }
  };
  return { instance, clock, guard, outcome };
}

test("however many ask at once, the keys are read once", async () => {
  const { instance, outcome } = scene();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(bearer(lasting.old))));
  assert.deepEqual(new Set(outcomes), new Set([200]));
  assert.deepEqual(instance.asked, { [METADATA]: 1, [KEYS]: 1 });
});

test("a key that is not known is looked for, and not more often than twice a minute", async () => {
  const { instance, clock, outcome } = scene();
  assert.equal(await outcome(bearer(lasting.old)), 200);
  for (let times = 0; times < 10; times += 1) assert.equal(await outcome(bearer(lasting.next)), 401);
  assert.equal(instance.asked[KEYS], 1);
  clock.now += 30;
  for (let times = 0; times < 10; times += 1) assert.equal(await outcome(bearer(lasting.next)), 401);
  assert.equal(instance.asked[KEYS], 2);
  instance.keys = vectors.changed;
  clock.now += 29;
  assert.equal(await outcome(bearer(lasting.next)), 401);
  clock.now += 1;
  assert.equal(await outcome(bearer(lasting.next)), 200);
  assert.equal(instance.asked[KEYS], 3);
});

test("a key that was withdrawn counts for five minutes at most", async () => {
  const { instance, clock, outcome } = scene();
  assert.equal(await outcome(bearer(lasting.old)), 200);
  instance.keys = vectors.changed;
  clock.now += 299;
  assert.equal(await outcome(bearer(lasting.old)), 200);
  clock.now += 1;
  assert.equal(await outcome(bearer(lasting.old)), 401);
});

test("while the instance is away its keys count for an hour, and then nothing can be judged", async () => {
  const { instance, clock, guard, outcome } = scene();
  assert.equal(await outcome(bearer(lasting.old)), 200);
  instance.isAway = true;
  clock.now += 3599;
  assert.equal(await outcome(bearer(lasting.old)), 200);
  clock.now += 1;
  const refused = await guard.check(bearer(lasting.old)).catch((it) => it);
  assert.deepEqual([refused.status, refused.headers()], [503, [["retry-after", "5"]]]);
  instance.isAway = false;
  clock.now += 30;
  assert.equal(await outcome(bearer(lasting.old)), 200);
});

test("an instance that is away from the start, or calls itself something else, is nobody's word", async () => {
  const { instance, clock, outcome } = scene();
  instance.isAway = true;
  assert.equal(await outcome(bearer(lasting.old)), 503);
  assert.equal(await outcome(bearer(lasting.old)), 503);
  assert.equal(instance.asked[METADATA], 1);
  instance.isAway = false;
  instance.calledItself = "https://evil.example";
  clock.now += 1;
  assert.equal(await outcome(bearer(lasting.old)), 503);
  instance.calledItself = undefined;
  clock.now += 1;
  assert.equal(await outcome(bearer(lasting.old)), 200);
});

test("of sixteen who show one proof at once one is let in", async () => {
  const { outcome } = scene();
  const shown = requestOf("a proof counts once");
  const outcomes = await Promise.all(Array.from({ length: 16 }, () => outcome(shown)));
  assert.deepEqual(outcomes.sort(), [200, ...Array(15).fill(401)]);
});

test("a proof that cannot be remembered is not taken, and room comes back with time", async () => {
  const replays = new MemoryReplays(1);
  assert.equal(await replays.use("a", 60, 0, "k"), true);
  await assert.rejects(replays.use("b", 60, 60, "k"));
  assert.equal(await replays.use("a", 60, 60, "k"), false);
  assert.equal(await replays.use("b", 121, 61, "k"), true);
  const full = { use: () => Promise.reject(new Error("full")) };
  assert.equal(await scene({ replays: full }).outcome(requestOf("a proof counts once")), 503);
});

test("with introspection the instance has the last word, and its scope is the one that counts", async () => {
  const said = { active: true, iss: issuer, sub: "ana", aud: audience, org: "acme", scope: "invoices:read", role: "clerk" };
  let answer = said;
  const asked = [];
  const introspect = (options) => {
    asked.push([options.headers.authorization, new URLSearchParams(options.body).get("token")]);
    return answer === undefined ? new Response("", { status: 500 }) : Response.json(answer);
  };
  const introspection = { id: "books api", secret: "a:b+c" };
  const { outcome } = scene({ introspection }, { "/connect/introspect": introspect });
  const needs = { scopes: ["invoices:read"] };
  assert.equal(await outcome(bearer(lasting.old), needs), 200);
  assert.deepEqual(asked, [[`Basic ${btoa("books+api:a%3Ab%2Bc")}`, lasting.old]]);
  for (const [changed, status] of [
    [{ active: false }, 401], [{ ...said, active: "true" }, 401], [{ ...said, sub: "eve" }, 401], [{ ...said, org: "globex" }, 401],
    [{ ...said, aud: "https://files.example" }, 401], [{ ...said, scope: "openid" }, 403], [{ ...said, scope: undefined }, 403], [undefined, 503],
  ]) {
    answer = changed;
    assert.equal(await outcome(bearer(lasting.old), needs), status, JSON.stringify(changed));
  }
  // What is no token of this API's is not asked about.
  assert.equal(await outcome(bearer("x.y.z"), needs), 401);
  assert.equal(asked.length, 9);
});

test("a guard is not set up with what it could not guard with", () => {
  const wrong = [
    { issuer: "http://id.example.com" }, { issuer: `${issuer}/` }, { issuer: "id" }, { issuer: `${issuer}?a` },
    { audience: "books" }, { audience: "urn:books" }, { audience: undefined }, { address: "books" }, { issuer: `${issuer}?` }, { issuer: `${issuer}#` },
    { address: "https://books.example?" }, { address: "https://books.example/?a=b" }, { address: "https://books.example/#" },
    { algorithms: [] },
    { algorithms: ["none"] }, { algorithms: ["HS256"] }, { leeway: -1 }, { leeway: 61 }, { leeway: 0.5 },
  ];
  for (const settings of wrong) {
    assert.throws(() => new Guard({ issuer, audience, ...settings }), TypeError, JSON.stringify(settings));
  }
  new Guard({ issuer: "https://id.example.com", audience: "urn:books", address: "https://books.example" });
});

test("requests of the web and of Node are read alike, and a second header is not hidden", () => {
  const expected = { method: "GET", path: "/invoices", authorization: "Bearer a", dpop: undefined, certificate: "c" };
  const headers = { authorization: "Bearer a" };
  assert.deepEqual(shownBy(new Request("http://inside/invoices?x=1", { headers }), "c"), expected);
  const node = { method: "GET", url: "/invoices", headers, headersDistinct: { authorization: ["Bearer a"] } };
  assert.deepEqual(shownBy(node, "c"), expected);
  const twice = { ...node, headersDistinct: { authorization: ["Bearer a", "Bearer b"] } };
  assert.equal(shownBy(twice).authorization, "Bearer a, Bearer b");
});

test("whatever a request names as its target, reading it throws nothing", () => {
  const pathOf = (target, more) => shownBy({ method: "GET", headers: {}, url: target, ...more }).path;
  for (const target of ["*", "http://[/", "books.example:443", "", undefined, "data:whoami"]) assert.equal(pathOf(target), "", target);
  assert.deepEqual(["//", "/%", "http://inside/invoices?a"].map((target) => pathOf(target)), ["//", "/%", "/invoices"]);
  // A router that is mounted below a path cuts it off.
  assert.equal(pathOf("/invoices", { originalUrl: "/books/invoices" }), "/books/invoices");
});

test("needs that are said and are none are a mistake, and let nobody in", async () => {
  const { guard, instance } = scene();
  const wrong = [
    { organization: undefined }, { organization: null }, { organization: "" }, { scopes: undefined }, { scopes: null },
    { scopes: "invoices:read" }, { scopes: [undefined] }, { scopes: [""] },
  ];
  for (const needs of wrong) await assert.rejects(guard.check(bearer(lasting.old), needs), TypeError, JSON.stringify(needs));
  assert.deepEqual(instance.asked, {});
});

test("a proof without a method is for no request, not even for one without", async () => {
  const { outcome } = scene();
  assert.equal(await outcome({ ...requestOf("a proof without htm"), method: undefined }), 401);
});

test("keys are old when the clock is set back, and the instance may be asked", async () => {
  const { instance, clock, outcome } = scene();
  assert.equal(await outcome(bearer(lasting.old)), 200);
  instance.keys = vectors.changed;
  clock.now -= 1;
  assert.equal(await outcome(bearer(lasting.old)), 401);
  assert.equal(instance.asked[KEYS], 2);
  clock.now -= 1;
  instance.isAway = true;
  assert.equal(await outcome(bearer(lasting.next)), 503);
});

test("one key does not take the room of all, and what ends late does not keep what ended", async () => {
  const replays = new MemoryReplays(20);
  assert.equal(await replays.use("a1", 60, 0, "a"), true);
  assert.equal(await replays.use("a2", 60, 0, "a"), true);
  await assert.rejects(replays.use("a3", 60, 0, "a"));
  assert.equal(await replays.use("b1", 1000, 0, "b"), true);
  assert.equal(await replays.use("b2", 50, 0, "b"), true);
  assert.equal(await replays.use("b3", 111, 51, "b"), true);
  assert.equal(await replays.use("a3", 121, 61, "a"), true);
  for (let at = 0; at < 17; at += 1) assert.equal(await replays.use(`c${at}`, 121, 61, `c${at}`), true);
  await assert.rejects(replays.use("d", 121, 61, "d"));
});

test("an endpoint that anybody could listen to is not asked", async () => {
  const introspection = { id: "books", secret: "s" };
  for (const name of ["jwks_uri", "introspection_endpoint"]) {
    const { instance, outcome } = scene({ introspection });
    instance.more = { [name]: "http://id.example.com/there" };
    assert.equal(await outcome(bearer(lasting.old)), 503, name);
    assert.ok(!Object.keys(instance.asked).some((path) => path.endsWith("there")));
  }
});

test("the example survives requests for odd targets", async () => {
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
