import { AgentRequestError } from "./error.js";
import type {
  ActionExecution,
  ActionsArguments,
  ContextArguments,
  ConversationChange,
  ErrorArguments,
  MessageTarget,
  PayloadPatch,
  ReasoningArguments,
  SentMessage,
  TextArguments,
  ToolCallArguments,
  UIArguments,
} from "./messages.js";
import { readEvents } from "./readEvents.js";

/** Options of an `AgentUI`. */
export interface AgentUIOptions {
  /** Address of the Pincite server, such as `http://127.0.0.1:8787`. */
  baseUrl: string;
  /** Key of the agent, if the server needs one. */
  apiKey?: string;
  /** Function used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Delays before the stream of a conversation is opened again, in milliseconds; the last one is repeated. */
const RETRY_DELAYS = [500, 2_000, 10_000];

/**
 * Sends messages and components of an agent to conversations, and receives the choices of people. Every method rejects
 * with an `AgentRequestError`, whose `errors` name the wrong fields.
 */
export class AgentUI {
  private readonly options: AgentUIOptions;
  private readonly fetchFunction: typeof globalThis.fetch;

  constructor(options: AgentUIOptions) {
    this.options = options;
    this.fetchFunction = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** Sends a text. */
  sendText({ text, sentiment, formatting, ...target }: TextArguments): Promise<SentMessage> {
    return this.sendMessage("text", target, { text, sentiment, formatting });
  }

  /** Shows a component. */
  sendUI({ component, ...target }: UIArguments): Promise<SentMessage> {
    const { component: name, data, layout } = component;
    return this.sendMessage("ui", target, { component: name, data, layout });
  }

  /** Suggests actions. Nothing happens until a person chooses one. */
  sendActions({ actions, ...target }: ActionsArguments): Promise<SentMessage> {
    return this.sendMessage("action", target, { actions });
  }

  /** Asks the person for fields of the application's state. */
  requestContext({ fields, reason, optional, ...target }: ContextArguments): Promise<SentMessage> {
    return this.sendMessage("context_request", target, { fields, reason, optional });
  }

  /** Shows steps of reasoning. */
  sendReasoning({
    steps,
    currentStep,
    streaming,
    ...target
  }: ReasoningArguments): Promise<SentMessage> {
    return this.sendMessage("reasoning", target, { steps, currentStep, streaming });
  }

  /** Shows a tool call. */
  sendToolCall(call: ToolCallArguments): Promise<SentMessage> {
    const { toolName, arguments: args, status, result, error, ...target } = call;
    return this.sendMessage("tool_call", target, {
      toolName,
      arguments: args,
      status,
      result,
      error,
    });
  }

  /** Shows an error. */
  sendError(report: ErrorArguments): Promise<SentMessage> {
    const { message, code, recoverable, retryable, details, ...target } = report;
    return this.sendMessage("error", target, { message, code, recoverable, retryable, details });
  }

  /** Updates the payload of a message by a JSON Patch. It applies as a whole. */
  updateUI(conversationId: string, messageId: string, patch: PayloadPatch[]): Promise<SentMessage> {
    return this.request(
      "PATCH",
      `${messagesPath(conversationId)}/${encodeURIComponent(messageId)}`,
      patch,
    );
  }

  /** Reports the end of an action's execution. */
  reportAction(
    conversationId: string,
    execution: Pick<ActionExecution, "messageId" | "actionId" | "idempotencyKey">,
    report: { state: "done" | "failed" | "undone"; result?: unknown; error?: string },
  ): Promise<ActionExecution> {
    const { messageId, actionId, idempotencyKey } = execution;
    const path = `${messagesPath(conversationId)}/${encodeURIComponent(messageId)}/actions/${encodeURIComponent(actionId)}/result`;
    return this.request("POST", path, { idempotencyKey, ...report });
  }

  /**
   * Yields the changes of a conversation: messages, updates, choices of people, shared context. A lost connection is
   * opened again behind the last change. Without `after` it begins now.
   */
  async *changes(
    conversationId: string,
    options: { after?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<ConversationChange> {
    let { after } = options;
    for (let attempt = 0; !options.signal?.aborted; attempt += 1) {
      const query = after === undefined ? "live=true" : `after=${after}`;
      try {
        const response = await this.send(
          "GET",
          `${messagesPath(conversationId)}/events?${query}`,
          undefined,
          options.signal,
        );
        if (!response.body) return;
        for await (const change of readEvents(response.body)) {
          attempt = 0;
          after = change.position;
          yield change;
        }
      } catch (error) {
        if (options.signal?.aborted) return;
        if (error instanceof AgentRequestError && error.status > 0) throw error;
      }
      const pause = RETRY_DELAYS[Math.min(attempt, RETRY_DELAYS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private sendMessage(
    type: string,
    { agentId, conversationId, timestamp, metadata }: MessageTarget,
    payload: Record<string, unknown>,
  ): Promise<SentMessage> {
    // JSON leaves out members that are undefined, so no null is sent.
    const message = { type, agentId, timestamp, metadata, payload };
    return this.request("POST", messagesPath(conversationId), message);
  }

  private async request<T>(method: string, path: string, body: unknown): Promise<T> {
    const response = await this.send(method, path, body);
    return (await response.json()) as T;
  }

  private async send(
    method: string,
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { baseUrl, apiKey } = this.options;
    let response: Response;
    try {
      response = await this.fetchFunction(`${baseUrl.replace(/\/+$/, "")}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        },
        ...(signal ? { signal } : {}),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      const error = new AgentRequestError(
        0,
        "offline",
        "The server cannot be reached.",
        `Check that it runs at ${baseUrl}.`,
      );
      error.cause = cause;
      throw error;
    }
    if (!response.ok) throw await AgentRequestError.fromResponse(response);
    return response;
  }
}

function messagesPath(conversationId: string): string {
  return `/conversations/${encodeURIComponent(conversationId)}/messages`;
}
