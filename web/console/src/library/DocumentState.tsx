import type { DocumentInfo } from "@pincite/client";
import { formatNumber } from "../ui/format.js";
import styles from "./DocumentState.module.css";

/** Words for the states of a document. */
const STATE_WORDS: Record<DocumentInfo["state"], string> = {
  queued: "Waiting",
  reading: "Reading",
  indexing: "Indexing",
  ready: "Ready",
  failed: "Failed",
  removed: "Removed",
};

/** State of a document: a word, with the progress of reading or the reason of a failure. */
export function DocumentState({ document }: { document: DocumentInfo }) {
  const { state, pagesDone, pageCount, reason, hint } = document;
  const isReading = state === "reading" && pageCount !== undefined && pagesDone > 0;
  return (
    <span className={styles.state} data-state={state}>
      {STATE_WORDS[state]}
      {isReading && ` ${formatNumber(pagesDone)} of ${formatNumber(pageCount)} pages`}
      {state === "failed" && reason && (
        <span className={styles.reason}>
          {reason} {hint}
        </span>
      )}
    </span>
  );
}
