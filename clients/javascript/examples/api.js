// An API that lets in whoever brings a token for it. Reading invoices takes a permission.
//
//   node examples/api.js http://localhost:8080 http://127.0.0.1:7001
//
// It takes the address of the instance, the URI that the API is registered under, and where the API stands if that is
// somewhere else. With SERVICE_ID and SERVICE_SECRET in the environment it asks the instance about every token.

import { createServer } from "node:http";
import { Guard, Refused, shownBy } from "../src/index.js";

const [issuer, audience, address = audience] = process.argv.slice(2);
const { SERVICE_ID: id, SERVICE_SECRET: secret } = process.env;
const introspection = id === undefined ? undefined : { id, secret };
const guard = new Guard({ issuer, audience, address, introspection });

const routes = new Map([
  ["/whoami", [{}, ({ subject, organization, actors }) => ({ subject, organization, actors })]],
  ["/invoices", [{ scopes: ["invoices:read"] }, ({ organization }) => ({ organization, invoices: ["2026-001"] })]],
]);

const server = createServer(async (request, response) => {
  const shown = shownBy(request);
  const route = routes.get(shown.path.split("?")[0]);
  if (route === undefined) return response.writeHead(404).end();
  const [needs, answer] = route;
  try {
    const identity = await guard.check(shown, needs);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer(identity)));
  } catch (error) {
    if (!(error instanceof Refused)) {
      // What is thrown from here ends the process.
      console.error(error);
      return response.writeHead(500).end();
    }
    console.error(`${error.status} ${error.reason}`);
    response.writeHead(error.status, error.headers().flat()).end();
  }
});

const { hostname, port } = new URL(address);
server.listen(Number(port), hostname, () => console.log(`The API stands at http://${hostname}:${server.address().port}`));
