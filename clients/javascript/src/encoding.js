// Base64url, SHA-256 and JSON, as strictly as signed texts are read.

const ALPHABET = /^[A-Za-z0-9_-]*$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const bytesOf = (text) => new TextEncoder().encode(text);

/** Base64url without padding. */
export function encode(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of a base64url text without padding, spelt in the one way there is; otherwise nothing. */
export function decode(text) {
  if (typeof text !== "string" || !ALPHABET.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return encode(bytes) === text ? bytes : undefined;
}

export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A part of a signed text that is a JSON object; otherwise nothing. */
export function objectIn(part) {
  const bytes = decode(part);
  if (bytes === undefined) return undefined;
  try {
    const value = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A member of an object's own, never of its prototype. */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** A member that is a text with something in it. */
export function textIn(object, name) {
  const value = own(object, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member that is a moment, in whole seconds since 1970. */
export function timeIn(object, name) {
  const value = own(object, name);
  return Number.isSafeInteger(value) ? value : undefined;
}
