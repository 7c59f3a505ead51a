/** Client library for Sinete: verify access tokens in an API, request tokens as a service, call the management API. */

import type { ManagementCalls } from "./management/calls.js";
export type * from "./management/calls.js";

/** A signature algorithm of tokens and DPoP proofs. */
export type SigningAlgorithm = "ES256" | "EdDSA" | "PS256" | "RS256";

export interface AccessTokenVerifierSettings {
  /** The issuer, exactly as in `iss`: https, or http on loopback, without a trailing slash. */
  issuer: string;
  /** The URI that the API is registered under (`aud`). */
  audience: string;
  /**
   * The URL at which clients reach the API, before the path of a request: DPoP proofs contain it. Without query or fragment.
   * Default: the origin of `audience`.
   */
  baseUrl?: string;
  /** The URL of the protected resource metadata (RFC 9728). Default: the well-known URL of `audience`. */
  resourceMetadata?: string;
  /** The accepted signature algorithms. Default: `["ES256"]`. */
  algorithms?: SigningAlgorithm[];
  /** How many seconds `iat` and `nbf` may be in the future, 0 to 60. Default: 5. `exp` has no leeway. */
  clockLeeway?: number;
  /** Where used DPoP proofs are recorded. Default: in this process. */
  replayCache?: ReplayCache;
  /** Introspects every token as this client, so that a revoked token is rejected at once. Default: no introspection. */
  introspection?: ClientAuthentication;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
  /** Replaces the platform's clock: seconds since 1970. */
  now?: () => number;
}

/** The credentials of a request; `readCredentials` reads them. */
export interface RequestCredentials {
  method: string;
  /** The path, with or without the query. */
  path: string;
  authorization?: string;
  dpop?: string;
  /** The SHA-256 thumbprint of the client certificate, in base64url. */
  certificateThumbprint?: string;
}

/** What a request requires. A member that is present and `undefined` or empty is a `TypeError`, so that it never grants access. */
export interface AccessRequirements {
  /** All of these permissions. */
  scopes?: string[];
  /** The organization that the token must be for. */
  organization?: string;
}

/** An actor that acts for the subject (`act`). */
export interface TokenActor {
  subject: string;
  /** `ai_agent`, `service` or `operator`. */
  profile?: string;
}

/** The claims of a verified access token. */
export class VerifiedAccessToken {
  readonly subject: string;
  /** The one organization that the token is for. */
  readonly organization: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Role names, for display: they grant nothing. Check permissions instead. */
  readonly roles: readonly string[];
  /** The actors, the current one first. */
  readonly actors: readonly TokenActor[];
  /** The id of the token (`jti`). */
  readonly tokenId: string;
  /** The authentication context class of the user, if the subject is one. */
  readonly acr?: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  /** All claims. */
  readonly claims: Readonly<Record<string, unknown>>;
  private constructor();
  /** Whether the scope contains this permission, or every action of its resource (`invoices:*`). */
  hasPermission(permission: string): boolean;
}

/** A request is rejected. */
export class RequestRejectedError extends Error {
  /** 401, 403, or 503 where the token could not be verified now. */
  readonly status: number;
  /** `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`; missing where the request has no token. */
  readonly error?: string;
  /** The values of `WWW-Authenticate`. */
  readonly challenges: readonly string[];
  readonly retryAfter?: number;
  /** For your log. Do not send it to the client. */
  readonly reason: string;
  private constructor();
  /** The headers of the response. */
  headers(): [string, string][];
  /** The whole response, for runtimes with `Response`. */
  response(): Response;
}

export class AccessTokenVerifier {
  constructor(settings: AccessTokenVerifierSettings);
  /** Returns the verified token if the request may proceed; throws `RequestRejectedError` otherwise. */
  verify(credentials: RequestCredentials, requirements?: AccessRequirements): Promise<VerifiedAccessToken>;
}

/** Records used DPoP proofs. */
export interface ReplayCache {
  /**
   * Returns whether this id is used for the first time, and records it until that second. Throws where it cannot tell. The id
   * is unique for its key; the key is passed so that one key cannot fill the cache.
   */
  recordFirstUse(id: string, until: number, now: number, key: string): Promise<boolean>;
}

/** Records used DPoP proofs in this process. */
export class MemoryReplayCache implements ReplayCache {
  /** Default: 100,000, of which one key may use a tenth. Beyond that requests are rejected with 503. */
  constructor(capacity?: number);
  recordFirstUse(id: string, until: number, now: number, key: string): Promise<boolean>;
}

/** Reads the credentials of a web `Request` or of a Node `IncomingMessage`. Never throws. */
export function readCredentials(
  request: Request | { method?: string; url?: string; originalUrl?: string; headers: Record<string, string | string[] | undefined> },
  certificateThumbprint?: string,
): RequestCredentials;

/** A client and its registered authentication method. With `clientId` alone the method is `none`. */
export interface ClientAuthentication {
  clientId: string;
  clientSecret?: string;
  /** How the secret is sent. Default: `client_secret_basic`. */
  method?: "client_secret_basic" | "client_secret_post";
  /** For `private_key_jwt`: a PKCS#8 key in PEM, its algorithm, and its `kid` where the client has several keys. */
  privateKey?: string;
  algorithm?: SigningAlgorithm;
  keyId?: string;
}

export interface TokenClientSettings {
  /** The issuer: https, or http on loopback, without a trailing slash. */
  issuer: string;
  client: ClientAuthentication;
  /** Binds every token to a key that is generated in the process (DPoP). Default: false. */
  useDpop?: boolean;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
  /** Replaces the platform's clock: seconds since 1970. */
  now?: () => number;
}

/**
 * Which token to request: the client's own, or one exchanged for `subjectToken` or `apiKey`. One of these that is present and
 * `undefined` or empty is a `TypeError`, so that it never becomes the client's own token.
 */
export interface TokenRequest {
  subjectToken?: string;
  apiKey?: string;
  /** Permissions, separated by spaces. */
  scope?: string;
  /** The URI of the API that the token is for. */
  resource?: string;
}

export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: "Bearer" | "DPoP";
  /** In seconds since 1970. */
  readonly expiresAt: number;
  readonly scope?: string;
  readonly refreshToken?: string;
}

/** The issuer rejected a token request, or could not be reached. */
export class TokenRequestError extends Error {
  /** The status of the response, if there was one. */
  readonly status?: number;
  /** The OAuth error code: `invalid_client`, `invalid_scope`, … Missing where the issuer is unavailable. */
  readonly error?: string;
  readonly description?: string;
  /** In how many seconds to retry. Where it is missing, a retry does not help. */
  readonly retryAfter?: number;
  /** A refresh token was sent and no usable response arrived: it may have been used. */
  readonly refreshTokenMayBeUsed: boolean;
  private constructor();
}

export class TokenClient {
  constructor(settings: TokenClientSettings);
  /** Returns a token, the same one until shortly before it expires; throws `TokenRequestError`. */
  getToken(request?: TokenRequest): Promise<TokenResponse>;
  /** Uses a refresh token, which is invalid afterwards. Concurrent calls share one request. Throws `TokenRequestError`. */
  refresh(refreshToken: string, options?: { scope?: string }): Promise<TokenResponse>;
  /** Removes a token from the cache, because an API rejected it. */
  invalidateToken(request?: TokenRequest): void;
  /** The `Authorization` and `DPoP` headers for one request to an API. */
  authorizationHeaders(token: TokenResponse, request: { method?: string; url: string | URL }): Promise<Record<string, string>>;
  /** Stores the `DPoP-Nonce` of an API's response; returns whether there was one. */
  updateDpopNonce(url: string | URL, headers: Headers): boolean;
}

/** The management API is called with an API key, or with access tokens for the issuer itself. */
export interface ManagementClientSettings {
  /** The issuer: https, or http on loopback, without a trailing slash. */
  issuer: string;
  apiKey?: string;
  tokenClient?: TokenClient;
  /** The scope of the requested tokens, separated by spaces. */
  scope?: string;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
}

/** The calls of the management API. Arguments: path parameters, then the version (`If-Match`), then the body, then the query. */
export class ManagementClient {
  constructor(settings: ManagementClientSettings);
  /** The same calls with an `Idempotency-Key`: repeated within a day, a call creates nothing twice. */
  withIdempotencyKey(key: string): ManagementClient;
}
export interface ManagementClient extends ManagementCalls {}

/** A list that is fetched page by page, on demand. */
export class PagedList<T> implements AsyncIterable<T> {
  private constructor();
  /** Fetches one page; its `next` is `after` of the following one. */
  fetchPage(after?: string): Promise<{ items: T[]; next: string | null }>;
  [Symbol.asyncIterator](): AsyncIterator<T>;
  /** Fetches every page. */
  toArray(): Promise<T[]>;
}

/** A call of the management API failed (RFC 9457). */
export class ManagementApiError extends Error {
  /** The status of the response, if there was one. */
  readonly status?: number;
  /**
   * The last part of the problem `type`: `not_found`, `insufficient_scope`, `already_created`, … `no_response` and
   * `token_request_failed` are the library's own: the server did not decide on the call.
   */
  readonly problemType: string;
  readonly detail: string;
  /** The id of the request, as in the server's log. */
  readonly requestId?: string;
  /** What is wrong with the body, and where (JSON Pointer). */
  readonly errors: readonly { pointer: string; detail: string }[];
  /** For `already_created`: the id of what an earlier request created. */
  readonly id?: string;
  readonly retryAfter?: number;
  private constructor();
}
