import type { RunInfo } from "@pincite/client";
import { Download } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { Button } from "../ui/Button.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatNumber } from "../ui/format.js";
import { brokenRules } from "./brokenRules.js";
import { EventList } from "./EventList.js";
import { asRecording } from "./eventKinds.js";
import styles from "./InspectorPage.module.css";
import { RuleList } from "./RuleList.js";
import { StateTree } from "./StateTree.js";
import { spansOf } from "./spans.js";
import { stateHistory } from "./stateHistory.js";
import { type LogEntry, useThreadLog } from "./useThreadLog.js";
import { Waterfall } from "./Waterfall.js";

const VIEWS = { events: "Events", state: "State", timings: "Timings", rules: "Rules" } as const;
type View = keyof typeof VIEWS;

/** Events, state and timings of a thread, for developers. */
export default function InspectorPage({ threadId }: { threadId: string }) {
  const thread = useRequest(() => client.thread(threadId), [threadId]);
  const { entries, isLive, error } = useThreadLog(threadId);
  const [view, setView] = useState<View>("events");
  const [selected, setSelected] = useState<number | undefined>();
  const history = useMemo(() => stateHistory(entries), [entries]);
  const endedRuns = useMemo(() => entries.filter(isRunBoundary).length, [entries]);
  const runs = useRequest(() => allRuns(threadId), [threadId, endedRuns]);
  const spans = useMemo(() => spansOf(entries, runs.data ?? []), [entries, runs.data]);
  const broken = useMemo(() => brokenRules(entries), [entries]);
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
            {name === "rules" && broken.length > 0 && (
              <span className={styles.broken}>{formatNumber(broken.length)}</span>
            )}
          </Button>
        ))}
        <span className={styles.count}>
          {formatNumber(entries.length)} events{isLive ? "" : ", loading"}
        </span>
      </div>
      {view === "events" && (
        <EventList entries={entries} broken={broken} selected={selected} onSelect={setSelected} />
      )}
      {view === "state" && <StateTree history={history} onShowEvent={showEvent} />}
      {view === "timings" && <Waterfall runs={spans} />}
      {view === "rules" && <RuleList broken={broken} onShowEvent={showEvent} />}
    </Page>
  );
}

/** Returns true for events that begin or end a run. */
function isRunBoundary({ event }: LogEntry): boolean {
  return ["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"].includes(event.type);
}

/** Loads all runs of a thread. */
async function allRuns(threadId: string): Promise<RunInfo[]> {
  const runs: RunInfo[] = [];
  let after: string | undefined;
  do {
    const page = await client.runs(threadId, { after });
    runs.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return runs;
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
