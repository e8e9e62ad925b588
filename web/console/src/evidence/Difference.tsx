import type { DifferencePart } from "@pincite/client";
import styles from "./Difference.module.css";

/** Punctuation before which no space is written. */
const CLOSING = /^[,.;:!?)\]”%]/u;

/** Words of a quote and of its source, with the differences marked in place. */
export function Difference({ parts }: { parts: readonly DifferencePart[] }) {
  return parts.map((part, position) => {
    const space = position > 0 && !CLOSING.test(part.source || part.quote) ? " " : "";
    return (
      <span key={position} className={styles.part}>
        {space}
        {part.isSame ? (
          part.source
        ) : (
          <>
            {part.quote !== "" && (
              <del>
                <span className="visually-hidden">only in the quote: </span>
                {part.quote}
              </del>
            )}
            {part.quote !== "" && part.source !== "" && " "}
            {part.source !== "" && (
              <ins>
                <span className="visually-hidden">in the source: </span>
                {part.source}
              </ins>
            )}
          </>
        )}
      </span>
    );
  });
}
