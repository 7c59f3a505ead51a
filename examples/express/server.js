// A web application with Express and openid-client: authorization code flow with PKCE, userinfo, and logout.
import { randomBytes } from "node:crypto";
import express from "express";
import session from "express-session";
import * as oidc from "openid-client";

const { ISSUER = "http://localhost:8080", CLIENT_SECRET, PORT = "3000" } = process.env;
const baseUrl = `http://localhost:${PORT}`;
// http is for development on this machine: leave `execute` out in production.
const options = ISSUER.startsWith("http://localhost") ? { execute: [oidc.allowInsecureRequests] } : {};
const config = await oidc.discovery(new URL(ISSUER), "quickstart-express", CLIENT_SECRET, undefined, options);

const app = express();
const cookie = { httpOnly: true, sameSite: "lax" };
app.use(session({ secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false, cookie }));

app.get("/", (request, response) => {
  const { user } = request.session;
  if (user === undefined) return response.send('<a href="/login">Sign in</a>');
  const text = `Signed in as ${user.name} (${user.email})`.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
  response.send(`<p>${text}</p><a href="/logout">Sign out</a>`);
});

app.get("/login", async (request, response) => {
  const [codeVerifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  request.session.signIn = { codeVerifier, state, nonce };
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${baseUrl}/callback`,
    scope: "openid profile email",
    code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  response.redirect(url.href);
});

app.get("/callback", async (request, response) => {
  const { signIn } = request.session;
  if (signIn === undefined) return response.status(400).send("no sign-in was started here");
  const tokens = await oidc.authorizationCodeGrant(config, new URL(request.originalUrl, baseUrl), {
    pkceCodeVerifier: signIn.codeVerifier,
    expectedState: signIn.state,
    expectedNonce: signIn.nonce,
  });
  const { name, email } = await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
  // A new session id, against session fixation.
  await new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())));
  Object.assign(request.session, { user: { name, email }, idToken: tokens.id_token });
  response.redirect("/");
});

app.get("/logout", (request, response) => {
  const { idToken } = request.session;
  const parameters = { post_logout_redirect_uri: `${baseUrl}/`, ...(idToken && { id_token_hint: idToken }) };
  request.session.destroy(() => response.redirect(oidc.buildEndSessionUrl(config, parameters).href));
});

app.listen(Number(PORT), "localhost", () => console.log(`Open ${baseUrl}`));
