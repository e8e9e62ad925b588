// Writes random oracle requests as JSON lines.
// Usage: node random.mjs SEED COUNT
import { mutate } from "./gen/mutate.mjs";
import { document, patchFor } from "./gen/patches.mjs";
import { Rng } from "./gen/rng.mjs";
import { sequenceOf } from "./gen/runs.mjs";
import { decodeRequest, encodeRequest, sseRequest } from "./gen/wires.mjs";

function sequenceRequest(rng) {
  const mutated = rng.chance(0.65);
  const { events, messages, state } = sequenceOf(rng, !mutated);
  if (mutated) mutate(rng, events);
  return { kind: "sequence", events, messages, state };
}

function patchRequest(rng) {
  const data = document(rng);
  return { kind: "patch", document: data, patch: patchFor(rng, data).patch };
}

const MAKERS = {
  sequence: sequenceRequest,
  patch: patchRequest,
  sse: sseRequest,
  encode: encodeRequest,
  decode: decodeRequest,
};
const WEIGHTS = { sequence: 60, patch: 20, sse: 10, encode: 5, decode: 5 };

const [seed, count] = process.argv.slice(2).map(Number);
if (!Number.isInteger(seed) || !Number.isInteger(count)) {
  process.stderr.write("usage: node random.mjs SEED COUNT\n");
  process.exit(2);
}
for (let index = 0; index < count; index++) {
  const rng = new Rng(seed, index);
  process.stdout.write(`${JSON.stringify(MAKERS[rng.weighted(WEIGHTS)](rng))}\n`);
}
