import {
  AbstractAgent,
  type AgentConfig,
  type BaseEvent,
  type RunAgentInput,
  runHttpRequest,
} from "@ag-ui/client";
import { createCitationMiddleware } from "./citationMiddleware.js";
import { observableClass, type SourceObservable } from "./observable.js";
import type { CitationMiddlewareConfig } from "./types.js";

type EventStream = ReturnType<AbstractAgent["run"]>;

/** Part of an answer: text, or an event that is sent between texts. */
export type AnswerPart = string | BaseEvent;

/** Writes the answer of an agent in parts. */
export type AnswerFunction = (
  input: RunAgentInput,
  signal: AbortSignal,
) => AsyncIterable<AnswerPart>;

/** Options of a `PinciteAgent`. */
export interface PinciteAgentConfig extends AgentConfig {
  /** Options of the verification. */
  citations?: CitationMiddlewareConfig;
  /** Writes the answer; subclasses override `answer` instead. */
  answer?: AnswerFunction;
}

/**
 * Agent written in TypeScript whose citations are verified. It yields text, and events such as tool calls; run events
 * and text messages are made from them.
 */
export class PinciteAgent extends AbstractAgent {
  private config: PinciteAgentConfig;

  constructor(config: PinciteAgentConfig = {}) {
    super(config);
    this.config = config;
  }

  /** Writes the answer. */
  protected answer(input: RunAgentInput, signal: AbortSignal): AsyncIterable<AnswerPart> {
    if (this.config.answer) return this.config.answer(input, signal);
    throw new Error("The agent has no answer function.");
  }

  override run(input: RunAgentInput): EventStream {
    // The request is never sent: it gives access to the observables of the client's RxJS.
    const sample = (runHttpRequest as (...args: unknown[]) => unknown)(() => undefined);
    const Observable = observableClass(sample as SourceObservable);
    const source = new Observable((subscriber) => {
      const abort = new AbortController();
      const send = (event: object) => {
        if (!abort.signal.aborted) subscriber.next(event as never);
      };
      void this.writeRun(input, abort.signal, send).then(() => subscriber.complete());
      return () => abort.abort();
    });
    const verify = createCitationMiddleware(this.config.citations) as unknown as (
      input: RunAgentInput,
      next: { run: () => SourceObservable },
    ) => EventStream;
    return verify(input, { run: () => source });
  }

  override clone(): PinciteAgent {
    const copy: PinciteAgent = super.clone();
    copy.config = this.config;
    return copy;
  }

  private async writeRun(
    input: RunAgentInput,
    signal: AbortSignal,
    send: (event: object) => void,
  ): Promise<void> {
    const { threadId, runId } = input;
    let messages = 0;
    let messageId: string | undefined;
    const endText = () => {
      if (messageId !== undefined) send({ type: "TEXT_MESSAGE_END", messageId });
      messageId = undefined;
    };
    send({ type: "RUN_STARTED", threadId, runId });
    try {
      for await (const part of this.answer(input, signal)) {
        if (signal.aborted) return;
        if (typeof part !== "string") {
          endText();
          send(part);
        } else if (part !== "") {
          if (messageId === undefined) {
            messages += 1;
            messageId = `${runId}-${messages}`;
            send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
          }
          send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: part });
        }
      }
      endText();
      send({ type: "RUN_FINISHED", threadId, runId });
    } catch (error) {
      send({ type: "RUN_ERROR", message: error instanceof Error ? error.message : String(error) });
    }
  }
}
