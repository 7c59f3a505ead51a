// The response to a rejected request: status and `WWW-Authenticate`.

import { ALGORITHMS } from "./signatures.js";

/** A request is rejected. Answer with `status` and `headers()`, or with `response()`; `reason` is for your log only. */
export class RequestRejectedError extends Error {
  constructor({ status, error, challenges = [], retryAfter, reason }) {
    super(reason);
    this.name = "RequestRejectedError";
    this.status = status;
    this.error = error;
    this.challenges = challenges;
    this.retryAfter = retryAfter;
    this.reason = reason;
  }

  /** The response headers as pairs: there may be two challenges. */
  headers() {
    const pairs = this.challenges.map((challenge) => ["www-authenticate", challenge]);
    if (this.retryAfter !== undefined) pairs.push(["retry-after", String(this.retryAfter)]);
    return pairs;
  }

  /** The whole response, for runtimes with `Response`. */
  response() {
    return new Response(null, { status: this.status, headers: this.headers() });
  }
}

/** The token could not be verified now: the client keeps it and retries. */
export const unavailable = (reason) => new RequestRejectedError({ status: 503, retryAfter: 5, reason });

const STATUS = { insufficient_scope: 403 };

/** Makes the error with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). */
export function reject({ error, scheme, scopes, metadata }, reason) {
  const parameters = [
    ["error", error],
    ["resource_metadata", metadata],
    ["scope", scopes.length > 0 ? scopes.join(" ") : undefined],
  ];
  const written = parameters.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}="${value}"`);
  const algorithms = `algs="${ALGORITHMS.join(" ")}"`;
  const bearer = ["Bearer", written.join(", ")].join(" ").trimEnd();
  const isAboutToken = error === undefined || error === "invalid_token";
  let challenges = [bearer];
  if (scheme === "dpop") challenges = [`DPoP ${[...written, algorithms].join(", ")}`];
  else if (isAboutToken) challenges.push(`DPoP ${algorithms}`);
  return new RequestRejectedError({ status: STATUS[error] ?? 401, error, challenges, reason });
}
