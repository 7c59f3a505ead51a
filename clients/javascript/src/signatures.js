// Public keys and signatures. The algorithm is a property of the key, never a choice of the JWT.

import { decode, decodeObject, encode, getText, isObject, ownMember, sha256, toBytes } from "./encoding.js";

/** Every supported algorithm. */
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
    fits: ([, n]) => isValidModulus(n),
    parameters: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  },
  RS256: {
    shape: { kty: "RSA" },
    members: ["e", "n"],
    fits: ([, n]) => isValidModulus(n),
    parameters: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  },
};

function isValidModulus(bytes) {
  const starts = bytes.findIndex((byte) => byte !== 0);
  const length = starts < 0 ? 0 : bytes.length - starts;
  const isWhole = length > RSA_BYTES.least || (length === RSA_BYTES.least && bytes[starts] >= 0x80);
  return isWhole && length <= RSA_BYTES.most;
}

/** The required members of a key in lexicographic order, from which its thumbprint is made (RFC 7638). */
function canonicalJwk(jwk, algorithm) {
  const kind = KINDS[algorithm];
  const fits = Object.entries(kind.shape).every(([name, value]) => ownMember(jwk, name) === value);
  const bytes = kind.members.map((name) => decode(getText(jwk, name)));
  if (!fits || bytes.includes(undefined) || !kind.fits(bytes)) return undefined;
  const members = kind.members.map((name) => [name, jwk[name]]);
  const sorted = [...Object.entries(kind.shape), ...members].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted);
}

/** Imports a JWK as a public key for this algorithm; returns nothing where it is not one. */
export async function publicKey(jwk, algorithm) {
  if (!isObject(jwk) || !ALGORITHMS.includes(algorithm)) return undefined;
  const plain = canonicalJwk(jwk, algorithm);
  if (plain === undefined) return undefined;
  const { parameters } = KINDS[algorithm];
  try {
    const key = await crypto.subtle.importKey("jwk", plain, parameters, false, ["verify"]);
    const thumbprint = encode(await sha256(toBytes(JSON.stringify(plain))));
    return {
      algorithm,
      thumbprint,
      verify: (signed, signature) => crypto.subtle.verify(parameters, key, signature, signed),
    };
  } catch {
    return undefined;
  }
}

/** Imports a PKCS#8 key and returns a function that signs with it. */
export async function importSigner(pkcs8, algorithm) {
  const { parameters } = KINDS[algorithm];
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, parameters, false, ["sign"]);
  return (bytes) => crypto.subtle.sign(parameters, key, bytes);
}

/** Parses a JWT in compact form without verifying it; returns nothing where it is not one. */
export function parseJwt(text, bytesMax) {
  if (text.length > bytesMax) return undefined;
  const split = text.split(".");
  if (split.length !== 3) return undefined;
  const [header, claims, signature] = [decodeObject(split[0]), decodeObject(split[1]), decode(split[2])];
  if (header === undefined || claims === undefined || signature === undefined) return undefined;
  return { header, claims, signature, signed: toBytes(`${split[0]}.${split[1]}`) };
}

/** Header parameters that contain a key, or require an extension that is not implemented. */
const FORBIDDEN_HEADERS = ["crit", "jwk", "jku", "x5u", "x5c"];

export function hasForbiddenHeader(header, except) {
  return FORBIDDEN_HEADERS.some((name) => name !== except && Object.hasOwn(header, name));
}
