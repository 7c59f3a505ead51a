// Getting tokens: for a service itself, for somebody it acts for, and for whoever holds an API key.

import { Client, Holder } from "./client.js";
import { isObject, textIn } from "./encoding.js";
import { Service, Unanswered } from "./service.js";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const API_KEY = "urn:sinete:params:oauth:token-type:api-key";

/** A token is asked for again so many seconds before its end, and never earlier than in the last tenth of its life. */
const EARLY_SECONDS = 30;
const KEPT_MAX = 1000;
const PAUSE_SECONDS = 5;
const PAUSE_SECONDS_MAX = 3600;

/** The instance refused a token, or cannot be asked now. */
export class TokenRefused extends Error {
  constructor({ status, error, description, retryAfter, cause }) {
    super([error ?? "the instance cannot be asked now", description].filter(Boolean).join(": "), { cause });
    this.name = "TokenRefused";
    this.status = status;
    this.error = error;
    this.description = description;
    this.retryAfter = retryAfter;
  }
}

/** What is asked for, as the form says it. */
function grantOf({ token, apiKey, scope, resource }) {
  if (token !== undefined && apiKey !== undefined) throw new TypeError("a token or an API key is exchanged, not both");
  const subject = token ?? apiKey;
  const exchanged = { subject_token: subject, subject_token_type: token === undefined ? API_KEY : ACCESS_TOKEN };
  const form = subject === undefined ? { grant_type: "client_credentials" } : { grant_type: EXCHANGE, ...exchanged };
  return { ...form, ...(scope !== undefined && { scope }), ...(resource !== undefined && { resource }) };
}

function pauseIn(headers) {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), PAUSE_SECONDS_MAX) : PAUSE_SECONDS;
}

/** Gets tokens for one client, and keeps them until shortly before they end. */
export class Tokens {
  #service;
  #client;
  #holder;
  #kept = new Map();
  #askable = -Infinity;

  constructor(settings) {
    this.#service = new Service(settings);
    this.#client = new Client(settings.client);
    this.#holder = settings.bound === true ? new Holder() : undefined;
  }

  /**
   * A token: of the client's own, or exchanged for `token` or `apiKey`. The same one is given until shortly before its
   * end, and one request is under way however many wait for it.
   */
  async get(wanted = {}) {
    const form = grantOf(wanted);
    const name = JSON.stringify(form);
    const kept = this.#kept.get(name);
    if (kept?.token !== undefined && this.#service.now() < kept.renewAt) return kept.token;
    if (kept?.asking !== undefined) return kept.asking;
    const entry = { ...kept };
    entry.asking = this.#renewed(name, entry, form);
    this.#keep(name, entry);
    return entry.asking;
  }

  /** Renews with a refresh token. Store the new one before you use anything of the answer: the old one is spent. */
  refresh(refreshToken, { scope } = {}) {
    return this.#ask({ grant_type: "refresh_token", refresh_token: refreshToken, ...(scope !== undefined && { scope }) });
  }

  /** Forgets a token that an API does not take any more. */
  forget(wanted = {}) {
    this.#kept.delete(JSON.stringify(grantOf(wanted)));
  }

  /** The headers that show a token to an API, for one request. */
  async headers(token, { method = "GET", url }) {
    const authorization = `${token.type} ${token.accessToken}`;
    if (token.type !== "DPoP") return { authorization };
    if (this.#holder === undefined) throw new TypeError("the token is bound to a key that is not held here");
    const asked = { method, address: String(url), token: token.accessToken, now: this.#service.now() };
    return { authorization, dpop: await this.#holder.proof(asked) };
  }

  /** Remembers the nonce of an API's answer. Whether it makes sense to ask again. */
  learn(url, headers) {
    return this.#holder?.learn(String(url), headers) ?? false;
  }

  async #renewed(name, entry, form) {
    try {
      const token = await this.#ask(form);
      const early = Math.min(EARLY_SECONDS, Math.floor((token.expiresAt - this.#service.now()) / 10));
      Object.assign(entry, { token, renewAt: token.expiresAt - early });
      return token;
    } catch (error) {
      // Where nobody answers, what is there counts to its end. Where it is refused, it does not.
      const isAway = error instanceof TokenRefused && error.retryAfter !== undefined;
      if (isAway && entry.token !== undefined && this.#service.now() < entry.token.expiresAt) return entry.token;
      if (this.#kept.get(name) === entry) this.#kept.delete(name);
      throw error;
    } finally {
      entry.asking = undefined;
    }
  }

  #keep(name, entry) {
    this.#kept.delete(name);
    const isOver = ({ token, asking }) => asking === undefined && token.expiresAt <= this.#service.now();
    if (this.#kept.size >= KEPT_MAX) {
      for (const [old, kept] of this.#kept) if (isOver(kept)) this.#kept.delete(old);
    }
    if (this.#kept.size >= KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value);
    this.#kept.set(name, entry);
  }

  async #ask(form) {
    const waits = this.#askable - this.#service.now();
    if (waits > 0) throw new TokenRefused({ retryAfter: waits });
    try {
      const address = await this.#service.endpoint("token_endpoint");
      let answer = await this.#asked(address, form);
      const wantsNonce = answer.status === 400 && answer.json?.error === "use_dpop_nonce";
      if (this.#holder?.learn(address, answer.headers) && wantsNonce) answer = await this.#asked(address, form);
      return this.#read(answer);
    } catch (error) {
      if (error instanceof Unanswered) throw new TokenRefused({ retryAfter: PAUSE_SECONDS, cause: error });
      throw error;
    }
  }

  async #asked(address, form) {
    const now = this.#service.now();
    const proof = await this.#client.proof(this.#service.issuer, now);
    const headers = { accept: "application/json", ...proof.headers };
    if (this.#holder !== undefined) headers.dpop = await this.#holder.proof({ method: "POST", address, now });
    return this.#service.ask(address, { method: "POST", headers, body: new URLSearchParams({ ...form, ...proof.form }) });
  }

  #read({ status, headers, json }) {
    if (status === 429 || status >= 500) {
      const retryAfter = pauseIn(headers);
      this.#askable = this.#service.now() + retryAfter;
      throw new TokenRefused({ status, retryAfter });
    }
    const body = isObject(json) ? json : {};
    if (status !== 200) {
      const [error, description] = [textIn(body, "error"), textIn(body, "error_description")];
      throw new TokenRefused({ status, error: error ?? "server_error", description });
    }
    const type = this.#holder === undefined ? "Bearer" : "DPoP";
    const [accessToken, seconds] = [textIn(body, "access_token"), body.expires_in];
    if (accessToken === undefined || body.token_type !== type || !Number.isSafeInteger(seconds) || seconds < 0) {
      throw new TokenRefused({ status, error: "server_error", description: "the answer is not the token that was asked for" });
    }
    const expiresAt = this.#service.now() + seconds;
    const [scope, refreshToken] = [textIn(body, "scope"), textIn(body, "refresh_token")];
    return Object.freeze({ accessToken, type, expiresAt, scope, refreshToken });
  }
}
