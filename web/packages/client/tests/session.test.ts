import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Message, PinciteClient, ThreadSession } from "../src/index.js";

const QUESTION: Message = { id: "u1", role: "user", content: "When?" };

/** Request that the fake server received. */
interface Received {
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
}

/** Answers requests in order; a function may fail like a lost connection. */
function fakeServer(responses: (() => Response)[]) {
  const received: Received[] = [];
  const client = new PinciteClient({
    fetch: async (url, init) => {
      const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
      received.push({ method: init?.method ?? "GET", path: String(url), body });
      const respond = responses.shift();
      if (!respond) throw new TypeError("no response is left");
      return respond();
    },
  });
  return { client, received };
}

/** Response with server-sent events, numbered from `first`. */
function stream(first: number, events: object[]) {
  const lines = events.map(
    (event, position) => `id: ${first + position}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return () => new Response(lines.join(""));
}

const json = (value: unknown) => () => new Response(JSON.stringify(value));
const offline = () => {
  throw new TypeError("network");
};

const STARTED = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const START = { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" };
const delta = (text: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: text });
const END = { type: "TEXT_MESSAGE_END", messageId: "a" };
const FINISHED = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const INFO = { id: "t", agent: "demo", running: false, lastRun: { id: "r", status: "finished" } };

function session(client: PinciteClient): ThreadSession {
  return new ThreadSession(client, "t", { now: () => 0, newId: () => "r" });
}

function texts(thread: ThreadSession): unknown[] {
  return thread.getSnapshot().conversation.messages.map((message) => message.content);
}

describe("ThreadSession", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("runs an agent and shows its answer", async () => {
    const { client, received } = fakeServer([
      stream(1, [STARTED, START, delta("In "), delta("1911."), END, FINISHED]),
      json(INFO),
    ]);
    const thread = session(client);
    await thread.run({ agent: "demo", messages: [QUESTION], attachmentIds: ["d1"] });
    expect(texts(thread)).toEqual(["When?", "In 1911."]);
    expect(thread.getSnapshot().conversation.run.status).toBe("finished");
    expect(thread.getSnapshot().connection).toBe("idle");
    expect(received[0]).toMatchObject({
      method: "POST",
      path: "/agents/demo",
      body: { threadId: "t", runId: "r", forwardedProps: { attachmentIds: ["d1"] } },
    });
  });

  it("continues after a lost connection with the event after the last one", async () => {
    const { client, received } = fakeServer([
      stream(1, [STARTED, START, delta("In ")]),
      offline,
      stream(4, [delta("1911."), END, FINISHED]),
      json(INFO),
    ]);
    const thread = session(client);
    const ended = thread.run({ agent: "demo", messages: [QUESTION] });
    await vi.runAllTimersAsync();
    await ended;
    expect(texts(thread)).toEqual(["When?", "In 1911."]);
    expect(received.map(({ path }) => path)).toEqual([
      "/agents/demo",
      "/threads/t/events?after=3&live=false",
      "/threads/t/events?after=3&live=false",
      "/threads/t",
    ]);
  });

  it("sends a question again, with the same run id, until the server accepts it", async () => {
    const { client, received } = fakeServer([
      offline,
      offline,
      stream(1, [STARTED, FINISHED]),
      json(INFO),
    ]);
    const ended = session(client).run({ agent: "demo", messages: [QUESTION] });
    await vi.runAllTimersAsync();
    await ended;
    expect(received.slice(0, 3).map(({ path, body }) => [path, body?.runId])).toEqual([
      ["/agents/demo", "r"],
      ["/agents/demo", "r"],
      ["/agents/demo", "r"],
    ]);
  });

  it("shows an error response and does not repeat the request", async () => {
    const error = { code: "not_found", message: "Agent not found.", hint: "List them." };
    const { client, received } = fakeServer([
      () => new Response(JSON.stringify({ error }), { status: 404 }),
    ]);
    const thread = session(client);
    await thread.run({ agent: "gone", messages: [QUESTION] });
    expect(thread.getSnapshot().error).toMatchObject({ code: "not_found", hint: "List them." });
    expect(thread.getSnapshot().conversation.run.status).toBe("failed");
    expect(received).toHaveLength(1);
  });

  it("loads a thread that is at rest without opening a stream", async () => {
    const { client, received } = fakeServer([json(INFO), json([QUESTION]), json({ a: 1 })]);
    const thread = session(client);
    await thread.load();
    expect(texts(thread)).toEqual(["When?"]);
    expect(thread.getSnapshot().conversation.state).toEqual({ a: 1 });
    expect(received.map(({ path }) => path)).toEqual([
      "/threads/t",
      "/threads/t/messages",
      "/threads/t/state",
    ]);
  });

  it("loads the sources of a stored thread on request", async () => {
    const source = { chunkId: "c", documentId: "d", documentUri: "a/b.pdf", content: "x" };
    const turn = { userMessageId: "u1", runId: "r", sourceReferences: [source] };
    const { client } = fakeServer([json(INFO), json([QUESTION]), json({}), json([turn])]);
    const thread = session(client);
    await thread.load();
    await thread.loadSources();
    const { messageStates } = thread.getSnapshot().conversation;
    expect(messageStates.u1).toMatchObject({ runId: "r" });
    expect(messageStates.u1?.sourceReferences[0]?.displayTitle).toBe("b.pdf");
  });

  it("names the parent of a branch", async () => {
    const { client, received } = fakeServer([stream(1, [STARTED, FINISHED]), json(INFO)]);
    const parent = { threadId: "p", runId: "q", inherits: false };
    await session(client).run({ agent: "demo", messages: [QUESTION], parent });
    expect(received[0]?.body).toMatchObject({
      parentThreadId: "p",
      parentRunId: "q",
      inheritMessages: false,
    });
  });
});

describe("PinciteClient", () => {
  it("yields each result of a verification", async () => {
    const results = [{ key: "a" }, { key: "b" }].map(
      (result) => `data: ${JSON.stringify(result)}\n\n`,
    );
    const { client, received } = fakeServer([
      () => new Response(`${results.join("")}event: end\ndata: {"problems":[]}\n\n`),
    ]);
    const keys: string[] = [];
    for await (const { key } of client.verifyEach({ text: "[1]" })) keys.push(key);
    expect(keys).toEqual(["a", "b"]);
    expect(received[0]).toMatchObject({ method: "POST", path: "/verify", body: { text: "[1]" } });
  });
});
