// A service that asks an API, with tokens of its own or for somebody it acts for.
//
//   CLIENT_ID=robot CLIENT_SECRET=… node examples/service.js http://localhost:8080 http://127.0.0.1:7001 /invoices invoices:read
//
// It takes the address of the instance, the URI that the API is registered under, what to ask it for, the scope that
// takes, and where the API stands if that is somewhere else. In place of a secret it takes a key: CLIENT_KEY in PEM and
// CLIENT_ALGORITHM. With TOKEN or API_KEY it acts for whoever these speak for. With BOUND its tokens are bound to a key.

import { Tokens } from "../src/index.js";

const [issuer, resource, path, scope, address = resource] = process.argv.slice(2);
const { CLIENT_ID: id, CLIENT_SECRET: secret, CLIENT_KEY: privateKey, CLIENT_ALGORITHM: algorithm } = process.env;
const { TOKEN: token, API_KEY: apiKey, BOUND } = process.env;

const tokens = new Tokens({ issuer, client: { id, secret, privateKey, algorithm }, bound: BOUND !== undefined });
// What is not there is not said: a subject that is said and missing is refused, so that nobody acts as somebody else.
const wanted = { ...(token !== undefined && { token }), ...(apiKey !== undefined && { apiKey }), scope, resource };
const url = `${address}${path}`;

// However many ask at once, one token is asked for.
const [got] = await Promise.all([tokens.get(wanted), tokens.get(wanted)]);
const answer = await fetch(url, { headers: await tokens.headers(got, { url }) });
console.log(`${answer.status} ${await answer.text()}`);
