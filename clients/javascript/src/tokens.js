// Getting tokens: for a service itself, for somebody it acts for, and for whoever holds an API key.

import { Client, Holder } from "./client.js";
import { isObject, textIn } from "./encoding.js";
import { Service, Unanswered, isWithin } from "./service.js";

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
  constructor({ status, error, description, retryAfter, mayBeSpent = false, cause }) {
    const nothing = mayBeSpent ? "nobody knows whether the refresh token is spent" : "the instance cannot be asked now";
    super([error ?? nothing, description].filter(Boolean).join(": "), { cause });
    this.name = "TokenRefused";
    this.status = status;
    this.error = error;
    this.description = description;
    this.retryAfter = retryAfter;
    this.mayBeSpent = mayBeSpent;
  }
}

const isText = (value) => typeof value === "string" && value !== "";

/** What is asked for, as the form says it. A subject that is said and is none must not become the client itself. */
function grantOf(wanted) {
  const { token, apiKey, scope, resource } = wanted;
  for (const name of ["token", "apiKey"]) {
    if (name in wanted && !isText(wanted[name])) throw new TypeError(`${name} is said, and is none`);
  }
  for (const [name, value] of Object.entries({ scope, resource })) {
    if (value !== undefined && !isText(value)) throw new TypeError(`${name} is a text with something in it`);
  }
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
  /** When the instance said that it shall not be asked, or did not answer, and for how many seconds that counts. */
  #pause = { from: -Infinity, seconds: 0 };
  /** What is being renewed, by its refresh token. */
  #refreshing = new Map();

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
    if (kept?.token !== undefined && isWithin(kept.freshFor, kept.gotAt, this.#service.now())) return kept.token;
    if (kept?.asking !== undefined) return kept.asking;
    const entry = { ...kept };
    entry.asking = this.#renewed(name, entry, form);
    this.#keep(name, entry);
    return entry.asking;
  }

  /**
   * Renews with a refresh token. Store the new one before you use anything of the answer: the old one is spent. Whoever
   * asks with the same one meanwhile is given what comes of this, since a second use would end the grant.
   */
  async refresh(refreshToken, { scope } = {}) {
    if (!isText(refreshToken)) throw new TypeError("a refresh token is a text");
    const form = { grant_type: "refresh_token", refresh_token: refreshToken, ...(scope !== undefined && { scope }) };
    if (!this.#refreshing.has(refreshToken)) {
      const renewed = this.#ask(form).finally(() => this.#refreshing.delete(refreshToken));
      this.#refreshing.set(refreshToken, renewed);
    }
    return this.#refreshing.get(refreshToken);
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
      const gotAt = this.#service.now();
      const lives = token.expiresAt - gotAt;
      Object.assign(entry, { token, gotAt, freshFor: lives - Math.min(EARLY_SECONDS, Math.floor(lives / 10)) });
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
    const { from, seconds } = this.#pause;
    const now = this.#service.now();
    if (isWithin(seconds, from, now)) throw new TokenRefused({ retryAfter: from + seconds - now });
    // A refresh token that was sent may be spent, whatever became of the answer.
    let mayBeSpent = false;
    try {
      const address = await this.#service.endpoint("token_endpoint");
      mayBeSpent = form.grant_type === "refresh_token";
      let answer = await this.#asked(address, form);
      const wantsNonce = answer.status === 400 && answer.json?.error === "use_dpop_nonce";
      if (this.#holder?.learn(address, answer.headers) && wantsNonce) answer = await this.#asked(address, form);
      return this.#read(answer, mayBeSpent);
    } catch (error) {
      if (error instanceof Unanswered) throw this.#away(PAUSE_SECONDS, { mayBeSpent, cause: error });
      throw error;
    }
  }

  /** The instance cannot be asked for so many seconds, by anybody here. */
  #away(seconds, { mayBeSpent, ...more }) {
    this.#pause = { from: this.#service.now(), seconds };
    return new TokenRefused({ ...more, ...(mayBeSpent ? { mayBeSpent } : { retryAfter: seconds }) });
  }

  async #asked(address, form) {
    const now = this.#service.now();
    const proof = await this.#client.proof(this.#service.issuer, now);
    const headers = { accept: "application/json", ...proof.headers };
    if (this.#holder !== undefined) headers.dpop = await this.#holder.proof({ method: "POST", address, now });
    return this.#service.ask(address, { method: "POST", headers, body: new URLSearchParams({ ...form, ...proof.form }) });
  }

  #read({ status, headers, json }, isRefreshing) {
    const body = isObject(json) ? json : {};
    const error = textIn(body, "error");
    // Without a word of OAuth it was something in between that answered, or an instance that is not whole.
    if (status === 429 || status >= 500 || (status !== 200 && error === undefined)) {
      throw this.#away(pauseIn(headers), { status, mayBeSpent: isRefreshing && status >= 500 && status !== 503 });
    }
    if (status !== 200) throw new TokenRefused({ status, error, description: textIn(body, "error_description") });
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
