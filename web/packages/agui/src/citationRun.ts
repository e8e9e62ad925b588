import type { PatchOperation, VerifyEvent } from "@pincite/client";
import { MessageVerification } from "./messageVerification.js";
import { SharedState } from "./sharedState.js";
import { isSafeKey } from "./statePatches.js";
import type { CitationMiddlewareConfig } from "./types.js";
import { post, sanitizeForLog, verifyText } from "./verifyText.js";

/** AG-UI event as far as it is read here. */
export interface AgentEvent {
  type: string;
  messageId?: string;
  role?: string;
  delta?: unknown;
  snapshot?: unknown;
  messages?: readonly { id: string; role: string; content?: unknown }[];
}

/** Input of a run as far as it is read here. */
export interface RunInput {
  state?: unknown;
  messages?: AgentEvent["messages"];
  forwardedProps?: unknown;
}

/** Receiver of the events of a run. */
export interface EventSink {
  next: (event: AgentEvent) => void;
  complete: () => void;
}

/** Options with their default values. */
export type RunOptions = CitationMiddlewareConfig &
  Required<
    Pick<CitationMiddlewareConfig, "stateKey" | "maxBufferBytes" | "keepMessages" | "deadline">
  >;

/** Events before which a message that arrives in chunks must have ended. */
const CHUNK_END = /^(?:TEXT_MESSAGE|TOOL_CALL|REASONING|RUN|MESSAGES)_/;

/**
 * Run of an agent whose text is verified. Events of the agent are passed on unchanged and at once, except for the end
 * of the run, which waits for open verifications.
 */
export class CitationRun {
  private readonly options: RunOptions;
  private readonly sink: EventSink;
  private readonly shared: SharedState;
  private readonly attachmentIds: readonly string[] | undefined;
  private readonly open = new Map<string, MessageVerification>();
  /** Texts of known messages, by id. */
  private readonly texts = new Map<string, unknown>();
  private abort = new AbortController();
  /** Message that arrives in chunks. Events of ours between two chunks would end it, so none are sent. */
  private chunked: string | undefined;
  private pending = 0;
  /** Events that wait for open verifications, the end of a run first. */
  private held: AgentEvent[] | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isSourceComplete = false;

  constructor(options: RunOptions, input: RunInput, sink: EventSink) {
    this.options = options;
    this.sink = sink;
    this.shared = new SharedState(options.stateKey, input.state);
    const props = input.forwardedProps as { attachmentIds?: readonly string[] } | undefined;
    this.attachmentIds = options.verifyOptions?.attachmentIds ?? props?.attachmentIds;
    for (const { id, content } of input.messages ?? []) this.texts.set(id, content);
  }

  /** Ends all verifications; nothing is sent any more. */
  stop(): void {
    this.abort.abort();
    clearTimeout(this.timer);
  }

  /** Notes the end of the agent's stream. */
  complete(): void {
    this.isSourceComplete = true;
    if (this.held === undefined) {
      this.endChunks();
      for (const id of [...this.open.keys()]) this.endMessage(id);
    }
    this.settle();
  }

  /** Passes an event on. */
  receive(event: AgentEvent): void {
    if (this.held) this.held.push(event);
    else this.process(event);
  }

  private process(event: AgentEvent): void {
    const { type, messageId = "", delta } = event;
    const text = typeof delta === "string" ? delta : "";
    if (type === "TEXT_MESSAGE_CHUNK") {
      this.processChunk(event, text);
      return;
    }
    if (CHUNK_END.test(type)) this.endChunks();
    if (type === "RUN_FINISHED" || type === "RUN_ERROR") {
      this.endRun(event);
      return;
    }
    this.sink.next(event);
    if (type === "TEXT_MESSAGE_START" && isAssistant(event)) this.startMessage(messageId);
    else if (type === "TEXT_MESSAGE_CONTENT") this.append(messageId, text);
    else if (type === "TEXT_MESSAGE_END") this.endMessage(messageId);
    else if (type === "MESSAGES_SNAPSHOT") this.readMessages(event.messages ?? []);
    else if (type === "STATE_SNAPSHOT" || type === "STATE_DELTA") {
      if (this.shared.isOverwritten(event)) this.write([]);
    }
  }

  private processChunk(event: AgentEvent, text: string): void {
    const id = event.messageId ?? this.chunked;
    if (id !== this.chunked) this.endChunks();
    this.sink.next(event);
    if (id === undefined) return;
    if (this.chunked === undefined && isAssistant(event)) {
      this.chunked = id;
      this.startMessage(id);
    }
    this.append(id, text);
  }

  private endChunks(): void {
    const id = this.chunked;
    this.chunked = undefined;
    if (id !== undefined) this.endMessage(id);
  }

  private startMessage(id: string): void {
    if (!isSafeKey(id)) return;
    const message = new MessageVerification(id, this.shared, this.options.maxBufferBytes);
    this.open.set(id, message);
    this.write([...message.start(), ...this.evictMessages()]);
  }

  /** Removes the oldest messages beyond the limit, with citations that no other message has. */
  private evictMessages(): PatchOperation[] {
    const { own } = this.shared;
    const { keepMessages } = this.options;
    const ids = Object.keys(own.messages).filter((id) => !this.open.has(id));
    const excess = ids.length + this.open.size - keepMessages;
    if (keepMessages === 0 || excess <= 0) return [];
    const evicted = ids.slice(0, excess);
    const keys = new Set(evicted.flatMap((id) => Object.keys(own.messages[id]?.citations ?? {})));
    for (const id of evicted) delete own.messages[id];
    for (const message of Object.values(own.messages)) {
      for (const key of Object.keys(message.citations ?? {})) keys.delete(key);
    }
    const removed = evicted.map((id) => ["messages", id]);
    for (const name of ["citations", "verifications"] as const) {
      for (const key of keys) {
        if (own[name][key] && delete own[name][key]) removed.push([name, key]);
      }
    }
    return removed.map((segments) => ({ op: "remove", path: this.shared.pathOf(...segments) }));
  }

  private append(id: string, delta: string): void {
    const message = this.open.get(id);
    if (!message) return;
    const now = Date.now();
    const { numbers, isCitationComplete } = message.append(delta, now);
    for (const number of numbers) this.report("citation.seen", { messageId: id, number, at: now });
    if (isCitationComplete && this.options.verifyEarly !== false && this.chunked === undefined) {
      const text = message.nextText(false);
      if (text !== undefined) void this.verify(message, text);
    }
  }

  private endMessage(id: string, failure?: string): void {
    const message = this.open.get(id);
    if (!message) return;
    this.open.delete(id);
    this.write(message.setStatus("extracting"));
    const text = message.nextText(true);
    if (text !== undefined) void this.verify(message, text);
    this.write(message.setStatus("verifying"));
    void this.track(async (signal) => {
      const error = (await message.lastCheck) ?? failure;
      if (!signal.aborted) this.write(message.finish(error));
    });
  }

  /** Verifies a text and writes each result. The result is an error message if that fails. */
  private verify(message: MessageVerification, text: string): Promise<string | undefined> {
    const { attachmentIds } = this;
    const body = { text, ...(attachmentIds ? { attachmentIds } : {}) };
    message.lastCheck = this.track(async (signal) => {
      try {
        for await (const result of verifyText(this.options, body, signal)) {
          if (signal.aborted) break;
          this.addResult(message, result);
        }
        return undefined;
      } catch (error) {
        const reason = sanitizeForLog(error);
        if (!signal.aborted) {
          this.warn(`Citations not verified: ${reason}`);
        }
        return reason;
      }
    });
    return message.lastCheck;
  }

  /** Runs a task that the end of the run waits for. */
  private async track<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.abort;
    this.pending += 1;
    const result = await task(signal);
    if (!signal.aborted) {
      this.pending -= 1;
      this.settle();
    }
    return result;
  }

  private addResult(message: MessageVerification, result: VerifyEvent): void {
    this.write(message.addResult(result));
    const at = Date.now();
    const timeToCertaintyMs = message.timeSince(result.citation.citationNumber, at);
    const time = timeToCertaintyMs === undefined ? {} : { timeToCertaintyMs };
    this.report("citation.verified", { messageId: message.id, key: result.key, at, ...time });
    this.addImages(message, result);
  }

  /** Adds images of the passage to a result, if the options name a format. A failure leaves the result as it is. */
  private addImages(message: MessageVerification, result: VerifyEvent): void {
    const { key, citation, verification } = result;
    const outputImageFormat = this.options.verifyOptions?.outputImageFormat;
    if (!outputImageFormat || !verification.document) return;
    const { attachmentId } = verification;
    const data = { attachmentId, citations: { [key]: citation }, outputImageFormat };
    void this.track(async (signal) => {
      const { verifications } = await post(this.options, "/verifyCitations", { data }, signal)
        .then((response) => response.json())
        .catch(() => ({}));
      const illustrated = verifications?.[key];
      if (illustrated && !signal.aborted) {
        this.write(message.addResult({ key, citation, verification: illustrated }));
      }
    });
  }

  /** Verifies messages that a snapshot adds or changes. */
  private readMessages(messages: NonNullable<AgentEvent["messages"]>): void {
    for (const { id, role, content } of messages) {
      const isKnown = this.texts.get(id) === content;
      this.texts.set(id, content);
      const isText = role === "assistant" && typeof content === "string" && content !== "";
      if (isKnown || !isText || Object.hasOwn(this.shared.own.messages, id)) continue;
      this.startMessage(id);
      this.append(id, content);
      this.endMessage(id);
    }
  }

  private endRun(event: AgentEvent): void {
    const failure = event.type === "RUN_ERROR" ? "The run ended with an error." : undefined;
    for (const id of [...this.open.keys()]) this.endMessage(id, failure);
    this.held = [event];
    if (this.pending > 0) {
      this.timer = setTimeout(() => this.giveUp(), this.options.deadline);
    }
    this.settle();
  }

  /** Ends the wait for results. Messages without all results stay `verifying`. */
  private giveUp(): void {
    this.warn("Deadline reached; the run ends without all results.");
    this.abort.abort();
    this.abort = new AbortController();
    this.pending = 0;
    this.settle();
  }

  /** Sends the end of the run, and what follows, once no verification is open. */
  private settle(): void {
    if (this.pending > 0) return;
    clearTimeout(this.timer);
    const [end, ...rest] = this.held ?? [];
    this.held = undefined;
    if (end) this.sink.next(end);
    for (const event of rest) this.receive(event);
    if (this.isSourceComplete && this.held === undefined && this.pending === 0)
      this.sink.complete();
  }

  private write(change: PatchOperation[]): void {
    if (this.chunked !== undefined) {
      this.shared.skip();
      return;
    }
    const delta = this.shared.publish(change);
    if (delta.length > 0) this.sink.next({ type: "STATE_DELTA", delta });
  }

  private report(name: string, value: object): void {
    if (!this.options.customEvents || this.chunked !== undefined) return;
    this.sink.next({ type: "CUSTOM", name, value } as AgentEvent);
  }

  private warn(message: string): void {
    (this.options.onWarning ?? console.warn)(`pincite: ${message}`);
  }
}

function isAssistant({ role }: AgentEvent): boolean {
  return role === undefined || role === "assistant";
}
