import { getServerSession } from "next-auth";
import { authOptions } from "../auth.js";
import { SignInButton, SignOutButton } from "./buttons.js";

export default async function Page() {
  const session = await getServerSession(authOptions);
  if (session === null) return <SignInButton />;
  return (
    <main>
      <p>Signed in as {session.user.name} ({session.user.email})</p>
      <SignOutButton />
    </main>
  );
}
