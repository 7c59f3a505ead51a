// A mock issuer that counts requests by path.

/** `fetch` answers with metadata and keys; `handlers` answer at other paths. */
export function mockIssuer({ issuer, keys, handlers = {} }) {
  const requests = {};
  const mock = { requests, keys, isUnavailable: false };
  const documents = {
    "/.well-known/openid-configuration": () => ({
      issuer: mock.otherIssuer ?? issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      token_endpoint: `${issuer}/connect/token`,
      introspection_endpoint: `${issuer}/connect/introspect`,
      ...mock.metadata,
    }),
    "/.well-known/jwks.json": () => mock.keys,
  };
  mock.fetch = async (url, options = {}) => {
    const path = url.slice(issuer.length);
    requests[path] = (requests[path] ?? 0) + 1;
    if (mock.isUnavailable) throw new TypeError("fetch failed");
    if (handlers[path] !== undefined) return handlers[path](options);
    return Response.json(documents[path]());
  };
  return mock;
}
