// Verifying DPoP proofs (RFC 9449).

import { encode, getText, getTime, ownMember, sha256, toBytes } from "./encoding.js";
import { hasForbiddenHeader, parseJwt, publicKey } from "./signatures.js";

const PROOF_BYTES_MAX = 8192;
const URL_BYTES_MAX = 2048;
const JTI_BYTES_MAX = 256;
/** The maximum age of a proof, and how far in the future it may be. */
const AGE_SECONDS_MAX = 60;
const FUTURE_SECONDS_MAX = 15;

/** One key may use a tenth of the replay cache. */
const KEYS_TO_FILL_CACHE = 10;

const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * Normalizes a URL for comparison and drops query and fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3); returns
 * nothing where it is not an http URL.
 */
export function normalizeHtu(text) {
  if (text.length > URL_BYTES_MAX || !/^[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  if (/%(?![0-9A-Fa-f]{2})/.test(url.pathname)) return undefined;
  const path = url.pathname.replace(/%[0-9A-Fa-f]{2}/g, (escaped) => {
    const character = String.fromCharCode(parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
  return `${url.origin}${path}`;
}

/** Records used proofs in this process. An API on several machines passes a shared cache instead. */
export class MemoryReplayCache {
  #recorded = new Set();
  /** The recorded ids with their keys, by the second at which they expire. */
  #expiries = new Map();
  /** How many proofs of each key are recorded. */
  #countByKey = new Map();
  #capacity;
  #capacityPerKey;
  #evictedAt;

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
    this.#capacityPerKey = Math.max(1, Math.floor(capacity / KEYS_TO_FILL_CACHE));
  }

  /** Returns whether the proof is used for the first time, and records it; throws where the cache or the key's part is full. */
  async recordFirstUse(id, until, now, key) {
    this.#evictExpired(now);
    if (this.#recorded.has(id)) return false;
    const count = this.#countByKey.get(key) ?? 0;
    if (this.#recorded.size >= this.#capacity || count >= this.#capacityPerKey) {
      throw new Error("the replay cache is full");
    }
    this.#recorded.add(id);
    this.#countByKey.set(key, count + 1);
    if (!this.#expiries.has(until)) this.#expiries.set(until, []);
    this.#expiries.get(until).push([id, key]);
    return true;
  }

  #evictExpired(now) {
    if (this.#evictedAt === now) return;
    this.#evictedAt = now;
    for (const [end, proofs] of this.#expiries) {
      if (end >= now) continue;
      this.#expiries.delete(end);
      for (const [id, key] of proofs) {
        this.#recorded.delete(id);
        const count = this.#countByKey.get(key) - 1;
        if (count === 0) this.#countByKey.delete(key);
        else this.#countByKey.set(key, count);
      }
    }
  }
}

/** Parses a proof and verifies its signature with the key in its header. */
async function parseProof(text) {
  const jwt = parseJwt(text, PROOF_BYTES_MAX);
  if (jwt === undefined) return undefined;
  const { header, claims, signature, signed } = jwt;
  const jwk = ownMember(header, "jwk");
  if (hasForbiddenHeader(header, "jwk") || ownMember(header, "typ") !== "dpop+jwt" || typeof jwk !== "object") return undefined;
  if (jwk === null || PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return undefined;
  const key = await publicKey(jwk, ownMember(header, "alg"));
  if (key === undefined || !(await key.verify(signed, signature))) return undefined;
  return { key, claims };
}

/** Returns what is wrong with a proof for this request, or the id under which the replay cache records it. */
export async function verifyProof(text, { method, url, token, jkt, now }) {
  const proof = await parseProof(text);
  if (proof === undefined) return { wrong: "not a signed DPoP proof" };
  const { key, claims } = proof;
  const [htm, htu, jti] = ["htm", "htu", "jti"].map((name) => getText(claims, name));
  const [iat, exp, nbf] = ["iat", "exp", "nbf"].map((name) => getTime(claims, name));
  const isMalformed = (name, value) => Object.hasOwn(claims, name) && value === undefined;
  const isIdentified = jti !== undefined && toBytes(jti).length <= JTI_BYTES_MAX;
  if (!isIdentified || iat === undefined || isMalformed("exp", exp) || isMalformed("nbf", nbf)) {
    return { wrong: "a claim of the proof is missing or malformed" };
  }
  if (htm === undefined || htm !== method) return { wrong: "htm is another method" };
  if (htu === undefined || normalizeHtu(htu) !== url) return { wrong: "htu is another URL" };
  if (ownMember(claims, "ath") !== encode(await sha256(toBytes(token)))) return { wrong: "ath is of another token" };
  const until = iat + AGE_SECONDS_MAX;
  if (until < now || (exp !== undefined && exp <= now)) return { wrong: "the proof is too old" };
  const latest = now + FUTURE_SECONDS_MAX;
  if (iat > latest || (nbf !== undefined && nbf > latest)) return { wrong: "the proof is from the future" };
  if (key.thumbprint !== jkt) return { isKeyMismatch: true, wrong: "the proof is signed with another key" };
  return { id: encode(await sha256(toBytes(`${jkt} ${jti}`))), until };
}
