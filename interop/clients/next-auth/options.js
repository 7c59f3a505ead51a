// The claims that the ID token should contain: this library reads nothing else.
const claims = process.env.CLAIMS ? { claims: JSON.parse(process.env.CLAIMS) } : {};

export const options = {
  providers: [
    {
      id: "sinete",
      name: "Sinete",
      type: "oauth",
      wellKnown: `${process.env.ISSUER}/.well-known/openid-configuration`,
      clientId: "nextjs",
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: "openid profile email", ...claims } },
      checks: ["pkce", "state"],
      idToken: true,
      profile: (profile) => ({ id: profile.sub, name: profile.name, email: profile.email }),
    },
  ],
};
