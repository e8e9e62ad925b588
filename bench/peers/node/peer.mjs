// JavaScript contestant of the benchmark: one mode, one file, one JSON line.
//
// usage: node peer.mjs MODE FILE MIN_SECONDS [--dump OUT]
//   full          @ag-ui/client   HttpAgent.runAgent over 16 KB chunks
//   encode-sse    @ag-ui/encoder  one SSE frame per event
//   proto-encode  @ag-ui/proto    one protobuf message per event
//   proto-decode  @ag-ui/proto    the same messages back to events
//   patch         fast-json-patch every STATE_DELTA on the STATE_SNAPSHOT, mutating

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const CHUNK = 16 * 1024;
const SMALL_STREAM = 200_000; // bytes; above it, `full` is warmed up by one iteration only
const WARM_UP = 2; // CPU seconds before the timed part

/** Bytes or characters produced so far; kept so that no work can be optimised away. */
let produced = 0;

/** Parses an SSE file into its events, one per `data:` line. */
function parseEvents(bytes) {
  const events = [];
  for (const line of bytes.toString("utf8").split("\n")) {
    if (line.startsWith("data:")) events.push(JSON.parse(line.slice(5)));
  }
  return events;
}

/** CPU seconds (user and system, all threads) since `start`. */
function cpuSince(start) {
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1e6;
}

/** A response whose body hands out the file in chunks when asked. */
function chunkedResponse(bytes) {
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + CHUNK));
      at += CHUNK;
    },
  });
  return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } });
}

/** The real client on the file: a fresh agent per iteration. */
async function fullMode(bytes) {
  const { HttpAgent } = await import("@ag-ui/client");
  const events = parseEvents(bytes).length;
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  let agent;
  const run = async () => {
    agent = new HttpAgent({
      url: "http://bench.invalid/",
      threadId: "bench",
      fetch: async () => chunkedResponse(view),
    });
    await agent.runAgent({ runId: "bench" });
    produced += agent.messages.length;
  };
  return {
    events,
    warmUp: bytes.length < SMALL_STREAM ? WARM_UP : 0,
    run,
    dump: () => ({ messages: agent.messages, state: agent.state }),
  };
}

/** The encoder on events parsed beforehand. */
async function encodeSseMode(bytes) {
  const { EventEncoder } = await import("@ag-ui/encoder");
  const events = parseEvents(bytes);
  const encoder = new EventEncoder();
  const run = () => {
    for (const event of events) produced += encoder.encode(event).length;
  };
  return { events: events.length, run };
}

/** Protobuf encoding of events parsed beforehand. */
async function protoEncodeMode(bytes) {
  const proto = await import("@ag-ui/proto");
  const events = parseEvents(bytes);
  const run = () => {
    for (const event of events) produced += proto.encode(event).length;
  };
  return { events: events.length, run };
}

/** Protobuf decoding of messages encoded beforehand. */
async function protoDecodeMode(bytes) {
  const proto = await import("@ag-ui/proto");
  const messages = parseEvents(bytes).map((event) => proto.encode(event));
  const run = () => {
    for (const message of messages) produced += proto.decode(message).type.length;
  };
  return { events: messages.length, run };
}

/** Patches in place; start state and operations are cloned outside the timed part. */
async function patchMode(bytes) {
  const { default: jsonPatch } = await import("fast-json-patch");
  const events = parseEvents(bytes);
  const start = events.find((event) => event.type === "STATE_SNAPSHOT")?.snapshot;
  if (start === undefined) throw new Error("the file has no STATE_SNAPSHOT");
  const deltas = events.filter((event) => event.type === "STATE_DELTA").map((event) => event.delta);
  let state;
  let ops;
  const prepare = () => {
    state = structuredClone(start);
    ops = structuredClone(deltas);
  };
  const run = () => {
    for (const delta of ops) {
      state = jsonPatch.applyPatch(state, delta, false, true).newDocument;
    }
  };
  return { events: deltas.length, prepare, run, dump: () => state };
}

const MODES = {
  full: fullMode,
  "encode-sse": encodeSseMode,
  "proto-encode": protoEncodeMode,
  "proto-decode": protoDecodeMode,
  patch: patchMode,
};

/** Reads the command line; the error text is the usage. */
function parseArguments(argv) {
  const [mode, file, seconds, flag, out] = argv;
  const minSeconds = Number(seconds);
  const dumpOk = flag === undefined || (flag === "--dump" && out !== undefined);
  if (!Object.hasOwn(MODES, mode ?? "") || !file || !Number.isFinite(minSeconds) || !dumpOk) {
    const names = Object.keys(MODES).join("|");
    throw new Error(`usage: node peer.mjs ${names} FILE MIN_SECONDS [--dump OUT]`);
  }
  return { mode, file, minSeconds, out };
}

async function main() {
  const { mode, file, minSeconds, out } = parseArguments(process.argv.slice(2));
  const contest = await MODES[mode](readFileSync(file));
  const prepare = contest.prepare ?? (() => {});
  const isAsync = mode === "full";

  /** Iterates until `seconds` of CPU time are used, once at least. */
  const iterate = async (seconds) => {
    let iterations = 0;
    let cpu = 0;
    do {
      prepare();
      const start = process.cpuUsage();
      const done = contest.run();
      if (isAsync) await done;
      cpu += cpuSince(start);
      iterations += 1;
    } while (cpu < seconds);
    return { iterations, cpu };
  };

  if (out === undefined) await iterate(contest.warmUp ?? WARM_UP);
  else if (!contest.dump) throw new Error(`mode ${mode} has nothing to dump`);
  const { iterations, cpu } = await iterate(minSeconds);

  if (out !== undefined) writeFileSync(out, JSON.stringify(contest.dump()));
  const line = {
    mode,
    file: basename(file),
    events: contest.events,
    iterations,
    cpu_seconds: Number(cpu.toFixed(6)),
    peak_rss_mb: Number((process.resourceUsage().maxRSS / 1024).toFixed(1)),
  };
  console.log(JSON.stringify(line));
}

main().catch((error) => {
  console.error(`peer.mjs: ${error?.message ?? error}`);
  process.exitCode = 1;
});
