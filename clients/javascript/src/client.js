// How a client proves who it is, and that it holds a key.

import { bytesOf, encode, sha256 } from "./encoding.js";
import { ALGORITHMS, signing } from "./signatures.js";
import { addressOf } from "./proofs.js";

const ASSERTION_SECONDS = 60;
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const part = (value) => encode(bytesOf(JSON.stringify(value)));

/** A signed text with this header and these claims. */
async function signed(sign, header, claims) {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${encode(new Uint8Array(await sign(bytesOf(text))))}`;
}

/** The bytes of a PKCS#8 key in PEM. */
function derOf(pem) {
  const found = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/.exec(pem.trim());
  if (found === null) throw new TypeError("privateKey is a PKCS#8 key in PEM");
  return Uint8Array.from(atob(found[1].replace(/\s/g, "")), (character) => character.charCodeAt(0));
}

/** Who asks: with a secret, with a key that signs assertions, or with nothing but a name. */
export class Client {
  #settings;
  #sign;

  constructor(settings) {
    const { id, secret, secretIn = "header", privateKey, algorithm } = settings;
    if (typeof id !== "string" || id === "") throw new TypeError("a client has an id");
    if (secret !== undefined && privateKey !== undefined) throw new TypeError("a client proves itself in one way");
    if (!["header", "form"].includes(secretIn)) throw new TypeError("secretIn is header or form");
    if (privateKey !== undefined && !ALGORITHMS.includes(algorithm)) {
      throw new TypeError(`algorithm is one of ${ALGORITHMS.join(", ")}`);
    }
    this.id = id;
    this.#settings = { secret, secretIn, keyId: settings.keyId, algorithm };
    if (privateKey !== undefined) this.#sign = signing(derOf(privateKey), algorithm);
    // Whoever asks first learns that the key is none; nobody else is told.
    this.#sign?.catch(() => {});
  }

  /** What goes into the headers and into the form of a request. */
  async proof(issuer, now) {
    const { secret, secretIn, keyId, algorithm } = this.#settings;
    if (this.#sign !== undefined) {
      const [id, jti] = [this.id, crypto.randomUUID()];
      const claims = { iss: id, sub: id, aud: issuer, iat: now, exp: now + ASSERTION_SECONDS, jti };
      const header = { alg: algorithm, kid: keyId, typ: "client-authentication+jwt" };
      const assertion = await signed(await this.#sign, header, claims);
      return { headers: {}, form: { client_id: id, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion } };
    }
    if (secret === undefined) return { headers: {}, form: { client_id: this.id } };
    if (secretIn === "form") return { headers: {}, form: { client_id: this.id, client_secret: secret } };
    // RFC 6749 §2.3.1: each is written as in a form first.
    const encoded = [this.id, secret].map((text) => new URLSearchParams({ "": text }).toString().slice(1));
    return { headers: { authorization: `Basic ${btoa(encoded.join(":"))}` }, form: {} };
  }
}

/** A key that tokens are bound to (RFC 9449). It is made here and cannot be taken out. */
export class Holder {
  #pair;
  /** What each server wants its next proof to repeat. */
  #nonces = new Map();

  #keys() {
    this.#pair ??= crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
    return this.#pair;
  }

  /** A proof for one request, beside this token where there is one. */
  async proof({ method, address, token, now }) {
    const { publicKey, privateKey } = await this.#keys();
    const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
    const claims = { htm: method, htu: addressOf(address), iat: now, jti: crypto.randomUUID() };
    if (token !== undefined) claims.ath = encode(await sha256(bytesOf(token)));
    const nonce = this.#nonces.get(new URL(address).origin);
    if (nonce !== undefined) claims.nonce = nonce;
    const sign = (bytes) => crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytes);
    return signed(sign, { typ: "dpop+jwt", alg: "ES256", jwk: { crv, kty, x, y } }, claims);
  }

  /** Remembers the nonce of an answer, and says whether there was one. */
  learn(address, headers) {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null) return false;
    this.#nonces.set(new URL(address).origin, nonce);
    return true;
  }
}
