// A service that calls an API, with its own tokens or on behalf of a user.
//
//   CLIENT_ID=robot CLIENT_SECRET=… node examples/service.js http://localhost:8080 http://127.0.0.1:7001 /invoices invoices:read
//
// Arguments: the issuer, the URI that the API is registered under, the path, the scope, and the base URL of the API if that
// is another one. Instead of a secret it takes a key: CLIENT_KEY in PEM and CLIENT_ALGORITHM. With SUBJECT_TOKEN or API_KEY it
// acts on behalf of their subject. With USE_DPOP its tokens are bound to a key.

import { TokenClient } from "../src/index.js";

const [issuer, resource, path, scope, baseUrl = resource] = process.argv.slice(2);
const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, CLIENT_KEY: privateKey, CLIENT_ALGORITHM: algorithm } = process.env;
const { SUBJECT_TOKEN: subjectToken, API_KEY: apiKey, USE_DPOP } = process.env;

const client = { clientId, clientSecret, privateKey, algorithm };
const tokenClient = new TokenClient({ issuer, client, useDpop: USE_DPOP !== undefined });
// A subject that is present and undefined is an error, so that a missing one never becomes the service itself.
const request = { ...(subjectToken !== undefined && { subjectToken }), ...(apiKey !== undefined && { apiKey }), scope, resource };
const url = `${baseUrl}${path}`;

// Concurrent calls share one token request.
const [token] = await Promise.all([tokenClient.getToken(request), tokenClient.getToken(request)]);
const response = await fetch(url, { headers: await tokenClient.authorizationHeaders(token, { url }) });
console.log(`${response.status} ${await response.text()}`);
