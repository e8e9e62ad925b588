import { signOut, useSession } from "../api/session.js";
import { Button } from "../ui/Button.js";
import { formatTime } from "../ui/format.js";
import { KeySettings } from "./KeySettings.js";
import styles from "./SettingsPage.module.css";

/** Access of this browser, and the access keys of the server. */
export function AccessSettings({ isAdmin }: { isAdmin: boolean }) {
  const session = useSession();
  if (session === undefined) return null;
  return (
    <>
      {session.needsKey ? (
        <>
          <p>
            Signed in as {session.principal} with the scopes {session.scopes.join(", ")}.
            {session.expiresAt !== null && ` The session ends ${formatTime(session.expiresAt)}.`}
          </p>
          <div className={styles.actions}>
            <Button onClick={() => void signOut()}>End session</Button>
          </div>
        </>
      ) : (
        <p>
          No key is needed on this machine. From the first key on every request needs one; other
          machines can only connect once a key exists.
        </p>
      )}
      {isAdmin && <KeySettings session={session} />}
    </>
  );
}
