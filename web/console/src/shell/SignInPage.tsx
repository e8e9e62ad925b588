import { RequestError } from "@pincite/client";
import { type FormEvent, useState } from "react";
import { signIn } from "../api/session.js";
import { Button } from "../ui/Button.js";
import { useDocumentTitle } from "./Page.js";
import styles from "./SignInPage.module.css";

/** Page that asks for an access key once. */
export function SignInPage() {
  const [key, setKey] = useState("");
  const [error, setError] = useState<RequestError | undefined>();
  useDocumentTitle("Sign in");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await signIn(key);
    } catch (cause) {
      setError(cause instanceof RequestError ? cause : RequestError.offline(cause));
    }
  };
  return (
    <main className={styles.page}>
      <h1>Sign in to Pincite</h1>
      <p>
        This server needs an access key. <code>pincite keys create NAME</code> prints one.
      </p>
      <form onSubmit={submit}>
        <label>
          Access key
          <input
            type="password"
            autoComplete="current-password"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-invalid={error !== undefined}
            aria-describedby={error ? "key-error" : undefined}
          />
        </label>
        {error && (
          <p id="key-error" role="alert" className={styles.error}>
            {error.message} {error.hint}
          </p>
        )}
        <Button type="submit" kind="primary" disabled={key.trim() === ""}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
