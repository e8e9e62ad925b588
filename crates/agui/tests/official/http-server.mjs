// A server on the official encoder: node http-server.mjs FILE…
// Each FILE holds a JSON array of events; the n-th request gets the n-th, the last repeats.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { EventEncoder } from "@ag-ui/encoder";

const recordings = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
let asked = 0;
const server = createServer((request, response) => {
  request.resume().on("end", async () => {
    const events = recordings[Math.min(asked++, recordings.length - 1)];
    const encoder = new EventEncoder({ accept: request.headers.accept });
    response.writeHead(200, { "Content-Type": encoder.getContentType() });
    for (const event of events) {
      response.write(encoder.encodeBinary(event));
      await new Promise(setImmediate);
    }
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
