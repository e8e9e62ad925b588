import { describe, expect, it } from "vitest";
import {
  bridgeCitationsState,
  EMPTY_CONVERSATION,
  foldEvents,
  type Message,
} from "../src/index.js";

const M1: Message = { id: "m1", role: "assistant", content: "One." };
const M2: Message = { id: "m2", role: "assistant", content: "Two." };

function bridged(...entries: unknown[]) {
  return bridgeCitationsState({ state: { citations: { m1: entries } } }, [M1])[0]?.citations;
}

describe("bridgeCitationsState, as its specification tests it", () => {
  it("leaves messages alone without citations", () => {
    expect(bridgeCitationsState({ state: {} }, [M1, M2])).toEqual([M1, M2]);
  });

  it("adds the citations of a message to it alone", () => {
    const state = { citations: { m1: [{ id: "a", title: "A", url: "https://a" }] } };
    const [first, second] = bridgeCitationsState({ state }, [M1, M2]);
    expect(first?.citations).toEqual([{ id: "a", index: 1, title: "A", url: "https://a" }]);
    expect(second?.citations).toBeUndefined();
  });

  it("gives the same result when it is applied again", () => {
    const state = { citations: { m1: [{ id: "a", title: "A" }, "https://b"] } };
    const once = bridgeCitationsState({ state }, [M1]);
    expect(bridgeCitationsState({ state }, once)).toEqual(once);
  });

  it("reads other names of members", () => {
    expect(bridged({ name: "N", href: "https://h", excerpt: "E" })).toEqual([
      { id: "c1", index: 1, title: "N", url: "https://h", snippet: "E" },
    ]);
  });

  it("keeps kind, icon and date of a source", () => {
    const source = {
      id: "file1",
      title: "Report",
      sourceType: "file",
      iconUrl: "data:image/png;base64,AA",
      publishedAt: "2024-04-10",
    };
    expect(bridged(source)).toEqual([{ ...source, index: 1 }]);
  });

  it("keeps a date that is a number and drops one that is an object", () => {
    expect(bridged({ publishedAt: 1712707200000 })?.[0]?.publishedAt).toBe(1712707200000);
    expect(bridged({ publishedAt: {} })?.[0]?.publishedAt).toBeUndefined();
  });

  it("reads a text as an address", () => {
    expect(bridged("https://x")).toStrictEqual([{ id: "c1", index: 1, url: "https://x" }]);
  });
});

describe("bridgeCitationsState", () => {
  it("returns the same list without a table, and the same messages without a list", () => {
    const messages = [M1, M2];
    for (const state of [undefined, null, {}, { citations: "x" }, { citations: 0 }]) {
      expect(bridgeCitationsState({ state }, messages)).toBe(messages);
    }
    for (const list of [undefined, [], {}, "x"]) {
      const result = bridgeCitationsState({ state: { citations: { m1: list } } }, messages);
      expect(result).not.toBe(messages);
      expect(result[0]).toBe(M1);
    }
  });

  it("accepts an array as a table, any role, and no inherited member", () => {
    const zero: Message = { id: "0", role: "user", content: "" };
    const [message] = bridgeCitationsState({ state: { citations: [["u"]] } }, [zero]);
    expect(message?.citations?.[0]?.url).toBe("u");
    const odd: Message = { id: "constructor", role: "assistant" };
    expect(bridgeCitationsState({ state: { citations: {} } }, [odd])[0]).toBe(odd);
  });

  it("has all members for an object, and ignores values of other types", () => {
    expect(bridged(null, 5, { id: 7, index: "2", title: 3, name: "nm", score: 1 })).toStrictEqual(
      [{}, {}, { title: "nm" }].map((members, position) => ({
        id: `c${position + 1}`,
        index: position + 1,
        title: undefined,
        url: undefined,
        snippet: undefined,
        sourceType: undefined,
        iconUrl: undefined,
        publishedAt: undefined,
        extra: undefined,
        ...members,
      })),
    );
    expect(bridged({ url: "", href: "h", id: "" })?.[0]).toMatchObject({ id: "", url: "" });
    expect(bridged({ refId: "r", index: 7, extra: [1] })?.[0]).toMatchObject({
      id: "r",
      index: 7,
      extra: [1],
    });
  });

  it("clears citations with an empty list only as an option", () => {
    const known = [{ ...M1, citations: [{ id: "a", index: 1 }] }];
    const thread = { state: { citations: { m1: [] } } };
    expect(bridgeCitationsState(thread, known)).toEqual(known);
    expect(bridgeCitationsState(thread, known, { emptyListClears: true })).toStrictEqual([M1]);
  });
});

describe("foldEvents", () => {
  const snapshot = { type: "STATE_SNAPSHOT", snapshot: { citations: { m1: ["https://x"] } } };
  const start = { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" };
  const citations = (events: { type: string }[]) =>
    foldEvents(EMPTY_CONVERSATION, events, 0).messages[0]?.citations;

  it("copies citations after state events and snapshots of messages, and keeps the state", () => {
    expect(citations([start, snapshot])).toHaveLength(1);
    expect(citations([snapshot, start])).toBeUndefined();
    expect(citations([snapshot, start, { type: "STATE_DELTA", delta: [] } as never])).toHaveLength(
      1,
    );
    const messages = { type: "MESSAGES_SNAPSHOT", messages: [M1] };
    expect(citations([snapshot, messages])).toHaveLength(1);
    const folded = foldEvents(EMPTY_CONVERSATION, [start, snapshot], 0);
    expect(folded.state).toBe(snapshot.snapshot);
  });

  it("keeps a message the same object while its list does not change", () => {
    const before = foldEvents(EMPTY_CONVERSATION, [start, snapshot], 0);
    const delta = { type: "STATE_DELTA", delta: [{ op: "add", path: "/n", value: 1 }] };
    expect(foldEvents(before, [delta], 0).messages[0]).toBe(before.messages[0]);
  });

  it("clears citations as an option", () => {
    const events = [
      start,
      snapshot,
      { type: "STATE_SNAPSHOT", snapshot: { citations: { m1: [] } } },
    ];
    const fold = (emptyListClears: boolean) =>
      foldEvents(EMPTY_CONVERSATION, events, 0, { emptyListClears }).messages[0]?.citations;
    expect(fold(false)).toHaveLength(1);
    expect(fold(true)).toBeUndefined();
  });
});
