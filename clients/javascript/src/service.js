// What the instance says about itself, and asking it anything over HTTP.

import { isObject, textIn } from "./encoding.js";

const SECONDS_MAX = 5;
const ANSWER_BYTES_MAX = 1024 * 1024;
const METADATA_SECONDS = 3600;

/** The instance could not be asked, or did not answer as it should. */
export class Unanswered extends Error {
  constructor(message, details = {}) {
    super(message);
    this.name = "Unanswered";
    Object.assign(this, details);
  }
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Whether what is sent there is read by nobody else: https, or http on this machine. */
function isSafe(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.includes(url.hostname));
}

/** Whether something was read or said so many seconds ago at most. A clock that was set back makes everything old. */
export const isWithin = (seconds, then, now) => now >= then && now - then < seconds;

/** The address of an instance: https, or http on this machine, without anything behind it. */
export function checkedIssuer(text) {
  if (!isSafe(text) || /[?#]|\/$/.test(text)) {
    throw new TypeError(`not the address of an instance: ${text}`);
  }
  return text;
}

/** Reads an answer up to a limit. */
async function bodyOf(response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw new Unanswered("the answer is too long");
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

/** One instance. */
export class Service {
  #fetch;
  #now;
  #metadata;

  constructor({ issuer, fetch = globalThis.fetch, now }) {
    this.issuer = checkedIssuer(issuer);
    this.#fetch = fetch;
    this.#now = now;
  }

  now() {
    return this.#now === undefined ? Math.floor(Date.now() / 1000) : this.#now();
  }

  /** Asks, and gives the answer with its JSON. Nothing is followed anywhere else. */
  async ask(address, options = {}) {
    let response;
    let text;
    try {
      const signal = AbortSignal.timeout(SECONDS_MAX * 1000);
      // Called as a method of ours, the one of the platform refuses.
      const fetch = this.#fetch;
      response = await fetch(address, { redirect: "manual", signal, ...options });
      text = await bodyOf(response);
    } catch (cause) {
      throw new Unanswered(`${address} did not answer`, { cause });
    }
    let json;
    try {
      json = text === "" ? undefined : JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, json };
  }

  /** A JSON object that is published somewhere. */
  async published(address) {
    const { status, json } = await this.ask(address);
    if (status !== 200 || !isObject(json)) throw new Unanswered(`${address} answered ${status}`, { status });
    return json;
  }

  /** The metadata of the instance, which must be that of the issuer (RFC 8414 §3.3). */
  async metadata() {
    const known = this.#metadata;
    const counts = known !== undefined && (known.readAt === undefined || isWithin(METADATA_SECONDS, known.readAt, this.now()));
    if (counts) return known.asked;
    const entry = { readAt: undefined, asked: this.#discover() };
    this.#metadata = entry;
    try {
      const metadata = await entry.asked;
      entry.readAt = this.now();
      return metadata;
    } catch (error) {
      if (this.#metadata === entry) this.#metadata = undefined;
      throw error;
    }
  }

  async #discover() {
    const metadata = await this.published(`${this.issuer}/.well-known/openid-configuration`);
    if (metadata.issuer !== this.issuer) throw new Unanswered("the instance calls itself something else");
    return metadata;
  }

  /** The address of something that the metadata names. It is held to what the issuer's own is held to. */
  async endpoint(name) {
    const address = textIn(await this.metadata(), name);
    if (address === undefined) throw new Unanswered(`the instance names no ${name}`);
    if (!isSafe(address)) throw new Unanswered(`the instance names a ${name} that anybody could listen to`);
    return address;
  }
}
