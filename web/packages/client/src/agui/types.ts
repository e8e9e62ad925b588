import type { BridgedCitation } from "../citations/bridge.js";

/** AG-UI message. Members of other protocol versions are kept. */
export interface Message {
  id: string;
  role: MessageRole;
  content?: MessageContent;
  name?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  activityType?: string;
  subagentRunId?: string;
  error?: string;
  metadata?: Record<string, unknown>;
  encryptedValue?: string;
  /** Citations that the fold copied from the state; never sent to a server. */
  citations?: BridgedCitation[];
}

/** Role of a message. */
export type MessageRole =
  | "user"
  | "assistant"
  | "system"
  | "developer"
  | "tool"
  | "reasoning"
  | "activity";

/** Text, parts of a multimodal message, or the object of an activity. */
export type MessageContent = string | ContentPart[] | Record<string, unknown>;

/** Part of a multimodal message. */
export interface ContentPart {
  type: string;
  text?: string;
  mimeType?: string;
  filename?: string;
  [member: string]: unknown;
}

/** Tool call of an assistant message. */
export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  metadata?: Record<string, unknown>;
  encryptedValue?: string;
}

/** Request of an agent for input of a person. */
export interface Interrupt {
  id: string;
  reason?: string;
  message?: string;
  toolCallId?: string;
  /** JSON schema of the response. */
  responseSchema?: Record<string, unknown>;
  expiresAt?: string;
  metadata?: Record<string, unknown>;
  [member: string]: unknown;
}

/** Answer to an interrupt. */
export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
}

/** Operation of a JSON Patch. */
export interface PatchOperation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}

/** AG-UI event. Only the members that the fold reads are declared. */
export interface AgUiEvent {
  type: string;
  [member: string]: unknown;
}

/** Returns the text of a message: of all text parts if it has several. */
export function messageText(message: Message): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => part.type === "text" && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n");
}
