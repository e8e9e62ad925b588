import { describe, expect, it } from "vitest";
import { ServerSentEventParser } from "../src/index.js";

const STREAM = [
  "\uFEFFid: 1\ndata: first\n\n",
  ": comment\r\nid: 2\r\nevent: named\r\ndata: one\r\ndata:two\r\n\r\n",
  "data\n\n",
  "retry: 10\nunknown: x\n\n",
  "id: 3\rdata:  spaced\r\r",
  "data: cut off",
].join("");

const EXPECTED = [
  { id: "1", event: "message", data: "first" },
  { id: "2", event: "named", data: "one\ntwo" },
  { id: "2", event: "message", data: "" },
  { id: "3", event: "message", data: " spaced" },
];

describe("ServerSentEventParser", () => {
  it("reads a whole stream", () => {
    expect(new ServerSentEventParser().push(STREAM)).toEqual(EXPECTED);
  });

  it("reads a stream that is split anywhere", () => {
    for (let split = 1; split < STREAM.length; split += 1) {
      const parser = new ServerSentEventParser();
      const events = [...parser.push(STREAM.slice(0, split)), ...parser.push(STREAM.slice(split))];
      expect(events, `split at ${split}`).toEqual(EXPECTED);
    }
    const parser = new ServerSentEventParser();
    expect([...STREAM].flatMap((character) => parser.push(character))).toEqual(EXPECTED);
  });
});
