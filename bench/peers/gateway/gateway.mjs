// JavaScript gateways of the benchmark: each run goes to an agent at another address.
//
// usage: node gateway.mjs MODE UPSTREAM
//   copilotkit   @copilotkit/runtime with an HttpAgent, threads in memory
//   pipe         Node's http module, which hands on the bytes as they come

import { Agent, createServer, request as ask } from "node:http";

// Keeps the runs of the benchmark out of the vendor's statistics.
process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
process.env.DO_NOT_TRACK = "1";

/** The runtime as its documentation sets it up. */
async function copilotkit(upstream) {
  const { HttpAgent } = await import("@ag-ui/client");
  const { CopilotRuntime } = await import("@copilotkit/runtime/v2");
  const { createCopilotNodeListener } = await import("@copilotkit/runtime/v2/node");
  const runtime = new CopilotRuntime({ agents: { up: new HttpAgent({ url: upstream }) } });
  return { listener: createCopilotNodeListener({ runtime, basePath: "/" }), path: "/agent/up/run" };
}

/** Bytes in, bytes out. */
async function pipe(upstream) {
  const agent = new Agent({ keepAlive: true });
  const listener = (request, response) => {
    const { host: _, ...headers } = request.headers;
    const onward = ask(upstream, { agent, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, { "content-type": answer.headers["content-type"] });
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  };
  return { listener, path: "/" };
}

const MODES = { copilotkit, pipe };
const [mode, upstream] = process.argv.slice(2);
if (!Object.hasOwn(MODES, mode ?? "") || !upstream) {
  console.error(`usage: node gateway.mjs ${Object.keys(MODES).join("|")} UPSTREAM`);
  process.exit(1);
}
const { listener, path } = await MODES[mode](upstream);
const server = createServer(listener);
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}${path}`));
