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
/** Interval at which a thread without a run is asked for a new one, in milliseconds. */
const POLL_MS = 1000;

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
  let isLoaded = false;
  while (!signal.aborted) {
    // This request is short, so it is not cancelled when the page is left.
    const page = await client.threadEventPage(threadId, last, PAGE_SIZE).catch((error) => {
      // Once the log is loaded, a server that does not respond is asked again.
      if (!isLoaded) throw error;
      return { items: [], next: null };
    });
    const entries = page.items.map(({ sequence, event }) => entry(sequence, event as AgUiEvent));
    const newest = entries.at(-1);
    last = newest?.sequence ?? last;
    if (!isLoaded || entries.length > 0) add(entries, page.next === null);
    isLoaded ||= page.next === null;
    if (page.next !== null || signal.aborted) continue;
    if (newest !== undefined && !isRunEnd(newest.event)) {
      last = await followRun(threadId, last, add, signal);
    }
    await pause(POLL_MS, signal);
  }
}

function isRunEnd({ type }: AgUiEvent): boolean {
  return type === "RUN_FINISHED" || type === "RUN_ERROR";
}

/** Adds events as they happen until no run is in progress. Returns the number of the last event. */
async function followRun(
  threadId: string,
  after: number,
  add: (entries: readonly LogEntry[], isLive: boolean) => void,
  signal: AbortSignal,
): Promise<number> {
  let last = after;
  let waiting: LogEntry[] = [];
  const send = () => {
    if (waiting.length > 0) add(waiting, true);
    waiting = [];
  };
  const flush = setInterval(send, FLUSH_MS);
  try {
    for await (const { id, data } of client.threadEvents(threadId, { after, signal })) {
      last = Number(id);
      waiting.push(entry(last, JSON.parse(data) as AgUiEvent, Date.now()));
    }
  } catch {
    // The connection was lost, or the page was left. Events after the last one are asked for again.
  } finally {
    clearInterval(flush);
    send();
  }
  return last;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function entry(sequence: number, event: AgUiEvent, arrival?: number): LogEntry {
  const at = typeof event.timestamp === "number" ? event.timestamp : arrival;
  return { sequence, event, at };
}
