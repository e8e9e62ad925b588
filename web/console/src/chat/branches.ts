import type { Message, ThreadInfo } from "@pincite/client";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { useThreads } from "../threads/threadStore.js";

/** Largest number of branches whose questions are compared. */
const MAX_BRANCHES = 30;

/** Threads with different questions at the same place, the oldest first. */
export interface QuestionBranches {
  threadIds: readonly string[];
  /** Position of the open thread among them. */
  current: number;
}

/** Thread with the ids of its questions. */
export interface BranchQuestions {
  threadId: string;
  createdAt: string;
  questionIds: readonly string[];
}

/** Returns the branches of a thread by the id of the question at which they part. */
export function useBranches(
  threadId: string,
  messages: readonly Message[],
): ReadonlyMap<string, QuestionBranches> {
  const { threads } = useThreads();
  const family = familyOf(threads, threadId).slice(0, MAX_BRANCHES);
  const others = family.filter((thread) => thread.id !== threadId);
  const { data } = useRequest(
    () => Promise.all(others.map(readQuestions)),
    [others.map((thread) => thread.id).join()],
  );
  const own = family.find((thread) => thread.id === threadId);
  if (own === undefined || data === undefined || data.length === 0) return new Map();
  return questionBranches({ ...own, threadId, questionIds: questionIds(messages) }, data);
}

async function readQuestions({ id, createdAt }: ThreadInfo): Promise<BranchQuestions> {
  const messages = (await client.threadMessages(id)) as unknown as Message[];
  return { threadId: id, createdAt, questionIds: questionIds(messages) };
}

function questionIds(messages: readonly Message[]): string[] {
  return messages.filter((message) => message.role === "user").map((message) => message.id);
}

/**
 * Finds the questions at which branches part from a thread. A branch has the questions of its parent with the same
 * ids, and another id in place of the edited one.
 */
export function questionBranches(
  own: BranchQuestions,
  others: readonly BranchQuestions[],
): Map<string, QuestionBranches> {
  const parted = new Map<string, Map<string, BranchQuestions>>();
  for (const other of others) {
    const place = own.questionIds.findIndex((id, index) => id !== other.questionIds[index]);
    const ownId = own.questionIds[place];
    const otherId = other.questionIds[place];
    if (ownId === undefined || otherId === undefined) continue;
    const versions = parted.get(ownId) ?? new Map([[ownId, own]]);
    const known = versions.get(otherId);
    // Of several threads with the same question the oldest shows it; the others part from it further down.
    if (known === undefined || other.createdAt < known.createdAt) versions.set(otherId, other);
    parted.set(ownId, versions);
  }
  const branches = new Map<string, QuestionBranches>();
  for (const [questionId, versions] of parted) {
    const ordered = [...versions.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    branches.set(questionId, {
      threadIds: ordered.map((version) => version.threadId),
      current: ordered.indexOf(own),
    });
  }
  return branches;
}

/** Returns the thread with all its ancestors, descendants and their branches, the oldest first. */
export function familyOf(threads: readonly ThreadInfo[], threadId: string): ThreadInfo[] {
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
