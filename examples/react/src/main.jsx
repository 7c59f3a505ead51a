// A single-page application with oidc-client-ts: authorization code flow with PKCE in the browser, without a secret.
import { UserManager } from "oidc-client-ts";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const baseUrl = `${location.origin}/`;
const users = new UserManager({
  authority: __ISSUER__,
  client_id: "quickstart-react",
  redirect_uri: baseUrl,
  post_logout_redirect_uri: baseUrl,
  scope: "openid profile email invoices:read",
  // The access token is for this API (RFC 8707).
  resource: "http://localhost:3001",
  automaticSilentRenew: false,
});

async function loadUser() {
  if (!new URLSearchParams(location.search).has("code")) return users.getUser();
  const user = await users.signinCallback();
  history.replaceState({}, "", "/");
  return user;
}

// Runs once even if React mounts the component twice, because a code can be redeemed only once.
const loaded = loadUser();

function App() {
  const [user, setUser] = useState();
  const [invoices, setInvoices] = useState([]);
  useEffect(() => {
    loaded.then(setUser, (error) => console.error(error));
  }, []);
  useEffect(() => {
    if (!user) return;
    const headers = { authorization: `Bearer ${user.access_token}` };
    fetch("/api/invoices", { headers }).then((response) => response.json()).then(({ invoices }) => setInvoices(invoices));
  }, [user]);
  if (!user) return <button onClick={() => users.signinRedirect()}>Sign in</button>;
  return (
    <main>
      <p>Signed in as {user.profile.sub}</p>
      <ul>{invoices.map((id) => <li key={id}>{id}</li>)}</ul>
      <button onClick={() => users.signoutRedirect()}>Sign out</button>
    </main>
  );
}

createRoot(document.getElementById("root")).render(<StrictMode><App /></StrictMode>);
