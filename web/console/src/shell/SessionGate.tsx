import { RequestError } from "@pincite/client";
import { type ReactNode, useEffect, useState } from "react";
import { loadSession, useSession } from "../api/session.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { PageLoading } from "./PageLoading.js";
import { SignInPage } from "./SignInPage.js";
import styles from "./SignInPage.module.css";

/** Shows the console to people who may use it, and the sign-in page to others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useSession();
  const [error, setError] = useState<RequestError | undefined>();
  const load = () => {
    setError(undefined);
    loadSession().catch((cause: unknown) => {
      setError(cause instanceof RequestError ? cause : RequestError.offline(cause));
    });
  };
  useEffect(load, []);
  if (error) {
    return (
      <main className={styles.page}>
        <h1>Pincite</h1>
        <ErrorNotice error={error} onAction={load} />
      </main>
    );
  }
  if (session === undefined) {
    return (
      <main>
        <PageLoading />
      </main>
    );
  }
  return session.principal === null ? <SignInPage /> : children;
}
