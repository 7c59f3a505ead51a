// Base64url, SHA-256 and JSON, parsed strictly.

const ALPHABET = /^[A-Za-z0-9_-]*$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const toBytes = (text) => new TextEncoder().encode(text);

/** Encodes as base64url without padding. */
export function encode(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes base64url without padding; returns nothing for any other spelling. */
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

/** Decodes a part of a JWT that is a JSON object. */
export function decodeObject(part) {
  const bytes = decode(part);
  if (bytes === undefined) return undefined;
  try {
    const value = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A member of the object itself, never of its prototype. */
export const ownMember = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** A member that is a non-empty string. */
export function getText(object, name) {
  const value = ownMember(object, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member that is a time in whole seconds since 1970. */
export function getTime(object, name) {
  const value = ownMember(object, name);
  return Number.isSafeInteger(value) ? value : undefined;
}
