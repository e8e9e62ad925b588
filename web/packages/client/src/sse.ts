/** Event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Last event id: kept from earlier events of the stream if the event has none. */
  id: string | undefined;
  event: string;
  data: string;
}

/** Limit of one event in characters. A longer one means that the stream is broken. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Reads a `text/event-stream` by the rules of the HTML standard. An event that the stream cuts off is dropped. */
export async function* readServerSentEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const parser = new ServerSentEventParser();
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Incremental parser of a `text/event-stream`. */
export class ServerSentEventParser {
  private rest = "";
  /** Position in `rest` before which no line ends. */
  private scanned = 0;
  private isFirstChunk = true;
  private data: string[] = [];
  private dataLength = 0;
  private event = "";
  private id: string | undefined;

  /** Adds text and returns the events that it completes. */
  push(text: string): ServerSentEvent[] {
    if (text === "") return [];
    if (this.isFirstChunk) {
      this.isFirstChunk = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    const events: ServerSentEvent[] = [];
    const buffer = this.rest + text;
    let lineStart = 0;
    let position = this.scanned;
    while (position < buffer.length) {
      const code = buffer.charCodeAt(position);
      if (code !== 10 && code !== 13) {
        position += 1;
        continue;
      }
      // A carriage return at the end may be half of a CRLF.
      if (code === 13 && position + 1 === buffer.length) break;
      this.readLine(buffer.slice(lineStart, position), events);
      position += code === 13 && buffer.charCodeAt(position + 1) === 10 ? 2 : 1;
      lineStart = position;
    }
    this.rest = buffer.slice(lineStart);
    this.scanned = position - lineStart;
    if (this.rest.length + this.dataLength > MAX_EVENT_LENGTH) {
      throw new Error("The stream contains an event that is too long.");
    }
    return events;
  }

  private readLine(line: string, events: ServerSentEvent[]): void {
    if (line === "") {
      if (this.data.length > 0) {
        const event = this.event === "" ? "message" : this.event;
        events.push({ id: this.id, event, data: this.data.join("\n") });
      }
      this.data = [];
      this.dataLength = 0;
      this.event = "";
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") {
      this.data.push(value);
      this.dataLength += value.length;
    } else if (field === "event") {
      this.event = value;
    } else if (field === "id" && !value.includes("\0")) {
      this.id = value;
    }
  }
}
