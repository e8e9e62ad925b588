import { Download } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { Button } from "../ui/Button.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { EventList } from "./EventList.js";
import { asRecording } from "./eventKinds.js";
import styles from "./InspectorPage.module.css";
import { StateTree } from "./StateTree.js";
import { spansOf } from "./spans.js";
import { stateHistory } from "./stateHistory.js";
import { useThreadLog } from "./useThreadLog.js";
import { Waterfall } from "./Waterfall.js";

const VIEWS = { events: "Events", state: "State", timings: "Timings" } as const;
type View = keyof typeof VIEWS;

/** Events, state and timings of a thread, for developers. */
export default function InspectorPage({ threadId }: { threadId: string }) {
  const thread = useRequest(() => client.thread(threadId), [threadId]);
  const { entries, isLive, error } = useThreadLog(threadId);
  const [view, setView] = useState<View>("events");
  const [selected, setSelected] = useState<number | undefined>();
  const history = useMemo(() => stateHistory(entries), [entries]);
  const spans = useMemo(() => spansOf(entries), [entries]);
  const failure = thread.error ?? error;
  const showEvent = (sequence: number) => {
    setSelected(sequence);
    setView("events");
  };
  return (
    <Page
      title="Inspector"
      subtitle={
        <Link href={`/threads/${encodeURIComponent(threadId)}`}>
          {thread.data?.title ?? threadId}
        </Link>
      }
      actions={
        <Button
          disabled={entries.length === 0}
          onClick={() => save(threadId, asRecording(entries))}
        >
          <Download size={18} aria-hidden="true" />
          Download recording
        </Button>
      }
    >
      {failure && <ErrorNotice error={failure} onAction={thread.reload} />}
      <div className={styles.views} role="group" aria-label="View">
        {(Object.keys(VIEWS) as View[]).map((name) => (
          <Button
            key={name}
            kind="quiet"
            aria-pressed={view === name}
            onClick={() => setView(name)}
          >
            {VIEWS[name]}
          </Button>
        ))}
        <span className={styles.count}>
          {entries.length.toLocaleString()} events{isLive ? "" : ", loading"}
        </span>
      </div>
      {view === "events" && (
        <EventList entries={entries} selected={selected} onSelect={setSelected} />
      )}
      {view === "state" && <StateTree history={history} onShowEvent={showEvent} />}
      {view === "timings" && <Waterfall spans={spans} />}
    </Page>
  );
}

/** Saves a recording as a file. */
function save(threadId: string, recording: string): void {
  const address = URL.createObjectURL(new Blob([recording], { type: "text/event-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${threadId}.sse`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
