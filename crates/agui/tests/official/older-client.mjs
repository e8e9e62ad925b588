// An older official client as judge of a server: node older-client.mjs < conversations
// A conversation is a line {"client","url","threadId","state","wire","turns":[{"runId","ask"}]}. Answers a line with the
// messages and the state after each turn, what went wrong, and what the client's own compaction makes of the run.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const PROTO = "application/vnd.ag-ui.event+proto";
const warnings = [];
console.warn = (...parts) => warnings.push(parts.map(String).join(" "));
console.error = () => {};
console.log = () => {};

const copy = (value) => JSON.parse(JSON.stringify(value ?? null));

async function converse({ client, url, threadId, state = {}, wire, turns }) {
  const { HttpAgent, compactEvents } = require(client);
  const headers = wire === "proto" ? { Accept: PROTO } : {};
  const agent = new HttpAgent({ url, threadId, headers, initialState: state });
  const said = [];
  for (const { runId, ask } of turns) {
    warnings.length = 0;
    const events = [];
    let error = null;
    agent.messages.push({ id: `ask-${runId}`, role: "user", content: ask });
    try {
      await agent.runAgent({ runId }, { onEvent: ({ event }) => void events.push(copy(event)) });
    } catch (caught) {
      error = String(caught?.message ?? caught);
    }
    let compacted = null;
    try {
      compacted = compactEvents(events).map((event) => event.type);
    } catch (caught) {
      error ??= `compaction: ${caught?.message ?? caught}`;
    }
    said.push({
      error,
      compacted,
      patchFailures: warnings.filter((line) => /patch/i.test(line)).length,
      types: events.map((event) => event.type),
      messages: copy(agent.messages),
      state: copy(agent.state),
    });
  }
  return said;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await converse(JSON.parse(line)))}\n`);
}
