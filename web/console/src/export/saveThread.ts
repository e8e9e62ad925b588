import {
  answerMarkdown,
  type Conversation,
  displayCitations,
  type Message,
  messageCitations,
  messageText,
  type ThreadInfo,
} from "@pincite/client";
import { visibleText } from "@pincite/react";

/** Thread to export. */
export interface ExportedThread {
  title: string;
  agent: string;
  thread: ThreadInfo | undefined;
  conversation: Conversation;
}

/** Forms of an exported thread. */
export type ExportFormat = "markdown" | "html" | "json";

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  markdown: "text/markdown",
  html: "text/html",
  json: "application/json",
};
const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  markdown: "md",
  html: "html",
  json: "json",
};

/** Writes a thread as a file and lets the browser save it. */
export async function saveThread(format: ExportFormat, exported: ExportedThread): Promise<void> {
  const text = await writeThread(format, exported);
  const blob = new Blob([text], { type: `${MEDIA_TYPES[format]};charset=utf-8` });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${fileName(exported.title)}.${EXTENSIONS[format]}`;
  link.click();
  // The browser reads the address after the click; revoking it at once would cancel the download.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function writeThread(format: ExportFormat, exported: ExportedThread): Promise<string> {
  if (format === "markdown") return threadMarkdown(exported, window.location.origin);
  if (format === "json") return threadJson(exported);
  const { threadHtml } = await import("./threadHtml.js");
  return threadHtml(exported, window.location.origin);
}

/** Questions and answers of a thread, without the steps of the agent. */
export function shownMessages(conversation: Conversation): Message[] {
  return conversation.messages.filter(
    (message) =>
      (message.role === "user" || message.role === "assistant") && messageText(message) !== "",
  );
}

/** Returns a thread as Markdown: each message under a heading, citations as footnotes. */
export function threadMarkdown(
  { title, agent, conversation }: ExportedThread,
  origin: string,
): string {
  const parts = shownMessages(conversation).map((message, position) => {
    if (message.role === "user") return `## You\n\n${messageText(message)}`;
    const citations = displayCitations(messageCitations(conversation.state, message.id));
    const text = visibleText(messageText(message), false);
    return `## ${agent}\n\n${answerMarkdown({ text, citations }, origin, `${position + 1}-`)}`;
  });
  return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

/** Returns a thread as JSON: messages with their citations and verifications. */
export function threadJson({ title, agent, thread, conversation }: ExportedThread): string {
  const messages = shownMessages(conversation).map((message) => ({
    ...message,
    citations: displayCitations(messageCitations(conversation.state, message.id)),
  }));
  return JSON.stringify({ title, agent, thread, messages }, null, 2);
}

/** Returns a title as a file name. */
function fileName(title: string): string {
  const words = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return words.slice(0, 60).toLowerCase() || "thread";
}
