// Proofs that whoever asks holds a key (RFC 9449), as an API looks at them.

import { bytesOf, encode, own, sha256, textIn, timeIn } from "./encoding.js";
import { isStrange, parts, publicKey } from "./signatures.js";

const PROOF_BYTES_MAX = 8192;
const ADDRESS_BYTES_MAX = 2048;
const ID_BYTES_MAX = 256;
/** How old a proof may be, and how far ahead of our clock. */
const AGE_SECONDS_MAX = 60;
const AHEAD_SECONDS_MAX = 15;

/** How many keys it takes to fill what remembers proofs. */
const SHARES = 10;

const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * An address in the one spelling in which two are compared, without what follows its path (RFC 3986 §6.2.2, §6.2.3);
 * nothing where no request could be made to it.
 */
export function addressOf(text) {
  if (text.length > ADDRESS_BYTES_MAX || !/^[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  if (/%(?![0-9A-Fa-f]{2})/.test(url.pathname)) return undefined;
  const path = url.pathname.replace(/%[0-9A-Fa-f]{2}/g, (escaped) => {
    const character = String.fromCharCode(parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
  return `${url.origin}${path}`;
}

/** Remembers proofs in this process. Where an API runs on several, they share something of yours instead. */
export class MemoryReplays {
  #seen = new Set();
  /** What ends when: by the second, the ids with the keys they are of. */
  #ends = new Map();
  /** How many are of which key. */
  #held = new Map();
  #most;
  #share;
  #sweptAt;

  constructor(most = 100_000) {
    this.#most = most;
    this.#share = Math.max(1, Math.floor(most / SHARES));
  }

  /**
   * Whether this id of a key is used for the first time; throws where there is no room to remember it. A key has a tenth of
   * the room, so that none takes it all.
   */
  async use(id, until, now, key) {
    this.#sweep(now);
    if (this.#seen.has(id)) return false;
    const held = this.#held.get(key) ?? 0;
    if (this.#seen.size >= this.#most || held >= this.#share) throw new Error("too many proofs are remembered");
    this.#seen.add(id);
    this.#held.set(key, held + 1);
    if (!this.#ends.has(until)) this.#ends.set(until, []);
    this.#ends.get(until).push([id, key]);
    return true;
  }

  /** Forgets what has ended, in whatever order it came: seconds are few, and each is looked at once. */
  #sweep(now) {
    if (this.#sweptAt === now) return;
    this.#sweptAt = now;
    for (const [end, proofs] of this.#ends) {
      if (end >= now) continue;
      this.#ends.delete(end);
      for (const [id, key] of proofs) {
        this.#seen.delete(id);
        const held = this.#held.get(key) - 1;
        if (held === 0) this.#held.delete(key);
        else this.#held.set(key, held);
      }
    }
  }
}

/** The key that a proof is signed with and what it says, if it is one at all. */
async function read(text) {
  const read = parts(text, PROOF_BYTES_MAX);
  if (read === undefined) return undefined;
  const { header, claims, signature, signed } = read;
  const jwk = own(header, "jwk");
  if (isStrange(header, "jwk") || own(header, "typ") !== "dpop+jwt" || typeof jwk !== "object") return undefined;
  if (jwk === null || PRIVATE.some((name) => Object.hasOwn(jwk, name))) return undefined;
  const key = await publicKey(jwk, own(header, "alg"));
  if (key === undefined || !(await key.verify(signed, signature))) return undefined;
  return { key, claims };
}

/** Why a proof does not count for this request, or what must be remembered of it. */
export async function judge(text, { method, address, token, jkt, now }) {
  const proof = await read(text);
  if (proof === undefined) return { wrong: "the proof is no signed proof" };
  const { key, claims } = proof;
  const [htm, htu, jti] = ["htm", "htu", "jti"].map((name) => textIn(claims, name));
  const [iat, exp, nbf] = ["iat", "exp", "nbf"].map((name) => timeIn(claims, name));
  const isBad = (name, value) => Object.hasOwn(claims, name) && value === undefined;
  if (jti === undefined || bytesOf(jti).length > ID_BYTES_MAX || iat === undefined || isBad("exp", exp) || isBad("nbf", nbf)) {
    return { wrong: "the proof lacks something" };
  }
  if (htm === undefined || htm !== method) return { wrong: "the proof is for another method" };
  if (htu === undefined || addressOf(htu) !== address) return { wrong: "the proof is for another address" };
  if (own(claims, "ath") !== encode(await sha256(bytesOf(token)))) return { wrong: "the proof is for another token" };
  const until = iat + AGE_SECONDS_MAX;
  if (until < now || (exp !== undefined && exp <= now)) return { wrong: "the proof is too old" };
  const latest = now + AHEAD_SECONDS_MAX;
  if (iat > latest || (nbf !== undefined && nbf > latest)) return { wrong: "the proof is from the future" };
  if (key.thumbprint !== jkt) return { isAnotherKey: true, wrong: "the proof is by another key" };
  return { id: encode(await sha256(bytesOf(`${jkt} ${jti}`))), until };
}
