#!/usr/bin/env node
// A command-line program with openid-client: device authorization (RFC 8628), for machines without a browser.
import * as oidc from "openid-client";

const { ISSUER = "http://localhost:8080" } = process.env;
// http is for development on this machine: leave `execute` out in production.
const options = ISSUER.startsWith("http://localhost") ? { execute: [oidc.allowInsecureRequests] } : {};
const config = await oidc.discovery(new URL(ISSUER), "quickstart-cli", undefined, oidc.None(), options);

const device = await oidc.initiateDeviceAuthorization(config, { scope: "openid profile email" });
console.log(`Open ${device.verification_uri} and enter ${device.user_code}`);
console.log(`or open ${device.verification_uri_complete}`);

// Polls at the interval of the server until the user has decided or the code has expired.
const tokens = await oidc.pollDeviceAuthorizationGrant(config, device);
const { name, email } = await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
console.log(`Signed in as ${name} (${email})`);
