// Public keys, and the signatures of four algorithms. The algorithm is a property of the key, never a choice of the text.

import { bytesOf, decode, encode, isObject, objectIn, own, sha256, textIn } from "./encoding.js";

/** Every algorithm there is. */
export const ALGORITHMS = Object.freeze(["ES256", "EdDSA", "PS256", "RS256"]);

const RSA_BYTES = { least: 256, most: 1024 };

const KINDS = {
  ES256: {
    shape: { kty: "EC", crv: "P-256" },
    members: ["x", "y"],
    fits: ([x, y]) => x.length === 32 && y.length === 32,
    parameters: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  },
  EdDSA: {
    shape: { kty: "OKP", crv: "Ed25519" },
    members: ["x"],
    fits: ([x]) => x.length === 32,
    parameters: { name: "Ed25519" },
  },
  PS256: {
    shape: { kty: "RSA" },
    members: ["e", "n"],
    fits: ([, n]) => fitsModulus(n),
    parameters: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  },
  RS256: {
    shape: { kty: "RSA" },
    members: ["e", "n"],
    fits: ([, n]) => fitsModulus(n),
    parameters: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  },
};

function fitsModulus(bytes) {
  const starts = bytes.findIndex((byte) => byte !== 0);
  const length = starts < 0 ? 0 : bytes.length - starts;
  const isWhole = length > RSA_BYTES.least || (length === RSA_BYTES.least && bytes[starts] >= 0x80);
  return isWhole && length <= RSA_BYTES.most;
}

/** What a key is, without anything said about it: what its thumbprint is made of (RFC 7638). */
function bare(jwk, algorithm) {
  const kind = KINDS[algorithm];
  const fits = Object.entries(kind.shape).every(([name, value]) => own(jwk, name) === value);
  const bytes = kind.members.map((name) => decode(textIn(jwk, name)));
  if (!fits || bytes.includes(undefined) || !kind.fits(bytes)) return undefined;
  const members = kind.members.map((name) => [name, jwk[name]]);
  const sorted = [...Object.entries(kind.shape), ...members].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted);
}

/** A public key for this algorithm, or nothing where the JWK is none. */
export async function publicKey(jwk, algorithm) {
  if (!isObject(jwk) || !ALGORITHMS.includes(algorithm)) return undefined;
  const plain = bare(jwk, algorithm);
  if (plain === undefined) return undefined;
  const { parameters } = KINDS[algorithm];
  try {
    const key = await crypto.subtle.importKey("jwk", plain, parameters, false, ["verify"]);
    const thumbprint = encode(await sha256(bytesOf(JSON.stringify(plain))));
    return {
      algorithm,
      thumbprint,
      verify: (signed, signature) => crypto.subtle.verify(parameters, key, signature, signed),
    };
  } catch {
    return undefined;
  }
}

/** Signs with a PKCS#8 key for this algorithm. */
export async function signing(pkcs8, algorithm) {
  const { parameters } = KINDS[algorithm];
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, parameters, false, ["sign"]);
  return (bytes) => crypto.subtle.sign(parameters, key, bytes);
}

/** The three parts of a signed text (RFC 7515), of which nothing is believed yet; nothing where it is none. */
export function parts(text, bytesMax) {
  if (text.length > bytesMax) return undefined;
  const split = text.split(".");
  if (split.length !== 3) return undefined;
  const [header, claims, signature] = [objectIn(split[0]), objectIn(split[1]), decode(split[2])];
  if (header === undefined || claims === undefined || signature === undefined) return undefined;
  return { header, claims, signature, signed: bytesOf(`${split[0]}.${split[1]}`) };
}

/** The members by which a header would have us use a key that it brings along, or understand what we do not. */
const STRANGE = ["crit", "jwk", "jku", "x5u", "x5c"];

export function isStrange(header, except) {
  return STRANGE.some((name) => name !== except && Object.hasOwn(header, name));
}
