// The published keys of an instance, kept for a while.

import { own, textIn } from "./encoding.js";
import { isWithin } from "./service.js";
import { publicKey } from "./signatures.js";

/** After this they are asked for again: a key that was revoked is gone from there. */
const FRESH_SECONDS = 300;
/** For so long they count where the instance does not answer. */
const KEPT_SECONDS = 3600;
/** How often the instance is asked at most, whatever tokens name; and how often before anything is known. */
const PAUSE_SECONDS = 30;
const FIRST_PAUSE_SECONDS = 1;

/** The keys of one instance. One request is under way at a time, however many wait for it. */
export class Keys {
  #service;
  #known;
  #readAt = -Infinity;
  #askedAt = -Infinity;
  #asking;

  constructor(service) {
    this.#service = service;
  }

  /** The key of this id, or nothing. Throws where that cannot be known now. */
  async find(kid) {
    const isFresh = () => this.#known !== undefined && isWithin(FRESH_SECONDS, this.#readAt, this.#service.now());
    if (!isFresh() || !this.#known.has(kid)) await this.#refresh();
    if (this.#known === undefined || !isWithin(KEPT_SECONDS, this.#readAt, this.#service.now())) {
      throw new Error("the keys of the instance are not known");
    }
    return this.#known.get(kid);
  }

  async #refresh() {
    if (this.#asking === undefined) {
      const pause = this.#known === undefined ? FIRST_PAUSE_SECONDS : PAUSE_SECONDS;
      if (isWithin(pause, this.#askedAt, this.#service.now())) return;
      this.#askedAt = this.#service.now();
      this.#asking = this.#read().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
  }

  async #read() {
    try {
      const published = await this.#service.published(await this.#service.endpoint("jwks_uri"));
      if (!Array.isArray(published.keys)) return;
      const found = await Promise.all(published.keys.map(named));
      this.#known = new Map(found.filter((entry) => entry !== undefined));
      this.#readAt = this.#service.now();
    } catch {
      // What is known counts on until it is too old.
    }
  }
}

async function named(jwk) {
  const [kid, algorithm] = [textIn(jwk ?? {}, "kid"), textIn(jwk ?? {}, "alg")];
  if (kid === undefined || !["sig", undefined].includes(own(jwk, "use"))) return undefined;
  const key = await publicKey(jwk, algorithm);
  return key === undefined ? undefined : [kid, key];
}
