// The official client as judge of a server: node judge.mjs < conversations
// A conversation is a line {"url","threadId","messages","state","wire","turns":[{"runId","ask"}]}; its turns are runs
// of one agent, so that messages and state carry over. Answers a line with what came over the wire in
// each turn, what the rules say of it, and what the agent had before and after.
import { createInterface } from "node:readline";
import { stdin, stdout } from "node:process";
import { client, collected, copy, proto, reset } from "./official.mjs";
import { PATCH_FAILED, runStage } from "./sequence.mjs";

const PROTO = "application/vnd.ag-ui.event+proto";

class Witness extends client.HttpAgent {
  bytes = [];
  status = 0;

  constructor({ wire, ...config }) {
    super({ ...config, fetch: (url, init) => this.watched(url, init) });
    this.wire = wire;
  }

  requestInit(input) {
    const init = super.requestInit(input);
    if (this.wire !== "proto") return init;
    return { ...init, headers: { ...init.headers, Accept: PROTO } };
  }

  async watched(url, init) {
    this.bytes = [];
    const response = await fetch(url, init);
    this.status = response.status;
    const keep = new TransformStream({
      transform: (piece, controller) => {
        this.bytes.push(piece);
        controller.enqueue(piece);
      },
    });
    return new Response(response.body?.pipeThrough(keep), response);
  }
}

/** The events of a body. */
function events(bytes, wire) {
  if (wire !== "proto") {
    const data = bytes.toString("utf8").split("\n").filter((line) => line.startsWith("data: "));
    return data.map((line) => JSON.parse(line.slice(6)));
  }
  const found = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    found.push(proto.decode(bytes.subarray(at + 4, end)));
    at = end;
  }
  return found;
}

/** What the official rules say of a run. */
function verdict(list) {
  const expanded = runStage(client.transformChunks(), list);
  const verified = runStage(client.verifyEvents(), expanded.outputs);
  const failure = expanded.failure ?? verified.failure;
  return failure ? `${failure.index}: ${failure.error.message}` : null;
}

async function converse({ url, threadId, messages = [], state = {}, wire, turns }) {
  const agent = new Witness({
    url,
    threadId,
    wire,
    initialMessages: messages,
    initialState: state,
  });
  const said = [];
  for (const { runId, ask } of turns) {
    if (ask) agent.addMessage({ id: `ask-${runId}`, role: "user", content: ask });
    const before = { messages: copy(agent.messages), state: copy(agent.state) };
    reset();
    let error = null;
    try {
      await agent.runAgent({ runId });
    } catch (caught) {
      error = String(caught?.message ?? caught);
    }
    const bytes = Buffer.concat(agent.bytes);
    said.push({
      status: agent.status,
      body: bytes.toString("base64"),
      error,
      before,
      after: { messages: copy(agent.messages), state: copy(agent.state) },
      patchFailures: collected().warnings.filter((line) => PATCH_FAILED.test(line)).length,
      verify: agent.status === 200 ? verdict(events(bytes, wire)) : null,
    });
  }
  return said;
}

for await (const line of createInterface({ input: stdin })) {
  stdout.write(`${JSON.stringify(await converse(JSON.parse(line)))}\n`);
}
