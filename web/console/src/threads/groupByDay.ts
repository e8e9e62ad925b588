import type { ThreadInfo } from "@pincite/client";

/** Threads that were last changed in the same period. */
export interface ThreadGroup {
  label: string;
  threads: ThreadInfo[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Groups threads, which are sorted by time, into today, yesterday, the last week, the last month and earlier. */
export function groupByDay(threads: readonly ThreadInfo[], now: Date): ThreadGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups: ThreadGroup[] = [];
  for (const thread of threads) {
    const label = periodLabel(new Date(thread.updatedAt).getTime(), midnight);
    const last = groups.at(-1);
    if (last?.label === label) last.threads.push(thread);
    else groups.push({ label, threads: [thread] });
  }
  return groups;
}

function periodLabel(time: number, midnight: number): string {
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY_MS) return "Yesterday";
  if (time >= midnight - 7 * DAY_MS) return "Last 7 days";
  if (time >= midnight - 30 * DAY_MS) return "Last 30 days";
  return "Earlier";
}
