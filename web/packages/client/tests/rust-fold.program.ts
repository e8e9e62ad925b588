import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
// @ts-expect-error The generator of the comparison with the official client has no types.
import { mutate } from "../../../../crates/agui/tests/official/gen/mutate.mjs";
// @ts-expect-error See above.
import { Rng } from "../../../../crates/agui/tests/official/gen/rng.mjs";
// @ts-expect-error See above.
import { sequenceOf } from "../../../../crates/agui/tests/official/gen/runs.mjs";
import {
  type AgUiEvent,
  EMPTY_CONVERSATION,
  foldEvents,
  type Message,
  ServerSentEventParser,
} from "../src/index.js";

/** Stream with the conversation before it. */
interface StreamRequest {
  messages: Message[];
  state: unknown;
  events: AgUiEvent[];
}

/** Result of the fold in Rust, with the events as it received them. */
interface RustFold {
  expanded: AgUiEvent[];
  messages: Message[];
  state: unknown;
  interrupts: unknown[];
}

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const RECORDINGS = join(ROOT, "crates/citations/tests/data/streams");
const SEED = 25;
const RANDOM_STREAMS = 5000;

function foldInRust(requests: StreamRequest[]): RustFold[] {
  const args = ["run", "--quiet", "--locked", "--profile", "test", "-p", "agui"];
  const { stdout, stderr, status } = spawnSync("cargo", [...args, "--example", "fold_lines"], {
    cwd: ROOT,
    input: requests.map((request) => JSON.stringify(request)).join("\n"),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`fold_lines ended with ${status}: ${stderr}`);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function readRecording(name: string): StreamRequest {
  const parser = new ServerSentEventParser();
  const events = parser.push(`${readFileSync(join(RECORDINGS, name), "utf8")}\n\n`);
  const input = readFileSync(join(RECORDINGS, name.replace(".sse", ".request.json")), "utf8");
  const { messages, state } = JSON.parse(input);
  return { messages, state: state ?? {}, events: events.map(({ data }) => JSON.parse(data)) };
}

function randomStream(index: number): StreamRequest {
  const rng = new Rng(SEED, index);
  const isMutated = rng.chance(0.5);
  const { events, messages, state } = sequenceOf(rng, !isMutated);
  if (isMutated) mutate(rng, events);
  return JSON.parse(JSON.stringify({ events, messages, state }));
}

/** Folds the events that the fold in Rust received. Bridged citations are an addition of this fold. */
function foldHere(request: StreamRequest, events: AgUiEvent[]) {
  const before = { ...EMPTY_CONVERSATION, messages: request.messages, state: request.state };
  const { messages, state, interrupts } = foldEvents(before, events, 0);
  const plain = messages.map(({ citations: _, ...message }) => message);
  return JSON.parse(JSON.stringify({ messages: plain, state: state ?? null, interrupts }));
}

function expectSame(names: string[], requests: StreamRequest[]): void {
  const results = foldInRust(requests);
  expect(results).toHaveLength(requests.length);
  const different = requests.flatMap((request, position) => {
    const { expanded, ...expected } = results[position] as RustFold;
    const folded = foldHere(request, expanded);
    return isDeepStrictEqual(folded, expected) ? [] : [{ name: names[position], folded, expected }];
  });
  expect(different[0]?.folded, different.map(({ name }) => name).join(", ")).toEqual(
    different[0]?.expected,
  );
}

describe("foldEvents gives the same result as the fold in Rust", () => {
  it("on every recorded stream", () => {
    const names = readdirSync(RECORDINGS).filter((name) => name.endsWith(".sse"));
    expect(names.length).toBeGreaterThan(9);
    expectSame(names, names.map(readRecording));
  });

  it(`on ${RANDOM_STREAMS} random streams`, () => {
    const requests = Array.from({ length: RANDOM_STREAMS }, (_, index) => randomStream(index));
    expectSame(
      requests.map((_, index) => `stream ${index} of seed ${SEED}`),
      requests,
    );
  });
});
