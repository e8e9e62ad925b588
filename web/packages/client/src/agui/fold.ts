import { type BridgeOptions, bridgeConversation } from "../citations/bridge.js";
import type { Conversation } from "./conversation.js";
import type { Draft } from "./draft.js";
import {
  appendContent,
  endMessage,
  mergeSnapshot,
  patchActivity,
  replaceActivity,
  setEncryptedValue,
  startReasoning,
  startTextMessage,
} from "./messageEvents.js";
import { applyPatch } from "./patch.js";
import { failRun, finishRun, finishStep, startRun, startStep } from "./runEvents.js";
import { addToolResult, appendArguments, endToolCall, startToolCall } from "./toolEvents.js";
import type { AgUiEvent } from "./types.js";

type EventHandler = (draft: Draft, event: AgUiEvent, at: number) => void;

/** Options of a fold. */
export type FoldOptions = BridgeOptions;

/** Events after which citations of the state are copied to the messages. */
const BRIDGED_EVENTS = new Set(["STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT"]);

/** Handlers by event type. Events without a handler change nothing. */
const HANDLERS: Readonly<Record<string, EventHandler>> = {
  RUN_STARTED: startRun,
  RUN_FINISHED: finishRun,
  RUN_ERROR: failRun,
  STEP_STARTED: startStep,
  STEP_FINISHED: finishStep,
  TEXT_MESSAGE_START: startTextMessage,
  TEXT_MESSAGE_CONTENT: appendContent,
  TEXT_MESSAGE_END: endMessage,
  REASONING_MESSAGE_START: startReasoning,
  REASONING_MESSAGE_CONTENT: appendContent,
  REASONING_MESSAGE_END: endMessage,
  REASONING_ENCRYPTED_VALUE: setEncryptedValue,
  TOOL_CALL_START: startToolCall,
  TOOL_CALL_ARGS: appendArguments,
  TOOL_CALL_END: endToolCall,
  TOOL_CALL_RESULT: addToolResult,
  STATE_SNAPSHOT: replaceState,
  STATE_DELTA: patchState,
  MESSAGES_SNAPSHOT: mergeSnapshot,
  ACTIVITY_SNAPSHOT: replaceActivity,
  ACTIVITY_DELTA: patchActivity,
};

/**
 * Folds events into a conversation, by the rules of AG-UI 1.0. Chunk events are not known, because a Pincite server
 * expands them. After state events and snapshots of messages, `state.citations` is copied to the messages; the state
 * stays as it was received. `now` is the time of events without a timestamp.
 */
export function foldEvents(
  conversation: Conversation,
  events: readonly AgUiEvent[],
  now: number,
  options: FoldOptions = {},
): Conversation {
  if (events.length === 0) return conversation;
  const draft: Draft = {
    ...conversation,
    messages: [...conversation.messages],
    timings: { ...conversation.timings },
  };
  for (const event of events) {
    const at = typeof event.timestamp === "number" ? event.timestamp : now;
    if (Object.hasOwn(HANDLERS, event.type)) HANDLERS[event.type]?.(draft, event, at);
    if (BRIDGED_EVENTS.has(event.type)) {
      draft.messages = bridgeConversation(draft.state, draft.messages, options);
    }
  }
  return draft;
}

function replaceState(draft: Draft, event: AgUiEvent): void {
  draft.state = event.snapshot;
}

function patchState(draft: Draft, event: AgUiEvent): void {
  const patched = applyPatch(draft.state ?? null, event.delta);
  if (patched) draft.state = patched.document;
}
