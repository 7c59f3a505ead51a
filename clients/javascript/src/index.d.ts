/** Programs around a Sinete instance: an API that is guarded, a service that needs tokens, a program that administers. */

import type { Calls } from "./management/calls.js";
export type * from "./management/calls.js";

/** An algorithm that tokens and proofs are signed with. */
export type Algorithm = "ES256" | "EdDSA" | "PS256" | "RS256";

/** Who guards which API. */
export interface GuardSettings {
  /** The address of the instance, as its tokens name it: https, or http on this machine, without a slash at the end. */
  issuer: string;
  /** The URI that the API is registered under. */
  audience: string;
  /**
   * Where clients reach the API, before the path that is handed in: proofs of keys name it. It has no query and no fragment. The
   * origin of `audience` unless said.
   */
  address?: string;
  /** Where the API publishes who guards it (RFC 9728). Made of `audience` unless said. */
  resourceMetadata?: string;
  /** What tokens may be signed with. `["ES256"]` unless said. */
  algorithms?: Algorithm[];
  /** How many seconds ahead a token may begin, 0 to 60. 5 unless said. Its end is kept to the second. */
  leeway?: number;
  /** Where proofs are remembered. In this process unless said. */
  replays?: Replays;
  /** Asks the instance about every token, as this service: what was revoked stops at once. */
  introspection?: ClientSettings;
  /** In place of the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** The time in seconds since 1970, in place of the clock of the platform. */
  now?: () => number;
}

/** What a request shows. */
export interface Shown {
  method: string;
  /** The path of the request, with its query or without. */
  path: string;
  authorization?: string;
  dpop?: string;
  /** The SHA-256 of the certificate that the connection showed, in base64url. */
  certificate?: string;
}

/** What a request takes. A member that is there and `undefined`, or empty, is a `TypeError`: it must not mean that nothing is needed. */
export interface Needs {
  /** Every one of these permissions. */
  scopes?: string[];
  /** The organization that the token must speak for. */
  organization?: string;
}

/** Somebody who acts for the subject. */
export interface Actor {
  subject: string;
  /** `ai_agent`, `service` or `operator`, where it is one. */
  profile?: string;
}

/** Who a token speaks for, where, and for what. */
export class Identity {
  readonly subject: string;
  /** The one organization it speaks in. */
  readonly organization: string;
  /** The client that it was issued to. */
  readonly client: string;
  readonly scopes: readonly string[];
  /** The names of roles, which describe and never confer: check scopes. */
  readonly roles: readonly string[];
  /** Who acts for the subject, the one who holds the token first. */
  readonly actors: readonly Actor[];
  /** The id of the token. */
  readonly id: string;
  /** How the person proved who they are, where there is one. */
  readonly assurance?: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  /** Everything that the token says. */
  readonly claims: Readonly<Record<string, unknown>>;
  private constructor();
  /** Whether the token names this permission, or all actions of its resource. */
  allows(permission: string): boolean;
}

/** A request is turned away. */
export class Refused extends Error {
  /** 401, 403, or 503 where nothing can be judged now. */
  readonly status: number;
  /** `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`; nothing where no token was shown. */
  readonly error?: string;
  /** The values of `WWW-Authenticate`. */
  readonly challenges: readonly string[];
  readonly retryAfter?: number;
  /** For your log, never for the answer. */
  readonly reason: string;
  private constructor();
  /** The headers of the answer. */
  headers(): [string, string][];
  /** The whole answer, for runtimes that know `Response`. */
  response(): Response;
}

export class Guard {
  constructor(settings: GuardSettings);
  /** Who asks, if the request shows a token that counts and holds what is needed; throws `Refused` otherwise. */
  check(shown: Shown, needs?: Needs): Promise<Identity>;
}

/** Where proofs are remembered. */
export interface Replays {
  /**
   * Whether this id is used for the first time; remembers it until that second. Throws where it cannot be known. The id is
   * that of this key alone; the key is said so that none takes all the room.
   */
  use(id: string, until: number, now: number, key: string): Promise<boolean>;
}

/** Remembers proofs in this process. */
export class MemoryReplays implements Replays {
  /** 100,000 at most unless said, and a tenth of them for one key; beyond that requests are turned away with 503. */
  constructor(most?: number);
  use(id: string, until: number, now: number, key: string): Promise<boolean>;
}

/** What a request shows: a `Request` of the web, or an `IncomingMessage` of Node. Throws nothing, whatever its target is. */
export function shownBy(
  request: Request | { method?: string; url?: string; originalUrl?: string; headers: Record<string, string | string[] | undefined> },
  certificate?: string,
): Shown;

/** A client, and how it proves who it is: the one way that it registered. With nothing but an id it proves nothing. */
export interface ClientSettings {
  id: string;
  secret?: string;
  /** `header` is `client_secret_basic`, which is usual; `form` is `client_secret_post`. */
  secretIn?: "header" | "form";
  /** For `private_key_jwt`: a PKCS#8 key in PEM, with its algorithm, and its id where the client has several. */
  privateKey?: string;
  algorithm?: Algorithm;
  keyId?: string;
}

/** Who gets tokens where. */
export interface TokenSettings {
  /** The address of the instance: https, or http on this machine, without a slash at the end. */
  issuer: string;
  client: ClientSettings;
  /** Binds every token to a key that is made here and never leaves (DPoP). Not done unless said. */
  bound?: boolean;
  /** In place of the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** The time in seconds since 1970, in place of the clock of the platform. */
  now?: () => number;
}

/**
 * What token is wanted: the client's own, or one that speaks for whoever `token` or `apiKey` speaks for. One of these that is there
 * and `undefined`, or empty, is a `TypeError`: it must not become the client's own.
 */
export interface Wanted {
  token?: string;
  apiKey?: string;
  /** Permissions, with spaces between. */
  scope?: string;
  /** The URI of the API it is for. */
  resource?: string;
}

export interface Token {
  readonly accessToken: string;
  readonly type: "Bearer" | "DPoP";
  /** In seconds since 1970. */
  readonly expiresAt: number;
  readonly scope?: string;
  readonly refreshToken?: string;
}

/** The instance refused a token, or cannot be asked now. */
export class TokenRefused extends Error {
  /** What the instance answered with, if it did. */
  readonly status?: number;
  /** The word of OAuth: `invalid_client`, `invalid_scope`, … Nothing where the instance cannot be asked now. */
  readonly error?: string;
  readonly description?: string;
  /** In how many seconds it makes sense to ask again. Where it is missing, asking again changes nothing. */
  readonly retryAfter?: number;
  /** A refresh token was sent and nobody knows what became of it. It may be spent. */
  readonly mayBeSpent: boolean;
  private constructor();
}

export class Tokens {
  constructor(settings: TokenSettings);
  /** A token, the same one until shortly before its end; throws `TokenRefused`. */
  get(wanted?: Wanted): Promise<Token>;
  /** Renews with a refresh token, which is spent by it, once however many ask with it at once; throws `TokenRefused`. */
  refresh(refreshToken: string, less?: { scope?: string }): Promise<Token>;
  /** Forgets a token that an API does not take any more. */
  forget(wanted?: Wanted): void;
  /** The headers that show a token to an API, for one request. */
  headers(token: Token, request: { method?: string; url: string | URL }): Promise<Record<string, string>>;
  /** Remembers the nonce of an API's answer, and says whether there was one. */
  learn(url: string | URL, headers: Headers): boolean;
}

/** Who calls the management API: with an API key, or with tokens that are issued for the instance itself. */
export interface ManagementSettings {
  /** The address of the instance: https, or http on this machine, without a slash at the end. */
  issuer: string;
  apiKey?: string;
  tokens?: Tokens;
  /** What tokens are asked for, with spaces between. */
  scope?: string;
  /** In place of the `fetch` of the platform. */
  fetch?: typeof fetch;
}

/** Every call of the management API: names of things first, then the version that is changed, then what is said. */
export class Management {
  constructor(settings: ManagementSettings);
  /** The same calls under an `Idempotency-Key`: what is repeated under it within a day makes nothing twice. */
  once(key: string): Management;
}
export interface Management extends Calls {}

/** A list that comes in pages. Nothing is asked for before it is needed. */
export class Pages<T> implements AsyncIterable<T> {
  private constructor();
  /** One page, with `next`, which is `after` of the following one. */
  page(after?: string): Promise<{ items: T[]; next: string | null }>;
  [Symbol.asyncIterator](): AsyncIterator<T>;
  /** All of them. */
  all(): Promise<T[]>;
}

/** Why a call came to nothing (RFC 9457). */
export class Problem extends Error {
  /** What the instance answered with, if it did. */
  readonly status?: number;
  /** `not_found`, `insufficient_scope`, `already_created`, …; `unanswered` and `token_refused` where the call was never judged. */
  readonly kind: string;
  readonly detail: string;
  /** The id of the request, as the server's log names it. */
  readonly request?: string;
  /** What is wrong with the body, and where: JSON pointers. */
  readonly faults: readonly { pointer: string; detail: string }[];
  /** The id of what an earlier request made, for `already_created`. */
  readonly id?: string;
  readonly retryAfter?: number;
  private constructor();
}
