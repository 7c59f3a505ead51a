// The API of the application, with Express: it verifies the access token and its permission.
import express from "express";
import { AccessTokenVerifier, RequestRejectedError, readCredentials } from "sinete-client";

const { ISSUER = "http://localhost:8080", API_PORT = "3001" } = process.env;
const verifier = new AccessTokenVerifier({ issuer: ISSUER, audience: "http://localhost:3001" });

const requirePermission = (permission) => async (request, response, next) => {
  try {
    request.token = await verifier.verify(readCredentials(request), { scopes: [permission] });
    next();
  } catch (error) {
    if (!(error instanceof RequestRejectedError)) return next(error);
    response.writeHead(error.status, error.headers().flat()).end();
  }
};

const app = express();
app.get("/api/invoices", requirePermission("invoices:read"), (request, response) => {
  response.json({ organization: request.token.organization, invoices: ["2026-001"] });
});
app.listen(Number(API_PORT), "localhost", () => console.log(`The API listens at http://localhost:${API_PORT}`));
