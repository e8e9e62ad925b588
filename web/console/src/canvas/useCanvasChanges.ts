import { path, type ThreadSession } from "@pincite/client";
import { useEffect } from "react";
import { client } from "../api/client.js";
import { putExecution, type StoredExecution } from "./executionStore.js";

/** Delay after a change before the thread is read again, so that several changes are read together. */
const RELOAD_DELAY = 150;
/** Delays before the stream is opened again, in milliseconds; the last one is repeated. */
const RETRY_DELAYS = [1_000, 5_000, 30_000];

/**
 * Follows what agents post to a conversation outside of its runs, and the states of actions. It stops while the tab is
 * hidden, because a browser opens few connections to one server.
 */
export function useCanvasChanges(session: ThreadSession, isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    let follower: AbortController | undefined;
    const update = () => {
      const isHidden = document.visibilityState === "hidden";
      if (isHidden) {
        follower?.abort();
        follower = undefined;
      } else if (!follower) {
        follower = new AbortController();
        void followChanges(session, follower.signal);
      }
    };
    const show = () => {
      update();
      // Changes while the tab was hidden.
      if (document.visibilityState !== "hidden") void session.followRun();
    };
    update();
    document.addEventListener("visibilitychange", show);
    return () => {
      document.removeEventListener("visibilitychange", show);
      follower?.abort();
    };
  }, [session, isActive]);
}

async function followChanges(session: ThreadSession, signal: AbortSignal): Promise<void> {
  const { threadId } = session;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let after: string | undefined;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const stream = client.events("GET", path`/conversations/${threadId}/messages/events`, {
      query: after === undefined ? { live: true } : { after },
      signal,
    });
    try {
      for await (const event of stream) {
        attempt = 0;
        after = event.id ?? after;
        if (event.event === "action") {
          putExecution(threadId, JSON.parse(event.data) as StoredExecution);
        }
        clearTimeout(timer);
        timer = setTimeout(() => void session.followRun(), RELOAD_DELAY);
      }
    } catch {
      // The server is away, or the conversation does not exist yet.
    }
    if (signal.aborted) break;
    const pause = RETRY_DELAYS[Math.min(attempt, RETRY_DELAYS.length - 1)] ?? 0;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  clearTimeout(timer);
}
