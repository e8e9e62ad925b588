// Replays public vector files through the oracle and reports differences.
// Usage: node selfcheck.mjs FILE…
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { answer } from "./answer.mjs";

const hex = (text) => Buffer.from(text).toString("hex");

/** The chunks of a vector, or the one generated chunk. */
function chunksOf({ chunks_hex, generate }) {
  if (!generate) return chunks_hex;
  const { prefix, fill, total_chars } = generate;
  return [hex(prefix + fill.repeat(total_chars - prefix.length))];
}

// For each vector kind: the request, and the fields the answer must agree on.
// A field absent in the vector must be absent in the answer.
const KINDS = {
  sequences: {
    request: (v) => ({
      kind: "sequence",
      events: v.input_events,
      messages: v.initial_messages,
      state: v.initial_state,
    }),
    expected: (v) => ({ enforced: v.input_events, ...v }),
    fields: [
      "enforced",
      "stripped",
      "dropped_event_types",
      "enforce_error",
      "expanded",
      "expand_error",
      "verify",
      "error",
      "result_messages",
      "result_state",
      "result",
      "new_message_ids",
      "finished",
      "pending_interrupts",
      "patch_failures",
      "mint_count",
      "compacted",
    ],
  },
  parse: {
    request: (v) => ({ kind: "sse", content_type: v.content_type, chunks_hex: chunksOf(v) }),
    fields: ["events", "events_after_each_chunk", "error", "completed"],
  },
  encode: {
    request: (v) => ({ kind: "proto-encode", event: v.event }),
    fields: ["hex", "framed_hex"],
  },
  decode: {
    request: (v) => ({ kind: "proto-decode", hex: v.hex }),
    fields: ["decoded", "decode_error", "dropped_parts"],
  },
  frames: {
    request: (v) => ({ kind: "frames", chunks_hex: v.chunks_hex }),
    fields: ["events", "events_after_each_chunk", "error", "completed", "dropped_frames"],
  },
};

let differences = 0;

async function check(kind, vector) {
  const { request, expected = (v) => v, fields } = KINDS[kind];
  const given = await answer(request(vector));
  const wanted = expected(vector);
  for (const field of fields) {
    if (isDeepStrictEqual(given[field], wanted[field])) continue;
    differences += 1;
    process.stdout.write(
      `${vector.name} ${field}\n  vector: ${JSON.stringify(wanted[field])}\n` +
        `  oracle: ${JSON.stringify(given[field] ?? given.oracle_error)}\n`,
    );
  }
}

for (const file of process.argv.slice(2)) {
  const { meta, vectors } = JSON.parse(readFileSync(file, "utf8"));
  let checked = 0;
  let skipped = 0;
  for (const vector of vectors) {
    const kind = meta.kind === "sequences" ? "sequences" : vector.kind;
    if (!Object.hasOwn(KINDS, kind)) {
      skipped += 1;
      continue;
    }
    checked += 1;
    await check(kind, vector);
    // An encoded vector must also decode as the vector says.
    if (kind === "encode") await check("decode", vector);
  }
  process.stdout.write(`${file}: ${checked} checked, ${skipped} of other kinds\n`);
}
process.stdout.write(`${differences} differences\n`);
process.exitCode = differences === 0 ? 0 : 1;
