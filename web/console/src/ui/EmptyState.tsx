import type { ReactNode } from "react";
import styles from "./EmptyState.module.css";

/** Text for a place without content: its purpose, then the next step as children. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}
