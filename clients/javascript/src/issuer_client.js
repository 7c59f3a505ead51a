// HTTP requests to the issuer, and its metadata (RFC 8414).

import { getText, isObject } from "./encoding.js";

const TIMEOUT_SECONDS = 5;
const RESPONSE_BYTES_MAX = 1024 * 1024;
const METADATA_SECONDS = 3600;

/** The issuer could not be reached, or its response was unusable. */
export class IssuerRequestError extends Error {
  constructor(message, details = {}) {
    super(message);
    this.name = "IssuerRequestError";
    Object.assign(this, details);
  }
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Whether this is an https URL, or http on loopback. */
function isSecureUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.includes(url.hostname));
}

/** Whether `then` is at most this many seconds ago. False for a future time, as after the clock was set back. */
export const isWithin = (seconds, then, now) => now >= then && now - then < seconds;

/** Throws unless this is an issuer identifier: https, or http on loopback, without query, fragment or trailing slash. */
export function validateIssuer(text) {
  if (!isSecureUrl(text) || /[?#]|\/$/.test(text)) throw new TypeError(`not an issuer: ${text}`);
  return text;
}

/** Reads a response body up to a limit. */
async function readBody(response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > RESPONSE_BYTES_MAX) throw new IssuerRequestError("the response is too long");
    chunks.push(chunk);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(whole);
}

export class IssuerClient {
  #fetch;
  #now;
  #metadata;

  constructor({ issuer, fetch = globalThis.fetch, now }) {
    this.issuer = validateIssuer(issuer);
    this.#fetch = fetch;
    this.#now = now;
  }

  now() {
    return this.#now === undefined ? Math.floor(Date.now() / 1000) : this.#now();
  }

  /** Sends a request and parses the JSON of the response. Redirects are not followed. */
  async send(url, options = {}) {
    let response;
    let text;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
      // The platform's fetch must not be called as a method of this object.
      const fetch = this.#fetch;
      response = await fetch(url, { redirect: "manual", signal, ...options });
      text = await readBody(response);
    } catch (cause) {
      throw new IssuerRequestError(`${url} did not answer`, { cause });
    }
    let json;
    try {
      json = text === "" ? undefined : JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, json };
  }

  /** Fetches a JSON object. */
  async fetchJson(url) {
    const { status, json } = await this.send(url);
    if (status !== 200 || !isObject(json)) throw new IssuerRequestError(`${url} answered ${status}`, { status });
    return json;
  }

  /** The issuer's metadata, cached; its `issuer` must be this one (RFC 8414 §3.3). */
  async metadata() {
    const cached = this.#metadata;
    const isUsable = cached !== undefined
      && (cached.fetchedAt === undefined || isWithin(METADATA_SECONDS, cached.fetchedAt, this.now()));
    if (isUsable) return cached.inFlight;
    const entry = { fetchedAt: undefined, inFlight: this.#discover() };
    this.#metadata = entry;
    try {
      const metadata = await entry.inFlight;
      entry.fetchedAt = this.now();
      return metadata;
    } catch (error) {
      if (this.#metadata === entry) this.#metadata = undefined;
      throw error;
    }
  }

  async #discover() {
    const metadata = await this.fetchJson(`${this.issuer}/.well-known/openid-configuration`);
    if (metadata.issuer !== this.issuer) throw new IssuerRequestError("the metadata is of another issuer");
    return metadata;
  }

  /** An endpoint that the metadata names. It must be as secure as the issuer. */
  async endpoint(name) {
    const url = getText(await this.metadata(), name);
    if (url === undefined) throw new IssuerRequestError(`the metadata has no ${name}`);
    if (!isSecureUrl(url)) throw new IssuerRequestError(`${name} is not https`);
    return url;
  }
}
