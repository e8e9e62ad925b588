import { path } from "@pincite/client";
import type { ActionExecution } from "@pincite/react";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../api/client.js";

/** Execution as the server describes it. */
export interface StoredExecution extends ActionExecution {
  idempotencyKey: string;
  messageId: string;
}

const NONE: readonly StoredExecution[] = [];

/** Executions of actions by conversation and message. */
const executions = new Map<string, readonly StoredExecution[]>();
const listeners = new Set<() => void>();

function storeKey(conversationId: string, messageId: string): string {
  return `${conversationId}\n${messageId}`;
}

/** Adds an execution, or replaces its earlier state. */
export function putExecution(conversationId: string, execution: StoredExecution): void {
  const key = storeKey(conversationId, execution.messageId);
  const before = executions.get(key) ?? NONE;
  const others = before.filter(({ idempotencyKey }) => idempotencyKey !== execution.idempotencyKey);
  executions.set(key, [...others, execution]);
  for (const listener of listeners) listener();
}

async function loadExecutions(conversationId: string, messageId: string): Promise<void> {
  const { items } = await client.json<{ items: StoredExecution[] }>(
    "GET",
    path`/conversations/${conversationId}/messages/${messageId}/actions`,
  );
  for (const execution of items) putExecution(conversationId, execution);
}

/** Returns the executions of a message's actions, the oldest first, and loads them once. */
export function useExecutions(
  conversationId: string | undefined,
  messageId: string,
): readonly StoredExecution[] {
  useEffect(() => {
    if (conversationId === undefined) return;
    // A message of an agent that the server refused has no executions.
    loadExecutions(conversationId, messageId).catch(() => undefined);
  }, [conversationId, messageId]);
  return useSyncExternalStore(subscribe, () =>
    conversationId === undefined
      ? NONE
      : (executions.get(storeKey(conversationId, messageId)) ?? NONE),
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
