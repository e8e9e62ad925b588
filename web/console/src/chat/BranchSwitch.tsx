import type { ThreadInfo } from "@pincite/client";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useLocation } from "wouter";
import { useThreads } from "../threads/threadStore.js";
import { Button } from "../ui/Button.js";
import styles from "./BranchSwitch.module.css";

/** Switch between the branches of a thread, in the order in which they were made. */
export function BranchSwitch({ threadId }: { threadId: string }) {
  const { threads } = useThreads();
  const [, navigate] = useLocation();
  const family = branchesOf(threads, threadId);
  const position = family.findIndex((thread) => thread.id === threadId);
  if (family.length < 2 || position < 0) return null;
  const show = (offset: number) => {
    const target = family[position + offset];
    if (target) navigate(`/threads/${encodeURIComponent(target.id)}`);
  };
  return (
    <div className={styles.switch}>
      <Button
        kind="icon"
        aria-label="Previous branch"
        disabled={position === 0}
        onClick={() => show(-1)}
      >
        <ChevronLeft size={18} />
      </Button>
      <span>
        Branch {position + 1} of {family.length}
      </span>
      <Button
        kind="icon"
        aria-label="Next branch"
        disabled={position === family.length - 1}
        onClick={() => show(1)}
      >
        <ChevronRight size={18} />
      </Button>
    </div>
  );
}

/** Returns the thread with all its ancestors, descendants and their branches, the oldest first. */
export function branchesOf(threads: readonly ThreadInfo[], threadId: string): ThreadInfo[] {
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  const rootOf = (thread: ThreadInfo): string => {
    const seen = new Set<string>();
    let current = thread;
    while (current.parentThreadId !== undefined && !seen.has(current.id)) {
      seen.add(current.id);
      const parent = byId.get(current.parentThreadId);
      if (!parent) return current.parentThreadId;
      current = parent;
    }
    return current.id;
  };
  const own = byId.get(threadId);
  if (!own) return [];
  const root = rootOf(own);
  return threads
    .filter((thread) => !thread.archived && rootOf(thread) === root)
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
