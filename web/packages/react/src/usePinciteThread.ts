import {
  type PinciteClient,
  type SessionOptions,
  ThreadSession,
  type ThreadSnapshot,
} from "@pincite/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";

/** Live thread for a component. */
export interface PinciteThread extends ThreadSnapshot {
  session: ThreadSession;
}

/**
 * Returns a live thread. With `isNew` the thread is not loaded, because its first run creates it. `options` are read
 * once per thread.
 */
export function usePinciteThread(
  client: PinciteClient,
  threadId: string,
  isNew: boolean,
  options: SessionOptions = {},
): PinciteThread {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session lives as long as its thread is shown.
  const session = useMemo(() => new ThreadSession(client, threadId, options), [client, threadId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a thread that its first run created stays loaded.
  useEffect(() => {
    session.reopen();
    if (!isNew) void session.load();
    return () => session.close();
  }, [session]);
  const snapshot = useSyncExternalStore(session.subscribe, session.getSnapshot);
  return { ...snapshot, session };
}
