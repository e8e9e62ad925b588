import type { Conversation, Timing } from "./conversation.js";
import type { AgUiEvent, Message } from "./types.js";

/** Conversation while events are folded: its list of messages and its table of timings may be changed in place. */
export type Draft = Omit<Conversation, "messages" | "timings"> & {
  messages: Message[];
  timings: Record<string, Timing>;
};

/** Returns a member of an event if it is a string. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the position of the first message with an id, or -1. Streaming messages are at the end, so the search begins
 * there; ids that occur twice are rare.
 */
export function findMessage(draft: Draft, id: unknown): number {
  const last = draft.messages.findLastIndex((message) => message.id === id);
  if (last <= 0) return last;
  const first = draft.messages.length > MANY_MESSAGES ? last : firstIndex(draft, id);
  return first;
}

/** Number of messages above which duplicate ids are not looked for. */
const MANY_MESSAGES = 200;

function firstIndex(draft: Draft, id: unknown): number {
  return draft.messages.findIndex((message) => message.id === id);
}

/** Merges the metadata of an event into a message, tool call or activity: the last value of each key wins. */
export function withMetadata<T extends { metadata?: Record<string, unknown> }>(
  target: T,
  event: AgUiEvent,
): T {
  const { metadata } = event;
  if (typeof metadata !== "object" || metadata === null) return target;
  return { ...target, metadata: { ...target.metadata, ...metadata } };
}

/** Returns the owner of a message that an event creates, if it has one. */
export function ownerOf(event: AgUiEvent): { subagentRunId?: string } {
  const subagentRunId = text(event.subagentRunId);
  return subagentRunId === undefined ? {} : { subagentRunId };
}

/** Records the end of a message or tool call. */
export function endTiming(draft: Draft, id: string | undefined, at: number): void {
  const timing = id === undefined ? undefined : draft.timings[id];
  if (id !== undefined && timing) draft.timings[id] = { ...timing, endedAt: at };
}
