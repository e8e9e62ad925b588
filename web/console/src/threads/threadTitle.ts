import type { ThreadInfo } from "@pincite/client";

/** Returns the title of a thread, or words for one that has none. */
export function threadTitle(thread: Pick<ThreadInfo, "title">): string {
  return thread.title?.trim() || "Untitled thread";
}
