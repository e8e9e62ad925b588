import { useState } from "react";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { formatNumber } from "../ui/format.js";
import styles from "./StateTree.module.css";
import { lastChange, type StateChange, type StateHistory } from "./stateHistory.js";

/** Largest number of members of one value that are listed. */
const MAX_MEMBERS = 500;

/** Value whose change is shown. */
interface ShownChange {
  pointer: string;
  change: StateChange;
}

/** State of the thread as a tree. Each value names the event that changed it last, and shows the patch. */
export function StateTree({
  history,
  onShowEvent,
}: {
  history: StateHistory;
  onShowEvent: (sequence: number) => void;
}) {
  const [shown, setShown] = useState<ShownChange | undefined>();
  if (history.state === undefined) return <EmptyState title="This thread has no shared state." />;
  return (
    <>
      <div className={styles.tree}>
        <StateNode
          name="state"
          pointer=""
          value={history.state}
          history={history}
          isOpen
          shown={shown?.pointer}
          onShow={setShown}
        />
      </div>
      {shown && (
        <section className={styles.patch} aria-label={`Change of ${shown.pointer || "the state"}`}>
          <div className={styles.patchHead}>
            <p>
              {shown.change.operation === undefined ? "Snapshot" : "Patch"} of event{" "}
              {formatNumber(shown.change.sequence)}, which set <code>{shown.pointer || "/"}</code>
            </p>
            <Button kind="quiet" onClick={() => onShowEvent(shown.change.sequence)}>
              Show event
            </Button>
          </div>
          {shown.change.operation !== undefined && (
            <pre tabIndex={0}>{JSON.stringify(shown.change.operation, null, 2)}</pre>
          )}
        </section>
      )}
    </>
  );
}

interface NodeProps {
  name: string;
  pointer: string;
  value: unknown;
  history: StateHistory;
  isOpen?: boolean;
  /** Pointer of the value whose change is shown. */
  shown: string | undefined;
  onShow: (shown: ShownChange) => void;
}

function StateNode({ name, pointer, value, history, isOpen = false, shown, onShow }: NodeProps) {
  const change = lastChange(history, pointer);
  const source = change !== undefined && (
    <button
      type="button"
      className={styles.change}
      aria-label={`Event ${change.sequence} changed ${name}`}
      aria-pressed={shown === pointer}
      onClick={() => onShow({ pointer, change })}
    >
      {change.sequence}
    </button>
  );
  if (typeof value !== "object" || value === null) {
    return (
      <div className={styles.leaf}>
        {source}
        <span className={styles.name}>{name}</span>
        <span className={styles.value}>{JSON.stringify(value)}</span>
      </div>
    );
  }
  const members = Object.entries(value);
  return (
    <div className={styles.item}>
      {source}
      <details className={styles.branch} open={isOpen}>
        <summary>
          <span className={styles.name}>{name}</span>
          <span className={styles.size}>
            {Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`}
          </span>
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
              shown={shown}
              onShow={onShow}
            />
          ))}
          {members.length > MAX_MEMBERS && (
            <p className={styles.size}>{formatNumber(members.length - MAX_MEMBERS)} more</p>
          )}
        </div>
      </details>
    </div>
  );
}
