// Typed calls of the management API. What they are is made of the server's own description.

import { isObject, textIn } from "./encoding.js";
import { OPERATIONS } from "./management/operations.js";
import { Service, Unanswered } from "./service.js";
import { TokenRefused } from "./tokens.js";

const PREFIX = "urn:sinete:problem:";

/** Why a call came to nothing (RFC 9457). */
export class Problem extends Error {
  constructor({ status, kind, detail, request, faults = [], id, retryAfter, cause }) {
    super(`${kind}: ${detail}`, { cause });
    this.name = "Problem";
    Object.assign(this, { status, kind, detail, request, faults, id, retryAfter });
  }
}

function problemOf({ status, headers, json }) {
  const document = isObject(json) ? json : {};
  const type = textIn(document, "type") ?? "";
  const seconds = headers.get("retry-after") ?? "";
  return new Problem({
    status,
    kind: type.startsWith(PREFIX) ? type.slice(PREFIX.length) : "unanswered",
    detail: textIn(document, "detail") ?? `the answer was ${status}`,
    request: headers.get("x-request-id") ?? undefined,
    faults: Array.isArray(document.errors) ? document.errors.map(({ pointer, detail }) => ({ pointer, detail })) : [],
    id: textIn(document, "id"),
    retryAfter: /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined,
  });
}

/** A list that comes in pages. Nothing is asked for before it is needed. */
export class Pages {
  #read;

  constructor(read) {
    this.#read = read;
  }

  /** One page, with `next`, which is `after` of the following one. */
  page(after) {
    return this.#read(after);
  }

  async *[Symbol.asyncIterator]() {
    let after;
    do {
      const { items, next } = await this.#read(after);
      yield* items;
      after = next ?? undefined;
    } while (after !== undefined);
  }

  /** All of them. */
  async all() {
    const all = [];
    for await (const item of this) all.push(item);
    return all;
  }
}

/** The management API of one instance. */
export class Management {
  #settings;
  #service;
  #once;

  constructor(settings) {
    const { apiKey, tokens } = settings;
    if ((apiKey === undefined) === (tokens === undefined)) throw new TypeError("the calls take an API key, or tokens");
    this.#settings = settings;
    this.#service = new Service(settings);
  }

  static {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      Object.defineProperty(this.prototype, name, {
        value: function (...said) {
          return this.#call(operation, said);
        },
      });
    }
  }

  /**
   * The same calls under an `Idempotency-Key`: what is repeated under it within a day makes nothing twice. Only for calls
   * that make something.
   */
  once(key) {
    const other = new Management(this.#settings);
    other.#once = key;
    return other;
  }

  #call(operation, said) {
    const rest = [...said];
    const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(named(rest.shift())));
    const asked = { operation, path, headers: { accept: "application/json" } };
    if (operation.isVersioned) asked.headers["if-match"] = `"${versioned(rest.shift())}"`;
    if (operation.takesBody) {
      asked.headers["content-type"] = operation.isPatch ? "application/merge-patch+json" : "application/json";
      asked.body = JSON.stringify(rest.shift());
    }
    if (this.#once !== undefined) {
      if (!operation.isRepeatable) throw new TypeError("this call makes nothing that could be made twice");
      asked.headers["idempotency-key"] = this.#once;
    }
    const query = operation.takesQuery ? rest.shift() ?? {} : {};
    if (rest.length > 0) throw new TypeError("the call takes less than that");
    if (!operation.isPaged) return this.#answer({ ...asked, query });
    return new Pages((after) => this.#answer({ ...asked, query: { ...query, after } }));
  }

  /** Sends a request, with a new proof once more where the instance wants its nonce repeated. */
  async #answer(asked) {
    const address = this.#address(asked);
    try {
      let answer = await this.#send(asked, address);
      const { tokens } = this.#settings;
      if (answer.status === 401 && tokens?.learn(address, answer.headers)) answer = await this.#send(asked, address);
      if (answer.status >= 200 && answer.status < 300) {
        if (asked.operation.hasAnswer !== true && asked.operation.isPaged !== true) return undefined;
        if (isObject(answer.json)) return answer.json;
        throw new Problem({ status: answer.status, kind: "unanswered", detail: "the answer is not what was described" });
      }
      if (answer.status === 401) tokens?.forget(this.#wanted());
      throw problemOf(answer);
    } catch (cause) {
      if (cause instanceof Unanswered) throw new Problem({ kind: "unanswered", detail: cause.message, cause });
      if (!(cause instanceof TokenRefused)) throw cause;
      const { status, retryAfter, description, message } = cause;
      throw new Problem({ status, kind: "token_refused", detail: description ?? message, retryAfter, cause });
    }
  }

  /** Where a request goes. A name that would lead elsewhere leads nowhere. */
  #address({ path, query }) {
    const url = new URL(`${this.#service.issuer}${path}`);
    if (url.pathname !== path) throw new TypeError(`a name would lead elsewhere: ${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(name, String(value));
    return url.href;
  }

  #wanted() {
    return { scope: this.#settings.scope, resource: this.#service.issuer };
  }

  async #send({ operation: { method }, headers, body }, address) {
    const { apiKey, tokens } = this.#settings;
    const shown = apiKey === undefined
      ? await tokens.headers(await tokens.get(this.#wanted()), { method, url: address })
      : { authorization: `Bearer ${apiKey}` };
    return this.#service.ask(address, { method, headers: { ...headers, ...shown }, body });
  }
}

function named(name) {
  if (typeof name !== "string" || name === "") throw new TypeError("a name in the address is missing");
  return name;
}

function versioned(version) {
  if (!Number.isSafeInteger(version) || version < 1) throw new TypeError("the version that is changed is missing");
  return version;
}
