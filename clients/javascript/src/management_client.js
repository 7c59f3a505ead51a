// The management API. The calls are generated from the OpenAPI description of the server.

import { getText, isObject } from "./encoding.js";
import { IssuerClient, IssuerRequestError } from "./issuer_client.js";
import { OPERATIONS } from "./management/operations.js";
import { TokenRequestError } from "./token_client.js";

const PREFIX = "urn:sinete:problem:";

/** A call of the management API failed (RFC 9457). */
export class ManagementApiError extends Error {
  constructor({ status, problemType, detail, requestId, errors = [], id, retryAfter, cause }) {
    super(`${problemType}: ${detail}`, { cause });
    this.name = "ManagementApiError";
    Object.assign(this, { status, problemType, detail, requestId, errors, id, retryAfter });
  }
}

function parseProblem({ status, headers, json }) {
  const document = isObject(json) ? json : {};
  const type = getText(document, "type") ?? "";
  const seconds = headers.get("retry-after") ?? "";
  return new ManagementApiError({
    status,
    problemType: type.startsWith(PREFIX) ? type.slice(PREFIX.length) : "no_response",
    detail: getText(document, "detail") ?? `the response was ${status}`,
    requestId: headers.get("x-request-id") ?? undefined,
    errors: Array.isArray(document.errors) ? document.errors.map(({ pointer, detail }) => ({ pointer, detail })) : [],
    id: getText(document, "id"),
    retryAfter: /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined,
  });
}

/** A list that is fetched page by page, on demand. */
export class PagedList {
  #fetch;

  constructor(fetch) {
    this.#fetch = fetch;
  }

  /** Fetches one page; its `next` is `after` of the following one. */
  fetchPage(after) {
    return this.#fetch(after);
  }

  async *[Symbol.asyncIterator]() {
    let after;
    do {
      const { items, next } = await this.#fetch(after);
      yield* items;
      after = next ?? undefined;
    } while (after !== undefined);
  }

  /** Fetches every page. */
  async toArray() {
    const all = [];
    for await (const item of this) all.push(item);
    return all;
  }
}

/** Calls the management API of one issuer. */
export class ManagementClient {
  #settings;
  #issuer;
  #idempotencyKey;

  constructor(settings) {
    const { apiKey, tokenClient } = settings;
    if ((apiKey === undefined) === (tokenClient === undefined)) throw new TypeError("either apiKey or tokenClient is required");
    this.#settings = settings;
    this.#issuer = new IssuerClient(settings);
  }

  static {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      Object.defineProperty(this.prototype, name, {
        value: function (...parameters) {
          return this.#call(operation, parameters);
        },
      });
    }
  }

  /** The same calls with an `Idempotency-Key`: repeated within a day, a call creates nothing twice. */
  withIdempotencyKey(key) {
    const other = new ManagementClient(this.#settings);
    other.#idempotencyKey = key;
    return other;
  }

  #call(operation, parameters) {
    const rest = [...parameters];
    const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(requireName(rest.shift())));
    const request = { operation, path, headers: { accept: "application/json" } };
    if (operation.isVersioned) request.headers["if-match"] = `"${requireVersion(rest.shift())}"`;
    if (operation.hasBody) {
      request.headers["content-type"] = operation.isPatch ? "application/merge-patch+json" : "application/json";
      request.body = JSON.stringify(rest.shift());
    }
    if (this.#idempotencyKey !== undefined) {
      if (!operation.acceptsIdempotencyKey) throw new TypeError("this call does not take an Idempotency-Key");
      request.headers["idempotency-key"] = this.#idempotencyKey;
    }
    const query = operation.hasQuery ? rest.shift() ?? {} : {};
    if (rest.length > 0) throw new TypeError("too many arguments");
    if (!operation.isPaged) return this.#sendWithRetry({ ...request, query });
    return new PagedList((after) => this.#sendWithRetry({ ...request, query: { ...query, after } }));
  }

  /** Sends a request, and once more where the server asks for its DPoP nonce. */
  async #sendWithRetry(request) {
    const url = this.#url(request);
    try {
      let response = await this.#send(request, url);
      const { tokenClient } = this.#settings;
      if (response.status === 401 && tokenClient?.updateDpopNonce(url, response.headers)) {
        response = await this.#send(request, url);
      }
      const { status } = response;
      if (status >= 200 && status < 300) {
        if (request.operation.hasResponse !== true && request.operation.isPaged !== true) return undefined;
        if (isObject(response.json)) return response.json;
        throw new ManagementApiError({ status, problemType: "no_response", detail: "the response is not a JSON object" });
      }
      if (status === 401) tokenClient?.invalidateToken(this.#tokenRequest());
      throw parseProblem(response);
    } catch (cause) {
      if (cause instanceof IssuerRequestError) {
        throw new ManagementApiError({ problemType: "no_response", detail: cause.message, cause });
      }
      if (!(cause instanceof TokenRequestError)) throw cause;
      const { status, retryAfter, description, message } = cause;
      const detail = description ?? message;
      throw new ManagementApiError({ status, problemType: "token_request_failed", detail, retryAfter, cause });
    }
  }

  /** Throws where a name, such as `..`, would change the path. */
  #url({ path, query }) {
    const url = new URL(`${this.#issuer.issuer}${path}`);
    if (url.pathname !== path) throw new TypeError(`a name changes the path: ${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(name, String(value));
    return url.href;
  }

  #tokenRequest() {
    return { scope: this.#settings.scope, resource: this.#issuer.issuer };
  }

  async #send({ operation: { method }, headers, body }, url) {
    const { apiKey, tokenClient } = this.#settings;
    const credentials = apiKey === undefined
      ? await tokenClient.authorizationHeaders(await tokenClient.getToken(this.#tokenRequest()), { method, url })
      : { authorization: `Bearer ${apiKey}` };
    return this.#issuer.send(url, { method, headers: { ...headers, ...credentials }, body });
  }
}

function requireName(name) {
  if (typeof name !== "string" || name === "") throw new TypeError("a name in the path is missing");
  return name;
}

function requireVersion(version) {
  if (!Number.isSafeInteger(version) || version < 1) throw new TypeError("the version is missing");
  return version;
}
