import { type Draft, endTiming, findMessage, ownerOf, text, withMetadata } from "./draft.js";
import { applyPatch } from "./patch.js";
import { changeToolCall } from "./toolEvents.js";
import type { AgUiEvent, Message, MessageRole } from "./types.js";

/** Begins a message of the agent. */
export function startTextMessage(draft: Draft, event: AgUiEvent, at: number): void {
  startMessage(draft, event, (text(event.role) as MessageRole | undefined) ?? "assistant", at);
}

/** Begins a message with reasoning. */
export function startReasoning(draft: Draft, event: AgUiEvent, at: number): void {
  startMessage(draft, event, "reasoning", at);
}

function startMessage(draft: Draft, event: AgUiEvent, role: MessageRole, at: number): void {
  const id = text(event.messageId);
  if (id === undefined) return;
  const position = findMessage(draft, id);
  if (position < 0) {
    const name = role === "reasoning" ? undefined : text(event.name);
    const started: Message = {
      id,
      role,
      content: "",
      ...(name === undefined ? {} : { name }),
      ...ownerOf(event),
    };
    draft.messages.push(withMetadata(started, event));
  } else {
    changeMessage(draft, event, (message) => message);
  }
  draft.timings[id] = { startedAt: at };
}

/** Changes the message that an event names, unless it is an activity. */
function changeMessage(
  draft: Draft,
  event: AgUiEvent,
  change: (message: Message) => Message,
): void {
  const position = findMessage(draft, event.messageId);
  const message = draft.messages[position];
  if (message && message.role !== "activity") {
    draft.messages[position] = withMetadata(change(message), event);
  }
}

/** Adds text to a message. */
export function appendContent(draft: Draft, event: AgUiEvent): void {
  const delta = text(event.delta) ?? "";
  changeMessage(draft, event, (message) => ({
    ...message,
    content: (typeof message.content === "string" ? message.content : "") + delta,
  }));
}

/** Ends a message. */
export function endMessage(draft: Draft, event: AgUiEvent, at: number): void {
  changeMessage(draft, event, (message) => message);
  endTiming(draft, text(event.messageId), at);
}

/** Stores an encrypted value of the model with a tool call or a message. */
export function setEncryptedValue(draft: Draft, event: AgUiEvent): void {
  const encryptedValue = text(event.encryptedValue);
  if (encryptedValue === undefined) return;
  const id = event.entityId;
  if (event.subtype !== "tool-call") {
    const position = findMessage(draft, id);
    const message = draft.messages[position];
    if (message && message.role !== "activity") {
      draft.messages[position] = { ...message, encryptedValue };
    }
    return;
  }
  changeToolCall(draft, id, (call) => ({ ...call, encryptedValue }));
}

/** Merges a snapshot: known messages keep their position, others are dropped or appended. */
export function mergeSnapshot(draft: Draft, event: AgUiEvent): void {
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
  if (metadata === undefined || !Object.hasOwn(metadata, "@ag-ui/client")) {
    return !snapshotHasActivity;
  }
  const declared = metadata["@ag-ui/client"];
  if (typeof declared !== "object" || declared === null || Array.isArray(declared)) return true;
  if (!Object.hasOwn(declared, "authoritativeActivityTypes")) return !snapshotHasActivity;
  const types = (declared as Record<string, unknown>).authoritativeActivityTypes;
  if (types === null) return false;
  if (!Array.isArray(types) || !types.every((type) => typeof type === "string")) return true;
  return !types.includes(message.activityType ?? "");
}

/** Creates an activity or replaces its content. */
export function replaceActivity(draft: Draft, event: AgUiEvent): void {
  const id = text(event.messageId);
  if (id === undefined) return;
  const position = findMessage(draft, id);
  const before = draft.messages[position];
  const isReplaced = before === undefined || event.replace !== false;
  if (!isReplaced && before.role !== "activity") return;
  const kept = before?.role === "activity" ? before.metadata : undefined;
  const activity: Message = isReplaced
    ? {
        id,
        role: "activity",
        activityType: text(event.activityType) ?? "",
        content: event.content as Record<string, unknown>,
        ...ownerOf(event),
        ...(kept === undefined ? {} : { metadata: kept }),
      }
    : before;
  const merged = withMetadata(activity, event);
  if (position < 0) draft.messages.push(merged);
  else draft.messages[position] = merged;
}

/** Patches the content of an activity. Its metadata is merged also if the patch fails. */
export function patchActivity(draft: Draft, event: AgUiEvent): void {
  const position = findMessage(draft, event.messageId);
  const before = draft.messages[position];
  if (before?.role !== "activity") return;
  const activity = withMetadata(before, event);
  const patched = applyPatch(activity.content ?? {}, event.patch);
  draft.messages[position] = patched
    ? {
        ...activity,
        activityType: text(event.activityType) ?? activity.activityType ?? "",
        content: patched.document as Record<string, unknown>,
      }
    : activity;
}
