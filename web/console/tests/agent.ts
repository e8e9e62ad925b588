import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Input of a run as far as the tests read it. */
export interface RunInput {
  threadId: string;
  runId: string;
  messages: { id: string; role: string; content?: string; toolCallId?: string }[];
  resume?: { interruptId: string; status: string; payload?: unknown }[];
}

/** Functions with which a scripted agent writes its run. */
export interface RunWriter {
  input: RunInput;
  send: (event: Record<string, unknown>) => void;
  /** Sends a complete text message. */
  say: (text: string, id?: string) => void;
  /** Sends a text message in deltas; waits between them. */
  write: (deltas: Iterable<string> | AsyncIterable<string>, id?: string) => Promise<void>;
}

/** Script of an agent: writes everything between the first and the last event of a run. */
export type AgentScript = (run: RunWriter) => Promise<Record<string, unknown> | undefined>;

/** Agent that follows a script. */
export interface TestAgent {
  url: string;
  /** Inputs of all runs. */
  inputs: RunInput[];
  stop: () => Promise<void>;
}

/** Starts an AG-UI agent. The value that a script returns is the outcome of the run. */
export async function startAgent(script: AgentScript): Promise<TestAgent> {
  const inputs: RunInput[] = [];
  const server = createServer((request, response) => {
    void handle(request, response, script, inputs).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    inputs,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  script: AgentScript,
  inputs: RunInput[],
): Promise<void> {
  let body = "";
  for await (const chunk of request) body += chunk;
  const input = JSON.parse(body) as RunInput;
  inputs.push(input);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (event: Record<string, unknown>) => {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const write: RunWriter["write"] = async (deltas, id = `${input.runId}-text`) => {
    send({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
    for await (const delta of deltas) {
      if (delta !== "") send({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta });
    }
    send({ type: "TEXT_MESSAGE_END", messageId: id });
  };
  const { threadId, runId } = input;
  send({ type: "RUN_STARTED", threadId, runId });
  const outcome = await script({
    input,
    send,
    write,
    say: (text, id = `${runId}-text`) => {
      send({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" });
      send({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: text });
      send({ type: "TEXT_MESSAGE_END", messageId: id });
    },
  });
  send({ type: "RUN_FINISHED", threadId, runId, ...(outcome ? { outcome } : {}) });
  response.end();
}

/** Gate that a script waits at until the test opens it. */
export class Gate {
  private opened: () => void = () => undefined;
  private readonly promise = new Promise<void>((resolve) => {
    this.opened = resolve;
  });

  open(): void {
    this.opened();
  }

  wait(): Promise<void> {
    return this.promise;
  }
}
