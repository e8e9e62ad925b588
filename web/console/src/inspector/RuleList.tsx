import { EmptyState } from "../ui/EmptyState.js";
import { formatNumber } from "../ui/format.js";
import type { BrokenRule } from "./brokenRules.js";
import styles from "./RuleList.module.css";

/** Events that break rules of AG-UI, each with the reason. */
export function RuleList({
  broken,
  onShowEvent,
}: {
  broken: readonly BrokenRule[];
  onShowEvent: (sequence: number) => void;
}) {
  if (broken.length === 0) {
    return <EmptyState title="The events of this thread follow the rules of AG-UI." />;
  }
  return (
    <ul className={styles.rules} aria-label="Broken rules">
      {broken.map(({ sequence, message }, position) => (
        <li key={position}>
          <button
            type="button"
            aria-label={`Show event ${sequence}`}
            onClick={() => onShowEvent(sequence)}
          >
            {formatNumber(sequence)}
          </button>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}
