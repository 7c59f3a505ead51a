// Client authentication at the token and introspection endpoints, and the key of a DPoP client.

import { encode, sha256, toBytes } from "./encoding.js";
import { ALGORITHMS, importSigner } from "./signatures.js";
import { normalizeHtu } from "./dpop.js";

const ASSERTION_SECONDS = 60;
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const SECRET_METHODS = ["client_secret_basic", "client_secret_post"];

const encodePart = (value) => encode(toBytes(JSON.stringify(value)));

async function signJwt(sign, header, claims) {
  const text = `${encodePart(header)}.${encodePart(claims)}`;
  return `${text}.${encode(new Uint8Array(await sign(toBytes(text))))}`;
}

/** Returns the DER bytes of a PKCS#8 key in PEM. */
function parsePem(pem) {
  const found = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/.exec(pem.trim());
  if (found === null) throw new TypeError("privateKey must be a PKCS#8 key in PEM");
  return Uint8Array.from(atob(found[1].replace(/\s/g, "")), (character) => character.charCodeAt(0));
}

/** Authenticates a client with a secret, with a private key that signs assertions, or with its id alone. */
export class ClientAuthenticator {
  #settings;
  #sign;

  constructor(settings) {
    const { clientId, clientSecret, method = "client_secret_basic", privateKey, algorithm } = settings;
    if (typeof clientId !== "string" || clientId === "") throw new TypeError("clientId is required");
    if (clientSecret !== undefined && privateKey !== undefined) {
      throw new TypeError("clientSecret and privateKey exclude each other");
    }
    if (!SECRET_METHODS.includes(method)) throw new TypeError(`method must be one of ${SECRET_METHODS.join(", ")}`);
    if (privateKey !== undefined && !ALGORITHMS.includes(algorithm)) {
      throw new TypeError(`algorithm must be one of ${ALGORITHMS.join(", ")}`);
    }
    this.clientId = clientId;
    this.#settings = { clientSecret, method, keyId: settings.keyId, algorithm };
    if (privateKey !== undefined) this.#sign = importSigner(parsePem(privateKey), algorithm);
    // The first request reports a key that cannot be imported; without this it would also be an unhandled rejection.
    this.#sign?.catch(() => {});
  }

  /** Returns the headers and form fields that authenticate one request. */
  async authenticate(issuer, now) {
    const { clientSecret, method, keyId, algorithm } = this.#settings;
    const { clientId } = this;
    if (this.#sign !== undefined) {
      const jti = crypto.randomUUID();
      const claims = { iss: clientId, sub: clientId, aud: issuer, iat: now, exp: now + ASSERTION_SECONDS, jti };
      const header = { alg: algorithm, kid: keyId, typ: "client-authentication+jwt" };
      const assertion = await signJwt(await this.#sign, header, claims);
      const form = { client_id: clientId, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
      return { headers: {}, form };
    }
    if (clientSecret === undefined) return { headers: {}, form: { client_id: clientId } };
    if (method === "client_secret_post") return { headers: {}, form: { client_id: clientId, client_secret: clientSecret } };
    // RFC 6749 §2.3.1: both are form-encoded before they are joined.
    const encoded = [clientId, clientSecret].map((text) => new URLSearchParams({ "": text }).toString().slice(1));
    return { headers: { authorization: `Basic ${btoa(encoded.join(":"))}` }, form: {} };
  }
}

/** The key pair that access tokens are bound to (RFC 9449). It is generated here and cannot be exported. */
export class DpopKey {
  #pair;
  /** The latest nonce of each server, by origin. */
  #nonces = new Map();

  #keyPair() {
    this.#pair ??= crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
    return this.#pair;
  }

  /** Creates a proof for one request; with `token` it includes `ath`. */
  async createProof({ method, url, token, now }) {
    const { publicKey, privateKey } = await this.#keyPair();
    const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
    const claims = { htm: method, htu: normalizeHtu(url), iat: now, jti: crypto.randomUUID() };
    if (token !== undefined) claims.ath = encode(await sha256(toBytes(token)));
    const nonce = this.#nonces.get(new URL(url).origin);
    if (nonce !== undefined) claims.nonce = nonce;
    const sign = (bytes) => crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytes);
    return signJwt(sign, { typ: "dpop+jwt", alg: "ES256", jwk: { crv, kty, x, y } }, claims);
  }

  /** Stores the `DPoP-Nonce` of a response; returns whether there was one. */
  updateNonce(url, headers) {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null) return false;
    this.#nonces.set(new URL(url).origin, nonce);
    return true;
  }
}
