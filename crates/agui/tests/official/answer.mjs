// One request in, one answer out; never throws.
import { older } from "./older.mjs";
import { sequence } from "./sequence.mjs";
import { frames, patch, protoDecode, protoEncode, sse } from "./wire.mjs";

const HANDLERS = new Map([
  ["sequence", sequence],
  ["sse", sse],
  ["frames", frames],
  ["proto-encode", protoEncode],
  ["proto-decode", protoDecode],
  ["patch", patch],
  ["older", older],
]);

export async function answer(request) {
  try {
    const handler = HANDLERS.get(request.kind);
    if (!handler) return { oracle_error: `unknown kind ${JSON.stringify(request.kind)}` };
    return await handler(request);
  } catch (error) {
    return { oracle_error: String(error) };
  }
}
