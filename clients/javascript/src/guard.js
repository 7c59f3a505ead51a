// What an API does with an access token of Sinete (RFC 9068): signature, type, issuer, audience, time, what it is bound
// to, and then the organization and the scope.

import { Client } from "./client.js";
import { isObject, own, textIn, timeIn } from "./encoding.js";
import { Keys } from "./keys.js";
import { MemoryReplays, addressOf, judge } from "./proofs.js";
import { refusal, unavailable } from "./refused.js";
import { Service } from "./service.js";
import { ALGORITHMS, isStrange, parts } from "./signatures.js";

const TOKEN_BYTES_MAX = 16_384;
const ACTORS_MAX = 5;
const LEEWAY_SECONDS_MAX = 60;

/** Who a token speaks for, where, and for what. */
export class Identity {
  constructor(members) {
    Object.assign(this, members);
    Object.freeze(this);
  }

  /** Whether the token allows this: it names the permission, or all actions of its resource. */
  allows(permission) {
    const at = permission.indexOf(":");
    const all = at < 0 ? undefined : `${permission.slice(0, at)}:*`;
    return this.scopes.some((scope) => scope === permission || scope === all);
  }
}

/** Guards one API behind one instance. */
export class Guard {
  #service;
  #keys;
  #audience;
  #address;
  #metadata;
  #algorithms;
  #leeway;
  #replays;
  #introspection;

  constructor(settings) {
    const { audience, address, resourceMetadata, algorithms = ["ES256"], leeway = 5 } = settings;
    this.#service = new Service(settings);
    this.#keys = new Keys(this.#service);
    if (typeof audience !== "string" || !URL.canParse(audience)) throw new TypeError("audience is the URI of the API");
    const url = new URL(audience);
    const isWeb = ["http:", "https:"].includes(url.protocol);
    const stands = address ?? (isWeb ? url.origin : undefined);
    if (stands === undefined || /[?#]/.test(stands) || addressOf(stands) === undefined) {
      throw new TypeError("address is where clients reach the API: proofs of keys name it");
    }
    if (algorithms.length === 0 || !algorithms.every((name) => ALGORITHMS.includes(name))) {
      throw new TypeError(`algorithms are some of ${ALGORITHMS.join(", ")}`);
    }
    if (!Number.isInteger(leeway) || leeway < 0 || leeway > LEEWAY_SECONDS_MAX) {
      throw new TypeError(`leeway is a number of seconds up to ${LEEWAY_SECONDS_MAX}`);
    }
    const path = url.pathname === "/" ? "" : url.pathname;
    const usual = isWeb ? `${url.origin}/.well-known/oauth-protected-resource${path}${url.search}` : undefined;
    this.#audience = audience;
    this.#address = stands.replace(/\/$/, "");
    this.#metadata = resourceMetadata ?? usual;
    this.#algorithms = [...algorithms];
    this.#leeway = leeway;
    this.#replays = settings.replays ?? new MemoryReplays();
    this.#introspection = settings.introspection === undefined ? undefined : new Client(settings.introspection);
  }

  /**
   * Who asks, if the request shows a token that counts and holds what is needed. Everything else is thrown as `Refused`.
   * `shown` is `{method, path, authorization, dpop, certificate}`; `shownBy` makes it of a request.
   */
  async check(shown, needs = {}) {
    const { scopes, organization } = needed(needs);
    const { scheme, token } = credential(shown.authorization);
    const refuse = (error, reason) => refusal({ error, scheme, needs: scopes, metadata: this.#metadata }, reason);
    if (scheme === undefined) throw refuse(undefined, "the request shows no token");
    const claims = await this.#verified(token, (reason) => refuse("invalid_token", reason));
    let identity = identified(claims);
    if (identity === undefined) throw refuse("invalid_token", "a claim is missing or malformed");
    const proof = await this.#bound({ shown, scheme, token, claims, refuse });
    if (this.#introspection !== undefined) {
      identity = await this.#asked(token, claims);
      if (identity === undefined) throw refuse("invalid_token", "the token counts no more");
    }
    if (organization !== undefined && identity.organization !== organization) {
      throw refuse("insufficient_scope", "the token speaks for another organization");
    }
    if (!scopes.every((scope) => identity.allows(scope))) throw refuse("insufficient_scope", "the token allows less");
    if (proof !== undefined) await this.#remember(proof, refuse);
    return identity;
  }

  async #verified(token, refuse) {
    const read = parts(token, TOKEN_BYTES_MAX);
    if (read === undefined) throw refuse("the text is no signed token");
    const { header, claims, signature, signed } = read;
    const [kid, algorithm] = [textIn(header, "kid"), textIn(header, "alg")];
    if (isStrange(header) || own(header, "typ") !== "at+jwt") throw refuse("the token is of another type");
    if (!this.#algorithms.includes(algorithm)) throw refuse("the algorithm is not one of those accepted here");
    if (kid === undefined) throw refuse("the token names no key");
    let key;
    try {
      key = await this.#keys.find(kid);
    } catch (error) {
      throw unavailable(error.message);
    }
    if (key === undefined) throw refuse("the token names an unknown key");
    if (key.algorithm !== algorithm) throw refuse("the token names another algorithm than its key's");
    if (!(await key.verify(signed, signature))) throw refuse("the signature is wrong");
    if (own(claims, "iss") !== this.#service.issuer) throw refuse("the token is from another issuer");
    if (own(claims, "aud") !== this.#audience) throw refuse("the token is for another audience");
    const wrong = untimely(claims, this.#service.now(), this.#leeway);
    if (wrong !== undefined) throw refuse(wrong);
    return claims;
  }

  /** Whether whoever shows the token is whom it was issued to, and what must be remembered of the proof. */
  async #bound({ shown, scheme, token, claims, refuse }) {
    const binding = bindingOf(claims);
    if (binding === undefined) throw refuse("invalid_token", "the token is bound to something unknown");
    if ((scheme === "dpop") !== (binding.key !== undefined)) {
      throw refuse("invalid_token", "the scheme is not that of what the token is bound to");
    }
    if (binding.certificate !== undefined && binding.certificate !== shown.certificate) {
      throw refuse("invalid_token", "the certificate of the token was not shown");
    }
    if (binding.key === undefined) return undefined;
    if (typeof shown.dpop !== "string" || shown.dpop === "") throw refuse("invalid_dpop_proof", "there is no proof");
    const path = typeof shown.path === "string" && shown.path.startsWith("/") ? shown.path : undefined;
    const address = path === undefined ? undefined : addressOf(`${this.#address}${path}`);
    if (address === undefined) throw refuse("invalid_dpop_proof", "the request has no address");
    const [now, { method }] = [this.#service.now(), shown];
    const { id, until, wrong, isAnotherKey } = await judge(shown.dpop, { method, address, token, jkt: binding.key, now });
    if (isAnotherKey) throw refuse("invalid_token", wrong);
    if (wrong !== undefined) throw refuse("invalid_dpop_proof", wrong);
    return { id, until, now, key: binding.key };
  }

  /** Comes last: a proof is used up by the request that it lets in, and by no other. */
  async #remember({ id, until, now, key }, refuse) {
    let isFirst;
    try {
      isFirst = await this.#replays.use(id, until, now, key);
    } catch (error) {
      throw unavailable(error.message);
    }
    if (isFirst !== true) throw refuse("invalid_dpop_proof", "the proof was used before");
  }

  /** What the instance says of the token at this moment (RFC 7662). */
  async #asked(token, claims) {
    let answer;
    try {
      const address = await this.#service.endpoint("introspection_endpoint");
      const { headers, form } = await this.#introspection.proof(this.#service.issuer, this.#service.now());
      const body = new URLSearchParams({ token, token_type_hint: "access_token", ...form });
      answer = await this.#service.ask(address, { method: "POST", headers, body });
    } catch (error) {
      throw unavailable(error.message);
    }
    if (answer.status !== 200 || !isObject(answer.json)) throw unavailable(`introspection answered ${answer.status}`);
    const same = ["iss", "sub", "aud", "org"].every((name) => own(answer.json, name) === claims[name]);
    if (answer.json.active !== true || !same) return undefined;
    return identified({ ...claims, scope: own(answer.json, "scope") ?? "", role: own(answer.json, "role") ?? "" });
  }
}

/** What is needed. What is said and is nothing is a mistake, which must not let anybody in. */
function needed(needs) {
  const isText = (value) => typeof value === "string" && value !== "";
  const { scopes = [], organization } = needs;
  if ("organization" in needs && !isText(organization)) throw new TypeError("organization is said, and is none");
  if (("scopes" in needs && needs.scopes === undefined) || !Array.isArray(scopes) || !scopes.every(isText)) {
    throw new TypeError("scopes are said, and are none");
  }
  return { scopes, organization };
}

/** What a request shows in `Authorization`. */
function credential(authorization) {
  if (typeof authorization !== "string") return {};
  const at = authorization.indexOf(" ");
  const scheme = (at < 0 ? authorization : authorization.slice(0, at)).toLowerCase();
  if (!["bearer", "dpop"].includes(scheme)) return {};
  return { scheme, token: at < 0 ? "" : authorization.slice(at + 1).trim() };
}

/** Why the token does not count at this moment. Its end is kept to the second; its beginning may lie a little ahead. */
function untimely(claims, now, leeway) {
  const [exp, iat, nbf] = ["exp", "iat", "nbf"].map((name) => timeIn(claims, name));
  if (exp === undefined || iat === undefined || (Object.hasOwn(claims, "nbf") && nbf === undefined)) {
    return "a time is missing or malformed";
  }
  if (exp <= now) return "the token has expired";
  if (iat > now + leeway || (nbf !== undefined && nbf > now + leeway)) return "the token does not count yet";
  return undefined;
}

const words = (text) => text.split(" ").filter((word) => word !== "");

/** What the claims say, or nothing where one that every token has is missing. */
function identified(claims) {
  const [subject, organization, client, id] = ["sub", "org", "client_id", "jti"].map((name) => textIn(claims, name));
  const [scope, role] = [own(claims, "scope"), own(claims, "role")];
  const actors = actorsIn(own(claims, "act"));
  const isWhole = [subject, organization, client, id, actors].every((it) => it !== undefined);
  if (!isWhole || typeof scope !== "string" || typeof role !== "string") return undefined;
  const [scopes, roles] = [words(scope), words(role)];
  const assurance = textIn(claims, "acr");
  return new Identity({
    subject, organization, client, scopes, roles, actors, id, assurance, expiresAt: claims.exp, claims,
  });
}

/** Who acts for the subject, the one who holds the token first (RFC 8693 §4.1). */
function actorsIn(act) {
  const actors = [];
  for (let actor = act; actor !== undefined; actor = own(actor, "act")) {
    const subject = isObject(actor) ? textIn(actor, "sub") : undefined;
    if (subject === undefined || actors.length === ACTORS_MAX) return undefined;
    const profile = textIn(actor, "sub_profile");
    actors.push(profile === undefined ? { subject } : { subject, profile });
  }
  return actors;
}

/** What the token is bound to; nothing where that is something we could not check. */
function bindingOf(claims) {
  if (!Object.hasOwn(claims, "cnf")) return {};
  const cnf = claims.cnf;
  if (!isObject(cnf)) return undefined;
  const names = Object.keys(cnf);
  const isKnown = names.length > 0 && names.every((name) => ["jkt", "x5t#S256"].includes(name) && textIn(cnf, name));
  return isKnown ? { key: cnf.jkt, certificate: cnf["x5t#S256"] } : undefined;
}

/**
 * What a request shows: a `Request` of the web, or an `IncomingMessage` of Node. A certificate that the connection
 * showed is yours to add, as the SHA-256 of its DER in base64url. Whatever a request names as its target, this throws
 * nothing: a target without a path has an empty one, which no proof is for.
 */
export function shownBy(request, certificate) {
  const { method, headers } = request;
  // Where a router is mounted below a path, `url` lacks that path.
  const target = request.originalUrl ?? request.url ?? "";
  const header = (name) => {
    if (typeof headers.get === "function") return headers.get(name) ?? undefined;
    // Node keeps the first of two `Authorization` headers, and would hide the second.
    return request.headersDistinct?.[name]?.join(", ") ?? headers[name];
  };
  return { method, path: pathOf(target), authorization: header("authorization"), dpop: header("dpop"), certificate };
}

function pathOf(target) {
  if (target.startsWith("/")) return target;
  const path = URL.canParse(target) ? new URL(target).pathname : "";
  return path.startsWith("/") ? path : "";
}
