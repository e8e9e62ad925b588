import type { Message } from "@pincite/client";
import { formatJson } from "../ui/format.js";
import styles from "./Steps.module.css";

/** Activity of an agent that the console has no own form for, as data. */
export function Activity({ message }: { message: Message }) {
  return (
    <details className={`${styles.steps} ${styles.tool}`}>
      <summary>Activity {message.activityType}</summary>
      <pre>{formatJson(JSON.stringify(message.content))}</pre>
    </details>
  );
}
