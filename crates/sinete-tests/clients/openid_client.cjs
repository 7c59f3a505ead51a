// The published openid-client (https://github.com/panva/openid-client) against a test server. The test acts as the
// user: it reads the URL that the browser opens, and writes the URL of the redirect back. With SINETE_DPOP every token is
// bound to a key.
'use strict';
require('node:dns').setDefaultResultOrder('ipv4first');
const { Issuer, generators } = require('openid-client');
const lines = require('node:readline').createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const binds = process.env.SINETE_DPOP === '1';
const { privateKey } = require('node:crypto').generateKeyPairSync('ec', { namedCurve: 'P-256' });
const holding = binds ? { DPoP: privateKey } : {};
const mustBeBound = (tokens) => {
  if (tokens.token_type !== (binds ? 'DPoP' : 'Bearer')) throw new Error(`a token of the type ${tokens.token_type}`);
};

const done = [];
const ask = async (what, value) => {
  process.stdout.write(`${what} ${value}\n`);
  return (await lines.next()).value;
};

async function main() {
  const callback = 'http://127.0.0.1:49152/callback';
  const issuer = await Issuer.discover(process.env.SINETE_ISSUER);
  done.push('discovery');

  const client = await issuer.Client.register({
    client_name: 'openid-client',
    redirect_uris: [callback],
    post_logout_redirect_uris: ['http://127.0.0.1:49152/bye'],
    scope: 'openid profile offline_access',
    ...(binds && { dpop_bound_access_tokens: true }),
  });
  done.push('registration');
  await ask('registered', client.metadata.client_id);

  const [code_verifier, state, nonce] = [generators.codeVerifier(), generators.state(), generators.nonce()];
  const pushed = await client.pushedAuthorizationRequest({
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid profile offline_access',
    state,
    nonce,
    code_challenge: generators.codeChallenge(code_verifier),
    code_challenge_method: 'S256',
  });
  done.push('par');

  const answered = await ask('authorize', client.authorizationUrl({ request_uri: pushed.request_uri }));
  done.push('authorize');

  const checks = { code_verifier, state, nonce };
  const first = await client.callback(callback, client.callbackParams(answered), checks, holding);
  mustBeBound(first);
  done.push('token');

  const tokens = await client.refresh(first, holding);
  mustBeBound(tokens);
  done.push('refresh');

  if (issuer.metadata.userinfo_endpoint) {
    const person = await client.userinfo(tokens, holding);
    if (person.sub !== first.claims().sub) throw new Error('another person');
    done.push('userinfo');
  }

  if (!(await client.introspect(tokens.access_token)).active) throw new Error('a live token is not active');
  done.push('introspect');

  await client.revoke(tokens.refresh_token, 'refresh_token');
  if ((await client.introspect(tokens.access_token)).active) throw new Error('a revoked token is active');
  done.push('revoke');

  if (issuer.metadata.end_session_endpoint) {
    const address = client.endSessionUrl({
      id_token_hint: first.id_token,
      post_logout_redirect_uri: 'http://127.0.0.1:49152/bye',
      state: 'bye',
    });
    await ask('logout', address);
    done.push('logout');
  }
  process.stdout.write(`done ${done.join(' ')}\n`);
}

main().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`after ${done.join(', ')}: ${error.stack}\n`);
    process.exit(1);
  },
);
