// Makes guard.json: what every client library lets in and what it turns away, with signatures of keys made for it.
//
//   node clients/vectors/make.mjs
//
// Signatures differ from run to run. What a case means stands here; the libraries read only guard.json.

import { createHash, createHmac, constants, generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";

const NOW = 1_794_700_323;
const ISSUER = "http://localhost:8080";
const AUDIENCE = "https://books.example";
const METADATA = "https://books.example/.well-known/oauth-protected-resource";
const ALGORITHMS = "ES256 EdDSA PS256 RS256";

const part = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const digest = (text) => createHash("sha256").update(text).digest("base64url");

function pair(alg, bits = 2048) {
  if (alg === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  if (alg === "P-384") return generateKeyPairSync("ec", { namedCurve: "P-384" });
  if (alg === "EdDSA") return generateKeyPairSync("ed25519");
  return generateKeyPairSync("rsa", { modulusLength: bits });
}

function signer(alg, bits) {
  const { publicKey, privateKey } = pair(alg, bits);
  const jwk = publicKey.export({ format: "jwk" });
  const { crv, e, kty, n, x, y } = jwk;
  const thumbprint = digest(JSON.stringify(kty === "RSA" ? { e, kty, n } : { crv, kty, x, y }));
  const how = {
    ES256: { key: privateKey, dsaEncoding: "ieee-p1363" },
    PS256: { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  };
  const text = (header, claims) => {
    const signed = `${part(header)}.${part(claims)}`;
    const signature = sign(alg === "EdDSA" ? null : "sha256", signed, how[alg] ?? privateKey);
    return `${signed}.${signature.toString("base64url")}`;
  };
  return { alg, jwk, thumbprint, text, secret: privateKey.export({ format: "jwk" }) };
}

const [es, ed, ps, rs, old, stranger] = ["ES256", "EdDSA", "PS256", "RS256", "ES256", "ES256"].map((alg) => signer(alg));
const published = (key, kid, more = {}) => ({ ...key.jwk, kid, alg: key.alg, use: "sig", ...more });
const keys = [
  published(es, "es"), published(ed, "ed"), published(ps, "ps"), published(rs, "rs"),
  published(old, "for-encryption", { use: "enc" }),
  published(old, "of-no-algorithm", { alg: undefined }),
  published(old, "of-another-algorithm", { alg: "RS256" }),
  { kty: "oct", kid: "shared", alg: "HS256", k: part("a secret that everybody knows") },
];

const claims = (more = {}) => ({
  iss: ISSUER, sub: "ana", aud: AUDIENCE, exp: NOW + 60, iat: NOW - 10, jti: "grant.random", client_id: "app",
  scope: "openid invoices:read", org: "acme", role: "clerk", ...more,
});
const header = (more = {}) => ({ alg: "ES256", kid: "es", typ: "at+jwt", ...more });
const token = (more, head, key = es) => key.text(header(head), claims(more));
const identity = (more = {}) => ({
  subject: "ana", organization: "acme", client: "app", scopes: ["openid", "invoices:read"], roles: ["clerk"],
  actors: [], assurance: null, expiresAt: NOW + 60, ...more,
});

const ASKED = { method: "GET", path: "/invoices" };
const READ = { scopes: ["invoices:read"] };
const bearer = (text, more = {}) => ({ ...ASKED, authorization: `Bearer ${text}`, ...more });

const said = (error, scope = "invoices:read") =>
  [error && `error="${error}"`, `resource_metadata="${METADATA}"`, scope && `scope="${scope}"`].filter(Boolean).join(", ");
const BOTH = `DPoP algs="${ALGORITHMS}"`;
const refused = {
  nothing: { status: 401, error: null, challenges: [`Bearer ${said()}`, BOTH] },
  invalid: { status: 401, error: "invalid_token", challenges: [`Bearer ${said("invalid_token")}`, BOTH] },
  insufficient: { status: 403, error: "insufficient_scope", challenges: [`Bearer ${said("insufficient_scope")}`] },
  dpop: (error, status = 401) =>
    ({ status, error, challenges: [`DPoP ${said(error)}, algs="${ALGORITHMS}"`] }),
};

const cases = [];
const add = (name, requests, settings = {}) => cases.push({ name, settings, requests });
const lets = (name, shown, who = identity(), { settings, needs = READ } = {}) =>
  add(name, [{ shown, needs, identity: who }], settings);
const turns = (name, shown, answer = refused.invalid, { settings, needs = READ } = {}) =>
  add(name, [{ shown, needs, refused: answer }], settings);

// What counts.
lets("a token with the permission", bearer(token()));
lets("the scheme in capitals", { ...ASKED, authorization: `BEARER ${token()}` });
lets("a token with every action of the resource", bearer(token({ scope: "invoices:*" })), identity({ scopes: ["invoices:*"] }));
lets("a token with several roles", bearer(token({ role: "admin member" })), identity({ roles: ["admin", "member"] }));
lets("a token without any role", bearer(token({ role: "" })), identity({ roles: [] }));
lets("a token that needs to hold nothing", bearer(token({ scope: "" })), identity({ scopes: [] }), { needs: {} });
lets("a token of the organization that is needed", bearer(token()), identity(), { needs: { ...READ, organization: "acme" } });
lets("a token with its assurance", bearer(token({ acr: "urn:sinete:aal:2" })), identity({ assurance: "urn:sinete:aal:2" }));
lets("a token that ends in a second", bearer(token({ exp: NOW + 1 })), identity({ expiresAt: NOW + 1 }));
lets("a token that begins within the leeway", bearer(token({ iat: NOW + 5, nbf: NOW + 5 })));
lets("a token in a form with a fraction of nothing", bearer(es.text(header(), JSON.stringify(claims()).replace(`"exp":${NOW + 60}`, `"exp":${NOW + 60}.0`))));
lets("a token of an agent that acts for somebody", bearer(token({ act: { sub: "robot", sub_profile: "ai_agent" } })),
  identity({ actors: [{ subject: "robot", profile: "ai_agent" }] }));
const chain = (length) => Array.from({ length }, (_, at) => `a${length - at}`).reduce((act, sub) => ({ sub, ...(act && { act }) }), undefined);
lets("five who act for one another", bearer(token({ act: chain(5) })),
  identity({ actors: ["a1", "a2", "a3", "a4", "a5"].map((subject) => ({ subject })) }));
lets("members that nobody knows", bearer(token({ more: { like: "this" } }, { more: 1 })));
for (const key of [ed, ps, rs]) {
  const [text, settings] = [key.text(header({ alg: key.alg, kid: key.alg.slice(0, 2).toLowerCase() }), claims()), { algorithms: [key.alg] }];
  lets(`${key.alg} where it is accepted`, bearer(text), identity(), { settings });
  turns(`${key.alg} where it is not accepted`, bearer(text));
}

// What shows no token at all.
turns("no header", ASKED, refused.nothing);
turns("another scheme", { ...ASKED, authorization: "Basic YTpi" }, refused.nothing);
turns("an empty header", { ...ASKED, authorization: "" }, refused.nothing);
turns("the token in the address alone", { ...ASKED, path: `/invoices?access_token=${token()}` }, refused.nothing);

for (const [where, place] of [["/?tenant=1", "?tenant=1"], ["/api?tenant=1", "/api?tenant=1"], ["/api/", "/api/"], ["?", ""]]) {
  const challenge = `Bearer resource_metadata="${METADATA}${place}"`;
  turns(`no header, for an audience with ${where}`, ASKED, { status: 401, error: null, challenges: [challenge, BOTH] },
    { settings: { audience: `${AUDIENCE}${where}` }, needs: {} });
}

// What is no token.
turns("a scheme without a token", { ...ASKED, authorization: "Bearer" });
turns("a scheme with a space", { ...ASKED, authorization: "Bearer " });
turns("two tokens", bearer(`${token()}, Bearer ${token()}`));
turns("letters", bearer("abc"));
turns("three letters", bearer("x.y.z"));
turns("two parts", bearer(token().split(".").slice(0, 2).join(".")));
turns("four parts", bearer(`${token()}.abc`));
turns("a signature cut short", bearer(token().slice(0, -4)));
turns("a signature of nothing", bearer(`${token().split(".").slice(0, 2).join(".")}.`));
turns("padding", bearer(`${token()}==`));
const odd = token();
const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
turns("a signature in a second spelling", bearer(odd.slice(0, -1) + last[last.indexOf(odd.at(-1)) + 1]));
turns("a header that is a list", bearer(es.text([header()], claims())));
turns("claims that are a list", bearer(es.text(header(), [claims()])));
turns("claims that are no JSON", bearer(es.text(header(), "{")));
turns("claims that are no text", bearer((() => {
  const signed = `${part(header())}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}`;
  return `${signed}.${odd.split(".")[2]}`;
})()));
turns("a token of more than 16 KiB", bearer(token({ more: "x".repeat(13_000) })));
turns("the claims of one token with the signature of another", bearer(`${token({ sub: "eve" }).split(".").slice(0, 2).join(".")}.${token().split(".")[2]}`));

// Headers that are not those of an access token of the instance.
for (const typ of ["JWT", "logout+jwt", "dpop+jwt", "application/at+jwt", "AT+JWT", 1, null, undefined]) {
  turns(`the type ${JSON.stringify(typ)}`, bearer(token({}, { typ })));
}
for (const alg of ["none", "None", "HS256", "RS256", "ES384", "", null, undefined]) {
  turns(`the algorithm ${JSON.stringify(alg)}`, bearer(token({}, { alg })));
}
turns("no signature, and the algorithm none", bearer(`${part(header({ alg: "none" }))}.${part(claims())}.`), refused.invalid);
const shared = `${part(header({ alg: "HS256" }))}.${part(claims())}`;
const hmac = (secret) => `${shared}.${createHmac("sha256", secret).update(shared).digest("base64url")}`;
turns("the public key as a shared secret", bearer(hmac(JSON.stringify(es.jwk))));
turns("a shared key that is published", bearer(token({}, { kid: "shared", alg: "HS256" })));
turns("a key that is not published", bearer(token({}, { kid: "other" })));
turns("no key", bearer(token({}, { kid: undefined })));
turns("a key that is a number", bearer(token({}, { kid: 1 })));
turns("the name of something every object has", bearer(token({}, { kid: "constructor" })));
turns("a stranger's signature under a known key", bearer(token({}, {}, stranger)));
turns("a key for encryption", bearer(token({}, { kid: "for-encryption" }, old)));
turns("a key of no algorithm", bearer(token({}, { kid: "of-no-algorithm" }, old)));
turns("a key of another algorithm", bearer(token({}, { kid: "of-another-algorithm" }, old)));
turns("another key's algorithm", bearer(ed.text(header({ alg: "EdDSA" }), claims())), refused.invalid, { settings: { algorithms: ["ES256", "EdDSA"] } });
turns("another algorithm's name over a good signature", bearer(token({}, { alg: "EdDSA" })), refused.invalid, { settings: { algorithms: ["ES256", "EdDSA"] } });
turns("RS256 by a key for PS256", bearer(rs.text(header({ alg: "RS256", kid: "ps" }), claims())), refused.invalid, { settings: { algorithms: ["RS256", "PS256"] } });
turns("a key that the token brings along", bearer(token({}, { jwk: stranger.jwk }, stranger)));
turns("a key that the token brings along, beside a good signature", bearer(token({}, { jwk: es.jwk })));
for (const name of ["jku", "x5u"]) turns(`an address of keys in ${name}`, bearer(token({}, { [name]: "https://evil.example/keys" })));
turns("certificates in the header", bearer(token({}, { x5c: ["MIIB"] })));
turns("an extension that must be understood", bearer(token({}, { crit: ["exp"] })));

// Claims that do not fit.
const without = (name) => token({ [name]: undefined });
for (const name of ["iss", "sub", "aud", "exp", "iat", "jti", "client_id", "scope", "org", "role"]) turns(`no ${name}`, bearer(without(name)));
turns("another issuer", bearer(token({ iss: "https://evil.example" })));
turns("the issuer with a slash", bearer(token({ iss: `${ISSUER}/` })));
turns("another audience", bearer(token({ aud: "https://files.example" })));
turns("the audience with a slash", bearer(token({ aud: `${AUDIENCE}/` })));
turns("two audiences", bearer(token({ aud: [AUDIENCE, "https://files.example"] })));
turns("the audience in a list", bearer(token({ aud: [AUDIENCE] })));
turns("a token of yesterday", bearer(token({ exp: NOW - 86_400 })));
turns("a token that ends now", bearer(token({ exp: NOW })));
turns("an end that is a text", bearer(token({ exp: String(NOW + 60) })));
turns("an end between two seconds", bearer(token({ exp: NOW + 60.5 })));
turns("an end that no clock reaches", bearer(token({ exp: 1e300 })));
turns("a token that begins beyond the leeway", bearer(token({ nbf: NOW + 6 })));
turns("a token issued beyond the leeway", bearer(token({ iat: NOW + 6 })));
turns("a beginning that is a text", bearer(token({ nbf: "now" })));
turns("a beginning that is nothing", bearer(token({ nbf: null })));
turns("any leeway where there is none", bearer(token({ iat: NOW + 1 })), refused.invalid, { settings: { leeway: 0 } });
turns("an empty subject", bearer(token({ sub: "" })));
turns("two organizations", bearer(token({ org: ["acme", "globex"] })));
turns("no organization", bearer(token({ org: null })));
turns("an empty organization", bearer(token({ org: "" })));
turns("a scope that is a list", bearer(token({ scope: ["invoices:read"] })));
turns("a role that is a list", bearer(token({ role: ["clerk"] })));
turns("six who act for one another", bearer(token({ act: chain(6) })));
for (const act of [null, "robot", [], {}, { sub: 1 }, { sub: "a", act: null }]) turns(`the actor ${JSON.stringify(act)}`, bearer(token({ act })));

// What is allowed, and where.
turns("another permission", bearer(token({ scope: "invoices:send" })), refused.insufficient);
turns("every action of another resource", bearer(token({ scope: "files:* openid" })), refused.insufficient);
turns("no scope at all", bearer(token({ scope: "" })), refused.insufficient);
turns("the beginning of the permission", bearer(token({ scope: "invoices" })), refused.insufficient);
turns("more than the permission", bearer(token({ scope: "invoices:reads" })), refused.insufficient);
turns("a star for everything", bearer(token({ scope: "*:* *" })), refused.insufficient);
turns("a star is not held by whoever holds one action", bearer(token()),
  { ...refused.insufficient, challenges: [`Bearer ${said("insufficient_scope", "invoices:*")}`] }, { needs: { scopes: ["invoices:*"] } });
turns("one of two permissions", bearer(token()),
  { ...refused.insufficient, challenges: [`Bearer ${said("insufficient_scope", "invoices:read invoices:send")}`] },
  { needs: { scopes: ["invoices:read", "invoices:send"] } });
turns("another organization", bearer(token()), refused.insufficient, { needs: { ...READ, organization: "globex" } });
turns("the role of the name of the permission", bearer(token({ scope: "openid", role: "invoices:read" })), refused.insufficient);
turns("a token that does not count is not told what it lacks", bearer(token({ scope: "", exp: NOW })));
turns("no token where nothing is needed", ASKED, { status: 401, error: null, challenges: [`Bearer ${said(undefined, null)}`, BOTH] }, { needs: {} });

// Bound to a certificate.
const certificate = digest("a certificate");
const cnf = { "x5t#S256": certificate };
lets("a token bound to the certificate that is shown", bearer(token({ cnf }), { certificate }));
lets("a certificate beside a token that is bound to nothing", bearer(token(), { certificate }));
turns("a token bound to a certificate, and none is shown", bearer(token({ cnf })));
turns("a token bound to a certificate, and another is shown", bearer(token({ cnf }), { certificate: digest("another") }));
for (const strange of [{}, null, "x", [], { kid: "x" }, { ...cnf, jwk: {} }, { "x5t#S256": "" }, { "x5t#S256": 1 }, { jkt: null }]) {
  turns(`bound to ${JSON.stringify(strange).replace(certificate, "…")}`, bearer(token({ cnf: strange }), { certificate }));
}

// Bound to a key.
const [holder, thief] = [signer("ES256"), signer("ES256")];
const bound = (key = holder, more = {}) => token({ cnf: { jkt: key.thumbprint }, ...more });
let made = 0;
const proofSays = (text, more = {}) => ({
  htm: "GET", htu: "https://books.example/invoices", iat: NOW, jti: `proof-${(made += 1)}`, ath: digest(text), ...more,
});
const proofHead = (key, more = {}) => ({ typ: "dpop+jwt", alg: key.alg, jwk: key.jwk, ...more });
const proof = (text, more, head, key = holder) => key.text(proofHead(key, head), proofSays(text, more));
const dpop = (text, proven, more = {}) => ({ ...ASKED, authorization: `DPoP ${text}`, dpop: proven, ...more });
const held = bound();

for (const key of [holder, signer("EdDSA"), signer("PS256"), signer("RS256")]) {
  const text = bound(key);
  lets(`a proof of a key with ${key.alg}`, dpop(text, proof(text, {}, {}, key)));
}
const good = (name, more, shown = {}) => lets(`a proof ${name}`, dpop(held, proof(held, more), shown));
good("of a minute ago", { iat: NOW - 60 });
good("of a quarter of a minute ahead", { iat: NOW + 15 });
good("that ends in a second", { exp: NOW + 1, nbf: NOW });
good("that says more", { nonce: "x", more: 1 });
good("whose address has a query, which does not count", { htu: "https://books.example/invoices?a=b#c" });
good("for a request with a query", {}, { path: "/invoices?page=2" });
good("whose address is spelt in capitals, with its port", { htu: "HTTPS://BOOKS.example:443/invoices" });
good("whose address has needless escapes and detours", { htu: "https://books.example/x/../%69nvoices" });
good("for an address with escapes", { htu: "https://books.example/a%2fb" }, { path: "/a%2Fb" });
good("with an id of 256 bytes", { jti: "x".repeat(256) });
good("for the method of the request", { htm: "POST" }, { method: "POST" });
lets("the scheme of keys in small letters", { ...dpop(held, proof(held)), authorization: `dpop ${held}` });
lets("a proof at an address below another",
  dpop(held, proof(held, { htu: "https://gate.example/books/invoices" })), identity(), { settings: { address: "https://gate.example/books/" } });
const twice = bound(holder, { cnf: { jkt: holder.thumbprint, ...cnf } });
lets("a token bound to a key and a certificate, and both are shown", dpop(twice, proof(twice), { certificate }));
turns("a token bound to a key and a certificate, and the key alone is shown", dpop(twice, proof(twice)), refused.dpop("invalid_token"));
turns("a token bound to a key and a certificate, and the certificate alone is shown", bearer(twice, { certificate }));

turns("a bound token as Bearer", bearer(held));
turns("a bound token as Bearer beside its proof", { ...dpop(held, proof(held)), authorization: `Bearer ${held}` });
const free = token();
turns("a token that is bound to no key as DPoP", dpop(free, proof(free)), refused.dpop("invalid_token"));
turns("a proof by another key", dpop(held, proof(held, {}, {}, thief)), refused.dpop("invalid_token"));
turns("a bound token without what is needed", (() => { const text = bound(holder, { scope: "openid" }); return dpop(text, proof(text)); })(), refused.dpop("insufficient_scope", 403));
turns("a bound token that has ended", (() => { const text = bound(holder, { exp: NOW }); return dpop(text, proof(text)); })(), refused.dpop("invalid_token"));
const bad = (name, text, shown = {}) => turns(`a proof ${name}`, dpop(held, text, shown), refused.dpop("invalid_dpop_proof"));
bad("that is not there", undefined);
bad("that is empty", "");
bad("beside another one", `${proof(held)}, ${proof(held)}`);
bad("that is a word", "abc");
bad("that is the token", held);
for (const name of ["htm", "htu", "iat", "jti", "ath"]) bad(`without ${name}`, proof(held, { [name]: undefined }));
bad("for another method", proof(held, { htm: "POST" }));
bad("for the method in small letters", proof(held, { htm: "get" }));
bad("for another path", proof(held, { htu: "https://books.example/invoices/1" }));
bad("for another host", proof(held, { htu: "https://evil.example/invoices" }));
bad("for another port", proof(held, { htu: "https://books.example:8443/invoices" }));
bad("for http", proof(held, { htu: "http://books.example/invoices" }));
bad("for an address with a name in it", proof(held, { htu: "https://ana@books.example/invoices" }));
bad("for an address that is cut short", proof(held, { htu: "https://books.example/invoices%2" }));
bad("for an address that is none", proof(held, { htu: "invoices" }));
bad("for an address with a space", proof(held, { htu: " https://books.example/invoices" }));
bad("for an address with a slash that is escaped", proof(held, { htu: "https://books.example%2Finvoices" }));
bad("for a slash that is escaped where the request has one", proof(held, { htu: "https://books.example/a%2Fb" }), { path: "/a/b" });
bad("for a path that would lead elsewhere", proof(held, { htu: "https://books.example.evil.example/" }), { path: ".evil.example/" });
bad("for another token", proof(bound(holder, { jti: "other" })));
bad("for the token, hashed otherwise", proof(held, { ath: createHash("sha256").update(held).digest("hex") }));
bad("of 61 seconds ago", proof(held, { iat: NOW - 61 }));
bad("of 16 seconds ahead", proof(held, { iat: NOW + 16 }));
bad("that has ended", proof(held, { exp: NOW }));
bad("that does not count yet", proof(held, { nbf: NOW + 16 }));
bad("whose time is a text", proof(held, { iat: String(NOW) }));
bad("whose end is a text", proof(held, { exp: "later" }));
bad("with an empty id", proof(held, { jti: "" }));
bad("with an id of 257 bytes", proof(held, { jti: "x".repeat(257) }));
bad("with an id that is a number", proof(held, { jti: 1 }));
bad("of more than 8 KiB", proof(held, { more: "x".repeat(8000) }));
bad("that is cut short", proof(held).slice(0, -4));
bad("of the type of a token", proof(held, {}, { typ: "JWT" }));
bad("of no type", proof(held, {}, { typ: undefined }));
bad("with the algorithm none", proof(held, {}, { alg: "none" }));
bad("with the algorithm of another kind of key", proof(held, {}, { alg: "EdDSA" }));
bad("with a shared key", proof(held, {}, { alg: "HS256", jwk: { kty: "oct", k: "c2VjcmV0" } }));
bad("without a key", proof(held, {}, { jwk: undefined }));
bad("with a key that is a text", proof(held, {}, { jwk: "key" }));
bad("with the private key", proof(held, {}, { jwk: holder.secret }));
bad("with another's public key", proof(held, {}, { jwk: thief.jwk }));
bad("with a key of another curve", proof(held, {}, { jwk: pair("P-384").publicKey.export({ format: "jwk" }) }));
bad("with a point that is on no curve", proof(held, {}, { jwk: { ...holder.jwk, y: holder.jwk.x } }));
bad("with a key named by an address", proof(held, {}, { jku: "https://evil.example" }));
bad("with an extension that must be understood", proof(held, {}, { crit: ["iat"] }));
for (const alg of ["RS256", "PS256"]) {
  const short = signer(alg, 1024);
  const text = bound(short);
  turns(`a proof of a short key with ${alg}`, dpop(text, proof(text, {}, {}, short)), refused.dpop("invalid_dpop_proof"));
}

const once = proof(held, { jti: "once" });
add("a proof counts once", [
  { shown: dpop(held, once), needs: READ, identity: identity() },
  { shown: dpop(held, once), needs: READ, refused: refused.dpop("invalid_dpop_proof") },
  { shown: dpop(held, proof(held, { jti: "once", iat: NOW - 1 })), needs: READ, refused: refused.dpop("invalid_dpop_proof") },
  { shown: dpop(held, proof(held)), needs: READ, identity: identity() },
]);
const spent = proof(held);
add("a proof that was refused is not used up", [
  { shown: dpop(held, spent, { method: "POST" }), needs: READ, refused: refused.dpop("invalid_dpop_proof") },
  { shown: dpop(held, spent), needs: READ, identity: identity() },
]);
const lacking = { ...refused.dpop("insufficient_scope", 403) };
lacking.challenges = [`DPoP ${said("insufficient_scope", "invoices:send")}, algs="${ALGORITHMS}"`];
const unused = proof(held);
add("a proof beside a token that allows less is not used up", [
  { shown: dpop(held, unused), needs: { scopes: ["invoices:send"] }, refused: lacking },
  { shown: dpop(held, unused), needs: READ, identity: identity() },
  { shown: dpop(held, unused), needs: READ, refused: refused.dpop("invalid_dpop_proof") },
]);
const another = bound(thief);
add("the id of a proof is its key's own", [
  { shown: dpop(held, proof(held, { jti: "same" })), needs: READ, identity: identity() },
  { shown: dpop(another, proof(another, { jti: "same" }, {}, thief)), needs: READ, identity: identity() },
]);

// For what happens in time: tokens of a day, and the keys after a change.
const [next, day] = [signer("ES256"), { exp: NOW + 86_400 }];
const lasting = { old: token(day), next: token(day, { kid: "next" }, next) };
const changed = { keys: [published(next, "next")] };

const names = cases.map(({ name }) => name);
const doubled = names.filter((name, at) => names.indexOf(name) !== at);
if (doubled.length > 0) throw new Error(`two cases of one name: ${doubled}`);
const whole = { now: NOW, issuer: ISSUER, audience: AUDIENCE, keys: { keys }, changed, lasting, cases };
writeFileSync(new URL("guard.json", import.meta.url), `${JSON.stringify(whole, null, 1)}\n`);
console.log(`${cases.length} cases`);
