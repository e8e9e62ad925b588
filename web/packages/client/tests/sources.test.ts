import { describe, expect, it } from "vitest";
import {
  type AgUiEvent,
  buildSourceReferencesMap,
  EMPTY_CONVERSATION,
  extractNew,
  foldEvents,
  type Message,
  type MessageStates,
  SourceReference,
} from "../src/index.js";

function citation(chunk: string, more: object = {}) {
  return {
    chunk_id: chunk,
    document_id: "d",
    document_uri: "s3://bucket/file.pdf",
    content: "Text.",
    ...more,
  };
}

const entry = (...chunks: string[]) => ({
  question: "?",
  citations: chunks.map((c) => citation(c)),
});
const rag = (...qa_history: unknown[]) => ({ rag: { qa_history } });
const chunks = (sources: readonly SourceReference[]) => sources.map(({ chunkId }) => chunkId);

describe("extractNew", () => {
  it("returns the sources of new entries in order", () => {
    const one = rag(entry("a"));
    expect(extractNew(one, one)).toEqual([]);
    expect(extractNew({}, {})).toEqual([]);
    expect(chunks(extractNew({}, one))).toEqual(["a"]);
    expect(chunks(extractNew(one, rag(entry("a"), entry("b", "c", "d"))))).toEqual(["b", "c", "d"]);
    expect(extractNew(one, rag(entry("a"), { question: "only" }))).toEqual([]);
    expect(extractNew(rag(entry("a"), entry("b")), one)).toEqual([]);
  });

  it("reads all members", () => {
    const members = {
      document_title: "Test Doc",
      headings: ["Chapter 1", 5],
      page_numbers: [1, 2, "3"],
      index: 1,
    };
    const [source] = extractNew(
      {},
      { rag: { qa_history: [{ citations: [citation("a", members)] }] } },
    );
    expect(source).toEqual({
      chunkId: "a",
      documentId: "d",
      documentUri: "s3://bucket/file.pdf",
      content: "Text.",
      documentTitle: "Test Doc",
      headings: ["Chapter 1"],
      pageNumbers: [1, 2],
      index: 1,
    });
  });

  it("finds nothing in states of another form", () => {
    for (const state of [
      null,
      5,
      [],
      { rag: "no" },
      { rag: { qa_history: "no" } },
      { other: {} },
    ]) {
      expect(extractNew({}, state)).toEqual([]);
    }
    expect(chunks(extractNew({ rag: 42 }, rag(entry("a"))))).toEqual(["a"]);
    const broken = rag({ citations: [citation("a"), { chunk_id: 5 }, null, citation("b")] });
    expect(chunks(extractNew({}, broken))).toEqual(["a", "b"]);
  });

  it("finds passages added to the last known entry as an option", () => {
    const [before, after] = [rag(entry("a")), rag(entry("a", "b"))];
    expect(extractNew(before, after)).toEqual([]);
    expect(chunks(extractNew(before, after, { includeGrownEntry: true }))).toEqual(["b"]);
  });
});

describe("SourceReference", () => {
  const source = (documentUri: string, documentTitle?: string, pageNumbers: number[] = []) =>
    new SourceReference({
      documentId: "d",
      chunkId: "c",
      content: "",
      documentUri,
      documentTitle,
      pageNumbers,
    });

  it("has a title", () => {
    for (const [uri, title, expected] of [
      ["s3://b/f/file.pdf", "My Document", "My Document"],
      ["s3://b/f/file.PDF", "", "file.PDF"],
      ["https://x.example/a%20b.txt?q#f", undefined, "a b.txt"],
      ["https://x.example/folder/", undefined, "folder"],
      ["https://x.example", undefined, "Unknown Document"],
      ["", undefined, "Unknown Document"],
      ["notes.md", undefined, "notes.md"],
      ["s3://b/a%zz.txt", undefined, "a%zz.txt"],
      ["s3://b/caf%C3%A9%FF.pdf", undefined, "café\ufffd.pdf"],
      ["s3://b/a.pdf#attachment=x%2Fy.txt", undefined, "a.pdf"],
    ] as const) {
      expect(source(uri, title).displayTitle, uri).toBe(expected);
    }
  });

  it("has a label of its pages", () => {
    for (const [pages, expected] of [
      [[], undefined],
      [[5], "p.5"],
      [[3, 1, 2], "p.1-3"],
      [[5, 6], "p.5-6"],
      [[10, 1, 5], "p.1, 5, 10"],
      [[5, 5, 6], "p.5, 5, 6"],
    ] as const) {
      expect(source("", undefined, [...pages]).formattedPageNumbers).toBe(expected);
    }
  });
});

describe("buildSourceReferencesMap", () => {
  const user = (id: string): Message => ({ id, role: "user", content: "?" });
  const text = (id: string): Message => ({ id, role: "assistant", content: "Text." });
  const tool = (id: string): Message => ({ id, role: "assistant", toolCalls: [] });
  const state = (id: string, ...names: string[]): MessageStates => ({
    [id]: {
      userMessageId: id,
      sourceReferences: names.flatMap((name) => SourceReference.fromJson(citation(name)) ?? []),
    },
  });
  const shown = (messages: Message[], states: MessageStates) =>
    [...buildSourceReferencesMap(messages, states)].map(([id, sources]) => [
      id,
      ...chunks(sources),
    ]);

  it("gives the sources of a turn to its last text", () => {
    expect(shown([user("u"), text("a")], state("u", "x"))).toEqual([["a", "x"]]);
    expect(shown([user("u"), tool("t"), text("a")], state("u", "x"))).toEqual([["a", "x"]]);
    expect(shown([user("u"), text("a"), tool("t"), text("b")], state("u", "x"))).toEqual([
      ["b", "x"],
    ]);
  });

  it("keeps turns apart and leaves out turns without text or sources", () => {
    const states = { ...state("u1", "x"), ...state("u2", "y") };
    expect(shown([user("u1"), user("u2"), text("a")], states)).toEqual([["a", "y"]]);
    expect(shown([text("a")], states)).toEqual([]);
    expect(shown([user("u1"), tool("t")], states)).toEqual([]);
    expect(shown([user("u1"), text("a")], state("u1"))).toEqual([]);
    expect(shown([user("constructor"), text("a")], {})).toEqual([]);
  });
});

describe("foldEvents", () => {
  const run = (runId: string, ...events: AgUiEvent[]) => [
    { type: "RUN_STARTED", threadId: "t", runId },
    ...events,
    { type: "RUN_FINISHED", threadId: "t", runId },
  ];
  const state = (...entries: unknown[]) => ({ type: "STATE_SNAPSHOT", snapshot: rag(...entries) });
  const asked = (...ids: string[]) => ({
    ...EMPTY_CONVERSATION,
    messages: ids.map((id): Message => ({ id, role: "user", content: "?" })),
  });

  it("collects the sources of all runs of a turn; the last run counts", () => {
    const events = [
      ...run("r1", state(entry("a", "b"))),
      ...run("r2", state(entry("a", "b"), entry("b", "c"))),
    ];
    const turn = foldEvents(asked("u"), events, 0).messageStates.u;
    expect(turn?.runId).toBe("r2");
    expect(chunks(turn?.sourceReferences ?? [])).toEqual(["a", "b", "c"]);
  });

  it("adds nothing of an earlier turn, and records runs that fail", () => {
    const first = foldEvents(asked("u1"), run("r1", state(entry("a"))), 0);
    const second = { ...first, messages: [...first.messages, ...asked("u2").messages] };
    const failed = [
      { type: "RUN_STARTED", runId: "r2" },
      { type: "RUN_ERROR", message: "no" },
    ];
    const { messageStates } = foldEvents(second, failed, 0);
    expect(messageStates.u2).toEqual({ userMessageId: "u2", sourceReferences: [], runId: "r2" });
    expect(chunks(messageStates.u1?.sourceReferences ?? [])).toEqual(["a"]);
  });
});
