// Generates access_tokens.json: the requests that every client library accepts and rejects, signed with keys generated for it.
//
//   node clients/vectors/make.mjs
//
// Keys and signatures differ from run to run. The tests of the libraries read only access_tokens.json.

import { createHash, createHmac, constants, generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";

const NOW = 1_794_700_323;
const ISSUER = "http://localhost:8080";
const AUDIENCE = "https://books.example";
const METADATA = "https://books.example/.well-known/oauth-protected-resource";
const ALGORITHMS = "ES256 EdDSA PS256 RS256";

const base64url = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const sha256 = (text) => createHash("sha256").update(text).digest("base64url");

function generateKeyPair(alg, rsaBits = 2048) {
  if (alg === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  if (alg === "P-384") return generateKeyPairSync("ec", { namedCurve: "P-384" });
  if (alg === "EdDSA") return generateKeyPairSync("ed25519");
  return generateKeyPairSync("rsa", { modulusLength: rsaBits });
}

function createSigningKey(alg, rsaBits) {
  const { publicKey, privateKey } = generateKeyPair(alg, rsaBits);
  const jwk = publicKey.export({ format: "jwk" });
  const { crv, e, kty, n, x, y } = jwk;
  const thumbprint = sha256(JSON.stringify(kty === "RSA" ? { e, kty, n } : { crv, kty, x, y }));
  const signOptions = {
    ES256: { key: privateKey, dsaEncoding: "ieee-p1363" },
    PS256: { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  };
  const signJwt = (header, claims) => {
    const signingInput = `${base64url(header)}.${base64url(claims)}`;
    const signature = sign(alg === "EdDSA" ? null : "sha256", signingInput, signOptions[alg] ?? privateKey);
    return `${signingInput}.${signature.toString("base64url")}`;
  };
  return { alg, jwk, thumbprint, signJwt, privateJwk: privateKey.export({ format: "jwk" }) };
}

const [es256Key, eddsaKey, ps256Key, rs256Key, misdeclaredKey, unpublishedKey] =
  ["ES256", "EdDSA", "PS256", "RS256", "ES256", "ES256"].map((alg) => createSigningKey(alg));
const publicJwk = (key, kid, overrides = {}) => ({ ...key.jwk, kid, alg: key.alg, use: "sig", ...overrides });
const jwks = {
  keys: [
    publicJwk(es256Key, "es"), publicJwk(eddsaKey, "ed"), publicJwk(ps256Key, "ps"), publicJwk(rs256Key, "rs"),
    publicJwk(misdeclaredKey, "for-encryption", { use: "enc" }),
    publicJwk(misdeclaredKey, "of-no-algorithm", { alg: undefined }),
    publicJwk(misdeclaredKey, "of-another-algorithm", { alg: "RS256" }),
    { kty: "oct", kid: "shared", alg: "HS256", k: base64url("a secret that everybody knows") },
  ],
};

const tokenClaims = (overrides = {}) => ({
  iss: ISSUER, sub: "ana", aud: AUDIENCE, exp: NOW + 60, iat: NOW - 10, jti: "grant.random", client_id: "app",
  scope: "openid invoices:read", org: "acme", role: "clerk", ...overrides,
});
const tokenHeader = (overrides = {}) => ({ alg: "ES256", kid: "es", typ: "at+jwt", ...overrides });
const createToken = (claims, header, key = es256Key) => key.signJwt(tokenHeader(header), tokenClaims(claims));
const verified = (overrides = {}) => ({
  subject: "ana", organization: "acme", clientId: "app", scopes: ["openid", "invoices:read"], roles: ["clerk"],
  actors: [], acr: null, expiresAt: NOW + 60, ...overrides,
});

const REQUEST = { method: "GET", path: "/invoices" };
const READ_REQUIRED = { scopes: ["invoices:read"] };
const bearer = (token, overrides = {}) => ({ ...REQUEST, authorization: `Bearer ${token}`, ...overrides });

const challengeParameters = (error, scope = "invoices:read") =>
  [error && `error="${error}"`, `resource_metadata="${METADATA}"`, scope && `scope="${scope}"`].filter(Boolean).join(", ");
const DPOP_CHALLENGE = `DPoP algs="${ALGORITHMS}"`;
const rejected = {
  noToken: { status: 401, error: null, challenges: [`Bearer ${challengeParameters()}`, DPOP_CHALLENGE] },
  invalidToken: { status: 401, error: "invalid_token", challenges: [`Bearer ${challengeParameters("invalid_token")}`, DPOP_CHALLENGE] },
  insufficientScope: { status: 403, error: "insufficient_scope", challenges: [`Bearer ${challengeParameters("insufficient_scope")}`] },
  dpop: (error, status = 401) =>
    ({ status, error, challenges: [`DPoP ${challengeParameters(error)}, algs="${ALGORITHMS}"`] }),
};

const cases = [];
const addCase = (name, requests, settings = {}) => cases.push({ name, settings, requests });
const accepts = (name, credentials, expected = verified(), { settings, requirements = READ_REQUIRED } = {}) =>
  addCase(name, [{ credentials, requirements, verified: expected }], settings);
const rejects = (name, credentials, expected = rejected.invalidToken, { settings, requirements = READ_REQUIRED } = {}) =>
  addCase(name, [{ credentials, requirements, rejected: expected }], settings);
const describeMember = (name, value) => (value === undefined ? `no ${name}` : `${name} ${JSON.stringify(value)}`);

// Accepted tokens.
accepts("token with the required scope", bearer(createToken()));
accepts("authentication scheme in uppercase", { ...REQUEST, authorization: `BEARER ${createToken()}` });
accepts("wildcard scope of the resource (invoices:*)", bearer(createToken({ scope: "invoices:*" })), verified({ scopes: ["invoices:*"] }));
accepts("several roles", bearer(createToken({ role: "admin member" })), verified({ roles: ["admin", "member"] }));
accepts("empty role", bearer(createToken({ role: "" })), verified({ roles: [] }));
accepts("empty scope where no scope is required", bearer(createToken({ scope: "" })), verified({ scopes: [] }), { requirements: {} });
accepts("token for the required organization", bearer(createToken()), verified(), { requirements: { ...READ_REQUIRED, organization: "acme" } });
accepts("token with acr", bearer(createToken({ acr: "urn:sinete:aal:2" })), verified({ acr: "urn:sinete:aal:2" }));
accepts("token that expires in one second", bearer(createToken({ exp: NOW + 1 })), verified({ expiresAt: NOW + 1 }));
accepts("iat and nbf in the future, within the clock leeway", bearer(createToken({ iat: NOW + 5, nbf: NOW + 5 })));
accepts("exp written with a zero fraction (.0)",
  bearer(es256Key.signJwt(tokenHeader(), JSON.stringify(tokenClaims()).replace(`"exp":${NOW + 60}`, `"exp":${NOW + 60}.0`))));
accepts("delegated token whose actor (act) is an AI agent", bearer(createToken({ act: { sub: "robot", sub_profile: "ai_agent" } })),
  verified({ actors: [{ subject: "robot", profile: "ai_agent" }] }));
const nestedActors = (count) => Array.from({ length: count }, (_, at) => `a${count - at}`).reduce((act, sub) => ({ sub, ...(act && { act }) }), undefined);
accepts("five nested actors", bearer(createToken({ act: nestedActors(5) })),
  verified({ actors: ["a1", "a2", "a3", "a4", "a5"].map((subject) => ({ subject })) }));
accepts("unknown claims and header parameters", bearer(createToken({ more: { like: "this" } }, { more: 1 })));
for (const key of [eddsaKey, ps256Key, rs256Key]) {
  const token = key.signJwt(tokenHeader({ alg: key.alg, kid: key.alg.slice(0, 2).toLowerCase() }), tokenClaims());
  accepts(`${key.alg} signature where the algorithm is accepted`, bearer(token), verified(), { settings: { algorithms: [key.alg] } });
  rejects(`${key.alg} signature where the algorithm is not accepted`, bearer(token));
}

// Requests without a token.
rejects("no Authorization header", REQUEST, rejected.noToken);
rejects("another authentication scheme (Basic)", { ...REQUEST, authorization: "Basic YTpi" }, rejected.noToken);
rejects("empty Authorization header", { ...REQUEST, authorization: "" }, rejected.noToken);
rejects("token in the query only", { ...REQUEST, path: `/invoices?access_token=${createToken()}` }, rejected.noToken);

for (const [audienceSuffix, metadataSuffix] of [["/?tenant=1", "?tenant=1"], ["/api?tenant=1", "/api?tenant=1"], ["/api/", "/api/"], ["?", ""]]) {
  const challenge = `Bearer resource_metadata="${METADATA}${metadataSuffix}"`;
  rejects(`no Authorization header, for an audience that ends in ${audienceSuffix}`, REQUEST,
    { status: 401, error: null, challenges: [challenge, DPOP_CHALLENGE] },
    { settings: { audience: `${AUDIENCE}${audienceSuffix}` }, requirements: {} });
}

// Malformed tokens.
rejects("scheme without a token", { ...REQUEST, authorization: "Bearer" });
rejects("scheme with a space and no token", { ...REQUEST, authorization: "Bearer " });
rejects("two tokens in one header", bearer(`${createToken()}, Bearer ${createToken()}`));
rejects("token without dots", bearer("abc"));
rejects("three parts of one letter each", bearer("x.y.z"));
rejects("JWS with two parts", bearer(createToken().split(".").slice(0, 2).join(".")));
rejects("JWS with four parts", bearer(`${createToken()}.abc`));
rejects("truncated signature", bearer(createToken().slice(0, -4)));
rejects("empty signature", bearer(`${createToken().split(".").slice(0, 2).join(".")}.`));
rejects("base64url with padding", bearer(`${createToken()}==`));
const validToken = createToken();
const BASE64URL_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
rejects("signature in non-canonical base64url",
  bearer(validToken.slice(0, -1) + BASE64URL_ALPHABET[BASE64URL_ALPHABET.indexOf(validToken.at(-1)) + 1]));
rejects("JWS header that is an array", bearer(es256Key.signJwt([tokenHeader()], tokenClaims())));
rejects("claims that are an array", bearer(es256Key.signJwt(tokenHeader(), [tokenClaims()])));
rejects("claims that are not JSON", bearer(es256Key.signJwt(tokenHeader(), "{")));
rejects("claims that are not UTF-8", bearer((() => {
  const signingInput = `${base64url(tokenHeader())}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}`;
  return `${signingInput}.${validToken.split(".")[2]}`;
})()));
rejects("token larger than 16 KiB", bearer(createToken({ more: "x".repeat(13_000) })));
rejects("claims of one token with the signature of another",
  bearer(`${createToken({ sub: "eve" }).split(".").slice(0, 2).join(".")}.${createToken().split(".")[2]}`));

// JWS headers that no access token of the issuer has.
for (const typ of ["JWT", "logout+jwt", "dpop+jwt", "application/at+jwt", "AT+JWT", 1, null, undefined]) {
  rejects(describeMember("typ", typ), bearer(createToken({}, { typ })));
}
for (const alg of ["none", "None", "HS256", "RS256", "ES384", "", null, undefined]) {
  rejects(describeMember("alg", alg), bearer(createToken({}, { alg })));
}
rejects("alg \"none\" with an empty signature", bearer(`${base64url(tokenHeader({ alg: "none" }))}.${base64url(tokenClaims())}.`), rejected.invalidToken);
const hs256SigningInput = `${base64url(tokenHeader({ alg: "HS256" }))}.${base64url(tokenClaims())}`;
const signWithHs256 = (secret) => `${hs256SigningInput}.${createHmac("sha256", secret).update(hs256SigningInput).digest("base64url")}`;
rejects("HS256 with the public key as the secret", bearer(signWithHs256(JSON.stringify(es256Key.jwk))));
rejects("kid of a published symmetric key", bearer(createToken({}, { kid: "shared", alg: "HS256" })));
rejects("unknown kid", bearer(createToken({}, { kid: "other" })));
rejects("no kid", bearer(createToken({}, { kid: undefined })));
rejects("kid that is a number", bearer(createToken({}, { kid: 1 })));
rejects("kid that is an inherited object property (constructor)", bearer(createToken({}, { kid: "constructor" })));
rejects("signature by an unpublished key under a known kid", bearer(createToken({}, {}, unpublishedKey)));
rejects("JWK with use \"enc\"", bearer(createToken({}, { kid: "for-encryption" }, misdeclaredKey)));
rejects("JWK without alg", bearer(createToken({}, { kid: "of-no-algorithm" }, misdeclaredKey)));
rejects("JWK with the alg of another key type", bearer(createToken({}, { kid: "of-another-algorithm" }, misdeclaredKey)));
const ES256_AND_EDDSA = { settings: { algorithms: ["ES256", "EdDSA"] } };
rejects("EdDSA signature under the kid of an ES256 key",
  bearer(eddsaKey.signJwt(tokenHeader({ alg: "EdDSA" }), tokenClaims())), rejected.invalidToken, ES256_AND_EDDSA);
rejects("alg \"EdDSA\" over a valid ES256 signature", bearer(createToken({}, { alg: "EdDSA" })), rejected.invalidToken, ES256_AND_EDDSA);
rejects("RS256 signature under the kid of a PS256 key",
  bearer(rs256Key.signJwt(tokenHeader({ alg: "RS256", kid: "ps" }), tokenClaims())), rejected.invalidToken, { settings: { algorithms: ["RS256", "PS256"] } });
rejects("key embedded in the header (jwk)", bearer(createToken({}, { jwk: unpublishedKey.jwk }, unpublishedKey)));
rejects("key embedded in the header (jwk) of a token with a valid signature", bearer(createToken({}, { jwk: es256Key.jwk })));
for (const name of ["jku", "x5u"]) rejects(`key URL in the header (${name})`, bearer(createToken({}, { [name]: "https://evil.example/keys" })));
rejects("certificate chain in the header (x5c)", bearer(createToken({}, { x5c: ["MIIB"] })));
rejects("critical header parameter (crit)", bearer(createToken({}, { crit: ["exp"] })));

// Invalid claims.
for (const name of ["iss", "sub", "aud", "exp", "iat", "jti", "client_id", "scope", "org", "role"]) {
  rejects(`no ${name} claim`, bearer(createToken({ [name]: undefined })));
}
rejects("another issuer", bearer(createToken({ iss: "https://evil.example" })));
rejects("issuer with a trailing slash", bearer(createToken({ iss: `${ISSUER}/` })));
rejects("another audience", bearer(createToken({ aud: "https://files.example" })));
rejects("audience with a trailing slash", bearer(createToken({ aud: `${AUDIENCE}/` })));
rejects("aud with two audiences", bearer(createToken({ aud: [AUDIENCE, "https://files.example"] })));
rejects("aud that is an array of one audience", bearer(createToken({ aud: [AUDIENCE] })));
rejects("token that expired yesterday", bearer(createToken({ exp: NOW - 86_400 })));
rejects("token that expires now", bearer(createToken({ exp: NOW })));
rejects("exp that is a string", bearer(createToken({ exp: String(NOW + 60) })));
rejects("exp with a fraction", bearer(createToken({ exp: NOW + 60.5 })));
rejects("exp that is out of range", bearer(createToken({ exp: 1e300 })));
rejects("nbf beyond the clock leeway", bearer(createToken({ nbf: NOW + 6 })));
rejects("iat beyond the clock leeway", bearer(createToken({ iat: NOW + 6 })));
rejects("nbf that is a string", bearer(createToken({ nbf: "now" })));
rejects("nbf that is null", bearer(createToken({ nbf: null })));
rejects("iat in the future with a clock leeway of zero", bearer(createToken({ iat: NOW + 1 })), rejected.invalidToken, { settings: { clockLeeway: 0 } });
rejects("empty sub", bearer(createToken({ sub: "" })));
rejects("org with two organizations", bearer(createToken({ org: ["acme", "globex"] })));
rejects("org that is null", bearer(createToken({ org: null })));
rejects("empty org", bearer(createToken({ org: "" })));
rejects("scope that is an array", bearer(createToken({ scope: ["invoices:read"] })));
rejects("role that is an array", bearer(createToken({ role: ["clerk"] })));
rejects("six nested actors", bearer(createToken({ act: nestedActors(6) })));
for (const act of [null, "robot", [], {}, { sub: 1 }, { sub: "a", act: null }]) rejects(describeMember("act", act), bearer(createToken({ act })));

// Scopes and organizations.
rejects("scope for another action of the resource", bearer(createToken({ scope: "invoices:send" })), rejected.insufficientScope);
rejects("wildcard scope of another resource", bearer(createToken({ scope: "files:* openid" })), rejected.insufficientScope);
rejects("empty scope where a scope is required", bearer(createToken({ scope: "" })), rejected.insufficientScope);
rejects("prefix of the required scope", bearer(createToken({ scope: "invoices" })), rejected.insufficientScope);
rejects("scope that starts with the required scope", bearer(createToken({ scope: "invoices:reads" })), rejected.insufficientScope);
rejects("wildcard scope for every resource (*:* *)", bearer(createToken({ scope: "*:* *" })), rejected.insufficientScope);
rejects("scope for one action where the wildcard scope is required", bearer(createToken()),
  { ...rejected.insufficientScope, challenges: [`Bearer ${challengeParameters("insufficient_scope", "invoices:*")}`] }, { requirements: { scopes: ["invoices:*"] } });
rejects("one of two required scopes", bearer(createToken()),
  { ...rejected.insufficientScope, challenges: [`Bearer ${challengeParameters("insufficient_scope", "invoices:read invoices:send")}`] },
  { requirements: { scopes: ["invoices:read", "invoices:send"] } });
rejects("token for another organization", bearer(createToken()), rejected.insufficientScope, { requirements: { ...READ_REQUIRED, organization: "globex" } });
rejects("role with the name of the required scope", bearer(createToken({ scope: "openid", role: "invoices:read" })), rejected.insufficientScope);
rejects("expired token without the required scope is invalid_token", bearer(createToken({ scope: "", exp: NOW })));
rejects("no token where no scope is required", REQUEST,
  { status: 401, error: null, challenges: [`Bearer ${challengeParameters(undefined, null)}`, DPOP_CHALLENGE] }, { requirements: {} });

// Certificate-bound tokens (RFC 8705).
const certificateThumbprint = sha256("a certificate");
const certificateConfirmation = { "x5t#S256": certificateThumbprint };
accepts("certificate-bound token with its certificate", bearer(createToken({ cnf: certificateConfirmation }), { certificateThumbprint }));
accepts("unbound token with a certificate", bearer(createToken(), { certificateThumbprint }));
rejects("certificate-bound token without a certificate", bearer(createToken({ cnf: certificateConfirmation })));
rejects("certificate-bound token with another certificate",
  bearer(createToken({ cnf: certificateConfirmation }), { certificateThumbprint: sha256("another") }));
for (const cnf of [{}, null, "x", [], { kid: "x" }, { ...certificateConfirmation, jwk: {} }, { "x5t#S256": "" }, { "x5t#S256": 1 }, { jkt: null }]) {
  rejects(describeMember("cnf", cnf).replace(certificateThumbprint, "…"), bearer(createToken({ cnf }), { certificateThumbprint }));
}

// DPoP-bound tokens (RFC 9449).
const [proofKey, otherProofKey] = [createSigningKey("ES256"), createSigningKey("ES256")];
const createDpopBoundToken = (key = proofKey, claims = {}) => createToken({ cnf: { jkt: key.thumbprint }, ...claims });
let proofCount = 0;
const proofClaims = (token, overrides = {}) => ({
  htm: "GET", htu: "https://books.example/invoices", iat: NOW, jti: `proof-${(proofCount += 1)}`, ath: sha256(token), ...overrides,
});
const proofHeader = (key, overrides = {}) => ({ typ: "dpop+jwt", alg: key.alg, jwk: key.jwk, ...overrides });
const createProof = (token, claims, header, key = proofKey) => key.signJwt(proofHeader(key, header), proofClaims(token, claims));
const dpop = (token, proof, overrides = {}) => ({ ...REQUEST, authorization: `DPoP ${token}`, dpop: proof, ...overrides });
const boundToken = createDpopBoundToken();

for (const key of [proofKey, createSigningKey("EdDSA"), createSigningKey("PS256"), createSigningKey("RS256")]) {
  const token = createDpopBoundToken(key);
  accepts(`DPoP proof signed with ${key.alg}`, dpop(token, createProof(token, {}, {}, key)));
}
const acceptsProof = (name, claims, overrides = {}) => accepts(`DPoP proof ${name}`, dpop(boundToken, createProof(boundToken, claims), overrides));
acceptsProof("issued 60 seconds ago", { iat: NOW - 60 });
acceptsProof("issued 15 seconds in the future", { iat: NOW + 15 });
acceptsProof("that expires in one second", { exp: NOW + 1, nbf: NOW });
acceptsProof("with a nonce and an unknown claim", { nonce: "x", more: 1 });
acceptsProof("whose htu has a query and a fragment, which are ignored", { htu: "https://books.example/invoices?a=b#c" });
acceptsProof("for a request with a query", {}, { path: "/invoices?page=2" });
acceptsProof("whose htu has the scheme and host in uppercase and the default port", { htu: "HTTPS://BOOKS.example:443/invoices" });
acceptsProof("whose htu has dot segments and unnecessary percent-encoding", { htu: "https://books.example/x/../%69nvoices" });
acceptsProof("whose htu has percent-encoding in lowercase", { htu: "https://books.example/a%2fb" }, { path: "/a%2Fb" });
acceptsProof("with a jti of 256 bytes", { jti: "x".repeat(256) });
acceptsProof("for a POST request", { htm: "POST" }, { method: "POST" });
accepts("DPoP scheme in lowercase", { ...dpop(boundToken, createProof(boundToken)), authorization: `dpop ${boundToken}` });
accepts("DPoP proof for a base URL with a path",
  dpop(boundToken, createProof(boundToken, { htu: "https://gate.example/books/invoices" })), verified(), { settings: { baseUrl: "https://gate.example/books/" } });
const doublyBoundToken = createDpopBoundToken(proofKey, { cnf: { jkt: proofKey.thumbprint, ...certificateConfirmation } });
accepts("DPoP-bound and certificate-bound token with its proof and certificate",
  dpop(doublyBoundToken, createProof(doublyBoundToken), { certificateThumbprint }));
rejects("DPoP-bound and certificate-bound token without its certificate",
  dpop(doublyBoundToken, createProof(doublyBoundToken)), rejected.dpop("invalid_token"));
rejects("DPoP-bound and certificate-bound token with the Bearer scheme and its certificate", bearer(doublyBoundToken, { certificateThumbprint }));

rejects("DPoP-bound token with the Bearer scheme", bearer(boundToken));
rejects("DPoP-bound token with the Bearer scheme and its proof", { ...dpop(boundToken, createProof(boundToken)), authorization: `Bearer ${boundToken}` });
const unboundToken = createToken();
rejects("unbound token with the DPoP scheme", dpop(unboundToken, createProof(unboundToken)), rejected.dpop("invalid_token"));
rejects("DPoP proof signed with another key", dpop(boundToken, createProof(boundToken, {}, {}, otherProofKey)), rejected.dpop("invalid_token"));
rejects("DPoP-bound token without the required scope", (() => {
  const token = createDpopBoundToken(proofKey, { scope: "openid" });
  return dpop(token, createProof(token));
})(), rejected.dpop("insufficient_scope", 403));
rejects("expired DPoP-bound token", (() => {
  const token = createDpopBoundToken(proofKey, { exp: NOW });
  return dpop(token, createProof(token));
})(), rejected.dpop("invalid_token"));
const rejectsProof = (name, proof, overrides = {}) =>
  rejects(`DPoP proof ${name}`, dpop(boundToken, proof, overrides), rejected.dpop("invalid_dpop_proof"));
rejectsProof("that is missing", undefined);
rejectsProof("that is empty", "");
rejectsProof("followed by a second one", `${createProof(boundToken)}, ${createProof(boundToken)}`);
rejectsProof("that is not a JWS", "abc");
rejectsProof("that is the access token", boundToken);
for (const name of ["htm", "htu", "iat", "jti", "ath"]) rejectsProof(`without ${name}`, createProof(boundToken, { [name]: undefined }));
rejectsProof("for another method", createProof(boundToken, { htm: "POST" }));
rejectsProof("whose htm is in lowercase", createProof(boundToken, { htm: "get" }));
rejectsProof("for another path", createProof(boundToken, { htu: "https://books.example/invoices/1" }));
rejectsProof("for another host", createProof(boundToken, { htu: "https://evil.example/invoices" }));
rejectsProof("for another port", createProof(boundToken, { htu: "https://books.example:8443/invoices" }));
rejectsProof("for http instead of https", createProof(boundToken, { htu: "http://books.example/invoices" }));
rejectsProof("whose htu has a username", createProof(boundToken, { htu: "https://ana@books.example/invoices" }));
rejectsProof("whose htu has truncated percent-encoding", createProof(boundToken, { htu: "https://books.example/invoices%2" }));
rejectsProof("whose htu is not an absolute URL", createProof(boundToken, { htu: "invoices" }));
rejectsProof("whose htu has a leading space", createProof(boundToken, { htu: " https://books.example/invoices" }));
rejectsProof("whose htu has a percent-encoded slash after the host", createProof(boundToken, { htu: "https://books.example%2Finvoices" }));
rejectsProof("whose htu has a percent-encoded slash in place of a slash", createProof(boundToken, { htu: "https://books.example/a%2Fb" }), { path: "/a/b" });
rejectsProof("for a request path that would change the host", createProof(boundToken, { htu: "https://books.example.evil.example/" }), { path: ".evil.example/" });
rejectsProof("whose ath is of another token", createProof(createDpopBoundToken(proofKey, { jti: "other" })));
rejectsProof("whose ath is in hexadecimal", createProof(boundToken, { ath: createHash("sha256").update(boundToken).digest("hex") }));
rejectsProof("issued 61 seconds ago", createProof(boundToken, { iat: NOW - 61 }));
rejectsProof("issued 16 seconds in the future", createProof(boundToken, { iat: NOW + 16 }));
rejectsProof("that has expired", createProof(boundToken, { exp: NOW }));
rejectsProof("that is not yet valid", createProof(boundToken, { nbf: NOW + 16 }));
rejectsProof("whose iat is a string", createProof(boundToken, { iat: String(NOW) }));
rejectsProof("whose exp is a string", createProof(boundToken, { exp: "later" }));
rejectsProof("with an empty jti", createProof(boundToken, { jti: "" }));
rejectsProof("with a jti of 257 bytes", createProof(boundToken, { jti: "x".repeat(257) }));
rejectsProof("whose jti is a number", createProof(boundToken, { jti: 1 }));
rejectsProof("larger than 8 KiB", createProof(boundToken, { more: "x".repeat(8000) }));
rejectsProof("with a truncated signature", createProof(boundToken).slice(0, -4));
rejectsProof("with typ \"JWT\"", createProof(boundToken, {}, { typ: "JWT" }));
rejectsProof("without typ", createProof(boundToken, {}, { typ: undefined }));
rejectsProof("with alg \"none\"", createProof(boundToken, {}, { alg: "none" }));
rejectsProof("with the alg of another key type", createProof(boundToken, {}, { alg: "EdDSA" }));
rejectsProof("with a symmetric key", createProof(boundToken, {}, { alg: "HS256", jwk: { kty: "oct", k: "c2VjcmV0" } }));
rejectsProof("without jwk", createProof(boundToken, {}, { jwk: undefined }));
rejectsProof("whose jwk is a string", createProof(boundToken, {}, { jwk: "key" }));
rejectsProof("whose jwk contains the private key", createProof(boundToken, {}, { jwk: proofKey.privateJwk }));
rejectsProof("whose jwk is not the key that signed it", createProof(boundToken, {}, { jwk: otherProofKey.jwk }));
rejectsProof("whose jwk has another curve", createProof(boundToken, {}, { jwk: generateKeyPair("P-384").publicKey.export({ format: "jwk" }) }));
rejectsProof("whose jwk is a point that is not on the curve", createProof(boundToken, {}, { jwk: { ...proofKey.jwk, y: proofKey.jwk.x } }));
rejectsProof("with a key URL (jku)", createProof(boundToken, {}, { jku: "https://evil.example" }));
rejectsProof("with a critical header parameter (crit)", createProof(boundToken, {}, { crit: ["iat"] }));
for (const alg of ["RS256", "PS256"]) {
  const shortKey = createSigningKey(alg, 1024);
  const token = createDpopBoundToken(shortKey);
  rejects(`DPoP proof signed with ${alg} and a 1024-bit key`, dpop(token, createProof(token, {}, {}, shortKey)), rejected.dpop("invalid_dpop_proof"));
}

const replayedProof = createProof(boundToken, { jti: "once" });
addCase("DPoP proof is accepted once", [
  { credentials: dpop(boundToken, replayedProof), requirements: READ_REQUIRED, verified: verified() },
  { credentials: dpop(boundToken, replayedProof), requirements: READ_REQUIRED, rejected: rejected.dpop("invalid_dpop_proof") },
  {
    credentials: dpop(boundToken, createProof(boundToken, { jti: "once", iat: NOW - 1 })),
    requirements: READ_REQUIRED,
    rejected: rejected.dpop("invalid_dpop_proof"),
  },
  { credentials: dpop(boundToken, createProof(boundToken)), requirements: READ_REQUIRED, verified: verified() },
]);
const rejectedProof = createProof(boundToken);
addCase("DPoP proof that was rejected is not recorded as used", [
  { credentials: dpop(boundToken, rejectedProof, { method: "POST" }), requirements: READ_REQUIRED, rejected: rejected.dpop("invalid_dpop_proof") },
  { credentials: dpop(boundToken, rejectedProof), requirements: READ_REQUIRED, verified: verified() },
]);
const insufficientScope = { ...rejected.dpop("insufficient_scope", 403) };
insufficientScope.challenges = [`DPoP ${challengeParameters("insufficient_scope", "invoices:send")}, algs="${ALGORITHMS}"`];
const insufficientScopeProof = createProof(boundToken);
addCase("DPoP proof of a request with insufficient scope is not recorded as used", [
  { credentials: dpop(boundToken, insufficientScopeProof), requirements: { scopes: ["invoices:send"] }, rejected: insufficientScope },
  { credentials: dpop(boundToken, insufficientScopeProof), requirements: READ_REQUIRED, verified: verified() },
  { credentials: dpop(boundToken, insufficientScopeProof), requirements: READ_REQUIRED, rejected: rejected.dpop("invalid_dpop_proof") },
]);
const otherBoundToken = createDpopBoundToken(otherProofKey);
addCase("DPoP proofs of two keys may have the same jti", [
  { credentials: dpop(boundToken, createProof(boundToken, { jti: "same" })), requirements: READ_REQUIRED, verified: verified() },
  {
    credentials: dpop(otherBoundToken, createProof(otherBoundToken, { jti: "same" }, {}, otherProofKey)),
    requirements: READ_REQUIRED,
    verified: verified(),
  },
]);

// For tests over time: tokens with a lifetime of one day, and the keys after a rotation.
const [nextKey, expiresTomorrow] = [createSigningKey("ES256"), { exp: NOW + 86_400 }];
const longLivedTokens = { current: createToken(expiresTomorrow), next: createToken(expiresTomorrow, { kid: "next" }, nextKey) };
const rotatedKeys = { keys: [publicJwk(nextKey, "next")] };

const names = cases.map(({ name }) => name);
const duplicates = names.filter((name, at) => names.indexOf(name) !== at);
if (duplicates.length > 0) throw new Error(`two cases with the same name: ${duplicates}`);
const vectors = { now: NOW, issuer: ISSUER, audience: AUDIENCE, keys: jwks, rotatedKeys, longLivedTokens, cases };
writeFileSync(new URL("access_tokens.json", import.meta.url), `${JSON.stringify(vectors, null, 1)}\n`);
console.log(`${cases.length} cases`);
