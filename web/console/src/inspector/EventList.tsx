import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { CopyButton } from "../ui/CopyButton.js";
import type { BrokenRule } from "./brokenRules.js";
import styles from "./EventList.module.css";
import {
  EVENT_KINDS,
  type EventKind,
  eventKind,
  eventSummary,
  filterEntries,
} from "./eventKinds.js";
import type { LogEntry } from "./useThreadLog.js";

const ROW_HEIGHT = 32;
const ALL_KINDS = Object.keys(EVENT_KINDS) as EventKind[];

/** List of events with filters. The JSON of the selected event is shown below it. */
export function EventList({
  entries,
  broken,
  selected,
  onSelect,
}: {
  entries: readonly LogEntry[];
  broken: readonly BrokenRule[];
  selected: number | undefined;
  onSelect: (sequence: number | undefined) => void;
}) {
  const [hidden, setHidden] = useState<ReadonlySet<EventKind>>(new Set());
  const [text, setText] = useState("");
  const kinds = useMemo(() => new Set(ALL_KINDS.filter((kind) => !hidden.has(kind))), [hidden]);
  const shown = useMemo(() => filterEntries(entries, kinds, text), [entries, kinds, text]);
  const toggle = (kind: EventKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  const open = entries.find((entry) => entry.sequence === selected);
  return (
    <div className={styles.events}>
      <div className={styles.filters}>
        <input
          type="search"
          aria-label="Filter events"
          placeholder="Filter events"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {ALL_KINDS.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={!hidden.has(kind)} onChange={() => toggle(kind)} />
            {kind}
          </label>
        ))}
      </div>
      <EventRows entries={shown} broken={broken} selected={selected} onSelect={onSelect} />
      {open && (
        <section className={styles.detail} aria-label={`Event ${open.sequence}`}>
          <CopyButton text={() => JSON.stringify(open.event)} label="Copy event" />
          <pre tabIndex={0}>{JSON.stringify(open.event, null, 2)}</pre>
        </section>
      )}
    </div>
  );
}

function EventRows({
  entries,
  broken,
  selected,
  onSelect,
}: {
  entries: readonly LogEntry[];
  broken: readonly BrokenRule[];
  selected: number | undefined;
  onSelect: (sequence: number | undefined) => void;
}) {
  const brokenAt = useMemo(() => new Set(broken.map(({ sequence }) => sequence)), [broken]);
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const position = entries.findIndex((entry) => entry.sequence === selected);
  useEffect(() => {
    if (position >= 0) rows.scrollToIndex(position, { align: "auto" });
  }, [position, rows]);
  return (
    <div ref={frame} className={styles.frame} role="group" aria-label="Events" tabIndex={0}>
      <Spacer height={rows.getTotalSize()}>
        {rows.getVirtualItems().map((row) => {
          const entry = entries[row.index];
          if (!entry) return null;
          const isSelected = entry.sequence === selected;
          return (
            <Row key={entry.sequence} top={row.start}>
              <button
                type="button"
                className={styles.row}
                aria-expanded={isSelected}
                onClick={() => onSelect(isSelected ? undefined : entry.sequence)}
              >
                <span className={styles.sequence}>{entry.sequence}</span>
                <span className={styles.type} data-kind={eventKind(entry.event.type)}>
                  {entry.event.type}
                </span>
                {brokenAt.has(entry.sequence) && (
                  <span className={styles.broken}>✗ breaks a rule</span>
                )}
                <span className={styles.summary}>{eventSummary(entry.event)}</span>
              </button>
            </Row>
          );
        })}
      </Spacer>
    </div>
  );
}

function Spacer({ height, children }: { height: number; children: React.ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.style.setProperty("height", `${height}px`), [height]);
  return (
    <div ref={element} className={styles.spacer}>
      {children}
    </div>
  );
}

function Row({ top, children }: { top: number; children: React.ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.style.setProperty("transform", `translateY(${top}px)`), [top]);
  return (
    <div ref={element} className={styles.place}>
      {children}
    </div>
  );
}
