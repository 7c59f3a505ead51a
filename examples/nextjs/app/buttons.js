"use client";

import { signIn, signOut } from "next-auth/react";

export const SignInButton = () => <button onClick={() => signIn("sinete")}>Sign in</button>;
export const SignOutButton = () => <button onClick={() => signOut()}>Sign out</button>;
