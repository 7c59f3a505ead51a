// An MCP server with Sinete as authorization server: protected resource metadata, a challenge, and a second scope for writing.
import express from "express";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

// With SILENT it names no scope anywhere, so that a client knows none to request.
const { ISSUER, SERVER_PORT, SILENT } = process.env;
const origin = `http://localhost:${SERVER_PORT}`;
const resource = `${origin}/mcp`;
const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`));

function notesServer() {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool("read", { description: "Reads notes" }, async () => ({ content: [{ type: "text", text: "one note" }] }));
  server.registerTool("write", { description: "Writes a note" }, async () => ({ content: [{ type: "text", text: "written" }] }));
  return server;
}

async function guard(request, response, next) {
  const challenge = (status, more) =>
    response.set("WWW-Authenticate", `Bearer ${more}, resource_metadata="${metadata}"`).status(status).json({ error: more });
  const wanted = SILENT ? 'realm="notes"' : 'scope="notes:read"';
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (!token) return challenge(401, wanted);
  let claims;
  try {
    claims = (await jwtVerify(token, keys, { issuer: ISSUER, audience: resource, typ: "at+jwt" })).payload;
  } catch (error) {
    console.error(error.message);
    return challenge(401, `error="invalid_token", ${wanted}`);
  }
  const needed = request.body?.params?.name === "write" ? "notes:write" : "notes:read";
  if (!claims.scope.split(" ").includes(needed)) return challenge(403, `error="insufficient_scope", scope="${needed}"`);
  next();
}

const app = express();
app.use(express.json());
app.get("/.well-known/oauth-protected-resource/mcp", (request, response) =>
  response.json({
    resource,
    authorization_servers: [ISSUER],
    ...(SILENT ? {} : { scopes_supported: ["notes:read", "notes:write"] }),
  }),
);
app.post("/mcp", guard, async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  const server = notesServer();
  response.on("close", () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all("/mcp", guard, (request, response) => response.status(405).end());
app.listen(SERVER_PORT, "127.0.0.1");
