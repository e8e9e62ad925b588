// Answers the transport requests (`sse`, `frames`, `proto-*`) and `patch`.
import {
  client,
  collected,
  copy,
  EventEncoder,
  jsonpatch,
  proto,
  reset,
  Subject,
} from "./official.mjs";

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (data) => Buffer.from(data).toString("hex");
const countWarnings = (start) =>
  collected().warnings.filter((line) => line.startsWith(start)).length;

const SSE_ERRORS = [
  ["not-an-object", /^Invalid event: the frame is not a JSON object/],
  ["no-type", /^Invalid event: the frame carries no event type/],
  ["too-large", /^SSE buffer size exceeded/],
];
const FRAME_ERRORS = [
  ["truncated-frame", /ended mid-frame/],
  ["too-large", /exceeded maximum limit/],
  ["bad-frame", /^Failed to decode protocol buffer message/],
];

/** Reads chunks with the official response reader. */
function readResponse(chunks, contentType, errorName) {
  reset();
  const source = new Subject();
  const events = [];
  const counts = [];
  let error = null;
  let completed = false;
  client.transformHttpEventStream(source).subscribe({
    next: (event) => events.push(copy(event)),
    error: (reason) => {
      error = errorName(reason);
    },
    complete: () => {
      completed = true;
    },
  });
  const headers = new Headers(contentType === null ? {} : { "content-type": contentType });
  source.next({ type: "headers", status: 200, headers });
  for (const chunk of chunks) {
    source.next({ type: "data", data: bytes(chunk) });
    counts.push(events.length);
  }
  source.complete();
  return { events, events_after_each_chunk: counts, error, completed };
}

const named = (table) => (error) => {
  if (error instanceof SyntaxError) return "invalid-json";
  return table.find(([, pattern]) => pattern.test(error.message))?.[0] ?? error.message;
};

export const sse = ({ chunks_hex, content_type = "text/event-stream" }) =>
  readResponse(chunks_hex, content_type, named(SSE_ERRORS));

export function frames({ chunks_hex }) {
  const answer = readResponse(chunks_hex, proto.AGUI_MEDIA_TYPE, named(FRAME_ERRORS));
  const dropped = countWarnings("[ag-ui][proto] Dropped an event");
  return dropped > 0 ? { ...answer, dropped_frames: dropped } : answer;
}

export function protoEncode({ event }) {
  reset();
  const framed = new EventEncoder({ accept: proto.AGUI_MEDIA_TYPE }).encodeBinary(copy(event));
  return { hex: hex(proto.encode(copy(event))), framed_hex: hex(framed) };
}

export function protoDecode({ hex: text }) {
  reset();
  try {
    const answer = { decoded: copy(proto.decode(bytes(text))) };
    const dropped = countWarnings("[ag-ui][proto] Dropped a content part");
    return dropped > 0 ? { ...answer, dropped_parts: dropped } : answer;
  } catch (error) {
    if (error instanceof proto.AGUIUnknownEventTypeError) {
      return { decode_error: "unknown-event-type" };
    }
    const ours = error.message.startsWith("Invalid event");
    return { decode_error: ours ? error.message : "malformed" };
  }
}

/** The call that the official client makes for STATE_DELTA. */
export function patch({ document, patch: operations }) {
  let result;
  try {
    result = jsonpatch.applyPatch(document, operations, true, false).newDocument;
  } catch {
    return { error: true };
  }
  if (result === undefined) return { oracle_error: "the document became undefined" };
  return { result: copy(result) };
}
