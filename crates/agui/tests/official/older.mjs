// Verdicts of older official clients on events: their schema of the events, and their protobuf decoders.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
// The packages are loaded as CommonJS, because Node cannot load the older ones as modules.
const load = (alias) => {
  const client = require(alias);
  const { decode } = createRequire(require.resolve(alias))("@ag-ui/proto");
  return { EventSchemas: client.EventSchemas, decode };
};
const oldest = load("ag-ui-client-0-0-41");
const last = load("ag-ui-client-0-0-59");

const attempt = (action) => {
  try {
    action();
    return null;
  } catch (error) {
    return String(error?.message ?? error).slice(0, 500);
  }
};

/** The events that the last release before 1.0 rejects, and the frames that a release cannot decode. */
export function older({ events, frames_hex }) {
  const frames = frames_hex.map((hex) => Uint8Array.from(Buffer.from(hex, "hex")));
  return {
    events: events.map((event) => attempt(() => last.EventSchemas.parse(event))),
    frames: frames.map((frame) => ({
      oldest: attempt(() => oldest.decode(frame)),
      last: attempt(() => last.decode(frame)),
    })),
  };
}
