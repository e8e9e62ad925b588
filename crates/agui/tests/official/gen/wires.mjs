// Random transport input: SSE byte streams and protobuf encodings.
import { proto } from "../official.mjs";
import { event } from "./events.mjs";
import { clean, sorted, word } from "./json.mjs";

const BAD_PAYLOADS = [
  "[DONE]",
  "",
  "[]",
  "null",
  "3",
  '"x"',
  '{"type":""}',
  '{"type":5}',
  "{}",
  "{",
];
const NOISE = [
  ": comment",
  "event: message",
  "id: 7",
  "retry: 10",
  "data",
  " data: x",
  "DATA: x",
  "x",
];
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const BROKEN_UTF8 = [
  [0xff],
  [0xc3],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
  [0xed, 0xa0, 0x80],
  [0xc0, 0x80],
];

function payloadLines(rng) {
  if (rng.chance(0.06)) return [rng.pick(BAD_PAYLOADS)];
  const data = rng.chance(0.1) ? { type: word(rng), extra: 1 } : event(rng);
  if (rng.chance(0.1)) return JSON.stringify(data, null, 1).split("\n");
  const json = JSON.stringify(data);
  return [rng.chance(0.05) ? json.replace("{", '{"type":"FIRST",') : json];
}

function block(rng) {
  const noise = () => rng.list(0, rng.pick([0, 0, 1, 2]), () => rng.pick(NOISE));
  const prefix = rng.pick(["data: ", "data: ", "data:"]);
  const lines = rng.chance(0.1) ? [] : payloadLines(rng).map((line) => prefix + line);
  return [...noise(), ...lines, ...noise()].join("\n");
}

/** Puts a few broken bytes at a random place. */
function damage(rng, data) {
  const at = rng.int(data.length + 1);
  return Buffer.concat([
    data.subarray(0, at),
    Buffer.from(rng.pick(BROKEN_UTF8)),
    data.subarray(at),
  ]);
}

function cut(rng, data) {
  const size = rng.pick([1, 3, 20, 200, 5000]);
  const chunks = [];
  for (let at = 0; at < data.length;) {
    const next = at + rng.between(1, size);
    chunks.push(data.subarray(at, next));
    at = next;
  }
  if (rng.chance(0.1)) chunks.splice(rng.int(chunks.length + 1), 0, Buffer.alloc(0));
  return chunks.map((chunk) => chunk.toString("hex"));
}

export function sseRequest(rng) {
  const blocks = rng.list(0, 5, () => block(rng));
  const text = blocks.map((part) => part + rng.pick(["\n\n", "\n\n", "\n\n\n"])).join("");
  let data = Buffer.from(rng.chance(0.2) ? text.trimEnd() : text);
  if (rng.chance(0.1)) data = Buffer.concat([BOM, data]);
  if (rng.chance(0.05)) data = Buffer.concat([data, BOM, Buffer.from("data: {}\n\n")]);
  if (rng.chance(0.15)) data = damage(rng, data);
  return { kind: "sse", chunks_hex: cut(rng, data) };
}

/** Members in sorted order, so that the bytes do not depend on a map's order. */
export const encodeRequest = (rng) => ({ kind: "proto-encode", event: sorted(event(rng)) });

function mutateBytes(rng, data, other) {
  const bytes = [...data];
  const at = rng.int(bytes.length + 1);
  const kind = rng.weighted({ set: 4, flip: 3, cut: 2, insert: 2, remove: 2, join: 2, repeat: 2 });
  if (kind === "set" && at < bytes.length) bytes[at] = rng.int(256);
  if (kind === "flip" && at < bytes.length) bytes[at] ^= 1 << rng.int(8);
  if (kind === "cut") bytes.length = at;
  if (kind === "insert") bytes.splice(at, 0, rng.int(256));
  if (kind === "remove") bytes.splice(at, 1);
  if (kind === "join") bytes.push(...other);
  if (kind === "repeat") bytes.push(...data);
  return Uint8Array.from(bytes);
}

/** Broken UTF-8 reads differently in our decoder, and JSON has no NaN. */
function comparable(bytes) {
  try {
    const decoded = proto.decode(bytes);
    const text = JSON.stringify(decoded, (_, item) =>
      typeof item === "number" && !Number.isFinite(item) ? "\ufffd" : item,
    );
    return !text.includes("\ufffd");
  } catch {
    return true;
  }
}

export function decodeRequest(rng) {
  for (;;) {
    const one = proto.encode(clean(event(rng)));
    const other = proto.encode(clean(event(rng)));
    let bytes = one;
    for (let left = rng.between(0, 2); left > 0; left--) bytes = mutateBytes(rng, bytes, other);
    if (comparable(bytes)) return { kind: "proto-decode", hex: Buffer.from(bytes).toString("hex") };
  }
}
