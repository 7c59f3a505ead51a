// The settings of Auth.js (the package next-auth): one OpenID Connect provider, found by discovery.
export const authOptions = {
  providers: [
    {
      id: "sinete",
      name: "Sinete",
      type: "oauth",
      wellKnown: `${process.env.ISSUER ?? "http://localhost:8080"}/.well-known/openid-configuration`,
      clientId: "quickstart-nextjs",
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: "openid profile email" } },
      checks: ["pkce", "state"],
      idToken: true,
      // Name and e-mail address are in userinfo (OpenID Connect Core §5.4), not in the ID token.
      userinfo: { request: ({ client, tokens }) => client.userinfo(tokens.access_token) },
      profile: ({ sub, name, email }) => ({ id: sub, name, email }),
    },
  ],
};
