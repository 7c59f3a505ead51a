// Generates access_tokens.json: the requests that every client library accepts and rejects, signed with keys generated for it.
//
//   node clients/vectors/make.mjs
//
// Keys and signatures differ from run to run. The libraries read only access_tokens.json.

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
const verified = (more = {}) => ({
  subject: "ana", organization: "acme", clientId: "app", scopes: ["openid", "invoices:read"], roles: ["clerk"],
  actors: [], acr: null, expiresAt: NOW + 60, ...more,
});

const REQUEST = { method: "GET", path: "/invoices" };
const READ = { scopes: ["invoices:read"] };
const bearer = (text, more = {}) => ({ ...REQUEST, authorization: `Bearer ${text}`, ...more });

const challengeParameters = (error, scope = "invoices:read") =>
  [error && `error="${error}"`, `resource_metadata="${METADATA}"`, scope && `scope="${scope}"`].filter(Boolean).join(", ");
const BOTH = `DPoP algs="${ALGORITHMS}"`;
const rejected = {
  nothing: { status: 401, error: null, challenges: [`Bearer ${challengeParameters()}`, BOTH] },
  invalid: { status: 401, error: "invalid_token", challenges: [`Bearer ${challengeParameters("invalid_token")}`, BOTH] },
  insufficient: { status: 403, error: "insufficient_scope", challenges: [`Bearer ${challengeParameters("insufficient_scope")}`] },
  dpop: (error, status = 401) =>
    ({ status, error, challenges: [`DPoP ${challengeParameters(error)}, algs="${ALGORITHMS}"`] }),
};

const cases = [];
const add = (name, requests, settings = {}) => cases.push({ name, settings, requests });
const accepts = (name, credentials, expected = verified(), { settings, requirements = READ } = {}) =>
  add(name, [{ credentials, requirements, verified: expected }], settings);
const rejects = (name, credentials, answer = rejected.invalid, { settings, requirements = READ } = {}) =>
  add(name, [{ credentials, requirements, rejected: answer }], settings);

// Accepted tokens.
accepts("a token with the permission", bearer(token()));
accepts("the scheme in capitals", { ...REQUEST, authorization: `BEARER ${token()}` });
accepts("a token with every action of the resource", bearer(token({ scope: "invoices:*" })), verified({ scopes: ["invoices:*"] }));
accepts("a token with several roles", bearer(token({ role: "admin member" })), verified({ roles: ["admin", "member"] }));
accepts("a token without any role", bearer(token({ role: "" })), verified({ roles: [] }));
accepts("a token that needs to hold nothing", bearer(token({ scope: "" })), verified({ scopes: [] }), { requirements: {} });
accepts("a token of the organization that is needed", bearer(token()), verified(), { requirements: { ...READ, organization: "acme" } });
accepts("a token with its assurance", bearer(token({ acr: "urn:sinete:aal:2" })), verified({ acr: "urn:sinete:aal:2" }));
accepts("a token that ends in a second", bearer(token({ exp: NOW + 1 })), verified({ expiresAt: NOW + 1 }));
accepts("a token that begins within the leeway", bearer(token({ iat: NOW + 5, nbf: NOW + 5 })));
accepts("a token in a form with a fraction of nothing", bearer(es.text(header(), JSON.stringify(claims()).replace(`"exp":${NOW + 60}`, `"exp":${NOW + 60}.0`))));
accepts("a token of an agent that acts for somebody", bearer(token({ act: { sub: "robot", sub_profile: "ai_agent" } })),
  verified({ actors: [{ subject: "robot", profile: "ai_agent" }] }));
const chain = (length) => Array.from({ length }, (_, at) => `a${length - at}`).reduce((act, sub) => ({ sub, ...(act && { act }) }), undefined);
accepts("five who act for one another", bearer(token({ act: chain(5) })),
  verified({ actors: ["a1", "a2", "a3", "a4", "a5"].map((subject) => ({ subject })) }));
accepts("members that nobody knows", bearer(token({ more: { like: "this" } }, { more: 1 })));
for (const key of [ed, ps, rs]) {
  const [text, settings] = [key.text(header({ alg: key.alg, kid: key.alg.slice(0, 2).toLowerCase() }), claims()), { algorithms: [key.alg] }];
  accepts(`${key.alg} where it is accepted`, bearer(text), verified(), { settings });
  rejects(`${key.alg} where it is not accepted`, bearer(text));
}

// Requests without a token.
rejects("no header", REQUEST, rejected.nothing);
rejects("another scheme", { ...REQUEST, authorization: "Basic YTpi" }, rejected.nothing);
rejects("an empty header", { ...REQUEST, authorization: "" }, rejected.nothing);
rejects("the token in the address alone", { ...REQUEST, path: `/invoices?access_token=${token()}` }, rejected.nothing);

for (const [where, place] of [["/?tenant=1", "?tenant=1"], ["/api?tenant=1", "/api?tenant=1"], ["/api/", "/api/"], ["?", ""]]) {
  const challenge = `Bearer resource_metadata="${METADATA}${place}"`;
  rejects(`no header, for an audience with ${where}`, REQUEST, { status: 401, error: null, challenges: [challenge, BOTH] },
    { settings: { audience: `${AUDIENCE}${where}` }, requirements: {} });
}

// Malformed tokens.
rejects("a scheme without a token", { ...REQUEST, authorization: "Bearer" });
rejects("a scheme with a space", { ...REQUEST, authorization: "Bearer " });
rejects("two tokens", bearer(`${token()}, Bearer ${token()}`));
rejects("letters", bearer("abc"));
rejects("three letters", bearer("x.y.z"));
rejects("two parts", bearer(token().split(".").slice(0, 2).join(".")));
rejects("four parts", bearer(`${token()}.abc`));
rejects("a signature cut short", bearer(token().slice(0, -4)));
rejects("a signature of nothing", bearer(`${token().split(".").slice(0, 2).join(".")}.`));
rejects("padding", bearer(`${token()}==`));
const odd = token();
const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
rejects("a signature in a second spelling", bearer(odd.slice(0, -1) + last[last.indexOf(odd.at(-1)) + 1]));
rejects("a header that is a list", bearer(es.text([header()], claims())));
rejects("claims that are a list", bearer(es.text(header(), [claims()])));
rejects("claims that are no JSON", bearer(es.text(header(), "{")));
rejects("claims that are no text", bearer((() => {
  const signed = `${part(header())}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}`;
  return `${signed}.${odd.split(".")[2]}`;
})()));
rejects("a token of more than 16 KiB", bearer(token({ more: "x".repeat(13_000) })));
rejects("the claims of one token with the signature of another", bearer(`${token({ sub: "eve" }).split(".").slice(0, 2).join(".")}.${token().split(".")[2]}`));

// Headers that are not those of an access token of the issuer.
for (const typ of ["JWT", "logout+jwt", "dpop+jwt", "application/at+jwt", "AT+JWT", 1, null, undefined]) {
  rejects(`the type ${JSON.stringify(typ)}`, bearer(token({}, { typ })));
}
for (const alg of ["none", "None", "HS256", "RS256", "ES384", "", null, undefined]) {
  rejects(`the algorithm ${JSON.stringify(alg)}`, bearer(token({}, { alg })));
}
rejects("no signature, and the algorithm none", bearer(`${part(header({ alg: "none" }))}.${part(claims())}.`), rejected.invalid);
const shared = `${part(header({ alg: "HS256" }))}.${part(claims())}`;
const hmac = (secret) => `${shared}.${createHmac("sha256", secret).update(shared).digest("base64url")}`;
rejects("the public key as a shared secret", bearer(hmac(JSON.stringify(es.jwk))));
rejects("a shared key that is published", bearer(token({}, { kid: "shared", alg: "HS256" })));
rejects("a key that is not published", bearer(token({}, { kid: "other" })));
rejects("no key", bearer(token({}, { kid: undefined })));
rejects("a key that is a number", bearer(token({}, { kid: 1 })));
rejects("the name of something every object has", bearer(token({}, { kid: "constructor" })));
rejects("a stranger's signature under a known key", bearer(token({}, {}, stranger)));
rejects("a key for encryption", bearer(token({}, { kid: "for-encryption" }, old)));
rejects("a key of no algorithm", bearer(token({}, { kid: "of-no-algorithm" }, old)));
rejects("a key of another algorithm", bearer(token({}, { kid: "of-another-algorithm" }, old)));
rejects("another key's algorithm", bearer(ed.text(header({ alg: "EdDSA" }), claims())), rejected.invalid, { settings: { algorithms: ["ES256", "EdDSA"] } });
rejects("another algorithm's name over a good signature", bearer(token({}, { alg: "EdDSA" })), rejected.invalid, { settings: { algorithms: ["ES256", "EdDSA"] } });
rejects("RS256 by a key for PS256", bearer(rs.text(header({ alg: "RS256", kid: "ps" }), claims())), rejected.invalid, { settings: { algorithms: ["RS256", "PS256"] } });
rejects("a key that the token brings along", bearer(token({}, { jwk: stranger.jwk }, stranger)));
rejects("a key that the token brings along, beside a good signature", bearer(token({}, { jwk: es.jwk })));
for (const name of ["jku", "x5u"]) rejects(`an address of keys in ${name}`, bearer(token({}, { [name]: "https://evil.example/keys" })));
rejects("certificates in the header", bearer(token({}, { x5c: ["MIIB"] })));
rejects("an extension that must be understood", bearer(token({}, { crit: ["exp"] })));

// Invalid claims.
const without = (name) => token({ [name]: undefined });
for (const name of ["iss", "sub", "aud", "exp", "iat", "jti", "client_id", "scope", "org", "role"]) rejects(`no ${name}`, bearer(without(name)));
rejects("another issuer", bearer(token({ iss: "https://evil.example" })));
rejects("the issuer with a slash", bearer(token({ iss: `${ISSUER}/` })));
rejects("another audience", bearer(token({ aud: "https://files.example" })));
rejects("the audience with a slash", bearer(token({ aud: `${AUDIENCE}/` })));
rejects("two audiences", bearer(token({ aud: [AUDIENCE, "https://files.example"] })));
rejects("the audience in a list", bearer(token({ aud: [AUDIENCE] })));
rejects("a token of yesterday", bearer(token({ exp: NOW - 86_400 })));
rejects("a token that ends now", bearer(token({ exp: NOW })));
rejects("an end that is a text", bearer(token({ exp: String(NOW + 60) })));
rejects("an end between two seconds", bearer(token({ exp: NOW + 60.5 })));
rejects("an end that no clock reaches", bearer(token({ exp: 1e300 })));
rejects("a token that begins beyond the leeway", bearer(token({ nbf: NOW + 6 })));
rejects("a token issued beyond the leeway", bearer(token({ iat: NOW + 6 })));
rejects("a beginning that is a text", bearer(token({ nbf: "now" })));
rejects("a beginning that is nothing", bearer(token({ nbf: null })));
rejects("any leeway where there is none", bearer(token({ iat: NOW + 1 })), rejected.invalid, { settings: { clockLeeway: 0 } });
rejects("an empty subject", bearer(token({ sub: "" })));
rejects("two organizations", bearer(token({ org: ["acme", "globex"] })));
rejects("no organization", bearer(token({ org: null })));
rejects("an empty organization", bearer(token({ org: "" })));
rejects("a scope that is a list", bearer(token({ scope: ["invoices:read"] })));
rejects("a role that is a list", bearer(token({ role: ["clerk"] })));
rejects("six who act for one another", bearer(token({ act: chain(6) })));
for (const act of [null, "robot", [], {}, { sub: 1 }, { sub: "a", act: null }]) rejects(`the actor ${JSON.stringify(act)}`, bearer(token({ act })));

// Permissions and organizations.
rejects("another permission", bearer(token({ scope: "invoices:send" })), rejected.insufficient);
rejects("every action of another resource", bearer(token({ scope: "files:* openid" })), rejected.insufficient);
rejects("no scope at all", bearer(token({ scope: "" })), rejected.insufficient);
rejects("the beginning of the permission", bearer(token({ scope: "invoices" })), rejected.insufficient);
rejects("more than the permission", bearer(token({ scope: "invoices:reads" })), rejected.insufficient);
rejects("a star for everything", bearer(token({ scope: "*:* *" })), rejected.insufficient);
rejects("a star is not held by whoever holds one action", bearer(token()),
  { ...rejected.insufficient, challenges: [`Bearer ${challengeParameters("insufficient_scope", "invoices:*")}`] }, { requirements: { scopes: ["invoices:*"] } });
rejects("one of two permissions", bearer(token()),
  { ...rejected.insufficient, challenges: [`Bearer ${challengeParameters("insufficient_scope", "invoices:read invoices:send")}`] },
  { requirements: { scopes: ["invoices:read", "invoices:send"] } });
rejects("another organization", bearer(token()), rejected.insufficient, { requirements: { ...READ, organization: "globex" } });
rejects("the role of the name of the permission", bearer(token({ scope: "openid", role: "invoices:read" })), rejected.insufficient);
rejects("a token that does not count is not told what it lacks", bearer(token({ scope: "", exp: NOW })));
rejects("no token where nothing is needed", REQUEST, { status: 401, error: null, challenges: [`Bearer ${challengeParameters(undefined, null)}`, BOTH] }, { requirements: {} });

// Bound to a certificate.
const certificateThumbprint = digest("a certificate");
const cnf = { "x5t#S256": certificateThumbprint };
accepts("a token bound to the certificate that is shown", bearer(token({ cnf }), { certificateThumbprint }));
accepts("a certificate beside a token that is bound to nothing", bearer(token(), { certificateThumbprint }));
rejects("a token bound to a certificate, and none is shown", bearer(token({ cnf })));
rejects("a token bound to a certificate, and another is shown", bearer(token({ cnf }), { certificateThumbprint: digest("another") }));
for (const strange of [{}, null, "x", [], { kid: "x" }, { ...cnf, jwk: {} }, { "x5t#S256": "" }, { "x5t#S256": 1 }, { jkt: null }]) {
  rejects(`bound to ${JSON.stringify(strange).replace(certificateThumbprint, "…")}`, bearer(token({ cnf: strange }), { certificateThumbprint }));
}

// Bound to a key.
const [holder, thief] = [signer("ES256"), signer("ES256")];
const bound = (key = holder, more = {}) => token({ cnf: { jkt: key.thumbprint }, ...more });
let made = 0;
const proofClaims = (text, more = {}) => ({
  htm: "GET", htu: "https://books.example/invoices", iat: NOW, jti: `proof-${(made += 1)}`, ath: digest(text), ...more,
});
const proofHeader = (key, more = {}) => ({ typ: "dpop+jwt", alg: key.alg, jwk: key.jwk, ...more });
const proof = (text, more, head, key = holder) => key.text(proofHeader(key, head), proofClaims(text, more));
const dpop = (text, proven, more = {}) => ({ ...REQUEST, authorization: `DPoP ${text}`, dpop: proven, ...more });
const held = bound();

for (const key of [holder, signer("EdDSA"), signer("PS256"), signer("RS256")]) {
  const text = bound(key);
  accepts(`a proof of a key with ${key.alg}`, dpop(text, proof(text, {}, {}, key)));
}
const good = (name, more, credentials = {}) => accepts(`a proof ${name}`, dpop(held, proof(held, more), credentials));
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
accepts("the scheme of keys in small letters", { ...dpop(held, proof(held)), authorization: `dpop ${held}` });
accepts("a proof at an address below another",
  dpop(held, proof(held, { htu: "https://gate.example/books/invoices" })), verified(), { settings: { baseUrl: "https://gate.example/books/" } });
const twice = bound(holder, { cnf: { jkt: holder.thumbprint, ...cnf } });
accepts("a token bound to a key and a certificate, and both are shown", dpop(twice, proof(twice), { certificateThumbprint }));
rejects("a token bound to a key and a certificate, and the key alone is shown", dpop(twice, proof(twice)), rejected.dpop("invalid_token"));
rejects("a token bound to a key and a certificate, and the certificate alone is shown", bearer(twice, { certificateThumbprint }));

rejects("a bound token as Bearer", bearer(held));
rejects("a bound token as Bearer beside its proof", { ...dpop(held, proof(held)), authorization: `Bearer ${held}` });
const free = token();
rejects("a token that is bound to no key as DPoP", dpop(free, proof(free)), rejected.dpop("invalid_token"));
rejects("a proof by another key", dpop(held, proof(held, {}, {}, thief)), rejected.dpop("invalid_token"));
rejects("a bound token without what is needed", (() => { const text = bound(holder, { scope: "openid" }); return dpop(text, proof(text)); })(), rejected.dpop("insufficient_scope", 403));
rejects("a bound token that has ended", (() => { const text = bound(holder, { exp: NOW }); return dpop(text, proof(text)); })(), rejected.dpop("invalid_token"));
const bad = (name, text, credentials = {}) => rejects(`a proof ${name}`, dpop(held, text, credentials), rejected.dpop("invalid_dpop_proof"));
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
  rejects(`a proof of a short key with ${alg}`, dpop(text, proof(text, {}, {}, short)), rejected.dpop("invalid_dpop_proof"));
}

const once = proof(held, { jti: "once" });
add("a proof counts once", [
  { credentials: dpop(held, once), requirements: READ, verified: verified() },
  { credentials: dpop(held, once), requirements: READ, rejected: rejected.dpop("invalid_dpop_proof") },
  { credentials: dpop(held, proof(held, { jti: "once", iat: NOW - 1 })), requirements: READ, rejected: rejected.dpop("invalid_dpop_proof") },
  { credentials: dpop(held, proof(held)), requirements: READ, verified: verified() },
]);
const spent = proof(held);
add("a proof that was refused is not used up", [
  { credentials: dpop(held, spent, { method: "POST" }), requirements: READ, rejected: rejected.dpop("invalid_dpop_proof") },
  { credentials: dpop(held, spent), requirements: READ, verified: verified() },
]);
const lacking = { ...rejected.dpop("insufficient_scope", 403) };
lacking.challenges = [`DPoP ${challengeParameters("insufficient_scope", "invoices:send")}, algs="${ALGORITHMS}"`];
const unused = proof(held);
add("a proof beside a token that allows less is not used up", [
  { credentials: dpop(held, unused), requirements: { scopes: ["invoices:send"] }, rejected: lacking },
  { credentials: dpop(held, unused), requirements: READ, verified: verified() },
  { credentials: dpop(held, unused), requirements: READ, rejected: rejected.dpop("invalid_dpop_proof") },
]);
const another = bound(thief);
add("the id of a proof is its key's own", [
  { credentials: dpop(held, proof(held, { jti: "same" })), requirements: READ, verified: verified() },
  { credentials: dpop(another, proof(another, { jti: "same" }, {}, thief)), requirements: READ, verified: verified() },
]);

// For tests over time: tokens with a lifetime of one day, and the keys after a rotation.
const [next, day] = [signer("ES256"), { exp: NOW + 86_400 }];
const longLivedTokens = { current: token(day), next: token(day, { kid: "next" }, next) };
const rotatedKeys = { keys: [published(next, "next")] };

const names = cases.map(({ name }) => name);
const doubled = names.filter((name, at) => names.indexOf(name) !== at);
if (doubled.length > 0) throw new Error(`two cases of one name: ${doubled}`);
const whole = { now: NOW, issuer: ISSUER, audience: AUDIENCE, keys: { keys }, rotatedKeys, longLivedTokens, cases };
writeFileSync(new URL("access_tokens.json", import.meta.url), `${JSON.stringify(whole, null, 1)}\n`);
console.log(`${cases.length} cases`);
