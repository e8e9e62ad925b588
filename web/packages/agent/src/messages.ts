/** Sender and conversation of a message. */
export interface MessageTarget {
  /** Agent that sends it; an unknown one is created. */
  agentId: string;
  /** Conversation; the first message creates it. */
  conversationId: string;
  /** Time of sending in milliseconds since 1970; the time of receipt if absent. */
  timestamp?: number;
  metadata?: MessageMetadata;
}

/** Relations to other messages. Other members are kept. */
export interface MessageMetadata {
  correlationId?: string;
  replyTo?: string;
  [member: string]: unknown;
}

/** Text with optional formatting and sentiment. */
export interface TextArguments extends MessageTarget {
  text: string;
  sentiment?: "positive" | "neutral" | "negative";
  formatting?: { bold?: boolean; italic?: boolean; code?: boolean };
}

/** Component with its data and layout. `GET /canvas/catalog` has the schema of each component. */
export interface UIComponent {
  component:
    | "chart"
    | "table"
    | "card"
    | "form"
    | "list"
    | "timeline"
    | "calendar"
    | "kanban"
    | "map"
    | "diff"
    | "markdown"
    | "custom";
  data: Record<string, unknown>;
  layout?: {
    width?: "full" | "half" | "third";
    height?: string;
    position?: "inline" | "modal" | "sidebar";
  };
}

/** Component to show. */
export interface UIArguments extends MessageTarget {
  component: UIComponent;
}

/** Action that a person may choose. */
export interface ActionSuggestion {
  id: string;
  label: string;
  description?: string;
  icon?: string;
  params?: Record<string, unknown>;
  /** JSON Schema of the parameters; without one the person cannot edit them. */
  paramsSchema?: Record<string, unknown>;
  confirmationRequired?: boolean;
  confirmationMessage?: string;
  /** True if it deletes or cannot be undone; it then always has to be confirmed. */
  destructive?: boolean;
  /** Time after which it can no longer be chosen, in milliseconds since 1970. */
  expiresAt?: number;
  undoable?: boolean;
}

/** Actions to suggest. */
export interface ActionsArguments extends MessageTarget {
  actions: ActionSuggestion[];
}

/** Fields of the application's state to ask for. */
export interface ContextArguments extends MessageTarget {
  fields: string[];
  reason: string;
  optional?: boolean;
}

/** Steps of reasoning to show. */
export interface ReasoningArguments extends MessageTarget {
  steps: {
    step: number;
    title: string;
    description: string;
    completed: boolean;
    result?: unknown;
  }[];
  currentStep?: number;
  streaming?: boolean;
}

/** Tool call to show. */
export interface ToolCallArguments extends MessageTarget {
  toolName: string;
  arguments: Record<string, unknown>;
  status: "pending" | "running" | "completed" | "failed";
  result?: unknown;
  error?: string;
}

/** Error to show. */
export interface ErrorArguments extends MessageTarget {
  message: string;
  code?: string;
  recoverable?: boolean;
  retryable?: boolean;
  details?: unknown;
}

/** Operation of a JSON Patch on the payload of a message. */
export interface PayloadPatch {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}

/** Message that was accepted. */
export interface SentMessage {
  id: string;
  /** Repairs that made the message valid. */
  repairs: { path: string; code: string; message: string }[];
}

/** Error of a message: a JSON Pointer from the message root, a code, and what is expected there. */
export interface FieldError {
  path: string;
  code: string;
  message: string;
  expected?: string;
}

/** Execution of an action that a person chose. */
export interface ActionExecution {
  idempotencyKey: string;
  messageId: string;
  actionId: string;
  agentId: string;
  label: string;
  params: Record<string, unknown>;
  state: "suggested" | "confirmed" | "running" | "done" | "failed" | "expired" | "undone";
  result?: unknown;
  error?: string;
}

/** Change of a conversation. `position` resumes the stream behind it. */
export type ConversationChange = { position: number } & (
  | { type: "message"; message: Record<string, unknown> }
  | { type: "patch"; id: string; patch: PayloadPatch[] }
  | { type: "action"; execution: ActionExecution }
  | { type: "context"; key: string; value?: unknown; removed?: boolean; requestId?: string }
);
