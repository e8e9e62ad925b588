import { CopyButton } from "../ui/CopyButton.js";
import styles from "./CodeBlock.module.css";

/** Block of code of an answer with a button that copies it. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  return (
    <div className={styles.block}>
      <div className={styles.bar}>
        <span>{language}</span>
        <CopyButton label="Copy code" text={() => code} />
      </div>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
