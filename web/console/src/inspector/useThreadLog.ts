import { type AgUiEvent, RequestError } from "@pincite/client";
import { useEffect, useState } from "react";
import { client } from "../api/client.js";

/** Event of the log with its number and the time at which it happened or arrived. */
export interface LogEntry {
  sequence: number;
  event: AgUiEvent;
  /** Milliseconds since 1970; `undefined` for stored events without a timestamp. */
  at: number | undefined;
}

/** Log of a thread as far as it is loaded. */
export interface ThreadLog {
  entries: readonly LogEntry[];
  /** True once the stored events are loaded; later ones arrive live. */
  isLive: boolean;
  error: RequestError | undefined;
}

const PAGE_SIZE = 1000;
/** Interval at which live events are shown, in milliseconds. */
const FLUSH_MS = 100;

/** Loads the log of a thread, then follows it. */
export function useThreadLog(threadId: string): ThreadLog {
  const [log, setLog] = useState<ThreadLog>({ entries: [], isLive: false, error: undefined });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setLog({ entries: [], isLive: false, error: undefined });
    const add = (entries: readonly LogEntry[], isLive: boolean) => {
      if (signal.aborted) return;
      setLog((before) => ({ ...before, isLive, entries: [...before.entries, ...entries] }));
    };
    readLog(threadId, add, signal).catch((cause: unknown) => {
      if (signal.aborted) return;
      const error = cause instanceof RequestError ? cause : RequestError.offline(cause);
      setLog((before) => ({ ...before, error }));
    });
    return () => controller.abort();
  }, [threadId]);
  return log;
}

async function readLog(
  threadId: string,
  add: (entries: readonly LogEntry[], isLive: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let last = 0;
  let next: number | null = 0;
  while (next !== null && !signal.aborted) {
    const page: Awaited<ReturnType<typeof client.threadEventPage>> = await client.threadEventPage(
      threadId,
      next,
      PAGE_SIZE,
    );
    const entries = page.items.map(({ sequence, event }) => entry(sequence, event as AgUiEvent));
    last = entries.at(-1)?.sequence ?? last;
    next = page.next;
    add(entries, next === null);
  }
  let waiting: LogEntry[] = [];
  const flush = setInterval(() => {
    if (waiting.length > 0) add(waiting, true);
    waiting = [];
  }, FLUSH_MS);
  try {
    for await (const { id, data } of client.threadEvents(threadId, { after: last, signal })) {
      waiting.push(entry(Number(id), JSON.parse(data) as AgUiEvent, Date.now()));
    }
  } finally {
    clearInterval(flush);
    if (waiting.length > 0) add(waiting, true);
  }
}

function entry(sequence: number, event: AgUiEvent, arrival?: number): LogEntry {
  const at = typeof event.timestamp === "number" ? event.timestamp : arrival;
  return { sequence, event, at };
}
