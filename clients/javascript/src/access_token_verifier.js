// Verifies access tokens of a Sinete issuer (RFC 9068): signature, type, issuer, audience, time and sender constraint,
// then the organization and the permissions that the request requires.

import { ClientAuthenticator } from "./client_authentication.js";
import { MemoryReplayCache, normalizeHtu, verifyProof } from "./dpop.js";
import { getText, getTime, isObject, ownMember } from "./encoding.js";
import { IssuerClient } from "./issuer_client.js";
import { JwksCache } from "./jwks_cache.js";
import { reject, unavailable } from "./request_rejected.js";
import { ALGORITHMS, hasForbiddenHeader, parseJwt } from "./signatures.js";

const TOKEN_BYTES_MAX = 16_384;
const ACTORS_MAX = 5;
const LEEWAY_SECONDS_MAX = 60;

/** The claims of a verified access token. */
export class VerifiedAccessToken {
  constructor(members) {
    Object.assign(this, members);
    Object.freeze(this);
  }

  /** Whether the scope contains this permission, or every action of its resource (`invoices:*`). */
  hasPermission(permission) {
    const at = permission.indexOf(":");
    const all = at < 0 ? undefined : `${permission.slice(0, at)}:*`;
    return this.scopes.some((scope) => scope === permission || scope === all);
  }
}

/** Verifies the access tokens of one API (OAuth resource server). */
export class AccessTokenVerifier {
  #issuer;
  #jwks;
  #audience;
  #baseUrl;
  #metadata;
  #algorithms;
  #leeway;
  #replayCache;
  #introspection;

  constructor(settings) {
    const { audience, resourceMetadata, algorithms = ["ES256"], clockLeeway = 5 } = settings;
    this.#issuer = new IssuerClient(settings);
    this.#jwks = new JwksCache(this.#issuer);
    if (typeof audience !== "string" || !URL.canParse(audience)) throw new TypeError("audience must be the URI of the API");
    const url = new URL(audience);
    const isWeb = ["http:", "https:"].includes(url.protocol);
    const baseUrl = settings.baseUrl ?? (isWeb ? url.origin : undefined);
    if (baseUrl === undefined || /[?#]/.test(baseUrl) || normalizeHtu(baseUrl) === undefined) {
      throw new TypeError("baseUrl must be the URL at which clients reach the API: DPoP proofs contain it");
    }
    if (algorithms.length === 0 || !algorithms.every((name) => ALGORITHMS.includes(name))) {
      throw new TypeError(`algorithms must be some of ${ALGORITHMS.join(", ")}`);
    }
    if (!Number.isInteger(clockLeeway) || clockLeeway < 0 || clockLeeway > LEEWAY_SECONDS_MAX) {
      throw new TypeError(`clockLeeway must be a number of seconds from 0 to ${LEEWAY_SECONDS_MAX}`);
    }
    const path = url.pathname === "/" ? "" : url.pathname;
    const wellKnown = isWeb ? `${url.origin}/.well-known/oauth-protected-resource${path}${url.search}` : undefined;
    this.#audience = audience;
    this.#baseUrl = baseUrl.replace(/\/$/, "");
    this.#metadata = resourceMetadata ?? wellKnown;
    this.#algorithms = [...algorithms];
    this.#leeway = clockLeeway;
    this.#replayCache = settings.replayCache ?? new MemoryReplayCache();
    const { introspection } = settings;
    this.#introspection = introspection === undefined ? undefined : new ClientAuthenticator(introspection);
  }

  /**
   * Returns the verified token if the request may proceed; throws `RequestRejectedError` otherwise. `credentials` is
   * `{method, path, authorization, dpop, certificateThumbprint}`; `readCredentials` makes it from a request.
   */
  async verify(credentials, requirements = {}) {
    const { scopes, organization } = validateRequirements(requirements);
    const { scheme, token } = parseAuthorization(credentials.authorization);
    const rejection = (error, reason) => reject({ error, scheme, scopes, metadata: this.#metadata }, reason);
    if (scheme === undefined) throw rejection(undefined, "the request has no access token");
    const claims = await this.#verifyToken(token, (reason) => rejection("invalid_token", reason));
    let verified = readClaims(claims);
    if (verified === undefined) throw rejection("invalid_token", "a claim is missing or malformed");
    const proof = await this.#verifyBinding({ credentials, scheme, token, claims, rejection });
    if (this.#introspection !== undefined) {
      verified = await this.#introspect(token, claims);
      if (verified === undefined) throw rejection("invalid_token", "the token is not active");
    }
    if (organization !== undefined && verified.organization !== organization) {
      throw rejection("insufficient_scope", "the token is for another organization");
    }
    if (!scopes.every((scope) => verified.hasPermission(scope))) {
      throw rejection("insufficient_scope", "the token lacks a required permission");
    }
    if (proof !== undefined) await this.#recordProof(proof, rejection);
    return verified;
  }

  async #verifyToken(token, invalid) {
    const jwt = parseJwt(token, TOKEN_BYTES_MAX);
    if (jwt === undefined) throw invalid("not a signed JWT");
    const { header, claims, signature, signed } = jwt;
    const [kid, algorithm] = [getText(header, "kid"), getText(header, "alg")];
    if (hasForbiddenHeader(header) || ownMember(header, "typ") !== "at+jwt") throw invalid("not an access token (typ)");
    if (!this.#algorithms.includes(algorithm)) throw invalid("the signature algorithm is not accepted");
    if (kid === undefined) throw invalid("the token has no kid");
    let key;
    try {
      key = await this.#jwks.find(kid);
    } catch (error) {
      throw unavailable(error.message);
    }
    if (key === undefined) throw invalid("the kid is unknown");
    if (key.algorithm !== algorithm) throw invalid("alg is not the algorithm of the key");
    if (!(await key.verify(signed, signature))) throw invalid("the signature is wrong");
    if (ownMember(claims, "iss") !== this.#issuer.issuer) throw invalid("the token is from another issuer");
    if (ownMember(claims, "aud") !== this.#audience) throw invalid("the token is for another audience");
    const wrong = checkTimes(claims, this.#issuer.now(), this.#leeway);
    if (wrong !== undefined) throw invalid(wrong);
    return claims;
  }

  /** Checks that the sender holds the key or certificate of the token; returns what the replay cache must record. */
  async #verifyBinding({ credentials, scheme, token, claims, rejection }) {
    const binding = readBinding(claims);
    if (binding === undefined) throw rejection("invalid_token", "the token has an unknown confirmation method (cnf)");
    if ((scheme === "dpop") !== (binding.key !== undefined)) {
      throw rejection("invalid_token", "the authentication scheme does not match the sender constraint");
    }
    if (binding.certificate !== undefined && binding.certificate !== credentials.certificateThumbprint) {
      throw rejection("invalid_token", "the client certificate of the token was not presented");
    }
    if (binding.key === undefined) return undefined;
    const { dpop, method } = credentials;
    if (typeof dpop !== "string" || dpop === "") throw rejection("invalid_dpop_proof", "the DPoP header is missing");
    const path = typeof credentials.path === "string" && credentials.path.startsWith("/") ? credentials.path : undefined;
    const url = path === undefined ? undefined : normalizeHtu(`${this.#baseUrl}${path}`);
    if (url === undefined) throw rejection("invalid_dpop_proof", "the request has no URL");
    const now = this.#issuer.now();
    const { id, until, wrong, isKeyMismatch } = await verifyProof(dpop, { method, url, token, jkt: binding.key, now });
    if (isKeyMismatch) throw rejection("invalid_token", wrong);
    if (wrong !== undefined) throw rejection("invalid_dpop_proof", wrong);
    return { id, until, now, key: binding.key };
  }

  /** Comes last, so that only an accepted request consumes its proof. */
  async #recordProof({ id, until, now, key }, rejection) {
    let isFirst;
    try {
      isFirst = await this.#replayCache.recordFirstUse(id, until, now, key);
    } catch (error) {
      throw unavailable(error.message);
    }
    if (isFirst !== true) throw rejection("invalid_dpop_proof", "the proof was used before");
  }

  /** Asks the issuer whether the token is active now (RFC 7662). */
  async #introspect(token, claims) {
    let response;
    try {
      const url = await this.#issuer.endpoint("introspection_endpoint");
      const { headers, form } = await this.#introspection.authenticate(this.#issuer.issuer, this.#issuer.now());
      const body = new URLSearchParams({ token, token_type_hint: "access_token", ...form });
      response = await this.#issuer.send(url, { method: "POST", headers, body });
    } catch (error) {
      throw unavailable(error.message);
    }
    const { status, json } = response;
    if (status !== 200 || !isObject(json)) throw unavailable(`the introspection endpoint answered ${status}`);
    const isSame = ["iss", "sub", "aud", "org"].every((name) => ownMember(json, name) === claims[name]);
    if (json.active !== true || !isSame) return undefined;
    return readClaims({ ...claims, scope: ownMember(json, "scope") ?? "", role: ownMember(json, "role") ?? "" });
  }
}

/** A requirement that is present and empty is a programming error, which must not grant access. */
function validateRequirements(requirements) {
  const isText = (value) => typeof value === "string" && value !== "";
  const { scopes = [], organization } = requirements;
  if ("organization" in requirements && !isText(organization)) throw new TypeError("organization must not be empty");
  const isMissing = "scopes" in requirements && requirements.scopes === undefined;
  if (isMissing || !Array.isArray(scopes) || !scopes.every(isText)) {
    throw new TypeError("scopes must be a list of permissions");
  }
  return { scopes, organization };
}

/** Splits `Authorization` into its scheme and token. */
function parseAuthorization(authorization) {
  if (typeof authorization !== "string") return {};
  const at = authorization.indexOf(" ");
  const scheme = (at < 0 ? authorization : authorization.slice(0, at)).toLowerCase();
  if (!["bearer", "dpop"].includes(scheme)) return {};
  return { scheme, token: at < 0 ? "" : authorization.slice(at + 1).trim() };
}

/** Returns what is wrong with `exp`, `iat` or `nbf`. Expiry has no leeway. */
function checkTimes(claims, now, leeway) {
  const [exp, iat, nbf] = ["exp", "iat", "nbf"].map((name) => getTime(claims, name));
  if (exp === undefined || iat === undefined || (Object.hasOwn(claims, "nbf") && nbf === undefined)) {
    return "a time is missing or malformed";
  }
  if (exp <= now) return "the token has expired";
  if (iat > now + leeway || (nbf !== undefined && nbf > now + leeway)) return "the token is not valid yet";
  return undefined;
}

const splitWords = (text) => text.split(" ").filter((word) => word !== "");

/** Returns nothing where a claim that every access token has is missing. */
function readClaims(claims) {
  const [subject, organization, clientId, tokenId] = ["sub", "org", "client_id", "jti"].map((name) => getText(claims, name));
  const [scope, role] = [ownMember(claims, "scope"), ownMember(claims, "role")];
  const actors = readActors(ownMember(claims, "act"));
  const isComplete = [subject, organization, clientId, tokenId, actors].every((it) => it !== undefined);
  if (!isComplete || typeof scope !== "string" || typeof role !== "string") return undefined;
  const [scopes, roles] = [splitWords(scope), splitWords(role)];
  const acr = getText(claims, "acr");
  return new VerifiedAccessToken({
    subject, organization, clientId, scopes, roles, actors, tokenId, acr, expiresAt: claims.exp, claims,
  });
}

/** Reads the chain of actors, the current one first (RFC 8693 §4.1). */
function readActors(act) {
  const actors = [];
  for (let actor = act; actor !== undefined; actor = ownMember(actor, "act")) {
    const subject = isObject(actor) ? getText(actor, "sub") : undefined;
    if (subject === undefined || actors.length === ACTORS_MAX) return undefined;
    const profile = getText(actor, "sub_profile");
    actors.push(profile === undefined ? { subject } : { subject, profile });
  }
  return actors;
}

/** Returns what the token is bound to, or nothing where `cnf` contains a method that cannot be checked here. */
function readBinding(claims) {
  if (!Object.hasOwn(claims, "cnf")) return {};
  const cnf = claims.cnf;
  if (!isObject(cnf)) return undefined;
  const names = Object.keys(cnf);
  const isKnown = names.length > 0 && names.every((name) => ["jkt", "x5t#S256"].includes(name) && getText(cnf, name));
  return isKnown ? { key: cnf.jkt, certificate: cnf["x5t#S256"] } : undefined;
}

/**
 * Reads the credentials of a web `Request` or of a Node `IncomingMessage`. Pass the SHA-256 thumbprint of the client
 * certificate yourself (DER, base64url). Never throws: a request target without a path yields an empty path, for which no
 * proof is valid.
 */
export function readCredentials(request, certificateThumbprint) {
  const { method, headers } = request;
  // Express removes the mount path from `url` in a mounted router.
  const target = request.originalUrl ?? request.url ?? "";
  const header = (name) => {
    if (typeof headers.get === "function") return headers.get(name) ?? undefined;
    // Node keeps the first of two `Authorization` headers, which would hide the second.
    return request.headersDistinct?.[name]?.join(", ") ?? headers[name];
  };
  const [authorization, dpop] = [header("authorization"), header("dpop")];
  return { method, path: requestPath(target), authorization, dpop, certificateThumbprint };
}

function requestPath(target) {
  if (target.startsWith("/")) return target;
  const path = URL.canParse(target) ? new URL(target).pathname : "";
  return path.startsWith("/") ? path : "";
}
