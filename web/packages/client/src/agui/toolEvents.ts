import { type Draft, endTiming, findMessage, ownerOf, text, withMetadata } from "./draft.js";
import type { AgUiEvent, Message, ToolCall } from "./types.js";

/** Begins a tool call. Its message is the named assistant message, or a new one. */
export function startToolCall(draft: Draft, event: AgUiEvent, at: number): void {
  const id = text(event.toolCallId);
  if (id === undefined) return;
  const name = text(event.toolCallName) ?? "";
  draft.run = { ...draft.run, startedToolCalls: [...draft.run.startedToolCalls, id] };
  draft.timings[id] = { startedAt: at };
  if (findToolCallOwner(draft, id) >= 0) {
    changeByEvent(draft, event, (call) => ({ ...call, function: { ...call.function, name } }));
    return;
  }
  const call = withMetadata<ToolCall>(
    { id, type: "function", function: { name, arguments: "" } },
    event,
  );
  const parentId = text(event.parentMessageId) || id;
  const position = findMessage(draft, parentId);
  const parent = draft.messages[position];
  if (parent?.role === "assistant" && text(event.parentMessageId)) {
    draft.messages[position] = { ...parent, toolCalls: [...(parent.toolCalls ?? []), call] };
    return;
  }
  const ownId = parent === undefined ? parentId : id;
  const isNew = findMessage(draft, ownId) < 0;
  draft.messages.push({
    id: ownId,
    role: "assistant",
    toolCalls: [call],
    ...(isNew ? ownerOf(event) : {}),
  });
}

/** Adds to the arguments of a tool call. */
export function appendArguments(draft: Draft, event: AgUiEvent): void {
  const delta = text(event.delta) ?? "";
  changeByEvent(draft, event, (call) => ({
    ...call,
    function: { ...call.function, arguments: call.function.arguments + delta },
  }));
}

/** Ends the arguments of a tool call. */
export function endToolCall(draft: Draft, event: AgUiEvent): void {
  changeByEvent(draft, event, (call) => call);
}

/** Adds the result of a tool call after the message that owns the call. */
export function addToolResult(draft: Draft, event: AgUiEvent, at: number): void {
  const toolCallId = text(event.toolCallId);
  const id = text(event.messageId);
  if (toolCallId === undefined || id === undefined) return;
  endTiming(draft, toolCallId, at);
  const result = withMetadata<Message>(
    { id, role: "tool", toolCallId, content: (event.content ?? "") as string, ...ownerOf(event) },
    event,
  );
  let position = findToolCallOwner(draft, toolCallId) + 1;
  if (position === 0) position = draft.messages.length;
  while (draft.messages[position]?.role === "tool") position += 1;
  draft.messages.splice(position, 0, result);
}

function findToolCallOwner(draft: Draft, callId: unknown): number {
  return draft.messages.findIndex((message) =>
    message.toolCalls?.some((call) => call.id === callId),
  );
}

function changeByEvent(draft: Draft, event: AgUiEvent, change: (call: ToolCall) => ToolCall): void {
  changeToolCall(draft, event.toolCallId, (call) => withMetadata(change(call), event));
}

/** Changes the first tool call with an id. */
export function changeToolCall(
  draft: Draft,
  id: unknown,
  change: (call: ToolCall) => ToolCall,
): void {
  const position = findToolCallOwner(draft, id);
  const owner = draft.messages[position];
  if (!owner?.toolCalls) return;
  let isChanged = false;
  const toolCalls = owner.toolCalls.map((call) => {
    if (call.id !== id || isChanged) return call;
    isChanged = true;
    return change(call);
  });
  draft.messages[position] = { ...owner, toolCalls };
}
