/** Message between tabs: a run of this thread began. */
interface RunNotice {
  threadId: string;
}

const channel =
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("pincite.runs");

/** Tells other tabs that a run of this thread began. */
export function announceRun(threadId: string): void {
  channel?.postMessage({ threadId } satisfies RunNotice);
}

/** Calls a function whenever another tab starts a run. Returns the function that ends this. */
export function onRunInOtherTab(listener: (threadId: string) => void): () => void {
  const receive = (event: MessageEvent<RunNotice>) => listener(event.data.threadId);
  channel?.addEventListener("message", receive);
  return () => channel?.removeEventListener("message", receive);
}
