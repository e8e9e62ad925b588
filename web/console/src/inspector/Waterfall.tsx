import { useEffect, useRef } from "react";
import { EmptyState } from "../ui/EmptyState.js";
import { formatDuration } from "../ui/format.js";
import type { Span } from "./spans.js";
import styles from "./Waterfall.module.css";

/** Durations of runs, messages, steps and tool calls on one axis. */
export function Waterfall({ spans }: { spans: readonly Span[] }) {
  const first = spans[0]?.start;
  if (first === undefined) {
    return (
      <EmptyState title="The events of this thread carry no times. Timings of runs that happen while this page is open are shown here." />
    );
  }
  const last = Math.max(...spans.map((span) => span.end));
  const length = Math.max(1, last - first);
  return (
    <table className={styles.waterfall} aria-label="Timings">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Start</th>
          <th scope="col">Duration</th>
          <th scope="col">
            <span className="visually-hidden">Position</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {spans.map((span) => (
          <tr key={span.key}>
            <th scope="row">{span.label}</th>
            <td>{formatDuration(span.start - first)}</td>
            <td>
              {formatDuration(span.end - span.start)}
              {span.isOpen && " (open)"}
            </td>
            <td className={styles.track}>
              <Bar
                kind={span.kind}
                left={(span.start - first) / length}
                width={(span.end - span.start) / length}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ kind, left, width }: { kind: Span["kind"]; left: number; width: number }) {
  const bar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    bar.current?.style.setProperty("left", `${left * 100}%`);
    bar.current?.style.setProperty("width", `${width * 100}%`);
  }, [left, width]);
  return <span ref={bar} className={styles.bar} data-kind={kind} />;
}
