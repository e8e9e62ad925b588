import { path, randomId } from "@pincite/client";
import type { ChosenAction, ContextResponse } from "@pincite/react";
import { client } from "../api/client.js";
import { putExecution, type StoredExecution } from "./executionStore.js";

/** Executes an action that the person chose. */
export async function executeAction(
  conversationId: string,
  messageId: string,
  action: ChosenAction,
): Promise<void> {
  const { actionId, params, isConfirmed } = action;
  const execution = await client.json<StoredExecution>(
    "POST",
    path`/conversations/${conversationId}/messages/${messageId}/actions/${actionId}`,
    { body: { idempotencyKey: randomId(), confirmed: isConfirmed, ...(params ? { params } : {}) } },
  );
  putExecution(conversationId, execution);
}

/** Undoes an execution. */
export async function undoAction(
  conversationId: string,
  execution: StoredExecution,
): Promise<void> {
  const { messageId, actionId, idempotencyKey } = execution;
  const undone = await client.json<StoredExecution>(
    "POST",
    path`/conversations/${conversationId}/messages/${messageId}/actions/${actionId}/result`,
    { body: { idempotencyKey, state: "undone" } },
  );
  putExecution(conversationId, undone);
}

/** Answer that was given to a request for context. */
export interface ContextAnswer {
  shared: Record<string, unknown>;
  withheld: string[];
}

/** Answers a request for context. */
export function answerContext(
  conversationId: string,
  messageId: string,
  response: ContextResponse,
): Promise<ContextAnswer> {
  return client.json("POST", path`/conversations/${conversationId}/messages/${messageId}/context`, {
    body: response,
  });
}

/** Returns the answer to a request for context; `undefined` if it is open. */
export async function contextAnswer(
  conversationId: string,
  messageId: string,
): Promise<ContextAnswer | undefined> {
  const answer = await client.json<ContextAnswer & { answered: boolean }>(
    "GET",
    path`/conversations/${conversationId}/messages/${messageId}/context`,
  );
  return answer.answered ? answer : undefined;
}

/** Returns the fields that are shared in a conversation, with their values. */
export async function sharedContext(conversationId: string): Promise<Record<string, unknown>> {
  const { context } = await client.json<{ context: Record<string, unknown> }>(
    "GET",
    path`/conversations/${conversationId}/context`,
  );
  return context;
}
