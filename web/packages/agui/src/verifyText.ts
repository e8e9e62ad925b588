import type { VerifyEvent } from "@pincite/client";
import type { CitationMiddlewareConfig } from "./types.js";

/** Returns the address of the server without a slash at its end. */
export function serverUrl(config: CitationMiddlewareConfig): string {
  const origin = globalThis.location?.origin;
  const isPage = origin?.startsWith("http");
  return (config.url ?? (isPage ? origin : "http://127.0.0.1:8787")).replace(/\/+$/, "");
}

/** Sends a JSON request to the server and returns its successful response. */
export async function post(
  config: CitationMiddlewareConfig,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await (config.fetch ?? globalThis.fetch)(serverUrl(config) + path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "text/event-stream, application/json",
      ...(config.apiKey ? { Authorization: `Bearer ${config.apiKey}` } : {}),
    },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  if (response.ok) return response;
  const text = await response.text().catch(() => "");
  let message = `The server responded with status ${response.status}.`;
  try {
    message = JSON.parse(text).error.message ?? message;
  } catch {
    // Responses of proxies have another form.
  }
  throw new Error(message);
}

/** Yields the result of each citation in a text as soon as it is known. */
export async function* verifyText(
  config: CitationMiddlewareConfig,
  body: { text: string; attachmentIds?: readonly string[] },
  signal: AbortSignal,
): AsyncGenerator<VerifyEvent> {
  const response = await post(config, "/verify", body, signal);
  yield* readResults(response);
}

/**
 * Reads the results as the server writes them. The parser of `@pincite/client` reads every event stream, but would be a
 * tenth of the size of this package.
 */
async function* readResults(response: Response): AsyncGenerator<VerifyEvent> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      if (event.startsWith("event: end")) return;
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data) yield JSON.parse(data) as VerifyEvent;
    }
  }
}

/** Returns a text for the log: one line without control characters, at most 1,000 characters. */
export function sanitizeForLog(value: unknown): string {
  const text = value instanceof Error ? value.message : String(value);
  const line = text.replace(/\p{Cc}+/gu, " ");
  return line.length > 1000 ? `${line.slice(0, 1000)}…` : line;
}
