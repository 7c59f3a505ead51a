// An API that accepts access tokens. Reading invoices requires a permission.
//
//   node examples/api.js http://localhost:8080 http://127.0.0.1:7001
//
// Arguments: the issuer, the URI that the API is registered under, and its base URL if that is another one. With SERVICE_ID
// and SERVICE_SECRET in the environment it introspects every token.

import { createServer } from "node:http";
import { AccessTokenVerifier, RequestRejectedError, readCredentials } from "../src/index.js";

const [issuer, audience, baseUrl = audience] = process.argv.slice(2);
const { SERVICE_ID: clientId, SERVICE_SECRET: clientSecret } = process.env;
const introspection = clientId === undefined ? undefined : { clientId, clientSecret };
const verifier = new AccessTokenVerifier({ issuer, audience, baseUrl, introspection });

const routes = new Map([
  ["/whoami", [{}, ({ subject, organization, actors }) => ({ subject, organization, actors })]],
  ["/invoices", [{ scopes: ["invoices:read"] }, ({ organization }) => ({ organization, invoices: ["2026-001"] })]],
]);

const server = createServer(async (request, response) => {
  const credentials = readCredentials(request);
  const route = routes.get(credentials.path.split("?")[0]);
  if (route === undefined) return response.writeHead(404).end();
  const [requirements, body] = route;
  try {
    const token = await verifier.verify(credentials, requirements);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body(token)));
  } catch (error) {
    if (!(error instanceof RequestRejectedError)) {
      // An error thrown from here would end the process.
      console.error(error);
      return response.writeHead(500).end();
    }
    console.error(`${error.status} ${error.reason}`);
    response.writeHead(error.status, error.headers().flat()).end();
  }
});

const { hostname, port } = new URL(baseUrl);
server.listen(Number(port), hostname, () => console.log(`The API listens at http://${hostname}:${server.address().port}`));
