// How an API turns a request away: with the exact status and headers that tell a client how to come back.

import { ALGORITHMS } from "./signatures.js";

/**
 * A request is turned away. `status`, `challenges` and `headers()` are for the answer, `reason` is for your log.
 */
export class Refused extends Error {
  constructor({ status, error, challenges = [], retryAfter, reason }) {
    super(reason);
    this.name = "Refused";
    this.status = status;
    this.error = error;
    this.challenges = challenges;
    this.retryAfter = retryAfter;
    this.reason = reason;
  }

  /** The headers of the answer, as pairs: there may be two challenges. */
  headers() {
    const pairs = this.challenges.map((challenge) => ["www-authenticate", challenge]);
    if (this.retryAfter !== undefined) pairs.push(["retry-after", String(this.retryAfter)]);
    return pairs;
  }

  /** The whole answer, for runtimes that know `Response`. */
  response() {
    return new Response(null, { status: this.status, headers: this.headers() });
  }
}

/** What cannot be judged now is no fault of the client's: it keeps its token and comes back. */
export const unavailable = (reason) => new Refused({ status: 503, retryAfter: 5, reason });

const STATUS = { insufficient_scope: 403 };

/** A refusal with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). */
export function refusal({ error, scheme, needs, metadata }, reason) {
  const said = [
    ["error", error],
    ["resource_metadata", metadata],
    ["scope", needs.length > 0 ? needs.join(" ") : undefined],
  ];
  const written = said.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}="${value}"`);
  const algorithms = `algs="${ALGORITHMS.join(" ")}"`;
  const bearer = ["Bearer", written.join(", ")].join(" ").trimEnd();
  const aboutCredential = error === undefined || error === "invalid_token";
  let challenges = [bearer];
  if (scheme === "dpop") challenges = [`DPoP ${[...written, algorithms].join(", ")}`];
  else if (aboutCredential) challenges.push(`DPoP ${algorithms}`);
  return new Refused({ status: STATUS[error] ?? 401, error, challenges, reason });
}
