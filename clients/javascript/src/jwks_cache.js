// Cache of the issuer's published keys (JWKS).

import { getText, ownMember } from "./encoding.js";
import { isWithin } from "./issuer_client.js";
import { publicKey } from "./signatures.js";

/** After this the keys are fetched again, so that a revoked key stops being accepted. */
const FRESH_SECONDS = 300;
/** How long cached keys are used while the issuer does not answer. */
const STALE_SECONDS_MAX = 3600;
/** The minimum time between two fetches, regardless of the `kid` in tokens; then the same before the first success. */
const REFRESH_INTERVAL_SECONDS = 30;
const FIRST_REFRESH_INTERVAL_SECONDS = 1;

/** The keys of one issuer. At most one request is in flight. */
export class JwksCache {
  #issuer;
  #keys;
  #fetchedAt = -Infinity;
  #requestedAt = -Infinity;
  #inFlight;

  constructor(issuer) {
    this.#issuer = issuer;
  }

  /** Returns the key with this id, or nothing. Throws where no usable keys could be fetched. */
  async find(kid) {
    const isFresh = () => this.#keys !== undefined && isWithin(FRESH_SECONDS, this.#fetchedAt, this.#issuer.now());
    if (!isFresh() || !this.#keys.has(kid)) await this.#refresh();
    if (this.#keys === undefined || !isWithin(STALE_SECONDS_MAX, this.#fetchedAt, this.#issuer.now())) {
      throw new Error("the keys of the issuer could not be fetched");
    }
    return this.#keys.get(kid);
  }

  async #refresh() {
    if (this.#inFlight === undefined) {
      const interval = this.#keys === undefined ? FIRST_REFRESH_INTERVAL_SECONDS : REFRESH_INTERVAL_SECONDS;
      if (isWithin(interval, this.#requestedAt, this.#issuer.now())) return;
      this.#requestedAt = this.#issuer.now();
      this.#inFlight = this.#fetchKeys().finally(() => {
        this.#inFlight = undefined;
      });
    }
    await this.#inFlight;
  }

  async #fetchKeys() {
    try {
      const jwks = await this.#issuer.fetchJson(await this.#issuer.endpoint("jwks_uri"));
      if (!Array.isArray(jwks.keys)) return;
      const entries = await Promise.all(jwks.keys.map(readKey));
      this.#keys = new Map(entries.filter((entry) => entry !== undefined));
      this.#fetchedAt = this.#issuer.now();
    } catch {
      // Cached keys stay in use until they are stale.
    }
  }
}

async function readKey(jwk) {
  const [kid, algorithm] = [getText(jwk ?? {}, "kid"), getText(jwk ?? {}, "alg")];
  if (kid === undefined || !["sig", undefined].includes(ownMember(jwk, "use"))) return undefined;
  const key = await publicKey(jwk, algorithm);
  return key === undefined ? undefined : [kid, key];
}
