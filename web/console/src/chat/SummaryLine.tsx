import type { DisplayState, SummaryPart } from "@pincite/client";
import styles from "./SummaryLine.module.css";

/** Short words of the states that are not verified. */
const SHORT_WORDS: Readonly<Record<DisplayState, string>> = {
  verified: "verified",
  "found elsewhere": "elsewhere",
  "partly found": "partly",
  "not found": "not found",
  "source missing": "source missing",
  checking: "checking",
};

/** One honest line under an answer: its quotes by state. Each part filters the markers of the answer. */
export function SummaryLine({
  summary,
  filter,
  onFilter,
}: {
  summary: readonly SummaryPart[];
  filter: DisplayState | undefined;
  onFilter: (state: DisplayState | undefined) => void;
}) {
  const total = summary.reduce((sum, part) => sum + part.count, 0);
  const verified = summary.find((part) => part.state === "verified")?.count ?? 0;
  const toggle = (state: DisplayState) => onFilter(filter === state ? undefined : state);
  return (
    <p className={styles.line}>
      <button
        type="button"
        aria-pressed={filter === "verified"}
        onClick={() => toggle("verified")}
        disabled={verified === 0}
      >
        <strong>
          {verified} of {total}
        </strong>{" "}
        {total === 1 ? "quote" : "quotes"} verified
      </button>
      {summary
        .filter((part) => part.state !== "verified")
        .map((part) => (
          <span key={part.state}>
            {" · "}
            <button
              type="button"
              aria-pressed={filter === part.state}
              onClick={() => toggle(part.state)}
            >
              {part.count} {SHORT_WORDS[part.state]}
            </button>
          </span>
        ))}
    </p>
  );
}
