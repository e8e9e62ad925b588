// JavaScript server of the benchmark: Node's http module with nothing around it.
//
// usage: node server.mjs MODE FILE
//   each    encodes each event, one write per event, a turn of the event loop in between
//   ready   sends prepared frames, one write per event, all in one turn

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;

/** The events between a run's two ends. */
function body(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => JSON.parse(line.slice(5))).slice(1, -1);
}

/** One event per turn. */
function each(events) {
  return (response, { threadId, runId }) => {
    response.write(frame({ type: "RUN_STARTED", threadId, runId }));
    let next = 0;
    const turn = () => {
      if (next === events.length) return response.end(frame({ type: "RUN_FINISHED", threadId, runId }));
      response.write(frame(events[next]));
      next += 1;
      setImmediate(turn);
    };
    setImmediate(turn);
  };
}

/** Everything in one turn. */
function ready(events) {
  const ids = { threadId: "thread", runId: "run" };
  const ends = [{ type: "RUN_STARTED", ...ids }, { type: "RUN_FINISHED", ...ids }];
  const frames = [ends[0], ...events, ends[1]].map((event) => Buffer.from(frame(event)));
  return (response) => {
    for (const bytes of frames) response.write(bytes);
    response.end();
  };
}

const MODES = { each, ready };
const [mode, file] = process.argv.slice(2);
if (!Object.hasOwn(MODES, mode ?? "") || !file) {
  console.error(`usage: node server.mjs ${Object.keys(MODES).join("|")} FILE`);
  process.exit(1);
}
const answer = MODES[mode](body(file));

const server = createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const input = JSON.parse(Buffer.concat(pieces).toString());
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer(response, input);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
