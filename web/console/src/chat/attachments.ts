import type { Message } from "@pincite/client";

/** Document that a question refers to. */
export interface MessageAttachment {
  id: string;
  filename: string;
}

/** Member of the metadata of a message that lists its attachments. */
const METADATA_KEY = "pincite";

/** Returns the attachments of a message. */
export function messageAttachments(message: Message): MessageAttachment[] {
  const own = message.metadata?.[METADATA_KEY];
  const list = (own as { attachments?: unknown } | undefined)?.attachments;
  if (!Array.isArray(list)) return [];
  return list.filter(
    (entry): entry is MessageAttachment =>
      typeof entry?.id === "string" && typeof entry?.filename === "string",
  );
}

/** Returns the metadata of a message with these attachments. */
export function attachmentMetadata(
  attachments: readonly MessageAttachment[],
): Record<string, unknown> {
  return { [METADATA_KEY]: { attachments } };
}

/** Returns the ids of all attachments of a conversation. */
export function attachmentIds(messages: readonly Message[]): string[] {
  return [...new Set(messages.flatMap(messageAttachments).map((attachment) => attachment.id))];
}
