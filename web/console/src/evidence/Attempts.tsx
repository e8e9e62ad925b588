import type { PageLine, SearchAttempt } from "@pincite/client";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import styles from "./Attempts.module.css";

/** Methods of the search in words. */
const METHODS: Readonly<Record<string, string>> = {
  line_with_buffer: "The cited lines",
  current_page: "The cited page",
  adjacent_pages: "The pages beside it",
  expanded_window: "The whole document",
  custom_phrase_fallback: "Similar passages in the whole document",
  anchor_text_fallback: "The key words in the whole document",
  regex_search: "The quote with gaps",
  first_word_fallback: "The first word",
};

/** All ways in which a quote was looked for, on request. */
export function Attempts({ attempts }: { attempts: readonly SearchAttempt[] }) {
  const [isOpen, setIsOpen] = useState(false);
  if (attempts.length === 0) return null;
  return (
    <details className={styles.attempts} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight size={16} aria-hidden="true" />
        What was compared ({attempts.length} {attempts.length === 1 ? "attempt" : "attempts"})
      </summary>
      <ol>
        {(isOpen ? attempts : []).map((attempt, position) => (
          <li key={position}>
            <p>
              {METHODS[attempt.method] ?? attempt.method}:{" "}
              <strong>{attempt.success ? "found" : "not found"}</strong>
              {locationText(attempt.foundLocation)}
            </p>
            {attempt.matchedText && <p className={styles.matched}>{attempt.matchedText}</p>}
            {attempt.note && <p className={styles.note}>{attempt.note}</p>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function locationText(location: PageLine | undefined): string {
  if (location?.page === undefined) return "";
  const line = location.line === undefined ? "" : `, line ${location.line}`;
  return ` (page ${location.page}${line})`;
}
