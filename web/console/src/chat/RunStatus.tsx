import type { PinciteThread } from "@pincite/react";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import styles from "./RunStatus.module.css";

/** Hints for failures of runs, by code. */
const HINTS: Readonly<Record<string, string>> = {
  upstream_unreachable: "Check that the agent runs, then retry.",
  upstream_timeout: "The agent took too long. Retry, or ask a shorter question.",
  upstream_protocol: "The agent broke a rule of AG-UI. The inspector shows which one.",
  shutdown: "The server was stopped. Retry now that it runs again.",
  crashed: "The server was interrupted. Retry now that it runs again.",
  limit: "A limit of the server was reached. Ask a shorter question.",
};

/** End of the last run, if it is not a finished answer, and lost connections. */
export function RunStatus({ thread, onRetry }: { thread: PinciteThread; onRetry: () => void }) {
  const { conversation, connection, error } = thread;
  const { run } = conversation;
  if (connection === "reconnecting") {
    return (
      <p className={styles.status} role="status">
        The connection was lost. The answer continues when the server can be reached again.
      </p>
    );
  }
  if (error) return <ErrorNotice error={error} action="Try again" onAction={onRetry} />;
  if (run.status === "failed") {
    const failure = run.error ?? { message: "The run failed." };
    const hint = failure.code === undefined ? undefined : HINTS[failure.code];
    return (
      <ErrorNotice
        error={{ message: failure.message, hint }}
        action="Ask again"
        onAction={onRetry}
      />
    );
  }
  if (run.status === "cancelled") {
    return <p className={styles.status}>Stopped. What was written stays.</p>;
  }
  return null;
}
