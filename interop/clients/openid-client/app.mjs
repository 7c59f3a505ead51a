// A web application like the one in the readme of openid-client: discovery, code flow with PKCE, userinfo, refresh, logout.
import http from "node:http";
import * as client from "openid-client";

const { ISSUER, APP, APP_PORT, SECRET } = process.env;
const config = await client.discovery(new URL(ISSUER), "openid-client", SECRET);
const redirectUri = `${APP}/callback`;
const pending = new Map();

async function start(response) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  pending.set(state, { verifier, nonce });
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid profile email offline_access",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  response.writeHead(302, { location: url.href }).end();
}

async function finish(url, response) {
  const state = url.searchParams.get("state");
  const { verifier, nonce } = pending.get(state);
  const tokens = await client.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });
  const claims = tokens.claims();
  const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token);
  const introspected = await client.tokenIntrospection(config, renewed.access_token);
  const logout = client.buildEndSessionUrl(config, { id_token_hint: renewed.id_token, post_logout_redirect_uri: `${APP}/` });
  await client.tokenRevocation(config, renewed.refresh_token);
  const shown = { claims, userinfo, renewed: renewed.claims(), introspected, logout: logout.href };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(shown));
}

http
  .createServer(async (request, response) => {
    try {
      const url = new URL(request.url, APP);
      if (url.pathname === "/login") await start(response);
      else if (url.pathname === "/callback") await finish(url, response);
      else response.writeHead(200).end("signed out");
    } catch (error) {
      response.writeHead(500).end(`${error.name}: ${error.message} ${JSON.stringify(error.cause ?? {})}`);
    }
  })
  .listen(APP_PORT, "127.0.0.1");
