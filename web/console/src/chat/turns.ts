import type { Message, ToolCall } from "@pincite/client";
import { textFormOf } from "../canvas/canvasMessage.js";

/** Question with everything that answers it. The first turn may have no question. */
export interface Turn {
  /** Identifies the turn: id of the question, or of the first message. */
  id: string;
  question: Message | undefined;
  items: readonly TurnItem[];
}

/** Part of an answer. */
export type TurnItem =
  | { kind: "text"; message: Message }
  | { kind: "reasoning"; message: Message }
  | { kind: "tool"; call: ToolCall; result: Message | undefined }
  | { kind: "activity"; message: Message };

/** Groups the messages of a thread into turns. System and developer messages are not shown. */
export function groupTurns(messages: readonly Message[]): Turn[] {
  const results = new Map<string, Message>();
  for (const message of messages) {
    if (message.role === "tool" && message.toolCallId) results.set(message.toolCallId, message);
  }
  const activities = new Set(
    messages.filter(({ role }) => role === "activity").map(({ id }) => id),
  );
  const turns: { id: string; question: Message | undefined; items: TurnItem[] }[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      turns.push({ id: message.id, question: message, items: [] });
      continue;
    }
    // The readable form of an activity is for clients that do not show the activity.
    if (activities.has(textFormOf(message) ?? "")) continue;
    const items = turnItems(message, results);
    if (items.length === 0) continue;
    if (turns.length === 0) turns.push({ id: message.id, question: undefined, items: [] });
    turns.at(-1)?.items.push(...items);
  }
  return turns;
}

function turnItems(message: Message, results: ReadonlyMap<string, Message>): TurnItem[] {
  if (message.role === "reasoning") return [{ kind: "reasoning", message }];
  if (message.role === "activity") return [{ kind: "activity", message }];
  if (message.role !== "assistant") return [];
  const items: TurnItem[] = [];
  if (typeof message.content === "string" && message.content !== "") {
    items.push({ kind: "text", message });
  } else if (message.toolCalls === undefined) {
    items.push({ kind: "text", message });
  }
  for (const call of message.toolCalls ?? []) {
    items.push({ kind: "tool", call, result: results.get(call.id) });
  }
  return items;
}

/** Returns true if two turns show the same, so the second need not be rendered. */
export function isSameTurn(before: Turn, after: Turn): boolean {
  return (
    before.question === after.question &&
    before.items.length === after.items.length &&
    before.items.every((item, position) => isSameItem(item, after.items[position]))
  );
}

function isSameItem(before: TurnItem, after: TurnItem | undefined): boolean {
  if (before.kind === "tool") {
    return after?.kind === "tool" && before.call === after.call && before.result === after.result;
  }
  return after !== undefined && after.kind !== "tool" && before.message === after.message;
}
