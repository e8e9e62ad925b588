import type { SessionInfo } from "@pincite/client";
import { useSyncExternalStore } from "react";
import { client, setCsrfToken, setUnauthorizedListener } from "./client.js";

/** Access of this browser; `undefined` until the server was asked. */
let session: SessionInfo | undefined;
const listeners = new Set<() => void>();

function set(info: SessionInfo): void {
  session = info;
  setCsrfToken(info.csrfToken ?? undefined);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the access of this browser. */
export function useSession(): SessionInfo | undefined {
  return useSyncExternalStore(subscribe, () => session);
}

/** Asks the server for the access of this browser. */
export async function loadSession(): Promise<void> {
  set(await client.session());
}

/** Exchanges a key for a session. */
export async function signIn(key: string): Promise<void> {
  set(await client.signIn(key));
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  set(await client.signOut());
}

// A session that has expired, or whose key was revoked, leads back to the sign-in page.
setUnauthorizedListener(() => {
  if (session?.principal != null) set({ ...session, principal: null, csrfToken: null });
});
