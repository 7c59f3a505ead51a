// Auth.js with Express: a custom provider, configured with its issuer only.
import express from "express";
import { ExpressAuth, getSession } from "@auth/express";

const { ISSUER, APP_PORT, SECRET } = process.env;
const config = {
  trustHost: true,
  secret: "a-long-random-text-of-your-own",
  providers: [{ id: "sinete", name: "Sinete", type: "oidc", issuer: ISSUER, clientId: "authjs", clientSecret: SECRET }],
};
const app = express();
app.use("/auth/*", ExpressAuth(config));
app.get("/", async (request, response) => response.json((await getSession(request, config)) ?? { user: null }));
app.listen(APP_PORT, "127.0.0.1");
