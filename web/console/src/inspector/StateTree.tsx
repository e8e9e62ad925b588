import { EmptyState } from "../ui/EmptyState.js";
import styles from "./StateTree.module.css";
import { lastChange, type StateHistory } from "./stateHistory.js";

/** Largest number of members of one value that are listed. */
const MAX_MEMBERS = 500;

/** State of the thread as a tree. Each value names the event that changed it last. */
export function StateTree({
  history,
  onShowEvent,
}: {
  history: StateHistory;
  onShowEvent: (sequence: number) => void;
}) {
  if (history.state === undefined) return <EmptyState title="This thread has no shared state." />;
  return (
    <div className={styles.tree}>
      <StateNode
        name="state"
        pointer=""
        value={history.state}
        history={history}
        isOpen
        onShowEvent={onShowEvent}
      />
    </div>
  );
}

interface NodeProps {
  name: string;
  pointer: string;
  value: unknown;
  history: StateHistory;
  isOpen?: boolean;
  onShowEvent: (sequence: number) => void;
}

function StateNode({ name, pointer, value, history, isOpen = false, onShowEvent }: NodeProps) {
  const change = lastChange(history, pointer);
  const source = change !== undefined && (
    <button
      type="button"
      className={styles.change}
      aria-label={`Event ${change} changed ${name}`}
      onClick={() => onShowEvent(change)}
    >
      {change}
    </button>
  );
  if (typeof value !== "object" || value === null) {
    return (
      <div className={styles.leaf}>
        <span className={styles.name}>{name}</span>
        <span className={styles.value}>{JSON.stringify(value)}</span>
        {source}
      </div>
    );
  }
  const members = Object.entries(value);
  return (
    <details className={styles.branch} open={isOpen}>
      <summary>
        <span className={styles.name}>{name}</span>
        <span className={styles.size}>
          {Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`}
        </span>
        {source}
      </summary>
      <div className={styles.members}>
        {members.slice(0, MAX_MEMBERS).map(([key, member]) => (
          <StateNode
            key={key}
            name={key}
            pointer={`${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`}
            value={member}
            history={history}
            isOpen={pointer === ""}
            onShowEvent={onShowEvent}
          />
        ))}
        {members.length > MAX_MEMBERS && (
          <p className={styles.size}>{(members.length - MAX_MEMBERS).toLocaleString()} more</p>
        )}
      </div>
    </details>
  );
}
