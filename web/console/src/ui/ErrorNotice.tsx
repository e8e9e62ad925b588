import { Button } from "./Button.js";
import styles from "./ErrorNotice.module.css";

/** Error at the place where it happened: what happened, what to do, and a button that does it. */
export function ErrorNotice({
  error,
  action = "Try again",
  onAction,
}: {
  error: { message: string; hint?: string | undefined };
  action?: string;
  onAction?: (() => void) | undefined;
}) {
  return (
    <div className={styles.notice} role="alert">
      <div>
        <p className={styles.message}>{error.message}</p>
        {error.hint && <p className={styles.hint}>{error.hint}</p>}
      </div>
      {onAction && <Button onClick={onAction}>{action}</Button>}
    </div>
  );
}
