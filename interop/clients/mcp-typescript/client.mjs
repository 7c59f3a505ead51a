// An MCP client as the SDK's own example builds one: it registers itself, names no scope, and follows challenges.
// It prints each address that a browser must open, and then what the tools answered.
import http from "node:http";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const { SERVER_PORT, CALLBACK_PORT } = process.env;
const redirectUrl = `http://127.0.0.1:${CALLBACK_PORT}/callback`;
const tools = process.argv.slice(2);
let arrived;

class Provider {
  get redirectUrl() {
    return redirectUrl;
  }
  // The client_id if it is set and the server supports client ID metadata documents; then the client does not register.
  get clientMetadataUrl() {
    return process.env.CLIENT_METADATA_URL;
  }
  get clientMetadata() {
    return {
      client_name: "MCP TypeScript SDK",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client) {
    this.client = client;
  }
  tokens() {
    return this.held;
  }
  saveTokens(tokens) {
    this.held = tokens;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
  redirectToAuthorization(url) {
    this.answer = new Promise((resolve, reject) => (arrived = { resolve, reject }));
    this.answer.catch(() => {});
    console.log(`OPEN ${url.href}`);
  }
}

http
  .createServer((request, response) => {
    const url = new URL(request.url, redirectUrl);
    response.end("You can close this window");
    if (url.pathname !== "/callback") return;
    const error = url.searchParams.get("error");
    if (error) arrived.reject(new Error(`${error}: ${url.searchParams.get("error_description")}`));
    else arrived.resolve(url.searchParams);
  })
  .listen(CALLBACK_PORT, "127.0.0.1");

const provider = new Provider();

async function connect() {
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost:${SERVER_PORT}/mcp`), { authProvider: provider });
  const client = new Client({ name: "interop", version: "1.0.0" });
  return { client, transport };
}

// Runs something; where that needs the user, waits for the browser and runs it again.
async function withUser(action) {
  let { client, transport } = await connect();
  for (let attempt = 0; ; attempt++) {
    try {
      await client.connect(transport);
      return await action(client);
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || attempt === 2) throw error;
      await transport.finishAuth(await provider.answer);
      ({ client, transport } = await connect());
    }
  }
}

try {
  for (const name of tools) {
    const answer = await withUser((client) => client.callTool({ name, arguments: {} }));
    console.log(`TOOL ${name}: ${answer.content[0].text}`);
  }
  console.log("DONE");
  process.exit(0);
} catch (error) {
  console.log(`FAILED ${error.name}: ${error.message}`);
  process.exit(1);
}
