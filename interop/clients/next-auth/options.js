export const options = {
  providers: [
    {
      id: "sinete",
      name: "Sinete",
      type: "oauth",
      wellKnown: `${process.env.ISSUER}/.well-known/openid-configuration`,
      clientId: "nextjs",
      clientSecret: process.env.CLIENT_SECRET,
      authorization: { params: { scope: "openid profile email" } },
      checks: ["pkce", "state"],
      idToken: true,
      profile: (profile) => ({ id: profile.sub, name: profile.name, email: profile.email }),
    },
  ],
};
