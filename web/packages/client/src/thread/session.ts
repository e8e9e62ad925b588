import { type Conversation, EMPTY_CONVERSATION, type RunProgress } from "../agui/conversation.js";
import { foldEvents } from "../agui/fold.js";
import type { AgUiEvent, Interrupt, Message, ResumeEntry } from "../agui/types.js";
import { bridgeCitationsState } from "../citations/bridge.js";
import { messageCitations } from "../citations/state.js";
import type { RunAgentBody, ThreadInfo } from "../generated/api.js";
import type { PinciteClient } from "../http/client.js";
import { RequestError } from "../http/error.js";
import { readTurns } from "../sources/messageState.js";
import type { ServerSentEvent } from "../sse.js";

/** Version of AG-UI; a server sends the shapes of earlier versions to clients without one. */
const PROTOCOL_VERSION = "1.0";

/** Thread as a frontend shows it. */
export interface ThreadSnapshot {
  conversation: Conversation;
  /** Description of the thread; absent until it is loaded, and for a thread without runs. */
  info: ThreadInfo | undefined;
  connection: ConnectionState;
  /** Failure to load the thread or to start a run. */
  error: RequestError | undefined;
}

/**
 * State of the connection: `loading` reads the thread, `sending` starts a run, `streaming` receives one,
 * `reconnecting` waits for the server to come back.
 */
export type ConnectionState = "loading" | "idle" | "sending" | "streaming" | "reconnecting";

/** Run to start. */
export interface RunRequest {
  agent: string;
  messages: readonly Message[];
  /** Documents that the question is about. */
  attachmentIds?: readonly string[];
  /** Run after which the thread of this run branches off. Without `inherits` nothing is taken from that thread. */
  parent?: { threadId: string; runId: string; inherits: boolean };
  resume?: readonly ResumeEntry[];
  /** Values for the agent, such as the action of a person on a generated surface. */
  forwardedProps?: Readonly<Record<string, unknown>>;
}

/** Options of a `ThreadSession`. */
export interface SessionOptions {
  /** Called once a run was accepted, so the thread exists. */
  onStarted?: (threadId: string) => void;
  /** Called at the end of a run. */
  onEnded?: (threadId: string) => void;
  now?: () => number;
  newId?: () => string;
}

/** Interval at which received events are shown, in milliseconds. */
const COMMIT_INTERVAL = 40;
/** Delays between attempts to reconnect, in milliseconds; the last one is repeated. */
const RECONNECT_DELAYS = [300, 1000, 2000, 5000];
/** Delays after a run at which late results are asked for, in milliseconds. */
const LATE_RESULT_DELAYS = [1500, 4000, 10_000];

/**
 * Live thread: loads its messages and state, runs agents, and follows a run that is in progress, also after a lost
 * connection or in a second tab. It is a store: `subscribe` and `getSnapshot` fit `useSyncExternalStore`.
 */
export class ThreadSession {
  readonly threadId: string;
  private readonly client: PinciteClient;
  private readonly options: SessionOptions;
  private snapshot: ThreadSnapshot = {
    conversation: EMPTY_CONVERSATION,
    info: undefined,
    connection: "idle",
    error: undefined,
  };
  private readonly listeners = new Set<() => void>();
  private pending: AgUiEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort: AbortController | undefined;
  private lastEventId: string | undefined;
  private isClosed = false;

  constructor(client: PinciteClient, threadId: string, options: SessionOptions = {}) {
    this.client = client;
    this.threadId = threadId;
    this.options = options;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getSnapshot = (): ThreadSnapshot => this.snapshot;

  /** Allows changes again after `close`. */
  reopen(): void {
    this.isClosed = false;
  }

  /** Stops following the thread. A run that is in progress continues on the server. */
  close(): void {
    this.isClosed = true;
    this.abort?.abort();
    clearTimeout(this.timer);
  }

  /** Loads the thread, and follows its run if one is in progress. */
  async load(): Promise<void> {
    this.update({ connection: "loading", error: undefined });
    const abort = this.begin();
    try {
      const info = await this.client.thread(this.threadId, abort.signal);
      if (info.running) {
        this.update({ info });
        await this.follow(abort, undefined);
        return;
      }
      const [messages, state] = await Promise.all([
        this.client.threadMessages(this.threadId, abort.signal),
        this.client.threadState(this.threadId, abort.signal),
      ]);
      this.update({
        info,
        connection: "idle",
        conversation: storedConversation(info, messages as unknown as Message[], state),
      });
    } catch (error) {
      this.fail(abort, error);
    }
  }

  /** Loads the sources of all turns, for frontends that show them; the runs of this session add theirs by themselves. */
  async loadSources(): Promise<void> {
    const turns = await this.client.turns(this.threadId);
    const { conversation } = this.snapshot;
    const messageStates = { ...readTurns(turns), ...conversation.messageStates };
    this.update({ conversation: { ...conversation, messageStates } });
  }

  /** Follows a run that another tab started. */
  async followRun(): Promise<void> {
    if (this.snapshot.connection === "idle") await this.load();
  }

  /** Runs an agent and follows the run to its end. */
  async run(request: RunRequest): Promise<void> {
    const abort = this.begin();
    const runId = (this.options.newId ?? randomId)();
    const { conversation } = this.snapshot;
    const run: RunProgress = { status: "running", runId, startedToolCalls: [] };
    this.update({
      connection: "sending",
      error: undefined,
      conversation: {
        ...conversation,
        messages: request.messages,
        run,
        steps: [],
        interrupts: [],
        pendingToolCallIds: [],
      },
    });
    const body: RunAgentBody & Record<string, unknown> = {
      threadId: this.threadId,
      runId,
      protocolVersion: PROTOCOL_VERSION,
      messages: request.messages
        .filter((message) => message.role !== "activity")
        .map(({ citations: _, ...message }) => message) as never,
      ...(request.resume ? { resume: request.resume } : {}),
      ...(request.attachmentIds?.length || request.forwardedProps
        ? {
            forwardedProps: {
              ...request.forwardedProps,
              ...(request.attachmentIds?.length ? { attachmentIds: request.attachmentIds } : {}),
            },
          }
        : {}),
      ...(request.parent
        ? {
            parentThreadId: request.parent.threadId,
            parentRunId: request.parent.runId,
            inheritMessages: request.parent.inherits,
          }
        : {}),
    };
    this.lastEventId = undefined;
    await this.follow(abort, { agent: request.agent, body });
  }

  /** Asks the server to end the run. What was written stays. */
  async stop(): Promise<void> {
    try {
      await this.client.cancelRun(this.threadId);
    } catch (error) {
      if (error instanceof RequestError) this.update({ error });
    }
  }

  /** Returns true while a run is in progress. */
  get isRunning(): boolean {
    return this.snapshot.conversation.run.status === "running";
  }

  private begin(): AbortController {
    this.abort?.abort();
    this.flush();
    this.abort = new AbortController();
    return this.abort;
  }

  /**
   * Receives events until the run ends. A run is requested again with the same id until the server accepts it, which
   * is safe because the server attaches to a run that it knows; afterwards the log of the thread is followed.
   */
  private async follow(
    abort: AbortController,
    start: { agent: string; body: RunAgentBody } | undefined,
  ): Promise<void> {
    let isAccepted = start === undefined;
    let isEnded = false;
    for (let attempt = 0; !abort.signal.aborted; attempt += 1) {
      const { signal } = abort;
      const after = this.lastEventId === undefined ? undefined : Number(this.lastEventId);
      const stream =
        isAccepted || start === undefined
          ? this.client.threadEvents(this.threadId, { after, signal })
          : this.client.runAgent(start.agent, start.body, { signal });
      try {
        for await (const event of stream) {
          attempt = 0;
          if (!isAccepted) {
            isAccepted = true;
            this.options.onStarted?.(this.threadId);
          }
          isEnded = this.receive(event);
        }
        // The server closes the stream after the last event, so it is read to its end and not cancelled.
        if (isEnded) return await this.finish(abort);
      } catch (error) {
        const isFinal = error instanceof RequestError && error.code !== "offline";
        if (abort.signal.aborted || isFinal) return this.fail(abort, error);
      }
      this.flush();
      if (!abort.signal.aborted) this.update({ connection: "reconnecting" });
      await delay(RECONNECT_DELAYS[Math.min(attempt, RECONNECT_DELAYS.length - 1)] ?? 0, signal);
    }
  }

  /** Adds an event to the next commit. Returns true if it ends a run. */
  private receive(event: ServerSentEvent): boolean {
    if (event.id !== undefined) this.lastEventId = event.id;
    const parsed = parseEvent(event.data);
    if (parsed === undefined) return false;
    this.pending.push(parsed);
    if (this.snapshot.connection !== "streaming") this.update({ connection: "streaming" });
    if (this.timer === undefined) this.timer = setTimeout(() => this.flush(), COMMIT_INTERVAL);
    return parsed.type === "RUN_FINISHED" || parsed.type === "RUN_ERROR";
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.length === 0) return;
    const events = this.pending;
    this.pending = [];
    const now = (this.options.now ?? Date.now)();
    this.update({ conversation: foldEvents(this.snapshot.conversation, events, now) });
  }

  private async finish(abort: AbortController): Promise<void> {
    this.flush();
    this.update({ connection: "idle" });
    this.options.onEnded?.(this.threadId);
    const info = await this.client.thread(this.threadId, abort.signal).catch(() => undefined);
    if (abort.signal.aborted) return;
    if (info) this.update({ info });
    await this.awaitLateResults(abort);
  }

  /** Reads results of verifications that took longer than their run. */
  private async awaitLateResults(abort: AbortController): Promise<void> {
    for (const pause of LATE_RESULT_DELAYS) {
      if (!this.hasOpenVerification()) return;
      await delay(pause, abort.signal);
      if (abort.signal.aborted) return;
      const state = await this.client
        .threadState(this.threadId, abort.signal)
        .catch(() => undefined);
      if (abort.signal.aborted || state === undefined) return;
      const { conversation } = this.snapshot;
      const messages = bridgeCitationsState({ state }, conversation.messages);
      this.update({ conversation: { ...conversation, state, messages } });
    }
  }

  private hasOpenVerification(): boolean {
    const { messages, state } = this.snapshot.conversation;
    const last = messages.at(-1);
    return last !== undefined && messageCitations(state, last.id)?.status === "verifying";
  }

  private fail(abort: AbortController, error: unknown): void {
    if (abort.signal.aborted) return;
    this.flush();
    const failure = error instanceof RequestError ? error : RequestError.offline(error);
    const { conversation } = this.snapshot;
    const run: RunProgress =
      conversation.run.status === "running"
        ? { ...conversation.run, status: "failed", error: { message: failure.message } }
        : conversation.run;
    this.update({ connection: "idle", error: failure, conversation: { ...conversation, run } });
  }

  private update(change: Partial<ThreadSnapshot>): void {
    if (this.isClosed) return;
    this.snapshot = { ...this.snapshot, ...change };
    for (const listener of this.listeners) listener();
  }
}

function storedConversation(info: ThreadInfo, messages: Message[], state: unknown): Conversation {
  const status = info.lastRun?.status ?? "idle";
  return {
    ...EMPTY_CONVERSATION,
    messages: bridgeCitationsState({ state }, messages),
    state,
    run: {
      status,
      ...(info.lastRun ? { runId: info.lastRun.id } : {}),
      startedToolCalls: [],
    },
    interrupts: (info.pendingInterrupts ?? []) as Interrupt[],
    pendingToolCallIds: (info.pendingToolCallIds ?? []) as string[],
  };
}

function parseEvent(data: string): AgUiEvent | undefined {
  try {
    const event: unknown = JSON.parse(data);
    const isEvent = typeof event === "object" && event !== null && "type" in event;
    return isEvent && typeof event.type === "string" ? (event as AgUiEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a random id for threads, runs and messages. `crypto.randomUUID` exists on secure origins only. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Waits, at most until the signal is aborted or the browser comes back online. */
function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      globalThis.removeEventListener?.("online", done);
      resolve();
    }
    signal.addEventListener("abort", done);
    globalThis.addEventListener?.("online", done);
  });
}
