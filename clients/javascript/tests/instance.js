// An instance that answers from here, and counts how often it is asked.

/** Answers `fetch` with what an instance publishes; `handlers` say what else is at which path. */
export function answering({ issuer, keys, handlers = {} }) {
  const asked = {};
  const instance = { asked, keys, isAway: false };
  const documents = {
    "/.well-known/openid-configuration": () => ({
      issuer: instance.calledItself ?? issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      token_endpoint: `${issuer}/connect/token`,
      introspection_endpoint: `${issuer}/connect/introspect`,
      ...instance.more,
    }),
    "/.well-known/jwks.json": () => instance.keys,
  };
  instance.fetch = async (address, options = {}) => {
    const path = address.slice(issuer.length);
    asked[path] = (asked[path] ?? 0) + 1;
    if (instance.isAway) throw new TypeError("fetch failed");
    if (handlers[path] !== undefined) return handlers[path](options);
    return Response.json(documents[path]());
  };
  return instance;
}
