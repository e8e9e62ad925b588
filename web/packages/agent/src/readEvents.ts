import type { ActionExecution, ConversationChange, PayloadPatch } from "./messages.js";

/** Reads the changes in a stream of server-sent events. Comments and events of other kinds are skipped. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ConversationChange> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      buffer += decoder.decode(value, { stream: true });
      const frames = buffer.split("\n\n");
      buffer = frames.pop() ?? "";
      for (const frame of frames) {
        const change = readFrame(frame);
        if (change) yield change;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readFrame(frame: string): ConversationChange | undefined {
  const field = (name: string) =>
    frame
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [id, name, data] = [field("id"), field("event"), field("data")];
  if (id === undefined || name === undefined || data === undefined) return undefined;
  const position = Number(id);
  const value: unknown = JSON.parse(data);
  switch (name) {
    case "message":
      return { position, type: "message", message: value as Record<string, unknown> };
    case "patch":
      return { position, type: "patch", ...(value as { id: string; patch: PayloadPatch[] }) };
    case "action":
      return { position, type: "action", execution: value as ActionExecution };
    case "context":
      return { position, type: "context", ...(value as { key: string; value?: unknown }) };
    default:
      return undefined;
  }
}
