import type { RequestError, ThreadInfo } from "@pincite/client";
import { useSyncExternalStore } from "react";
import { client } from "../api/client.js";
import { isBeingDeleted } from "../api/undoableDelete.js";

/** Threads of the list, the last changed first. */
interface ThreadListState {
  threads: readonly ThreadInfo[];
  isLoaded: boolean;
  error: RequestError | undefined;
  /** Cursor of the next page; null on the last page. */
  next: string | null;
}

const PAGE_SIZE = 60;

let state: ThreadListState = { threads: [], isLoaded: false, error: undefined, next: null };
const listeners = new Set<() => void>();

function setState(change: Partial<ThreadListState>): void {
  state = { ...state, ...change };
  state.threads = state.threads.filter((thread) => !isBeingDeleted(thread));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the threads, which all components share. */
export function useThreads(): ThreadListState {
  return useSyncExternalStore(subscribe, () => state);
}

/** Loads the first page of threads again. */
export async function refreshThreads(): Promise<void> {
  // Threads that were just deleted disappear at once.
  setState({});
  try {
    const page = await client.threads({ limit: PAGE_SIZE });
    setState({ threads: page.items, next: page.next, isLoaded: true, error: undefined });
  } catch (error) {
    setState({ isLoaded: true, error: error as RequestError });
  }
}

/** Loads the next page of threads. */
export async function loadMoreThreads(): Promise<void> {
  if (state.next === null) return;
  const page = await client.threads({ limit: PAGE_SIZE, after: state.next });
  const known = new Set(state.threads.map((thread) => thread.id));
  const added = page.items.filter((thread) => !known.has(thread.id));
  setState({ threads: [...state.threads, ...added], next: page.next });
}

/** Changes a thread in the list at once, before the server confirms it. */
export function updateThread(id: string, change: Partial<ThreadInfo>): void {
  setState({
    threads: state.threads.map((thread) => (thread.id === id ? { ...thread, ...change } : thread)),
  });
}
