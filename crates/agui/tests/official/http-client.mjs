// The official client over HTTP: node http-client.mjs URL sse|proto COUNT
// Runs COUNT new agents one after another; a JSON line for each with what it ended with.
import { HttpAgent } from "@ag-ui/client";

const [url, wire, count] = process.argv.slice(2);

class BinaryAgent extends HttpAgent {
  requestInit(input) {
    const init = super.requestInit(input);
    return { ...init, headers: { ...init.headers, Accept: "application/vnd.ag-ui.event+proto" } };
  }
}

// The client warns on the console of what it ignores.
console.warn = console.error = () => {};
const Agent = wire === "proto" ? BinaryAgent : HttpAgent;
for (let run = 1; run <= Number(count); run++) {
  const agent = new Agent({ url, threadId: "thread" });
  let error = null;
  try {
    await agent.runAgent({ runId: `run-${run}` });
  } catch (caught) {
    error = String(caught?.message ?? caught);
  }
  console.log(JSON.stringify({ messages: agent.messages, state: agent.state, error }));
}
