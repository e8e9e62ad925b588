import type { AnswerOutcome } from "@pincite/client";
import styles from "./Outcome.module.css";

/** Result of an answer that the sources do not support, or not wholly. */
export function Outcome({ outcome }: { outcome: AnswerOutcome }) {
  const unsupported = outcome.unsupported ?? [];
  if (outcome.kind === "answered" && unsupported.length === 0) return null;
  return (
    <div className={styles.outcome}>
      <p>
        {outcome.kind === "refused"
          ? "Your documents do not contain the answer, so none was made up."
          : "Parts of this answer are not supported by your documents."}
      </p>
      {unsupported.length > 0 && (
        <ul>
          {unsupported.map((sentence) => (
            <li key={`${sentence.start}`} dir="auto">
              {sentence.text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
