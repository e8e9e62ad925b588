import { describe, expect, it } from "vitest";
import {
  answerMarkdown,
  applyPatch,
  citationsByNumber,
  displayCitations,
  displayState,
  evidenceId,
  type MessageCitations,
  messageCitations,
  summarise,
} from "../src/index.js";

const MESSAGE: MessageCitations = {
  messageId: "m",
  citations: {
    a: { fullPhrase: "The quay was built in 1911.", attachmentId: "n", citationNumber: 1 },
    b: { fullPhrase: "It was 3.2 metres.", citationNumber: 2 },
    c: { fullPhrase: "Later.", citationNumber: 3 },
  },
  verifications: {
    a: {
      status: "found",
      label: "nordvik.pdf",
      document: { verifiedPageNumber: 1, verifiedLineIds: [3, 4] },
      evidenceUrl: "http://127.0.0.1/p/abc",
    },
    b: { status: "not_found" },
  },
  markers: { "1": "a", "2": "b", "3": "c", "7": "a" },
  summary: { total: 3, verified: 1, partial: 0, missed: 1, pending: 1 },
  status: "verifying",
};

describe("citations", () => {
  it("are shown with one word per status", () => {
    const words = {
      found: "verified",
      found_phrase_missed_anchor_text: "verified",
      found_on_other_line: "found elsewhere",
      found_anchor_text_only: "partly found",
      not_found: "not found",
      pending: "checking",
      constructor: "checking",
    };
    for (const [status, word] of Object.entries(words)) expect(displayState({ status })).toBe(word);
    expect(displayState({ status: "not_found", problem: "source_missing" })).toBe("source missing");
    expect(displayState(undefined)).toBe("checking");
  });

  it("are found by the number of any of their markers", () => {
    expect(citationsByNumber(MESSAGE).get(7)?.key).toBe("a");
    expect(displayCitations(MESSAGE).map((citation) => citation.number)).toEqual([1, 2, 3]);
  });

  it("are counted by state", () => {
    expect(summarise(displayCitations(MESSAGE))).toEqual([
      { state: "verified", count: 1 },
      { state: "not found", count: 1 },
      { state: "checking", count: 1 },
    ]);
  });

  it("are read from own members of the state only", () => {
    const state = { deepcitation: { messages: { m: MESSAGE } } };
    expect(messageCitations(state, "m")).toBe(MESSAGE);
    for (const id of ["constructor", "__proto__", "x"]) {
      expect(messageCitations(state, id)).toBeUndefined();
    }
    for (const odd of [undefined, null, 5, [], { deepcitation: 5 }]) {
      expect(messageCitations(odd, "m")).toBeUndefined();
    }
  });

  it("become footnotes, except inside code", () => {
    const text = "In 1911 [1], see `a[1]` and [9].\n\n```\nx[2]\n```\n";
    const markdown = answerMarkdown(
      { text, citations: displayCitations(MESSAGE) },
      "http://h",
      "1-",
    );
    expect(markdown).toContain("In 1911 [^1-1], see `a[1]` and [9].");
    expect(markdown).toContain("x[2]");
    expect(markdown).toContain(
      "[^1-1]: ✓ verified · “The quay was built in 1911.” · nordvik.pdf, page 1, lines 3–4 · <http://h/p/abc>",
    );
    expect(markdown).toContain("[^1-2]: ✗ not found · “It was 3.2 metres.”");
  });
});

describe("applyPatch", () => {
  it("changes nothing if an operation fails or reaches a prototype", () => {
    const document = { a: 1 };
    expect(applyPatch(document, [{ op: "add", path: "/b/c", value: 1 }])).toBeUndefined();
    expect(
      applyPatch(document, [{ op: "add", path: "/__proto__/polluted", value: 1 }]),
    ).toBeUndefined();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(document).toEqual({ a: 1 });
  });
});

describe("evidence id", () => {
  it("leaves out the signature of a link", () => {
    const verification = { evidenceUrl: "https://pincite.example/p/abc?token=x&expires=1" };
    expect(evidenceId(verification)).toBe("abc");
    expect(evidenceId({ evidenceUrl: "/p/abc" })).toBe("abc");
  });
});
