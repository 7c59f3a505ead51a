// Requests access tokens: for the client itself, by token exchange for a user, and for the owner of an API key.

import { ClientAuthenticator, DpopKey } from "./client_authentication.js";
import { getText, isObject } from "./encoding.js";
import { IssuerClient, IssuerRequestError, isWithin } from "./issuer_client.js";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const API_KEY = "urn:sinete:params:oauth:token-type:api-key";

/** A token is renewed this many seconds before it expires, but not before the last tenth of its lifetime. */
const REFRESH_BEFORE_EXPIRY_SECONDS = 30;
const CACHED_TOKENS_MAX = 1000;
const RETRY_SECONDS = 5;
const RETRY_SECONDS_MAX = 3600;

/** The issuer rejected a token request, or could not be reached. */
export class TokenRequestError extends Error {
  constructor({ status, error, description, retryAfter, refreshTokenMayBeUsed = false, cause }) {
    const fallback = refreshTokenMayBeUsed ? "the refresh token may have been used" : "the issuer is unavailable";
    super([error ?? fallback, description].filter(Boolean).join(": "), { cause });
    this.name = "TokenRequestError";
    this.status = status;
    this.error = error;
    this.description = description;
    this.retryAfter = retryAfter;
    this.refreshTokenMayBeUsed = refreshTokenMayBeUsed;
  }
}

const isText = (value) => typeof value === "string" && value !== "";

/** Builds the form of a token request. A subject that is present and empty must not become the client itself. */
function buildGrantForm(request) {
  const { subjectToken, apiKey, scope, resource } = request;
  for (const name of ["subjectToken", "apiKey"]) {
    if (name in request && !isText(request[name])) throw new TypeError(`${name} must not be empty`);
  }
  for (const [name, value] of Object.entries({ scope, resource })) {
    if (value !== undefined && !isText(value)) throw new TypeError(`${name} must be a non-empty string`);
  }
  if (subjectToken !== undefined && apiKey !== undefined) throw new TypeError("subjectToken and apiKey exclude each other");
  const subject = subjectToken ?? apiKey;
  const exchange = { subject_token: subject, subject_token_type: subjectToken === undefined ? API_KEY : ACCESS_TOKEN };
  const form = subject === undefined ? { grant_type: "client_credentials" } : { grant_type: TOKEN_EXCHANGE, ...exchange };
  return { ...form, ...(scope !== undefined && { scope }), ...(resource !== undefined && { resource }) };
}

function readRetryAfter(headers) {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), RETRY_SECONDS_MAX) : RETRY_SECONDS;
}

/** Requests tokens for one client and caches them until shortly before they expire. */
export class TokenClient {
  #issuer;
  #client;
  #dpopKey;
  #cache = new Map();
  /** While the issuer is unavailable, or asked for a pause, no request is sent. */
  #pause = { from: -Infinity, seconds: 0 };
  /** Refresh requests in flight, by refresh token. */
  #refreshesInFlight = new Map();

  constructor(settings) {
    this.#issuer = new IssuerClient(settings);
    this.#client = new ClientAuthenticator(settings.client);
    this.#dpopKey = settings.useDpop === true ? new DpopKey() : undefined;
  }

  /**
   * Returns a token: the client's own, or one exchanged for `subjectToken` or `apiKey`. The same token is returned until
   * shortly before it expires, and concurrent calls share one request.
   */
  async getToken(request = {}) {
    const form = buildGrantForm(request);
    const name = JSON.stringify(form);
    const cached = this.#cache.get(name);
    if (cached?.token !== undefined && isWithin(cached.freshFor, cached.receivedAt, this.#issuer.now())) return cached.token;
    if (cached?.inFlight !== undefined) return cached.inFlight;
    const entry = { ...cached };
    entry.inFlight = this.#renewEntry(name, entry, form);
    this.#cacheEntry(name, entry);
    return entry.inFlight;
  }

  /**
   * Uses a refresh token. Store the new one before you use anything else of the response: the old one is invalid.
   * Concurrent calls with the same refresh token share one request, because a second use would revoke the grant.
   */
  async refresh(refreshToken, { scope } = {}) {
    if (!isText(refreshToken)) throw new TypeError("refreshToken must be a non-empty string");
    const form = { grant_type: "refresh_token", refresh_token: refreshToken, ...(scope !== undefined && { scope }) };
    if (!this.#refreshesInFlight.has(refreshToken)) {
      const inFlight = this.#requestToken(form).finally(() => this.#refreshesInFlight.delete(refreshToken));
      this.#refreshesInFlight.set(refreshToken, inFlight);
    }
    return this.#refreshesInFlight.get(refreshToken);
  }

  /** Removes a token from the cache, because an API rejected it. */
  invalidateToken(request = {}) {
    this.#cache.delete(JSON.stringify(buildGrantForm(request)));
  }

  /** The `Authorization` and `DPoP` headers for one request to an API. */
  async authorizationHeaders(token, { method = "GET", url }) {
    const authorization = `${token.tokenType} ${token.accessToken}`;
    if (token.tokenType !== "DPoP") return { authorization };
    if (this.#dpopKey === undefined) throw new TypeError("the token is bound to a key of another TokenClient");
    const proof = { method, url: String(url), token: token.accessToken, now: this.#issuer.now() };
    return { authorization, dpop: await this.#dpopKey.createProof(proof) };
  }

  /** Stores the `DPoP-Nonce` of an API's response; returns whether there was one, so that a retry makes sense. */
  updateDpopNonce(url, headers) {
    return this.#dpopKey?.updateNonce(String(url), headers) ?? false;
  }

  async #renewEntry(name, entry, form) {
    try {
      const token = await this.#requestToken(form);
      const receivedAt = this.#issuer.now();
      const lifetime = token.expiresAt - receivedAt;
      const freshFor = lifetime - Math.min(REFRESH_BEFORE_EXPIRY_SECONDS, Math.floor(lifetime / 10));
      Object.assign(entry, { token, receivedAt, freshFor });
      return token;
    } catch (error) {
      // While the issuer is unavailable, a cached token is used until it expires. A rejection ends its use.
      const isUnavailable = error instanceof TokenRequestError && error.retryAfter !== undefined;
      if (isUnavailable && entry.token !== undefined && this.#issuer.now() < entry.token.expiresAt) return entry.token;
      if (this.#cache.get(name) === entry) this.#cache.delete(name);
      throw error;
    } finally {
      entry.inFlight = undefined;
    }
  }

  #cacheEntry(name, entry) {
    this.#cache.delete(name);
    const isExpired = ({ token, inFlight }) => inFlight === undefined && token.expiresAt <= this.#issuer.now();
    if (this.#cache.size >= CACHED_TOKENS_MAX) {
      for (const [other, cached] of this.#cache) if (isExpired(cached)) this.#cache.delete(other);
    }
    if (this.#cache.size >= CACHED_TOKENS_MAX) this.#cache.delete(this.#cache.keys().next().value);
    this.#cache.set(name, entry);
  }

  async #requestToken(form) {
    const { from, seconds } = this.#pause;
    const now = this.#issuer.now();
    if (isWithin(seconds, from, now)) throw new TokenRequestError({ retryAfter: from + seconds - now });
    // A refresh token that was sent may have been used, whatever happened to the response.
    let refreshTokenMayBeUsed = false;
    try {
      const url = await this.#issuer.endpoint("token_endpoint");
      refreshTokenMayBeUsed = form.grant_type === "refresh_token";
      let response = await this.#sendRequest(url, form);
      const needsNonce = response.status === 400 && response.json?.error === "use_dpop_nonce";
      if (this.#dpopKey?.updateNonce(url, response.headers) && needsNonce) response = await this.#sendRequest(url, form);
      return this.#parseResponse(response, refreshTokenMayBeUsed);
    } catch (error) {
      if (error instanceof IssuerRequestError) throw this.#pauseRequests(RETRY_SECONDS, { refreshTokenMayBeUsed, cause: error });
      throw error;
    }
  }

  /** Sends no request for this many seconds, and returns the error for this one. */
  #pauseRequests(seconds, { refreshTokenMayBeUsed, ...more }) {
    this.#pause = { from: this.#issuer.now(), seconds };
    return new TokenRequestError({ ...more, ...(refreshTokenMayBeUsed ? { refreshTokenMayBeUsed } : { retryAfter: seconds }) });
  }

  async #sendRequest(url, form) {
    const now = this.#issuer.now();
    const authentication = await this.#client.authenticate(this.#issuer.issuer, now);
    const headers = { accept: "application/json", ...authentication.headers };
    if (this.#dpopKey !== undefined) headers.dpop = await this.#dpopKey.createProof({ method: "POST", url, now });
    const body = new URLSearchParams({ ...form, ...authentication.form });
    return this.#issuer.send(url, { method: "POST", headers, body });
  }

  #parseResponse({ status, headers, json }, isRefresh) {
    const body = isObject(json) ? json : {};
    const error = getText(body, "error");
    // Without an OAuth error code, the response is from a proxy, or the issuer failed.
    if (status === 429 || status >= 500 || (status !== 200 && error === undefined)) {
      const refreshTokenMayBeUsed = isRefresh && status >= 500 && status !== 503;
      throw this.#pauseRequests(readRetryAfter(headers), { status, refreshTokenMayBeUsed });
    }
    if (status !== 200) throw new TokenRequestError({ status, error, description: getText(body, "error_description") });
    const tokenType = this.#dpopKey === undefined ? "Bearer" : "DPoP";
    const [accessToken, seconds] = [getText(body, "access_token"), body.expires_in];
    if (accessToken === undefined || body.token_type !== tokenType || !Number.isSafeInteger(seconds) || seconds < 0) {
      throw new TokenRequestError({ status, error: "server_error", description: "the response is not the requested token" });
    }
    const expiresAt = this.#issuer.now() + seconds;
    const [scope, refreshToken] = [getText(body, "scope"), getText(body, "refresh_token")];
    return Object.freeze({ accessToken, tokenType, expiresAt, scope, refreshToken });
  }
}
