import type { MessageStates } from "../sources/messageState.js";
import type { Interrupt, Message } from "./types.js";

/** Conversation as the events of a thread describe it. Values are never changed in place. */
export interface Conversation {
  messages: readonly Message[];
  /** Shared state as the server sent it. */
  state: unknown;
  /** Sources of each turn, by the id of its user message. */
  messageStates: MessageStates;
  run: RunProgress;
  /** Times of messages and tool calls, by id. */
  timings: Readonly<Record<string, Timing>>;
  /** Steps of the run in progress, or of the last one. */
  steps: readonly RunStep[];
  interrupts: readonly Interrupt[];
  /** Tool calls that wait for a result of the frontend. */
  pendingToolCallIds: readonly string[];
}

/** Progress of the last run. */
export interface RunProgress {
  status: "idle" | "running" | "finished" | "cancelled" | "interrupted" | "failed";
  runId?: string;
  error?: { message: string; code?: string };
  /** Tool calls that began in this run. */
  startedToolCalls: readonly string[];
  /** State before the run, from which its sources are told. */
  stateBefore?: unknown;
}

/** Begin and end in milliseconds since 1970. */
export interface Timing {
  startedAt: number;
  endedAt?: number;
}

/** Step that the agent announced. */
export interface RunStep extends Timing {
  name: string;
}

/** Conversation without messages. */
export const EMPTY_CONVERSATION: Conversation = {
  messages: [],
  state: undefined,
  messageStates: {},
  run: { status: "idle", startedToolCalls: [] },
  timings: {},
  steps: [],
  interrupts: [],
  pendingToolCallIds: [],
};
