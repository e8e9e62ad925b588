import { signOut, useSession } from "../api/session.js";
import { Button } from "../ui/Button.js";
import { formatTime } from "../ui/format.js";
import styles from "./SettingsPage.module.css";

/** Access of this browser. */
export function AccessSettings() {
  const session = useSession();
  if (session === undefined) return null;
  if (!session.needsKey) {
    return (
      <p>
        No key is needed on this machine. Run <code>pincite keys create NAME</code> to require keys;
        other machines can only connect once a key exists.
      </p>
    );
  }
  return (
    <>
      <p>
        Signed in as {session.principal} with the scopes {session.scopes.join(", ")}.
        {session.expiresAt !== null && ` The session ends ${formatTime(session.expiresAt)}.`}
      </p>
      <div className={styles.actions}>
        <Button onClick={() => void signOut()}>End session</Button>
      </div>
    </>
  );
}
