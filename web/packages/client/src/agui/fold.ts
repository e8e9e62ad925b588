import { applyPatch } from "./patch.js";
import type { AgUiEvent, Interrupt, Message, MessageRole, ToolCall } from "./types.js";

/** Conversation as the events of a thread describe it. Values are never changed in place. */
export interface Conversation {
  messages: readonly Message[];
  /** Shared state as the server sent it. */
  state: unknown;
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
  run: { status: "idle", startedToolCalls: [] },
  timings: {},
  steps: [],
  interrupts: [],
  pendingToolCallIds: [],
};

/** Folds events into a conversation. `now` is the time of events without a timestamp. */
export function foldEvents(
  conversation: Conversation,
  events: readonly AgUiEvent[],
  now: number,
): Conversation {
  if (events.length === 0) return conversation;
  const draft: Draft = {
    ...conversation,
    messages: [...conversation.messages],
    timings: { ...conversation.timings },
  };
  for (const event of events) foldEvent(draft, event, timeOf(event, now));
  return draft;
}

/** Conversation whose list of messages and table of timings may be changed in place. */
type Draft = Omit<Conversation, "messages" | "timings"> & {
  messages: Message[];
  timings: Record<string, Timing>;
};

function timeOf(event: AgUiEvent, now: number): number {
  return typeof event.timestamp === "number" ? event.timestamp : now;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

type EventHandler = (draft: Draft, event: AgUiEvent, at: number) => void;

/** Handlers by event type. Events without a handler change nothing. */
const HANDLERS: Readonly<Record<string, EventHandler>> = {
  RUN_STARTED: startRun,
  RUN_FINISHED: finishRun,
  RUN_ERROR: failRun,
  STEP_STARTED: startStep,
  STEP_FINISHED: finishStep,
  TEXT_MESSAGE_START: (draft, event, at) => startMessage(draft, event, roleOf(event), at),
  TEXT_MESSAGE_CONTENT: appendContent,
  TEXT_MESSAGE_END: endMessage,
  REASONING_MESSAGE_START: (draft, event, at) => startMessage(draft, event, "reasoning", at),
  REASONING_MESSAGE_CONTENT: appendContent,
  REASONING_MESSAGE_END: endMessage,
  TOOL_CALL_START: startToolCall,
  TOOL_CALL_ARGS: appendArguments,
  TOOL_CALL_RESULT: addToolResult,
  STATE_SNAPSHOT: replaceState,
  STATE_DELTA: patchState,
  MESSAGES_SNAPSHOT: mergeSnapshot,
  ACTIVITY_SNAPSHOT: replaceActivity,
  ACTIVITY_DELTA: patchActivity,
};

function foldEvent(draft: Draft, event: AgUiEvent, at: number): void {
  if (Object.hasOwn(HANDLERS, event.type)) HANDLERS[event.type]?.(draft, event, at);
}

function startStep(draft: Draft, event: AgUiEvent, at: number): void {
  draft.steps = [...draft.steps, { name: text(event.stepName) ?? "", startedAt: at }];
}

function finishStep(draft: Draft, event: AgUiEvent, at: number): void {
  draft.steps = draft.steps.map((step) =>
    step.name === event.stepName && step.endedAt === undefined ? { ...step, endedAt: at } : step,
  );
}

function endMessage(draft: Draft, event: AgUiEvent, at: number): void {
  endTiming(draft, text(event.messageId), at);
}

function replaceState(draft: Draft, event: AgUiEvent): void {
  draft.state = event.snapshot;
}

function patchState(draft: Draft, event: AgUiEvent): void {
  const patched = applyPatch(draft.state ?? null, event.delta);
  if (patched) draft.state = patched.document;
}

function startRun(draft: Draft, event: AgUiEvent): void {
  const runId = text(event.runId);
  draft.run = {
    status: "running",
    ...(runId === undefined ? {} : { runId }),
    startedToolCalls: [],
  };
  draft.steps = [];
  draft.pendingToolCallIds = [];
  const input = event.input as { messages?: Message[] } | undefined;
  for (const message of input?.messages ?? []) {
    if (findMessage(draft, message.id) < 0) draft.messages.push(message);
  }
}

function finishRun(draft: Draft, event: AgUiEvent, at: number): void {
  const outcome = event.outcome as
    | { type?: string; interrupts?: Interrupt[]; pendingToolCallIds?: string[] }
    | undefined;
  closeTimings(draft, at);
  const kind = outcome?.type;
  const status =
    kind === "cancelled" ? "cancelled" : kind === "interrupt" ? "interrupted" : "finished";
  draft.interrupts = kind === "interrupt" ? (outcome?.interrupts ?? []) : [];
  const answered = new Set(draft.messages.map((message) => message.toolCallId));
  const unanswered = draft.run.startedToolCalls.filter((id) => !answered.has(id));
  const declared = outcome?.pendingToolCallIds ?? [];
  draft.pendingToolCallIds =
    status !== "finished" ? [] : declared.length > 0 ? declared : unanswered;
  draft.run = { ...draft.run, status };
}

function failRun(draft: Draft, event: AgUiEvent, at: number): void {
  closeTimings(draft, at);
  const code = text(event.code);
  const message = text(event.message) ?? "The run failed.";
  draft.run = {
    ...draft.run,
    status: "failed",
    error: { message, ...(code === undefined ? {} : { code }) },
  };
}

function closeTimings(draft: Draft, at: number): void {
  for (const [id, timing] of Object.entries(draft.timings)) {
    if (timing.endedAt === undefined) draft.timings[id] = { ...timing, endedAt: at };
  }
}

function endTiming(draft: Draft, id: string | undefined, at: number): void {
  const timing = id === undefined ? undefined : draft.timings[id];
  if (id !== undefined && timing) draft.timings[id] = { ...timing, endedAt: at };
}

function roleOf(event: AgUiEvent): MessageRole {
  return (text(event.role) as MessageRole | undefined) ?? "assistant";
}

/** Returns the position of a message, or -1. Streaming messages are at the end, so the search begins there. */
function findMessage(draft: Draft, id: unknown): number {
  for (let position = draft.messages.length - 1; position >= 0; position -= 1) {
    if (draft.messages[position]?.id === id) return position;
  }
  return -1;
}

function changeMessage(draft: Draft, id: unknown, change: (message: Message) => Message): void {
  const position = findMessage(draft, id);
  const message = draft.messages[position];
  if (message && message.role !== "activity") draft.messages[position] = change(message);
}

function startMessage(draft: Draft, event: AgUiEvent, role: MessageRole, at: number): void {
  const id = text(event.messageId);
  if (id === undefined) return;
  if (findMessage(draft, id) < 0) {
    const name = text(event.name);
    draft.messages.push({ id, role, content: "", ...(name === undefined ? {} : { name }) });
  }
  draft.timings[id] = { startedAt: at };
}

function appendContent(draft: Draft, event: AgUiEvent): void {
  const delta = text(event.delta) ?? "";
  changeMessage(draft, event.messageId, (message) => ({
    ...message,
    content: (typeof message.content === "string" ? message.content : "") + delta,
  }));
}

function startToolCall(draft: Draft, event: AgUiEvent, at: number): void {
  const id = text(event.toolCallId);
  if (id === undefined) return;
  const name = text(event.toolCallName) ?? "";
  draft.run = { ...draft.run, startedToolCalls: [...draft.run.startedToolCalls, id] };
  draft.timings[id] = { startedAt: at };
  if (findToolCallOwner(draft, id) >= 0) {
    changeToolCall(draft, event, (call) => ({ ...call, function: { ...call.function, name } }));
    return;
  }
  const call: ToolCall = { id, type: "function", function: { name, arguments: "" } };
  const parentId = text(event.parentMessageId) || id;
  const position = findMessage(draft, parentId);
  const parent = draft.messages[position];
  if (parent?.role === "assistant") {
    draft.messages[position] = { ...parent, toolCalls: [...(parent.toolCalls ?? []), call] };
  } else {
    const ownId = parent === undefined ? parentId : id;
    draft.messages.push({ id: ownId, role: "assistant", toolCalls: [call] });
  }
}

function appendArguments(draft: Draft, event: AgUiEvent): void {
  const delta = text(event.delta) ?? "";
  changeToolCall(draft, event, (call) => ({
    ...call,
    function: { ...call.function, arguments: call.function.arguments + delta },
  }));
}

function findToolCallOwner(draft: Draft, callId: unknown): number {
  for (let position = draft.messages.length - 1; position >= 0; position -= 1) {
    const calls = draft.messages[position]?.toolCalls;
    if (calls?.some((call) => call.id === callId)) return position;
  }
  return -1;
}

function changeToolCall(
  draft: Draft,
  event: AgUiEvent,
  change: (call: ToolCall) => ToolCall,
): void {
  const id = event.toolCallId;
  const position = findToolCallOwner(draft, id);
  const owner = draft.messages[position];
  if (!owner?.toolCalls) return;
  const toolCalls = owner.toolCalls.map((call) => (call.id === id ? change(call) : call));
  draft.messages[position] = { ...owner, toolCalls };
}

function addToolResult(draft: Draft, event: AgUiEvent, at: number): void {
  const toolCallId = text(event.toolCallId);
  const id = text(event.messageId);
  if (toolCallId === undefined || id === undefined) return;
  endTiming(draft, toolCallId, at);
  const result: Message = { id, role: "tool", toolCallId, content: text(event.content) ?? "" };
  let position = findToolCallOwner(draft, toolCallId) + 1;
  if (position === 0) position = draft.messages.length;
  while (draft.messages[position]?.role === "tool") position += 1;
  draft.messages.splice(position, 0, result);
}

/** Merges a snapshot: known messages keep their position, others are dropped or appended. */
function mergeSnapshot(draft: Draft, event: AgUiEvent): void {
  const snapshot = (event.messages ?? []) as Message[];
  const byId = new Map(snapshot.map((message) => [message.id, message]));
  const hasRole = (role: MessageRole) => snapshot.some((message) => message.role === role);
  const isPreserved = (message: Message) =>
    (message.role === "reasoning" && !hasRole("reasoning")) ||
    (message.role === "activity" && isActivityKept(event, message, hasRole("activity")));
  const kept = draft.messages.filter((message) => byId.has(message.id) || isPreserved(message));
  const keptIds = new Set(kept.map((message) => message.id));
  draft.messages = [
    ...kept.map((message) => byId.get(message.id) ?? message),
    ...snapshot.filter((message) => !keptIds.has(message.id)),
  ];
}

/** Returns true if a local activity that the snapshot omits stays, by the authority that the event declares. */
function isActivityKept(event: AgUiEvent, message: Message, snapshotHasActivity: boolean): boolean {
  const metadata = event.metadata as Record<string, unknown> | undefined;
  const declared = metadata?.["@ag-ui/client"];
  if (declared === undefined) return !snapshotHasActivity;
  if (typeof declared !== "object" || declared === null) return true;
  if (!Object.hasOwn(declared, "authoritativeActivityTypes")) return !snapshotHasActivity;
  const types = (declared as Record<string, unknown>).authoritativeActivityTypes;
  if (types === null) return false;
  if (!Array.isArray(types) || !types.every((type) => typeof type === "string")) return true;
  return !types.includes(message.activityType ?? "");
}

function replaceActivity(draft: Draft, event: AgUiEvent): void {
  const id = text(event.messageId);
  if (id === undefined) return;
  const position = findMessage(draft, id);
  const replaces = event.replace !== false;
  const activity: Message = {
    id,
    role: "activity",
    activityType: text(event.activityType) ?? "",
    content: event.content as Record<string, unknown>,
  };
  if (position < 0) draft.messages.push(activity);
  else if (replaces) draft.messages[position] = activity;
}

function patchActivity(draft: Draft, event: AgUiEvent): void {
  const position = findMessage(draft, event.messageId);
  const activity = draft.messages[position];
  if (activity?.role !== "activity") return;
  const patched = applyPatch(activity.content ?? {}, event.patch);
  if (!patched) return;
  draft.messages[position] = {
    ...activity,
    activityType: text(event.activityType) ?? activity.activityType ?? "",
    content: patched.document as Record<string, unknown>,
  };
}
