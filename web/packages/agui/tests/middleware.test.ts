import * as current from "@ag-ui/client";
import * as previous from "ag-ui-client-0-0-58";
import * as last from "ag-ui-client-0-0-59";
import { from, Observable } from "rxjs";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type CitationMiddlewareConfig,
  createCitationMiddleware,
  type DeepCitationAgUIState,
  withReview,
} from "../src/index.js";

type Event = { type: string; [member: string]: unknown };

const START = { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };
const content = (delta: string, messageId = "m") => ({
  type: "TEXT_MESSAGE_CONTENT",
  messageId,
  delta,
});
const END = { type: "TEXT_MESSAGE_END", messageId: "m" };
const STARTED = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const FINISHED = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const FOUND = { status: "found", document: {} };
const BLOCK = "<<<CITATION_DATA>>>[]<<<END_CITATION_DATA>>>";

/** Fake server: every `[N]` of a text is a citation; those with an odd number are found. */
class FakeServer {
  requests: { path: string; body: { text?: string; attachmentIds?: string[] } }[] = [];
  headers: Record<string, string> = {};
  /** Resolves before the results are sent. */
  gate: Promise<unknown> = Promise.resolve();

  fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const path = String(url);
    const body = JSON.parse(String(init?.body));
    this.requests.push({ path, body });
    this.headers = init?.headers as Record<string, string>;
    if (path.endsWith("/verifyCitations")) {
      const [key] = Object.keys(body.data.citations) as [string];
      const illustrated = { status: "found", evidence: { src: "data:image/webp;base64,AA" } };
      return new Response(JSON.stringify({ verifications: { [key]: illustrated } }));
    }
    if (!path.endsWith("/verify")) return new Response("{}");
    const aborted = new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
    await Promise.race([this.gate, aborted]);
    const numbers = [...String(body.text).matchAll(/\[(\d+)\]/g)].map(([, digits]) =>
      Number(digits),
    );
    const results = numbers.map((number) => ({
      key: `k${number}`,
      citation: { citationNumber: number, fullPhrase: `Quote ${number}` },
      verification: number % 2 ? { status: "found", document: {} } : { status: "not_found" },
    }));
    const lines = results.map((result) => `data: ${JSON.stringify(result)}\n\n`).join("");
    return new Response(`${lines}event: end\ndata: {"problems":[]}\n\n`);
  };
}

const VERSIONS = { "1.0.0": current, "0.0.59": last, "0.0.58": previous };
const server = { current: new FakeServer() };

/** Runs an agent that sends these events, and returns what subscribers see. */
async function run(
  events: Event[] | Observable<Event>,
  config: CitationMiddlewareConfig = {},
  options: { client?: typeof current; state?: unknown; forwardedProps?: object } = {},
) {
  const { AbstractAgent } = options.client ?? current;
  const inputs: { state: unknown }[] = [];
  class ScriptedAgent extends AbstractAgent {
    run(input: { state: unknown }) {
      inputs.push(input);
      return (events instanceof Observable ? events : from(events)) as never;
    }
  }
  const agent = new ScriptedAgent({
    threadId: "t",
    ...("state" in options ? { initialState: options.state as never } : {}),
  });
  const fetch = server.current.fetch as typeof globalThis.fetch;
  agent.use(
    createCitationMiddleware({ url: "http://p/", fetch, onWarning: () => {}, ...config }) as never,
  );
  const seen: Event[] = [];
  const result = agent.runAgent({ runId: "r", forwardedProps: options.forwardedProps ?? {} }, {
    onEvent: ({ event }: { event: unknown }) => void seen.push(event as Event),
  } as never);
  await result;
  const state = agent.state as { deepcitation?: DeepCitationAgUIState };
  return {
    agent,
    seen,
    state,
    inputs,
    own: state.deepcitation,
    types: seen.map(({ type }) => type),
  };
}

const TEXT = `In 1911 [1] and 1912 [2].\n${BLOCK}`;
const ANSWER = [STARTED, START, content(TEXT), END, FINISHED];

afterEach(() => {
  server.current = new FakeServer();
  vi.useRealTimers();
});

for (const [version, client] of Object.entries(VERSIONS)) {
  describe(`createCitationMiddleware with @ag-ui/client ${version}`, () => {
    it("verifies an answer and ends the run after the last result", async () => {
      const { own, types, agent } = await run(ANSWER, {}, { client: client as never });
      expect(own?.messages.m).toEqual({
        messageId: "m",
        status: "complete",
        summary: { total: 2, verified: 1, partial: 0, missed: 1, pending: 0 },
        citations: {
          k1: { citationNumber: 1, fullPhrase: "Quote 1" },
          k2: { citationNumber: 2, fullPhrase: "Quote 2" },
        },
        verifications: { k1: FOUND, k2: { status: "not_found" } },
        markers: { 1: "k1", 2: "k2" },
      });
      expect(own?.verifications.k1).toEqual(FOUND);
      expect(types.at(-1)).toBe("RUN_FINISHED");
      expect(agent.messages.at(-1)?.content).toBe(TEXT);
    });

    it("keeps the state of the agent and of the client, and writes only under its key", async () => {
      const events = [
        STARTED,
        { type: "STATE_SNAPSHOT", snapshot: { agent: 1 } },
        START,
        content(TEXT),
        { type: "STATE_SNAPSHOT", snapshot: { agent: 2 } },
        { type: "STATE_DELTA", delta: [{ op: "add", path: "/more", value: true }] },
        END,
        FINISHED,
      ];
      const { state } = await run(events, {}, { client: client as never });
      expect(state).toMatchObject({ agent: 2, more: true });
      expect(state.deepcitation?.messages.m?.status).toBe("complete");
    });

    it("verifies text that arrives in chunks", async () => {
      const events = [
        STARTED,
        { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "In 1911 " },
        { type: "TEXT_MESSAGE_CHUNK", delta: "[1]." },
        FINISHED,
      ];
      const { own, agent } = await run(events, {}, { client: client as never });
      expect(agent.messages.at(-1)?.content).toBe("In 1911 [1].");
      expect(own?.messages.m?.summary.verified).toBe(1);
    });
  });
}

describe("createCitationMiddleware", () => {
  it("passes text on before anything is verified", async () => {
    let release = () => {};
    server.current.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const seen: string[] = [];
    const agent = new (class extends current.AbstractAgent {
      run() {
        return from(ANSWER) as never;
      }
    })();
    const fetch = server.current.fetch as typeof globalThis.fetch;
    agent.use(createCitationMiddleware({ url: "http://p", fetch }));
    const ended = agent.runAgent(undefined, {
      onEvent: ({ event }) => void seen.push(event.type),
    });
    await vi.waitFor(() => expect(seen).toContain("TEXT_MESSAGE_END"));
    expect(seen).not.toContain("RUN_FINISHED");
    expect(server.current.requests).toHaveLength(1);
    release();
    await ended;
    expect(seen.at(-1)).toBe("RUN_FINISHED");
  });

  it("sends each result as a patch of its own, citation before verification", async () => {
    const { seen } = await run(ANSWER);
    const patches = seen
      .filter(({ type }) => type === "STATE_DELTA")
      .map(({ delta }) => (delta as { path: string; value: unknown }[]).map(({ path }) => path));
    expect(patches[0]).toEqual(["/deepcitation"]);
    expect(patches).toContainEqual([
      "/deepcitation/citations/k1",
      "/deepcitation/messages/m/citations/k1",
      "/deepcitation/messages/m/markers/1",
      "/deepcitation/verifications/k1",
      "/deepcitation/messages/m/verifications/k1",
      "/deepcitation/messages/m/summary",
    ]);
    const operations = seen.flatMap(({ type, delta }) =>
      type === "STATE_DELTA" ? (delta as { path: string; value: unknown }[]) : [],
    );
    const statuses = operations.filter(({ path }) => path.endsWith("/status"));
    expect(statuses.map(({ value }) => value)).toEqual(["extracting", "verifying", "complete"]);
  });

  it("verifies before the message ends, and once if nothing follows", async () => {
    const events = [
      STARTED,
      START,
      content(TEXT.slice(0, -5)),
      content(TEXT.slice(-5)),
      content("\n"),
      END,
      FINISHED,
    ];
    const { own } = await run(events);
    expect(own?.messages.m?.status).toBe("complete");
    expect(server.current.requests.map(({ body }) => body.text)).toEqual([TEXT]);
    await run(events, { verifyEarly: false });
    expect(server.current.requests).toHaveLength(2);
    await run([STARTED, START, content(TEXT), content(" And [3]."), END, FINISHED]);
    expect(server.current.requests).toHaveLength(4);
  });

  it("sends key, documents and address", async () => {
    await run(ANSWER, { apiKey: "sk-dc-x" }, { forwardedProps: { attachmentIds: ["a"] } });
    expect(server.current.requests[0]).toMatchObject({
      path: "http://p/verify",
      body: { attachmentIds: ["a"] },
    });
    expect(server.current.headers.Authorization).toBe("Bearer sk-dc-x");
    await run(ANSWER, { verifyOptions: { attachmentIds: ["b"], generateProofUrls: true } });
    expect(server.current.requests[1]?.body.attachmentIds).toEqual(["b"]);
  });

  it("adds images of found passages before the run ends", async () => {
    const { own, types } = await run(ANSWER, { verifyOptions: { outputImageFormat: "webp" } });
    expect(own?.verifications.k1?.evidence?.src).toBe("data:image/webp;base64,AA");
    expect(own?.messages.m?.verifications.k1).toEqual(own?.verifications.k1);
    expect(own?.messages.m?.summary).toMatchObject({ total: 2, verified: 1, missed: 1 });
    expect(server.current.requests.map(({ path }) => path)).toEqual([
      "http://p/verify",
      "http://p/verifyCitations",
    ]);
    expect(types.at(-1)).toBe("RUN_FINISHED");
  });

  it("uses the origin of the page, or else the default address", async () => {
    await run(ANSWER, { url: undefined as never });
    expect(server.current.requests[0]?.path).toBe("http://127.0.0.1:8787/verify");
    vi.stubGlobal("location", { origin: "https://app.example" });
    await run(ANSWER, { url: undefined as never });
    expect(server.current.requests[1]?.path).toBe("https://app.example/verify");
    vi.unstubAllGlobals();
  });

  it("reports progress as custom events", async () => {
    const { seen } = await run(ANSWER, { customEvents: true });
    const custom = seen.filter(({ type }) => type === "CUSTOM");
    expect(custom.map(({ name }) => name)).toEqual([
      "citation.seen",
      "citation.seen",
      "citation.verified",
      "citation.verified",
    ]);
    expect(custom[0]?.value).toMatchObject({ messageId: "m", number: 1 });
    expect(custom[2]?.value).toMatchObject({
      messageId: "m",
      key: "k1",
      timeToCertaintyMs: expect.any(Number),
    });
  });

  it("finds a marker that is split over deltas", async () => {
    const events = [
      STARTED,
      START,
      content("In 1911 ["),
      content("1"),
      content("]."),
      END,
      FINISHED,
    ];
    const { seen } = await run(events, { customEvents: true });
    expect(seen.filter(({ name }) => name === "citation.seen")).toHaveLength(1);
  });

  it("hides its state from the agent, and keeps results of earlier messages", async () => {
    const earlier = { messageId: "e", citations: {}, verifications: {}, status: "complete" };
    const state = { x: 1, deepcitation: { messages: { e: earlier } } };
    const { own, inputs } = await run(ANSWER, {}, { state });
    expect(inputs[0]?.state).toEqual({ x: 1 });
    expect(Object.keys(own?.messages ?? {})).toEqual(["e", "m"]);
  });

  it("keeps the last messages", async () => {
    const messages = Object.fromEntries(
      ["a", "b", "c"].map((id) => [
        id,
        { citations: { [`k-${id}`]: {}, shared: {} }, verifications: {} },
      ]),
    );
    const keys = { "k-a": {}, "k-b": {}, "k-c": {}, shared: {} };
    const state = { deepcitation: { messages, citations: keys, verifications: keys } };
    const { own } = await run(ANSWER, { keepMessages: 2 }, { state });
    expect(Object.keys(own?.messages ?? {})).toEqual(["c", "m"]);
    expect(Object.keys(own?.citations ?? {}).sort()).toEqual(["k-c", "k1", "k2", "shared"]);
    const all = await run(ANSWER, { keepMessages: 0 }, { state });
    expect(Object.keys(all.own?.messages ?? {})).toHaveLength(4);
  });

  it("sends each new review to the server once", async () => {
    const review = { action: "accepted", at: 5 } as const;
    const state = withReview({ x: 1 }, "k1", review);
    expect(state).toEqual({ x: 1, deepcitation: { reviews: { k1: review } } });
    expect(() => withReview({}, "__proto__", review)).toThrow("not allowed");
    const { own } = await run(ANSWER, {}, { state });
    expect((own as { reviews?: unknown })?.reviews).toEqual({ k1: review });
    server.current = new FakeServer();
    const fetch = server.current.fetch as typeof globalThis.fetch;
    const middleware = createCitationMiddleware({ url: "http://p", fetch });
    for (const input of [{ state }, { state }]) {
      middleware(input as never, { run: () => from([STARTED, FINISHED]) } as never);
    }
    expect(server.current.requests).toEqual([
      { path: "http://p/citations/k1/reviews", body: review },
    ]);
  });

  it("marks a message whose verification fails, and ends the run", async () => {
    const warnings: string[] = [];
    const fetch = async () => new Response("gone\n", { status: 503 });
    const { own, types } = await run(ANSWER, {
      fetch: fetch as never,
      onWarning: (message) => warnings.push(message),
    });
    expect(own?.messages.m).toMatchObject({
      status: "error",
      error: "The server responded with status 503.",
    });
    expect(types.at(-1)).toBe("RUN_FINISHED");
    expect(warnings).toHaveLength(1);
  });

  it("ends the run at the deadline", async () => {
    server.current.gate = new Promise(() => {});
    const { own, types } = await run(ANSWER, { deadline: 5 });
    expect(types.at(-1)).toBe("RUN_FINISHED");
    expect(own?.messages.m?.status).toBe("verifying");
  });

  it("verifies what was written before an error", async () => {
    const failed = { type: "RUN_ERROR", message: "no" };
    const seen: Event[] = [];
    const source = from([STARTED, START, content(TEXT), failed]);
    const fetch = server.current.fetch as typeof globalThis.fetch;
    const middleware = createCitationMiddleware({ url: "http://p", fetch });
    await new Promise<void>((resolve) => {
      const stream = middleware({} as never, { run: () => source } as never);
      stream.subscribe({ next: (event) => void seen.push(event as never), complete: resolve });
    });
    expect(seen.at(-1)).toBe(failed);
    const patch = seen.at(-2)?.delta as { value: unknown }[];
    expect(patch.map(({ value }) => value)).toEqual(["error", "The run ended with an error."]);
  });

  it("verifies the beginning of a text that is too long", async () => {
    const { own } = await run(
      [STARTED, START, content("A [1]. "), content("B".repeat(100)), content("[2]"), END, FINISHED],
      { maxBufferBytes: 50 },
    );
    expect(own?.messages.m).toMatchObject({ status: "error", summary: { total: 1 } });
    expect(server.current.requests[0]?.body.text).toBe("A [1].");
  });

  it("ignores messages and results with unsafe keys, and messages of people", async () => {
    const unsafe = { type: "TEXT_MESSAGE_START", messageId: "__proto__", role: "assistant" };
    const user = { type: "TEXT_MESSAGE_START", messageId: "u", role: "user" };
    const events = [
      STARTED,
      unsafe,
      content("[1]", "__proto__"),
      { type: "TEXT_MESSAGE_END", messageId: "__proto__" },
      user,
      content("[1]", "u"),
      { type: "TEXT_MESSAGE_END", messageId: "u" },
      FINISHED,
    ];
    const { own } = await run(events);
    expect(own).toBeUndefined();
    expect(server.current.requests).toEqual([]);
    expect(({} as { citations?: unknown }).citations).toBeUndefined();
    expect(() => createCitationMiddleware({ stateKey: "__proto__" })).toThrow("not allowed");
  });

  it("writes nothing into a state that is a list, and creates one that is absent", async () => {
    const list = await run(ANSWER, {}, { state: [1] });
    expect(list.agent.state).toEqual([1]);
    const middleware = createCitationMiddleware({ fetch: server.current.fetch as never });
    const seen: Event[] = [];
    await new Promise<void>((resolve) => {
      const stream = middleware({ state: null } as never, { run: () => from(ANSWER) } as never);
      stream.subscribe({ next: (event) => void seen.push(event as never), complete: resolve });
    });
    const patch = seen.find(({ type }) => type === "STATE_DELTA")?.delta as { path: string }[];
    expect(patch.map(({ path }) => path)).toEqual(["", "/deepcitation"]);
  });

  it("verifies messages that a snapshot adds", async () => {
    const messages = [
      { id: "u", role: "user", content: "[1]?" },
      { id: "s", role: "assistant", content: "Yes [3]." },
    ];
    const { own } = await run([STARTED, { type: "MESSAGES_SNAPSHOT", messages }, FINISHED]);
    expect(own?.messages.s?.summary.verified).toBe(1);
    expect(server.current.requests).toHaveLength(1);
  });

  it("stops verifying when the run is abandoned", async () => {
    let isAborted = false;
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_, reject) => {
        init?.signal?.addEventListener("abort", () => {
          isAborted = true;
          reject(new Error("aborted"));
        });
      });
    const middleware = createCitationMiddleware({ fetch: fetch as never });
    const stream = middleware({} as never, { run: () => from(ANSWER) } as never);
    stream.subscribe(() => {}).unsubscribe();
    expect(isAborted).toBe(true);
  });
});
