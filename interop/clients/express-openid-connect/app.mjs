// The quick start of express-openid-connect, with a page that shows the signed-in user.
import express from "express";
import openid from "express-openid-connect";

const { ISSUER, APP, APP_PORT, SECRET } = process.env;
const app = express();
app.use(
  openid.auth({
    issuerBaseURL: ISSUER,
    baseURL: APP,
    clientID: "express",
    clientSecret: SECRET,
    secret: "a-long-random-text-of-your-own-that-encrypts",
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: "code", scope: "openid profile email offline_access" },
  }),
);
app.get("/", (request, response) => response.send(request.oidc.isAuthenticated() ? "signed in" : "signed out"));
app.get("/profile", openid.requiresAuth(), (request, response) => response.json(request.oidc.user));
app.get("/userinfo", openid.requiresAuth(), async (request, response) => response.json(await request.oidc.fetchUserInfo()));
app.get("/refresh", openid.requiresAuth(), async (request, response) => {
  const token = await request.oidc.accessToken.refresh();
  response.json({ expires_in: token.expires_in });
});
app.use((error, request, response, next) => response.status(500).send(`${error.name}: ${error.message}`));
app.listen(APP_PORT, "127.0.0.1");
