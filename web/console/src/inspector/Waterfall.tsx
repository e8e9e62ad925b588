import { Fragment, useEffect, useRef } from "react";
import { EmptyState } from "../ui/EmptyState.js";
import { formatDuration, formatTime } from "../ui/format.js";
import type { RunSpans, Span } from "./spans.js";
import styles from "./Waterfall.module.css";

/** Durations of runs and of the messages, steps and tool calls in them. Each run has an axis of its own. */
export function Waterfall({ runs }: { runs: readonly RunSpans[] }) {
  if (runs.length === 0) return <EmptyState title="This thread has no runs yet." />;
  const hasParts = runs.some((spans) => spans.length > 1);
  return (
    <div className={styles.frame}>
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
          {runs.map((spans) => (
            <Fragment key={spans[0].key}>
              {spans.map((span) => (
                <SpanRow key={span.key} span={span} run={spans[0]} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      {!hasParts && (
        <p className={styles.note}>
          The events of these runs carry no times, so only the runs as a whole are shown. Parts of
          runs that happen while this page is open are timed.
        </p>
      )}
    </div>
  );
}

function SpanRow({ span, run }: { span: Span; run: Span }) {
  const length = Math.max(1, run.end - run.start);
  const part = (value: number) => Math.min(1, Math.max(0, value / length));
  const left = part(span.start - run.start);
  const isRun = span.kind === "run";
  return (
    <tr data-kind={span.kind}>
      <th scope="row">{span.label}</th>
      <td>
        {isRun ? (
          <time dateTime={new Date(span.start).toISOString()}>{formatTime(span.start)}</time>
        ) : (
          `+${formatDuration(span.start - run.start)}`
        )}
      </td>
      <td>
        {formatDuration(span.end - span.start)}
        {span.isOpen && " (open)"}
      </td>
      <td className={styles.track}>
        <Bar kind={span.kind} left={left} width={Math.min(1 - left, part(span.end - span.start))} />
      </td>
    </tr>
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
