import { client } from "../api/client.js";
import { refreshThreads } from "./threadStore.js";

/** Longest title that is made of a question. */
const MAX_TITLE = 80;

/** Titles of threads that the server does not know yet. */
const titles = new Map<string, string>();

/** Sets the title that a thread gets as soon as its first run was accepted. */
export function setPendingTitle(threadId: string, question: string): void {
  const words = question.replace(/\s+/g, " ").trim();
  const isLong = words.length > MAX_TITLE;
  titles.set(threadId, isLong ? `${words.slice(0, MAX_TITLE - 1).trimEnd()}…` : words);
}

/** Returns the title that a thread will get. */
export function pendingTitle(threadId: string): string | undefined {
  return titles.get(threadId);
}

/** Gives a thread that now exists its title, and shows it in the list. */
export async function applyPendingTitle(threadId: string): Promise<void> {
  const title = titles.get(threadId);
  // Without a title the thread is still usable, so a failure is not reported.
  if (title !== undefined) await client.changeThread(threadId, { title }).catch(() => undefined);
  await refreshThreads();
  titles.delete(threadId);
}
